"""chat.unfurl: the app's own preview of a link that somebody posted."""

from dataclasses import replace

from bot.sandbox.slack.blocks import check_message_blocks
from bot.sandbox.slack.errors import ApiError
from bot.sandbox.slack.links import is_of_domains, links_in
from bot.sandbox.slack.methods.method import Call, Method, Methods
from bot.sandbox.slack.rates import TIER_3
from bot.sandbox.slack.records import Channel, Post
from bot.sandbox.slack.wire import JsonObject, as_array, as_object


def unfurl(call: Call) -> JsonObject:
    """Attach previews to a posted message; the same link's preview is replaced, not added.

    Links in the composer (`unfurl_id`, `source`) are not known here: nobody composes in public.
    """
    post, unfurls = _find_post(call), _read_unfurls(call)
    for url in unfurls:
        if url not in links_in(post.text):
            raise ApiError("cannot_unfurl_message")
        if not is_of_domains(url, call.app.unfurl_domains):
            raise ApiError("cannot_unfurl_url")
    kept = [a for a in post.attachments if a.get("from_url") not in unfurls]
    added = [_attachment(call, url, preview) for url, preview in unfurls.items() if preview]
    call.workspace.change_post(replace(post, attachments=(*kept, *added)))
    return {}


def _find_post(call: Call) -> Post:
    for name in ("channel", "ts"):
        if not call.args.has(name):
            raise ApiError(f"missing_{name}")
    channel: Channel | None = call.state.channels.get(call.args.required("channel"))
    if channel is None or not call.app.is_member(channel):
        raise ApiError("cannot_find_channel")
    post = call.state.find_post(channel.id, call.args.required("ts"))
    if post is None:
        raise ApiError("cannot_find_message")
    return post


def _read_unfurls(call: Call) -> dict[str, JsonObject]:
    if not call.args.has("unfurls"):
        raise ApiError("missing_unfurls")
    given = call.args.json_object("unfurls", error="invalid_unfurls_format") or {}
    unfurls = {url: as_object(preview) for url, preview in given.items()}
    found = {url: preview for url, preview in unfurls.items() if preview is not None}
    if len(found) < len(unfurls):
        raise ApiError("cannot_parse_attachment")
    return found


def _attachment(call: Call, url: str, preview: JsonObject) -> JsonObject:
    if (blocks := as_array(preview.get("blocks"))) is not None:
        check_message_blocks(blocks)
    origin = {"from_url": url, "original_url": url, "app_id": call.app.id}
    return {**preview, **origin, "bot_id": call.app.bot_id, "is_app_unfurl": True}


METHODS: Methods = {"chat.unfurl": Method(run=unfurl, scopes=("links:write",), rate=TIER_3)}
