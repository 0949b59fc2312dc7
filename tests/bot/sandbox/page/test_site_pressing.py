"""Acts on what the app has shown: buttons, menus, modals, Home, shortcuts, slash commands."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from bot.sandbox.page import Command, Shortcut
from bot.sandbox.slack import ManualClock, SlackStandIn
from tests.bot.sandbox.page.visitor import Visitor, visit
from tests.bot.sandbox.slack.echo_bot import BoltApp, bolt_app, listener, socket_mode, web_client

Body = dict[str, Any]
COMMANDS: list[Command] = [{"command": "/ops"}, {"command": "/deaf"}, {"command": "/empty"}]
SHORTCUTS: list[Shortcut] = [
    {"name": "Start", "type": "global", "callback_id": "start"},
    {"name": "Ask", "type": "message", "callback_id": "ask"},
]
NO_ANSWER = "The app did not answer within 3 seconds."


def plain(text: str) -> Body:
    return {"type": "plain_text", "text": text}


def options(*values: str) -> list[Body]:
    return [{"text": plain(value.title()), "value": value} for value in values]


def button(block_id: str, action_id: str, value: str) -> Body:
    press = {"type": "button", "action_id": action_id, "text": plain("Press"), "value": value}
    return {"type": "actions", "block_id": block_id, "elements": [press]}


def menu(block_id: str, element: Body) -> Body:
    return {"type": "actions", "block_id": block_id, "elements": [element]}


def field(block_id: str, element: Body, **more: Any) -> Body:
    label = plain(block_id)
    return {"type": "input", "block_id": block_id, "label": label, "element": element, **more}


FORM: Body = {
    "type": "modal",
    "callback_id": "form",
    "title": plain("Form"),
    "submit": plain("Send"),
    "blocks": [
        field("b_name", {"type": "plain_text_input", "action_id": "name"}),
        field(
            "b_size",
            {"type": "static_select", "action_id": "size", "options": options("s", "m")},
            optional=True,
        ),
        button("b_press", "press", "7"),
    ],
}


class Recorder:
    """A bolt app that acknowledges every press and remembers what it was told."""

    def __init__(self, app: BoltApp) -> None:
        self.bodies: list[Body] = []
        for action_id in ("press", "pick", "many"):

            @listener(app.action(action_id))
            async def take(ack: Any, body: Body) -> None:
                self.bodies.append(body)
                await ack()

    @property
    def last(self) -> Body:
        return self.bodies[-1]["actions"][0]


@asynccontextmanager
async def connected(clock: ManualClock | None = None) -> AsyncGenerator[tuple[Visitor, BoltApp]]:
    """A page with commands and shortcuts, and a bolt app that is connected."""
    async with (
        SlackStandIn(clock=clock) as slack,
        visit(slack, commands=COMMANDS, shortcuts=SHORTCUTS) as page,
    ):
        app = bolt_app(slack)
        async with socket_mode(app, slack):
            yield page, app


async def post_blocks(page: Visitor, *blocks: Body, **more: Any) -> Body:
    """Let the app post; gives the place of the post as an act names it."""
    answer = await web_client(page.slack).chat_postMessage(
        channel=page.general, text="Well?", blocks=list(blocks) or None, **more
    )
    return {"channel": page.general, "ts": answer["ts"]}


async def open_form(page: Visitor, who: str = "ann", **more: Any) -> str:
    trigger = page.slack.workspace.triggers.issue(page.id(who))
    answer = await web_client(page.slack).views_open(trigger_id=trigger, view={**FORM, **more})
    return answer["view"]["id"]


async def test_a_button_is_told_by_its_block_when_several_share_an_action_id() -> None:
    async with connected() as (page, app):
        told = Recorder(app)
        place = await post_blocks(page, button("one", "press", "1"), button("two", "press", "2"))
        for block_id, value in (("two", "2"), ("one", "1"), (None, "1")):
            await page.act("ben", "click", **place, action_id="press", block_id=block_id)
            assert told.last["value"] == value
        body = told.bodies[-1]
        assert (body["user"]["id"], body["message"]["ts"]) == (page.id("ben"), place["ts"])
        gone = await page.refusal("ben", "click", **place, action_id="press", block_id="three")
        assert gone == "That button or field is gone."


async def test_menus_and_fields_bring_what_was_chosen() -> None:
    async with connected() as (page, app):
        told = Recorder(app)
        place = await post_blocks(
            page,
            menu("a", {"type": "static_select", "action_id": "pick", "options": options("1", "2")}),
            menu("b", {"type": "conversations_select", "action_id": "many"}),
        )
        await page.act("ann", "click", **place, action_id="pick", block_id="a", value="2")
        assert told.last["selected_option"]["value"] == "2"
        await page.act("ann", "click", **place, action_id="many", block_id="b", value="C1")
        assert told.last["selected_conversation"] == "C1"
        refused = await page.refusal("ann", "click", **place, action_id="pick", value="3")
        assert refused == "That choice is not offered."
        refused = await page.refusal("ann", "click", **place, action_id="pick", value={"a": 1})
        assert refused.startswith("“value” cannot be read:")


async def test_an_ephemeral_button_is_pressed_by_its_person_alone() -> None:
    async with connected() as (page, app):
        told = Recorder(app)
        await app.client.chat_postEphemeral(
            channel=page.general,
            user=page.id("ann"),
            text="Well?",
            blocks=[button("one", "press", "1")],
        )
        [post] = page.slack.posts("general")
        place = {"channel": page.general, "ts": post.ts, "action_id": "press"}
        assert await page.refusal("ben", "click", **place) == "That message is gone."
        await page.act("ann", "click", **place)
        assert "message" not in told.bodies[0]


async def test_a_press_that_nobody_takes_is_said_after_three_seconds() -> None:
    clock = ManualClock()
    async with connected(clock) as (page, _):
        place = await post_blocks(page, button("one", "press", "1"))
        press = asyncio.create_task(page.refusal("ann", "click", **place, action_id="press"))
        await page.slack.wait_for(lambda s: [d for d in s.deliveries if d.type == "interactive"])
        clock.advance(3)
        assert await press == NO_ANSWER


async def test_a_press_without_an_app_is_said_at_once() -> None:
    async with visit() as page:
        place = await post_blocks(page, button("one", "press", "1"))
        refused = await page.refusal("ann", "click", **place, action_id="press")
        assert refused == "The app is not connected, so nobody answered."


async def test_a_modal_opens_is_filled_in_corrected_and_submitted() -> None:
    async with connected() as (page, app):
        states: list[Body] = []

        @listener(app.action("press"))
        async def show(ack: Any, body: Body) -> None:
            await ack()
            await app.client.views_open(trigger_id=body["trigger_id"], view=FORM)

        @listener(app.view("form"))
        async def take(ack: Any, view: Body) -> None:
            states.append(view["state"]["values"])
            if view["state"]["values"]["b_name"]["name"]["value"] == "?":
                await ack(response_action="errors", errors={"b_name": "A name, please."})
            else:
                await ack()

        place = await post_blocks(page, button("one", "press", "1"))
        async with page.watch("ann") as stream:
            await page.act("ann", "click", **place, action_id="press")
            [view] = (await stream.change("modals"))["views"]
            for name in ("", None):
                form = {"view_id": view["id"], "values": {"name": name}}
                answer = await page.act("ann", "submit_view", **form)
                assert answer == {"errors": {"b_name": "Please fill in this field."}}
            form = {"view_id": view["id"], "values": {"name": "?"}}
            answer = await page.act("ann", "submit_view", **form)
            assert answer == {"errors": {"b_name": "A name, please."}}
            values = {"name": "Ann", "size": "m"}
            await page.act("ann", "submit_view", view_id=view["id"], values=values)
            await stream.change("modals", lambda change: change["views"] == [])
        final = states[-1]
        assert final["b_size"]["size"]["selected_option"]["value"] == "m"
        gone = await page.refusal("ann", "submit_view", view_id=view["id"], values={})
        assert gone == "That dialog is not open any more."


async def test_a_modal_takes_no_choice_that_is_not_offered() -> None:
    async with connected() as (page, _):
        view_id = await open_form(page)
        values = {"name": "Ann", "size": "xxl"}
        refused = await page.refusal("ann", "submit_view", view_id=view_id, values=values)
        assert refused == "That choice is not offered."


async def test_an_answer_that_slack_would_refuse_is_named() -> None:
    async with connected() as (page, app):
        answers: list[Body | None] = [{"type": "modal", "blocks": []}, None, {"type": 7}]

        @listener(app.view("form"))
        async def take(ack: Any) -> None:
            view = answers.pop(0)
            await ack(response_action="update", **({"view": view} if view else {}))

        view_id = await open_form(page)
        sentences = [
            await page.refusal("ann", "submit_view", view_id=view_id, values={"name": "Ann"})
            for _ in range(3)
        ]
        refused = "Slack refuses the view that the app answered"
        assert [sentence.startswith(refused) for sentence in sentences] == [True, False, True]
        assert sentences[1] == "The app answered with a view and left the view out."


async def test_an_element_of_a_modal_and_of_home_is_pressed_by_its_person_alone() -> None:
    async with connected() as (page, app):
        told = Recorder(app)
        view_id = await open_form(page)
        press = {"view_id": view_id, "action_id": "press", "block_id": "b_press"}
        await page.act("ann", "click_view", **press)
        assert told.bodies[-1]["container"] == {"type": "view", "view_id": view_id}
        assert await page.refusal("ben", "click_view", **press)
        home = {"type": "home", "blocks": [button("one", "press", "1")]}
        answer = await app.client.views_publish(user_id=page.id("ben"), view=home)
        press = {"view_id": answer["view"]["id"], "action_id": "press"}
        await page.act("ben", "click_view", **press)
        assert told.last["value"] == "1"
        assert await page.refusal("ann", "click_view", **press)
        assert await page.refusal("ben", "close_view", view_id=answer["view"]["id"])


async def test_closing_tells_the_app_that_asked_for_it() -> None:
    async with connected() as (page, app):
        closed: list[Body] = []

        @listener(app.view_closed("form"))
        async def note(ack: Any, body: Body) -> None:
            closed.append(body)
            await ack()

        await page.act("ann", "close_view", view_id=await open_form(page))
        view_id = await open_form(page, notify_on_close=True)
        await page.act("ann", "close_view", view_id=view_id, all=True)
        assert [(body["view"]["id"], body["is_cleared"]) for body in closed] == [(view_id, True)]
        assert (await page.world("ann"))["modals"] == []


async def test_a_declared_command_is_answered_to_the_asker_alone() -> None:
    clock = ManualClock()
    async with connected(clock) as (page, app):

        @listener(app.command("/ops"))
        async def ops(ack: Any, command: Body) -> None:
            await ack(f"{command['user_name']} asked for {command['text']}")

        @listener(app.command("/empty"))
        async def empty(ack: Any) -> None:
            await ack(blocks=[{"type": "divider"}] * 51)

        asked = {"channel": page.general, "command": "/ops", "text": "status"}
        await page.act("ben", "slash", **asked)
        [post] = (await page.world("ben"))["posts"][page.general]
        assert (post["text"], post["sandbox"]["ephemeral_to"]) == (
            "ben asked for status",
            page.id("ben"),
        )
        unknown = await page.refusal("ben", "slash", **{**asked, "command": "/other"})
        assert unknown == "/other is not a command of the app."
        refused = await page.refusal("ben", "slash", **{**asked, "command": "/empty"})
        assert refused.startswith("Slack refuses the message that the app answered:")
        deaf = asyncio.create_task(page.refusal("ben", "slash", **{**asked, "command": "/deaf"}))
        await page.slack.wait_for(
            lambda s: [d for d in s.deliveries if d.payload.get("command") == "/deaf"]
        )
        clock.advance(3)
        assert await deaf == NO_ANSWER


async def test_declared_shortcuts_reach_the_app_and_others_do_not() -> None:
    async with connected() as (page, app):
        told: list[Body] = []

        @listener(app.shortcut("ask"))
        async def take(ack: Any, body: Body) -> None:
            told.append(body)
            await ack()

        ts = await page.say("ann", "look into this")
        await page.act("ben", "message_shortcut", channel=page.general, ts=ts, callback_id="ask")
        [ask] = told
        assert (ask["user"]["id"], ask["message"]["text"]) == (page.id("ben"), "look into this")
        place = {"channel": page.general, "ts": ts}
        refused = await page.refusal("ben", "message_shortcut", **place, callback_id="start")
        assert refused == "The app has no such shortcut."
