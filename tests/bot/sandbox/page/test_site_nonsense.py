"""Acts made of nonsense: each is done or refused in a sentence, and the page lives on."""

from random import Random
from typing import Any

import pytest

from tests.bot.sandbox.page.visitor import Visitor, visit
from tests.bot.sandbox.slack.echo_bot import web_client

ACTS: dict[str, tuple[str, ...]] = {
    "say": ("channel", "text", "thread_ts", "broadcast"),
    "edit": ("channel", "ts", "text"),
    "delete": ("channel", "ts"),
    "react": ("channel", "ts", "name", "remove"),
    "click": ("channel", "ts", "action_id", "block_id", "value"),
    "click_view": ("view_id", "action_id", "block_id", "value"),
    "submit_view": ("view_id", "values"),
    "close_view": ("view_id", "all"),
    "slash": ("channel", "command", "text"),
    "message_shortcut": ("channel", "ts", "callback_id"),
    "open_home": ("tab",),
    "stop": ("channel", "thread_ts"),
    "invite": ("channel",),
}
NONSENSE: tuple[Any, ...] = (
    None, True, 0, -1, 10**400, 1.5, "", " ", "\0", "\ud800", "\u202e<@U1>", "🎉" * 50, "x" * 3000,
    "<!here>", "../..", [], ["a"], [[]], {}, {"a": {"b": []}}, "home", "+1", "/ops", "start",
)  # fmt: skip


def button(action_id: str) -> dict[str, Any]:
    text = {"type": "plain_text", "text": action_id}
    return {"type": "button", "action_id": action_id, "text": text}


async def furnish(page: Visitor) -> list[Any]:
    """Something to act on, and the ids by which an act may hit it."""
    client, slack = web_client(page.slack), page.slack
    root = await page.say("ann", "root")
    actions = {"type": "actions", "block_id": "b", "elements": [button("press")]}
    field = {
        "type": "input",
        "block_id": "c",
        "label": {"type": "plain_text", "text": "Day"},
        "element": {"type": "plain_text_input", "action_id": "day"},
    }
    blocks = [actions, field]
    post = await client.chat_postMessage(channel=page.general, text="Well?", blocks=blocks)
    title = {"type": "plain_text", "text": "Form"}
    trigger = slack.workspace.triggers.issue(page.id("ann"))
    form = {"type": "modal", "title": title, "submit": title, "blocks": blocks}
    view = (await client.views_open(trigger_id=trigger, view=form))["view"]
    channels = list(slack.channels.values())
    return [*channels, slack.dm_id("ben"), root, post["ts"], view["id"], "press", "day", "b", "c"]


@pytest.mark.parametrize("seed", range(4))
async def test_an_act_of_nonsense_is_done_or_refused(seed: int) -> None:
    chance = Random(seed)  # noqa: S311
    async with visit() as page:
        known = await furnish(page)
        async with page.watch("ben") as stream:
            for _ in range(400):
                name = chance.choice(list(ACTS))
                fields = {
                    field: chance.choice(known if chance.random() < 0.7 else NONSENSE)
                    for field in ACTS[name]
                    if chance.random() < 0.9
                }
                who = page.id(chance.choice(("ann", "ben", "cleo")))
                status, answer = await page.send(name, {"as": who, **fields})
                assert status in (200, 400), (name, fields, answer)
                assert answer["ok"] or answer["error"].endswith("."), (name, fields, answer)
            ts = await page.say("ann", "still there?")
            assert await stream.change("post", lambda change: change["post"]["ts"] == ts)
        assert (await page.world("ann"))["me"] == page.id("ann")
