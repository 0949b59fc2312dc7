"""What the stand-in's people cannot do, as Slack's own client would not let them."""

from typing import Any

import pytest

from bot.sandbox.slack import SlackStandIn
from tests.bot.sandbox.slack.echo_bot import Client

PICK: dict[str, Any] = {
    "type": "static_select",
    "action_id": "pick",
    "options": [{"text": {"type": "plain_text", "text": "One"}, "value": "1"}],
}
NAME: dict[str, Any] = {
    "type": "input",
    "label": {"type": "plain_text", "text": "Name"},
    "element": {"type": "plain_text_input", "action_id": "name"},
}
TITLE = {"type": "plain_text", "text": "Form"}


async def test_an_option_that_is_not_in_the_menu_cannot_be_chosen(
    slack: SlackStandIn, client: Client
) -> None:
    answer = await client.chat_postMessage(
        channel=slack.channels["general"],
        text="x",
        blocks=[{"type": "actions", "elements": [PICK]}],
    )
    with pytest.raises(KeyError):
        await slack.click("ben", "general", answer["ts"], "pick", "2")
    with pytest.raises(KeyError):
        await slack.click("ben", "general", answer["ts"], "no such button")


async def test_a_form_without_what_it_needs_cannot_be_submitted(
    slack: SlackStandIn, client: Client
) -> None:
    trigger_id = slack.workspace.triggers.issue(slack.people["ann"])
    view = {"type": "modal", "title": TITLE, "submit": TITLE, "blocks": [NAME]}
    opened = await client.views_open(trigger_id=trigger_id, view=view)
    with pytest.raises(ValueError, match="must be filled"):
        await slack.submit_view("ann", opened["view"]["id"])


async def test_only_members_can_speak(slack: SlackStandIn) -> None:
    with pytest.raises(ValueError, match="stranger is no member of general"):
        await slack.say("stranger", "general", "hello")
    with pytest.raises(ValueError, match="archived is archived"):
        await slack.say("ann", "archived", "hello")
    with pytest.raises(ValueError, match="either a channel or dm"):
        await slack.say("ann", text="hello")
