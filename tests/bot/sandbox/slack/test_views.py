"""Slack's rules on buttons, menus, modals, App Home and commands (SLACK.md 2.3, 2.6, 3.9, 4.3)."""

from typing import Any

import pytest

from bot.sandbox.slack import ManualClock, SlackStandIn
from bot.sandbox.slack.blocks import UnfilledError
from tests.bot.sandbox.slack.echo_bot import Client, error_of, refusal_of, web_client
from tests.bot.sandbox.slack.test_blocks import (
    plain,
)

Body = dict[str, Any]
NAME: Body = {
    "type": "input",
    "block_id": "name",
    "label": plain("Name"),
    "element": {"type": "plain_text_input", "action_id": "name_in"},
}
MODAL: Body = {
    "type": "modal",
    "callback_id": "form",
    "title": plain("Form"),
    "submit": plain("Send"),
    "blocks": [NAME],
}


def trigger(slack: SlackStandIn, user: str = "ann") -> str:
    return slack.backend.views.trigger(slack.people[user])


async def open_modal(slack: SlackStandIn, **fields: object) -> str:
    view = {name: value for name, value in {**MODAL, **fields}.items() if value is not None}
    await web_client(slack).views_open(trigger_id=trigger(slack), view=view)
    [view_id] = slack.state.views
    return view_id


async def test_a_trigger_is_good_once_and_for_three_seconds(
    slack: SlackStandIn, client: Client, clock: ManualClock
) -> None:
    used, late = trigger(slack), trigger(slack)
    await client.views_open(trigger_id=used, view=MODAL)
    clock.advance(3.1)
    for trigger_id in (used, late, "1.2.3"):
        refused = client.views_open(trigger_id=trigger_id, view=MODAL)
        assert await error_of(refused) == "expired_trigger_id"


@pytest.mark.parametrize(
    ("fields", "message", "pointer"),
    [
        ({"title": None}, "'title' is a required property", ""),
        ({"submit": None}, "'submit' is a required property", ""),
        ({"title": plain("x" * 25)}, "is too long", "/title/text"),
        ({"private_metadata": "x" * 3001}, "is too long", "/private_metadata"),
        ({"blocks": [{"type": "markdown", "text": "x"}]}, "is not one of", "/blocks/0/type"),
    ],
)
async def test_a_faulty_modal_is_refused_and_pointed_to(
    slack: SlackStandIn, fields: Body, message: str, pointer: str
) -> None:
    refusal = await refusal_of(open_modal(slack, **fields))
    assert refusal["error"] == "invalid_arguments"
    [problem] = refusal["response_metadata"]["messages"]
    assert message in problem
    assert problem.endswith(f" [json-pointer:/view{pointer}]")


MENU: Body = {
    "type": "static_select",
    "action_id": "which",
    "options": [{"text": plain(word), "value": word} for word in ("one", "two")],
}
WITH_VALUE: Body = {**NAME["element"], "action_id": "task", "initial_value": "as before"}


async def test_a_form_must_be_filled_and_brings_the_values_of_its_inputs(
    slack: SlackStandIn,
) -> None:
    blocks = [
        {**NAME, "block_id": element["action_id"], "element": element}
        for element in (MENU, WITH_VALUE)
    ]
    view_id = await open_modal(slack, blocks=blocks)
    with pytest.raises(UnfilledError) as unfilled:
        await slack.submit_view("ann", view_id)
    assert unfilled.value.blocks == ["which"]
    delivery = await slack.submit_view("ann", view_id, {"which": "two"})
    values = delivery.payload["view"]["state"]["values"]
    assert values["which"]["which"]["selected_option"]["value"] == "two"
    assert values["task"]["task"]["value"] == "as before"
