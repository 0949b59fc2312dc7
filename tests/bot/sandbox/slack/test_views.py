"""Slack's rules on buttons, menus, modals, App Home and commands (SLACK.md 2.3, 2.6, 3.9, 4.3)."""

from typing import Any

import pytest

from bot.sandbox.slack import ManualClock, SlackStandIn
from bot.sandbox.slack.actions import UnfilledError
from tests.bot.sandbox.slack.echo_bot import Client, EchoBot, error_of, refusal_of, web_client
from tests.bot.sandbox.slack.test_blocks import (
    FEEDBACK,
    HALF,
    actions,
    button,
    plain,
    section,
    select,
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
HOME: Body = {"type": "home", "blocks": [{**actions(button()), "block_id": "row"}]}
MENUS: Body = {**actions(button(value="1"), select(1)), "block_id": "row"}


def trigger(slack: SlackStandIn, user: str = "ann") -> str:
    return slack.workspace.triggers.issue(slack.people[user])


async def open_modal(slack: SlackStandIn, **fields: object) -> Body:
    view = {**MODAL, **fields}
    return (await web_client(slack).views_open(trigger_id=trigger(slack), view=view))["view"]


def title(slack: SlackStandIn) -> str | None:
    """Of the modal that Ann has open."""
    view = slack.workspace.views.modal_of(slack.people["ann"])
    return view.body["title"]["text"] if view else None


async def test_a_press_tells_where_what_and_by_whom(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    root = await slack.say("ann", "general", "go")
    post = {"channel": general, "text": "?", "blocks": [MENUS], "thread_ts": root}
    ts = (await client.chat_postMessage(**post))["ts"]
    payload = (await slack.click("ben", "general", ts, "s", "x")).payload
    assert (payload["user"]["id"], payload["message"]["ts"]) == (slack.people["ben"], ts)
    assert payload["container"]["thread_ts"] == root
    [action] = payload["actions"]
    assert (action["block_id"], action["selected_option"]["value"]) == ("row", "x")
    assert payload["state"]["values"]["row"]["s"]["selected_option"]["value"] == "x"
    with pytest.raises(KeyError):
        await slack.click("ben", "general", ts, "s", "an option that is not there")
    with pytest.raises(KeyError):
        await slack.click("ben", "general", ts, "no such button")


async def test_feedback_brings_the_value_of_the_button(
    slack: SlackStandIn, client: Client, general: str
) -> None:
    blocks = [{"type": "context_actions", "elements": [FEEDBACK]}]
    ts = (await client.chat_postMessage(channel=general, text="x", blocks=blocks))["ts"]
    [action] = (await slack.click("ann", "general", ts, "f", "bad")).payload["actions"]
    assert (action["type"], action["value"]) == ("feedback_buttons", "bad")


async def test_a_submission_brings_the_values_and_what_was_chosen_before(
    slack: SlackStandIn,
) -> None:
    menu = select(1)
    menu["initial_option"] = menu["options"][0]
    kept = {**section("Size"), "block_id": "size", "accessory": menu}
    view = await open_modal(slack, private_metadata="{}", blocks=[NAME, kept])
    assert view["state"] == {"values": {}}
    with pytest.raises(UnfilledError, match="name"):
        await slack.submit_view("ann", view["id"])
    payload = (await slack.submit_view("ann", view["id"], {"name_in": "Ann"})).payload
    values = payload["view"]["state"]["values"]
    assert values["name"] == {"name_in": {"type": "plain_text_input", "value": "Ann"}}
    assert values["size"]["s"]["selected_option"] == menu["initial_option"]
    assert payload["view"]["private_metadata"] == "{}"


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ({}, None),
        ({"response_action": "errors", "errors": {"name": "a name, please"}}, "Form"),
        ({"response_action": "update", "view": {**MODAL, "title": plain("Done")}}, "Done"),
    ],
)
async def test_the_answer_to_a_submission_is_followed(
    slack: SlackStandIn, bot: EchoBot, answer: Body, left: str | None
) -> None:
    async def take(ack: Any) -> None:
        await ack(**answer)

    bot.app.view("form")(take)
    view = await open_modal(slack)
    delivery = await slack.submit_view("ann", view["id"], {"name_in": "Ann"})
    assert (delivery.answer or {}).get("errors") == answer.get("errors")
    assert title(slack) == left


