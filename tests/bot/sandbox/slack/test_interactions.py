"""Buttons, menus, modals, Home, shortcuts and slash commands, through slack-bolt."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from bot.sandbox.slack import ManualClock, SlackStandIn
from tests.bot.sandbox.slack.echo_bot import (
    BoltApp,
    Client,
    bolt_app,
    listener,
    socket_mode,
)
from tests.bot.sandbox.slack.refusals import error_of, refusal_of

Body = dict[str, Any]


def plain(text: str) -> Body:
    return {"type": "plain_text", "text": text}


BUTTONS: list[Body] = [
    {
        "type": "actions",
        "block_id": "row",
        "elements": [
            {"type": "button", "action_id": "approve", "text": plain("Approve"), "value": "42"},
            {
                "type": "static_select",
                "action_id": "pick",
                "options": [
                    {"text": plain("One"), "value": "1"},
                    {"text": plain("Two"), "value": "2"},
                ],
            },
        ],
    }
]
MODAL: Body = {
    "type": "modal",
    "callback_id": "form",
    "title": plain("Form"),
    "submit": plain("Send"),
    "blocks": [
        {
            "type": "input",
            "block_id": "name",
            "label": plain("Name"),
            "element": {"type": "plain_text_input", "action_id": "name_in"},
        }
    ],
}


@pytest.fixture
async def app(slack: SlackStandIn) -> AsyncIterator[BoltApp]:
    app = bolt_app(slack)
    async with socket_mode(app, slack):
        yield app


async def post_buttons(client: Client, channel: str) -> str:
    answer = await client.chat_postMessage(channel=channel, text="Well?", blocks=BUTTONS)
    return answer["ts"]


async def test_a_click_brings_the_value_and_the_message(slack: SlackStandIn, app: BoltApp) -> None:
    bodies: list[Body] = []

    @listener(app.action("approve"))
    async def approve(ack: Any, body: Body) -> None:
        await ack()
        bodies.append(body)

    ts = await post_buttons(app.client, slack.channels["general"])
    delivery = await slack.click("ben", "general", ts, "approve")
    await slack.wait_for(lambda _: bodies)
    assert delivery.acked_at_s is not None
    action = bodies[0]["actions"][0]
    assert (action["action_id"], action["block_id"], action["value"]) == ("approve", "row", "42")
    assert bodies[0]["user"]["id"] == slack.people["ben"]
    assert bodies[0]["message"]["ts"] == bodies[0]["container"]["message_ts"] == ts


async def test_a_menu_brings_the_chosen_option(slack: SlackStandIn, app: BoltApp) -> None:
    chosen: list[str] = []

    @listener(app.action("pick"))
    async def pick(ack: Any, action: Body) -> None:
        chosen.append(action["selected_option"]["value"])
        await ack()

    ts = await post_buttons(app.client, slack.channels["general"])
    await slack.click("ben", "general", ts, "pick", "2")
    assert chosen == ["2"]
    with pytest.raises(KeyError):
        await slack.click("ben", "general", ts, "pick", "3")


async def test_an_ephemeral_post_is_replaced_by_its_response_url_alone(
    slack: SlackStandIn, app: BoltApp
) -> None:
    bodies: list[Body] = []

    @listener(app.action("approve"))
    async def approve(ack: Any, body: Body, respond: Any) -> None:
        bodies.append(body)
        await ack()
        await respond(text="Approved.", replace_original=True)

    ann = slack.people["ann"]
    await app.client.chat_postEphemeral(
        channel=slack.channels["general"], user=ann, text="Well?", blocks=BUTTONS
    )
    ts = slack.posts("general")[0].ts
    await slack.click("ann", "general", ts, "approve")
    await slack.wait_for(lambda s: s.posts("general")[0].text == "Approved.")
    assert [post.ephemeral_to for post in slack.posts("general")] == [ann]
    assert "message" not in bodies[0]
    assert bodies[0]["container"]["is_ephemeral"] is True


async def test_a_response_url_works_five_times(slack: SlackStandIn, app: BoltApp) -> None:
    statuses: list[int] = []
    is_done = asyncio.Event()

    @listener(app.action("approve"))
    async def approve(ack: Any, respond: Any) -> None:
        await ack()
        answers = [await respond(text="again") for _ in range(6)]
        statuses.extend(answer.status_code for answer in answers)
        is_done.set()

    ts = await post_buttons(app.client, slack.channels["general"])
    await slack.click("ann", "general", ts, "approve")
    async with asyncio.timeout(5):
        await is_done.wait()
    assert statuses == [200, 200, 200, 200, 200, 404]
    answers = slack.posts("general")[1:]
    assert [post.ephemeral_to for post in answers] == [slack.people["ann"]] * 5


async def test_an_unknown_button_is_not_acknowledged(
    slack: SlackStandIn, app: BoltApp, clock: ManualClock
) -> None:
    ts = await post_buttons(app.client, slack.channels["general"])
    click = asyncio.create_task(slack.click("ann", "general", ts, "approve"))
    await slack.wait_for(lambda s: [d for d in s.deliveries if d.type == "interactive"])
    clock.advance(3)
    assert (await click).acked_at_s is None
    assert len([d for d in slack.deliveries if d.type == "interactive"]) == 1


async def test_a_modal_is_opened_filled_in_and_submitted(slack: SlackStandIn, app: BoltApp) -> None:
    names: list[str] = []

    @listener(app.action("approve"))
    async def approve(ack: Any, body: Body) -> None:
        await ack()
        await app.client.views_open(trigger_id=body["trigger_id"], view=MODAL)

    @listener(app.view("form"))
    async def submit(ack: Any, view: Body) -> None:
        name = view["state"]["values"]["name"]["name_in"]["value"]
        names.append(name)
        if name == "?":
            await ack(response_action="errors", errors={"name": "a name, please"})
        else:
            await ack()

    ts = await post_buttons(app.client, slack.channels["general"])
    await slack.click("ann", "general", ts, "approve")
    view_id = (await slack.wait_for(lambda s: list(s.state.views)))[0]
    with pytest.raises(ValueError, match="must be filled"):
        await slack.submit_view("ann", view_id)
    refused = await slack.submit_view("ann", view_id, {"name_in": "?"})
    assert refused.answer == {
        "response_action": "errors",
        "errors": {"name": "a name, please"},
    }
    assert view_id in slack.state.views
    await slack.submit_view("ann", view_id, {"name_in": "Ann"})
    assert names == ["?", "Ann"]
    assert slack.state.views == {}


async def test_a_trigger_is_good_once_and_for_three_seconds(
    slack: SlackStandIn, client: Client, clock: ManualClock
) -> None:
    triggers = slack.workspace.triggers
    used, late = triggers.issue(slack.people["ann"]), triggers.issue(slack.people["ann"])
    await client.views_open(trigger_id=used, view=MODAL)
    again = client.views_open(trigger_id=used, view=MODAL)
    assert await error_of(again) == "exchanged_trigger_id"
    clock.advance(3.1)
    assert await error_of(client.views_open(trigger_id=late, view=MODAL)) == "expired_trigger_id"
    made_up = client.views_open(trigger_id="1.2.3", view=MODAL)
    assert await error_of(made_up) == "invalid_trigger_id"


async def test_three_modals_can_lie_on_each_other(slack: SlackStandIn, client: Client) -> None:
    def trigger() -> str:
        return slack.workspace.triggers.issue(slack.people["ann"])

    assert await error_of(client.views_push(trigger_id=trigger(), view=MODAL)) == "not_found"
    first = (await client.views_open(trigger_id=trigger(), view=MODAL))["view"]
    second = (await client.views_push(trigger_id=trigger(), view=MODAL))["view"]
    assert second["previous_view_id"] == second["root_view_id"] == first["id"]
    await client.views_push(trigger_id=trigger(), view=MODAL)
    fourth = client.views_push(trigger_id=trigger(), view=MODAL)
    assert await error_of(fourth) == "push_limit_reached"


async def test_a_view_is_checked(slack: SlackStandIn, client: Client) -> None:
    trigger_id = slack.workspace.triggers.issue(slack.people["ann"])
    untitled = {name: value for name, value in MODAL.items() if name != "title"}
    refusal = await refusal_of(client.views_open(trigger_id=trigger_id, view=untitled))
    assert refusal["error"] == "invalid_arguments"
    messages = refusal["response_metadata"]["messages"]
    assert messages == ["[ERROR] missing required field: title [json-pointer:/view]"]


async def test_a_home_is_published_seen_and_guarded_by_its_hash(
    slack: SlackStandIn, app: BoltApp
) -> None:
    opened: list[Body] = []

    @listener(app.event("app_home_opened"))
    async def show(event: Body) -> None:
        opened.append(event)

    ann, home = slack.people["ann"], {"type": "home", "blocks": BUTTONS}
    await slack.open_home("ann")
    view = (await app.client.views_publish(user_id=ann, view=home))["view"]
    await app.client.views_publish(user_id=ann, view=home, hash=view["hash"])
    stale = app.client.views_publish(user_id=ann, view=home, hash="0.0")
    assert await error_of(stale) == "hash_conflict"
    await slack.open_home("ann")
    await slack.open_home("ann", tab="messages")
    await slack.wait_for(lambda _: len(opened) == 3)
    assert ["view" in event for event in opened] == [False, True, False]
    assert slack.state.homes[ann].body["blocks"][0]["block_id"] == "row"


async def test_a_button_of_a_home_names_its_view(slack: SlackStandIn, app: BoltApp) -> None:
    bodies: list[Body] = []

    @listener(app.action("approve"))
    async def approve(ack: Any, body: Body) -> None:
        bodies.append(body)
        await ack()

    ann, home = slack.people["ann"], {"type": "home", "blocks": BUTTONS}
    view_id = (await app.client.views_publish(user_id=ann, view=home))["view"]["id"]
    await slack.click_view("ann", view_id, "approve")
    assert bodies[0]["container"] == {"type": "view", "view_id": view_id}
    assert "channel" not in bodies[0]


async def test_a_slash_commands_answer_is_shown_to_the_asker(
    slack: SlackStandIn, app: BoltApp
) -> None:
    @listener(app.command("/ops"))
    async def ops(ack: Any, command: Body) -> None:
        await ack(f"{command['user_name']} asked for {command['text']}")

    await slack.slash("ben", "general", "/ops", "status")
    post = slack.posts("general")[0]
    assert (post.text, post.ephemeral_to) == ("ben asked for status", slack.people["ben"])


async def test_shortcuts_carry_their_callback_and_the_message(
    slack: SlackStandIn, app: BoltApp
) -> None:
    texts: list[str] = []

    @listener(app.shortcut("start"))
    async def start(ack: Any) -> None:
        await ack()
        texts.append("start")

    @listener(app.shortcut("ask"))
    async def ask(ack: Any, shortcut: Body) -> None:
        await ack()
        texts.append(shortcut["message"]["text"])

    ts = await slack.say("ann", "general", "look into this")
    await slack.use_shortcut("ann", "start")
    await slack.use_message_shortcut("ann", "general", ts, "ask")
    await slack.wait_for(lambda _: len(texts) == 2)
    assert texts == ["start", "look into this"]
