"""What people in Slack see of money: a footer, the end at a cap, a refusal, word to the admins."""

import json
import re
from datetime import UTC, datetime

import pytest

from agent_core.ids import UserId
from tests.e2e.world import World

pytestmark = pytest.mark.asyncio(loop_scope="module")

PRICED = re.compile(r"\d+ s · \$0\.\d\d")


@pytest.mark.proves("money.footer", "money.told_once")
async def test_a_channel_at_its_budget_is_answered_with_what_there_is_and_then_refused(
    world: World,
) -> None:
    slack = world.slack
    channel = slack.channel_id("general")
    ann = UserId(f"{slack.team_id}:{slack.user_id('ann')}")
    texts = {"footer": "true", "budget": "0.15"}
    now = slack.backend.state.clock.now()
    await world.runtime.scopes.change(
        f"{slack.team_id}:{channel}", texts, ann, key="money", now=datetime.fromtimestamp(now, UTC)
    )
    answers: list[str] = []
    while not answers or "I cannot take this on" not in answers[-1]:
        post = world.bot_posts(await world.ask("Find out what teams say about retries"))[-1]
        answers.append(post.text)
        shown = json.dumps(post.blocks, ensure_ascii=False)
        assert PRICED.search(shown) or "I cannot take this on" in post.text
    used_up = "because this channel has used up this month's budget of $0.15"
    assert f"I answer with what I have so far, {used_up}" in "".join(answers)
    assert f"I cannot take this on, {used_up}" in answers[-1]
    assert "Ann Arbor can raise it" in answers[-1]
    await slack.wait_for(lambda _: len(warnings(world)) > 0)
    [warning] = warnings(world)
    assert warning.startswith(f"<#{channel}> has spent more than 80 % of this month's budget")


def warnings(world: World) -> list[str]:
    """What Ann, the workspace's admin, was told directly of a cap."""
    posts = world.slack.posts(world.slack.dm_id("ann"))
    return [post.text for post in posts if "80 %" in post.text]