async def test_a_trigger_is_good_once_and_for_three_seconds(
    slack: SlackStandIn, client: Client, clock: ManualClock
) -> None:
    used, late = trigger(slack), trigger(slack)
    await client.views_open(trigger_id=used, view=MODAL)
    clock.advance(3.1)
    for trigger_id, error in (
        (used, "exchanged_trigger_id"),
        (late, "expired_trigger_id"),
        ("1.2.3", "invalid_trigger_id"),
    ):
        assert await error_of(client.views_open(trigger_id=trigger_id, view=MODAL)) == error


async def test_a_view_is_guarded_by_its_hash(slack: SlackStandIn, client: Client) -> None:
    view = await open_modal(slack)
    place = {"view_id": view["id"], "hash": view["hash"]}
    await client.views_update(view={**MODAL, "title": plain("New")}, **place)
    assert await error_of(client.views_update(view=MODAL, **place)) == "hash_conflict"
    assert title(slack) == "New"
    assert await error_of(client.views_update(view_id="V0", view=MODAL)) == "not_found"


@pytest.mark.parametrize(
    ("fields", "message", "pointer"),
    [
        ({"title": None}, "missing required field: title", ""),
        ({"submit": None}, "missing required field: submit", ""),
        ({"title": plain("x" * 25)}, "must be less than 25 characters", "/title/text"),
        (
            {"private_metadata": "x" * 3001},
            "must be less than 3001 characters",
            "/private_metadata",
        ),
        ({"blocks": [HALF]}, "unsupported type: markdown", "/blocks/0/type"),
    ],
)
async def test_a_faulty_modal_is_refused_and_pointed_to(
    slack: SlackStandIn, fields: Body, message: str, pointer: str
) -> None:
    refusal = await refusal_of(open_modal(slack, **fields))
    assert refusal["error"] == "invalid_arguments"
    sentence = f"[ERROR] {message} [json-pointer:/view{pointer}]"
    assert sentence in refusal["response_metadata"]["messages"]


async def test_a_home_is_published_pressed_and_guarded_by_its_hash(
    slack: SlackStandIn, client: Client
) -> None:
    ann = slack.people["ann"]
    await slack.open_home("ann")
    view = (await client.views_publish(user_id=ann, view=HOME))["view"]
    await client.views_publish(user_id=ann, view=HOME, hash=view["hash"])
    stale = client.views_publish(user_id=ann, view=HOME, hash="0.0")
    assert await error_of(stale) == "hash_conflict"
    await slack.open_home("ann")
    await slack.open_home("ann", tab="messages")
    opened = await slack.wait_for(
        lambda s: s.deliveries if len({d.event_id for d in s.deliveries}) == 3 else []
    )
    shown = {d.event_id: "view" in d.payload["event"] for d in opened}
    assert list(shown.values()) == [False, True, False]  # Only on the Home tab, once there is one.
    payload = (await slack.click_view("ann", view["id"], "a")).payload
    assert payload["container"] == {"type": "view", "view_id": view["id"]}
    assert not {"channel", "message"} & payload.keys()


@pytest.mark.parametrize("is_public", [False, True])
async def test_a_slash_command_is_answered_to_the_asker_or_in_the_channel(
    slack: SlackStandIn, bot: EchoBot, is_public: bool
) -> None:
    async def answer(ack: Any) -> None:
        await ack(text="All is well.", response_type="in_channel" if is_public else "ephemeral")

    bot.app.command("/ops")(answer)
    payload = (await slack.slash("ben", "general", "/ops", "status")).payload
    assert (payload["command"], payload["text"]) == ("/ops", "status")
    assert "thread_ts" not in payload
    [post] = slack.posts("general")
    assert post.ephemeral_to == (None if is_public else slack.people["ben"])
