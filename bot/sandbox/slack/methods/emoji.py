"""emoji.list: the team's own emoji."""

from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.rates import TIER_2
from bot.sandbox.slack.wire import JsonObject


def list_emoji(call: Call) -> JsonObject:
    """Custom emoji by name: the address of the picture, or `alias:` and another name."""
    base = f"{call.base_url}/emoji"
    own: JsonObject = {"bowtie": f"{base}/bowtie.png", "party_robot": f"{base}/party_robot.gif"}
    listed: JsonObject = {"emoji": {**own, "shipit": "alias:bowtie"}}
    if call.args.flag("include_categories"):
        listed["categories"] = []
    return listed | {"cache_ts": str(call.state.clock.now())}


METHODS: Methods = {"emoji.list": Method(run=list_emoji, scopes=("emoji:read",), rate=TIER_2)}
