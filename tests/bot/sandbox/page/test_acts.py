"""Acts over HTTP: among people, and on what the app has shown; what is refused, and why."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from bot.sandbox.slack import ManualClock, SlackStandIn
from tests.bot.sandbox.page.stage import actions, button, field, form
from tests.bot.sandbox.page.visitor import Visitor, visit
from tests.bot.sandbox.slack.echo_bot import (
    BoltApp,
    bolt_app,
    listener,
    socket_mode,
    web_client,
)

GONE = "That message is gone."


async def test_what_is_typed_is_posted_in_wire_form() -> None:
    async with visit() as page:
        ts = await page.say("ann", "@bot what of #energy & 1 < 2?")
        [post] = await page.posts("ben")
        energy = page.slack.channels["energy"]
        wire = f"{page.slack.mention} what of <#{energy}|energy> &amp; 1 &lt; 2?"
        assert (post["ts"], post["user"], post["text"]) == (ts, page.id("ann"), wire)


async def test_files_go_with_a_message_and_come_back_byte_for_byte() -> None:
    async with visit() as page:
        content = bytes(range(256)) * 300
        form = aiohttp.FormData(quote_fields=False)  # as browsers do it
        fields = {"as": page.id("ann"), "channel": page.general, "text": "look"}
        form.add_field("body", json.dumps(fields))
        form.add_field("file", content, filename="../a b/ü?.log", content_type="text/x-log")
        form.add_field("file", b"two", filename="two.txt")
        status, answer = await page.post("say", data=form)
        assert (status, answer["ok"]) == (200, True), answer
        [post] = await page.posts("ben")
        first, second = post["files"]
        assert (post["text"], first["name"], second["name"]) == ("look", "ü?.log", "two.txt")
        assert (first["mimetype"], first["size"]) == ("text/x-log", len(content))
        assert first["url_private"] == f"/files/{first['id']}/%C3%BC%3F.log"
        async with page.http.get(page.page.url.rstrip("/") + first["url_private"]) as download:
            assert await download.read() == content


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"text": " \n"}, "There is nothing to say."),
        ({"channel": "C1"}, "There is no such channel."),
        ({"channel": "archived"}, "#archived is archived."),
        ({"channel": "random"}, "You are not a member of #random."),
        ({"channel": "hidden"}, "There is no such channel."),
        ({"channel": "announcements"}, "Only Ann Arbor may post in #announcements."),
        ({"thread_ts": "1.2"}, GONE),
        ({"channel": None}, "“channel” cannot be read: input should be a valid string."),
        ({"text": 7}, "“text” cannot be read: input should be a valid string."),
    ],
)
async def test_what_cannot_be_said_is_refused(fields: dict[str, Any], sentence: str) -> None:
    async with visit() as page:
        for channel in ("random", "hidden"):
            await page.slack.remove_from_channel(channel, "cleo")
        if fields.get("channel") in page.slack.channels:
            fields = {**fields, "channel": page.slack.channels[fields["channel"]]}
        said = {"channel": page.general, "text": "hi", **fields}
        assert await page.refusal("cleo", "say", **said) == sentence


async def test_one_edits_and_deletes_ones_own_posts_alone() -> None:
    async with visit() as page:
        ts = await page.say("ann", "one")
        place = {"channel": page.general, "ts": ts}
        for name, fields in (("edit", {"text": "mine"}), ("delete", {})):
            refused = await page.refusal("ben", name, **place, **fields)
            assert refused == "That message was written by somebody else."
        await page.act("ann", "edit", **place, text="ask @ben")
        [post] = await page.posts("cleo")
        assert post["text"] == f"ask <@{page.id('ben')}>"
        assert post["edited"]["user"] == page.id("ann")
        empty = await page.refusal("ann", "edit", **place, text=" ")
        assert empty == "A message cannot be empty. It can be deleted."
        await page.act("ann", "delete", **place)
        assert await page.posts("cleo") == []
        for name, fields in (("edit", {"text": "again"}), ("delete", {})):
            assert await page.refusal("ann", name, **place, **fields) == GONE


async def test_reactions_are_added_once_and_taken_back() -> None:
    async with visit() as page:
        place = {"channel": page.general, "ts": await page.say("ann", "one"), "name": "+1"}
        for who in ("ben", "ben", "cleo"):
            await page.act(who, "react", **place)
        [post] = await page.posts("ann")
        users = [page.id("ben"), page.id("cleo")]
        assert post["reactions"] == [{"name": "+1", "users": users, "count": 2}]
        for who in ("ben", "ben", "cleo"):
            await page.act(who, "react", **place, remove=True)
        [post] = await page.posts("ann")
        assert "reactions" not in post
        refused = await page.refusal("ann", "react", **{**place, "name": "not a name"})
        assert refused.startswith("“name” cannot be read:")


async def test_an_ephemeral_post_is_gone_for_others_and_takes_no_reaction() -> None:
    async with visit() as page:
        client = web_client(page.slack)
        await client.chat_postEphemeral(channel=page.general, user=page.id("ann"), text="psst")
        [post] = await page.posts("ann")
        place = {"channel": page.general, "ts": post["ts"], "name": "eyes"}
        assert await page.refusal("ben", "react", **place) == GONE
        refused = await page.refusal("ann", "react", **place)
        assert refused == "That message is only visible to you; this is not possible with it."


@pytest.mark.parametrize("who", ["stranger", "guest", "nameless", "robot", "bot"])
async def test_nobody_but_the_three_people_can_be_acted_as(who: str) -> None:
    async with visit() as page:
        refused = await page.refusal(who, "say", channel=page.general, text="I am somebody else")
        assert refused == "Only Ann Arbor, Ben Nevis and Cleo Lind can be acted as."
        assert page.slack.posts("general") == []


Body = dict[str, Any]
SIZES = [{"text": {"type": "plain_text", "text": size}, "value": size} for size in ("s", "m")]
FORM = form(
    field("name", "Name"),
    {**field("size", "Size", type="static_select", options=SIZES), "optional": True},
    actions(button("press", "Press")),
)


class Recorder:
    """A bolt app that acknowledges every press and remembers what it was told."""

    def __init__(self, app: BoltApp) -> None:
        self.bodies: list[Body] = []

        @listener(app.action("press"))
        async def take(ack: Any, body: Body) -> None:
            self.bodies.append(body)
            await ack()


@asynccontextmanager
async def connected(clock: ManualClock | None = None) -> AsyncGenerator[tuple[Visitor, BoltApp]]:
    """A page with a command, and a bolt app that is connected."""
    commands = ({"command": "/ops"},)
    async with SlackStandIn(clock=clock) as slack, visit(slack, commands=commands) as page:
        app = bolt_app(slack)
        async with socket_mode(app, slack):
            yield page, app


async def post_button(page: Visitor) -> Body:
    """Let the app post a button; gives its place as an act names it."""
    blocks = [actions(button("press", "Press"))]
    client = web_client(page.slack)
    answer = await client.chat_postMessage(channel=page.general, text="Well?", blocks=blocks)
    return {"channel": page.general, "ts": answer["ts"], "action_id": "press"}


async def open_form(page: Visitor, **more: Any) -> str:
    trigger = page.slack.workspace.triggers.issue(page.id("ann"))
    client = web_client(page.slack)
    return (await client.views_open(trigger_id=trigger, view={**FORM, **more}))["view"]["id"]


async def test_a_button_is_pressed_by_whoever_sees_it() -> None:
    async with connected() as (page, app):
        told = Recorder(app)
        place = await post_button(page)
        await page.act("ben", "click", **place, block_id="row")
        [body] = told.bodies
        assert (body["user"]["id"], body["message"]["ts"]) == (page.id("ben"), place["ts"])
        gone = await page.refusal("ben", "click", **place, block_id="three")
        assert gone == "That button or field is gone."
        private = [actions(button("press", "Press"))]
        await app.client.chat_postEphemeral(
            channel=page.general, user=page.id("ann"), text="Well?", blocks=private
        )
        place["ts"] = (await page.posts("ann"))[-1]["ts"]
        assert await page.refusal("ben", "click", **place) == GONE
        await page.act("ann", "click", **place)


async def test_a_press_that_nobody_takes_is_said() -> None:
    clock = ManualClock()
    async with connected(clock) as (page, _):
        place = await post_button(page)
        press = asyncio.create_task(page.refusal("ann", "click", **place))
        await page.slack.wait_for(lambda s: [d for d in s.deliveries if d.type == "interactive"])
        clock.advance(3)
        assert await press == "The app did not answer within 3 seconds."
    async with visit() as page:
        refused = await page.refusal("ann", "click", **await post_button(page))
        assert refused == "The app is not connected, so nobody answered."


async def test_a_modal_is_corrected_and_submitted() -> None:
    async with connected() as (page, app):
        states: list[Body] = []

        @listener(app.view("form"))
        async def take(ack: Any, view: Body) -> None:
            states.append(view["state"]["values"])
            is_wrong = view["state"]["values"]["name"]["name_in"]["value"] == "?"
            await ack(
                **({"response_action": "errors", "errors": {"name": "No."}} if is_wrong else {})
            )

        place: Body = {"view_id": await open_form(page)}
        for name in ("", None):
            answer = await page.act("ann", "submit_view", **place, values={"name_in": name})
            assert answer == {"errors": {"name": "Please fill in this field."}}
        refused = {"name_in": "Ann", "size_in": "xxl"}
        sentence = await page.refusal("ann", "submit_view", **place, values=refused)
        assert sentence == "That choice is not offered."
        answer = await page.act("ann", "submit_view", **place, values={"name_in": "?"})
        assert answer == {"errors": {"name": "No."}}
        await page.act("ann", "submit_view", **place, values={"name_in": "Ann", "size_in": "m"})
        assert states[-1]["size"]["size_in"]["selected_option"]["value"] == "m"
        gone = await page.refusal("ann", "submit_view", **place, values={})
        assert gone == "That dialog is not open any more."


async def test_an_answer_that_slack_would_refuse_is_named() -> None:
    async with connected() as (page, app):

        @listener(app.view("form"))
        async def take(ack: Any) -> None:
            await ack(response_action="update", view={"type": "modal", "blocks": []})

        place = {"view_id": await open_form(page), "values": {"name_in": "Ann"}}
        sentence = await page.refusal("ann", "submit_view", **place)
        assert sentence.startswith("Slack refuses the view that the app answered")


async def test_views_are_used_and_closed_by_their_person_alone() -> None:
    async with connected() as (page, app):
        told = Recorder(app)
        place = {"view_id": await open_form(page, notify_on_close=True), "action_id": "press"}
        await page.act("ann", "click", **place)
        assert told.bodies[-1]["container"]["view_id"] == place["view_id"]
        assert await page.refusal("ben", "click", **place)
        closed: list[Body] = []

        @listener(app.view_closed("form"))
        async def note(ack: Any, body: Body) -> None:
            closed.append(body)
            await ack()

        await page.act("ann", "close_view", view_id=place["view_id"], every=True)
        assert [body["is_cleared"] for body in closed] == [True]
        assert (await page.facts("ann")).facts["modals"] == []
