"""Presses: recorded before they are acknowledged, judged, and handed over once."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from slack_bolt.request.async_request import AsyncBoltRequest

from agent_core.ids import AskId
from agent_core.messages import JsonObject
from bot import clicks
from bot.clicks import FollowUpClick, Gesture, QuestionForm, Refused
from bot.ingress import take_up
from bot.ingress.actions import ANSWER_WITHIN_S, Actions, Handler
from bot.sandbox.slack.records import Delivery
from bot.slack_api import Op, People, Person, SlackApi
from bot.threads import ThreadRef, user_id
from bot.words import BOT
from tests.bot.ingress.world import (
    MemoryLedger,
    World,
    connected_world,
    done,
    forgetful_ingress,
    thread_at,
)
from tests.faulty_slack import FaultySlack

ACTION = "follow.ask"
FORM = QuestionForm(ask=AskId("a"), channel="C1", ts="1.000001")
NAME: JsonObject = {
    "type": "input",
    "block_id": "name",
    "label": {"type": "plain_text", "text": "Name"},
    "element": {"type": "plain_text_input", "action_id": "name_in"},
}
MODAL: JsonObject = {
    "type": "modal",
    "callback_id": "question.form",
    "private_metadata": FORM.encoded(),
    "title": {"type": "plain_text", "text": "Digest"},
    "submit": {"type": "plain_text", "text": "Save"},
    "blocks": [NAME],
}


def button(question: str = "why?") -> JsonObject:
    return clicks.button("Go", FollowUpClick(question=question))


def row(*elements: JsonObject) -> JsonObject:
    return {"type": "actions", "block_id": "row", "elements": list(elements)}


@dataclass(slots=True)
class ListeningGestures:
    """Keeps what it is given; can fail, find something wrong, and be held up."""

    presses: list[Gesture] = field(default_factory=list[Gesture])
    submissions: list[Gesture] = field(default_factory=list[Gesture])
    calls: int = 0
    failures: int = 0
    errors: list[Mapping[str, str]] = field(default_factory=list[Mapping[str, str]])
    refusals: list[Refused] = field(default_factory=list[Refused])
    may_go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def press(self, click: FollowUpClick, gesture: Gesture, person: Person) -> None:
        await self._work()
        self.presses.append(gesture)

    async def submit(
        self, form: QuestionForm, gesture: Gesture, person: Person
    ) -> Mapping[str, str] | None:
        await self._work()
        self.submissions.append(gesture)
        return self.errors.pop(0) if self.errors else None

    def handlers(self) -> dict[type, Handler]:
        return {FollowUpClick: self.press, QuestionForm: self.submit}

    async def _work(self) -> None:
        self.calls += 1
        await self.may_go_on.wait()
        if self.failures:
            self.failures -= 1
            raise OSError("the database is away")
        if self.refusals:
            raise self.refusals.pop()


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A world whose buttons and modals are pressed, and who listens to that."""

    world: World
    handler: ListeningGestures

    @property
    def slack(self) -> FaultySlack:
        return self.world.slack

    @property
    def ledger(self) -> MemoryLedger:
        return self.world.ledger

    @property
    def actions(self) -> Actions:
        return self.world.actions

    async def post(self, *elements: JsonObject, channel: str = "general") -> str:
        """The bot posts a row of elements into a new thread of Ann's; returns the post's `ts`."""
        thread = await self.thread(channel)
        post = await self.world.api.post(thread, "?", op=Op("o"), blocks=[row(*elements)])
        return post.ts

    async def thread(self, channel: str = "general") -> ThreadRef:
        return thread_at(self.world, await self.slack.say("ann", channel, "the root"))

    async def open_modal(self, modal: JsonObject = MODAL, *, user: str = "ann") -> str:
        trigger = self.slack.backend.views.trigger(self.slack.users[user])
        assert await self.world.api.open_view(trigger, modal)
        [view_id] = self.open_views()
        return view_id

    async def press(self, user: str = "ann") -> Gesture:
        """Press a button of a post of its own, and wait until it was handled."""
        ts = await self.post(button())
        await self.slack.click(user, "general", ts, ACTION)
        await self.world.handled()
        return self.handler.presses[-1]

    async def deliver_again(self, delivery: Delivery) -> Delivery:
        """The same payload in another envelope."""
        return await self.slack.backend.sockets.attempt(delivery.type, delivery.payload)

    def another_process(self) -> Actions:
        """Another bot process on the same ledger."""
        world, handlers = self.world, self.handler.handlers()
        return Actions(handlers, self.ledger, world.rules, world.people, world.api, ANSWER_WITHIN_S)

    def open_views(self) -> set[str]:
        return set(self.slack.state.views)


@asynccontextmanager
async def pressed_room(**more: Any) -> AsyncGenerator[Room]:
    handler = ListeningGestures()
    handler.may_go_on.set()

    def handlers_of(_api: SlackApi, _people: People) -> Mapping[type, Handler]:
        return handler.handlers()

    async with connected_world(handlers=handlers_of, **more) as world:
        try:
            yield Room(world=world, handler=handler)
        finally:
            handler.may_go_on.set()


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    async with pressed_room() as room:
        yield room


async def test_a_press_in_a_thread_says_who_pressed_what_and_where(room: Room) -> None:
    thread = await room.thread()
    post = await room.world.api.post(thread, "sure?", op=Op("o"), blocks=[row(button("how?"))])
    ts = post.ts
    delivery = await room.slack.click("ben", "general", ts, ACTION)
    await room.world.handled()

    [press] = room.handler.presses
    action_ts = delivery.payload["actions"][0]["action_ts"]
    ben, team = room.slack.people["ben"], room.slack.team_id
    sender = press.sender
    assert (sender.team, sender.user, sender.channel) == (team, ben, thread.channel)
    assert (press.thread_ts, press.message_ts) == (thread.root_ts, ts)
    assert press.payload == FollowUpClick(question="how?")
    assert press.key == f"press:{team}:{ben}:{action_ts}:{ACTION}"
    assert room.ledger.settled == [press.key]


async def test_a_modal_has_no_channel_and_is_judged_by_people_alone() -> None:
    async with pressed_room(channels=frozenset({"C1"})) as room:
        modal = {**MODAL, "blocks": [row(button("what else?")), *MODAL["blocks"]]}
        view_id = await room.open_modal(modal)
        await room.slack.click_view("ann", view_id, ACTION)
        await room.world.handled()

        [press] = room.handler.presses
        assert press.payload == FollowUpClick(question="what else?")
        assert (press.sender.channel, press.thread_ts, press.message_ts) == ("", "", "")

        await room.slack.submit_view("ann", view_id, {"name_in": "batteries"})
        await room.world.handled()
        assert len(room.handler.submissions) == 1


async def test_a_press_is_acknowledged_only_when_it_is_recorded(room: Room) -> None:
    ts = await room.post(button())
    room.ledger.may_go_on.clear()
    async with asyncio.TaskGroup() as group:
        click = group.create_task(room.slack.click("ann", "general", ts, ACTION))
        async with asyncio.timeout(10):
            await room.ledger.asked.wait()
        assert not click.done()
        assert room.handler.calls == 0
        room.ledger.may_go_on.set()
    await room.world.handled()

    assert click.result().acked_at_s is not None
    assert room.handler.calls == 1


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"actions": []},
        {"actions": ["x"], "user": {"id": 3}, "team": "T1"},
        {"actions": [{"action_id": ACTION}], "container": None, "message": "gone"},
        {"actions": [{"action_id": ACTION, "value": "of an older version", "action_ts": "1.0"}]},
        {"actions": [{"action_id": "no.such", "value": "{}", "action_ts": "1.0"}]},
        {"user": {"id": "U1"}, "team": {"id": "T1"}, "view": []},
    ],
)
@pytest.mark.parametrize("kind", ["block_actions", "view_submission", "view_closed"])
async def test_what_cannot_be_read_is_acknowledged_and_left(
    room: Room, kind: str, body: dict[str, object]
) -> None:
    payload = {**body, "type": kind}
    response = await room.world.app.async_dispatch(
        AsyncBoltRequest(mode="socket_mode", body=payload)
    )

    assert (response.status, response.body) == (200, "")
    assert (room.handler.calls, room.ledger.rows) == (0, {})


async def test_a_refused_press_is_told_to_its_author_alone_in_the_thread(room: Room) -> None:
    thread = await room.thread()
    post = await room.world.api.post(thread, "sure?", op=Op("o"), blocks=[row(button())])
    await room.slack.click("guest", "general", post.ts, ACTION)
    await room.world.handled()

    assert room.world.told("guest") == [BOT.say("en", "ingress-refusal-guest")]
    assert room.slack.calls[-1].args["thread_ts"] == thread.root_ts
    assert room.handler.calls == 0
    assert len(room.ledger.settled) == 1


@pytest.mark.parametrize("field", ["name", "other"])
async def test_what_a_handler_refuses_of_a_form_stands_at_its_field(room: Room, field: str) -> None:
    room.handler.refusals = [Refused("question-over", field=field)]
    view_id = await room.open_modal()
    delivery = await room.slack.submit_view("ann", view_id, {"name_in": "batteries"})

    assert delivery.answer is not None
    assert delivery.answer["errors"] == {"name": BOT.say("en", "question-over")}


async def test_a_press_of_another_app_or_team_is_not_even_recorded(room: Room) -> None:
    await room.press()
    body = room.ledger.bodies[0]
    room.ledger.rows.clear()
    for foreign in ({"api_app_id": "A999"}, {"team": {"id": "T999"}}):
        assert await room.actions.receive({**body, **foreign}) == {}
    await room.world.handled()

    assert (room.handler.calls, room.ledger.rows) == (1, {})


async def test_a_press_is_given_up_after_five_tries(room: Room) -> None:
    room.handler.failures = 100
    ts = await room.post(button())
    await room.slack.click("ann", "general", ts, ACTION)
    await room.world.handled()

    assert room.handler.calls == 5
    assert room.world.told("ann") == [BOT.say("en", "ingress-in-vain")]
    assert room.ledger.unfinished == set()
    assert room.actions.in_vain == set()


async def test_what_a_dead_process_left_is_handled_without_its_trigger(room: Room) -> None:
    press = await room.press()
    room.ledger.settled.clear()
    await room.ledger.release(press.key)
    other = room.another_process()
    ingress = forgetful_ingress(room.world)
    await take_up(room.ledger, ingress, other, {})
    await done(other.under_way)

    again = room.handler.presses[-1]
    assert (again.key, again.payload, again.trigger_id) == (press.key, press.payload, "")
    assert room.ledger.settled == [press.key]


async def test_a_press_that_was_handled_and_could_not_be_settled_is_not_handled_again(
    room: Room,
) -> None:
    room.ledger.settle_failures = 1
    press = await room.press()
    assert room.actions.in_vain == {press.key}

    ingress = forgetful_ingress(room.world)
    await take_up(room.ledger, ingress, room.actions, {})
    await room.world.handled()
    assert (room.handler.calls, room.actions.in_vain) == (1, set())


SOON_S = 0.05


async def test_a_submission_brings_what_was_entered_and_closes_the_modal(room: Room) -> None:
    view_id = await room.open_modal()
    delivery = await room.slack.submit_view("ann", view_id, {"name_in": "batteries"})
    await room.world.handled()

    [submission] = room.handler.submissions
    assert submission.by == user_id(room.slack.team_id, room.slack.people["ann"])
    assert submission.payload == FORM
    assert submission.values == {"name": "batteries"}
    assert delivery.answer is None
    assert room.open_views() == set()
    assert room.ledger.settled == [submission.key]


async def test_a_modal_closes_in_time_and_its_handler_goes_on() -> None:
    async with pressed_room(answer_within_s=SOON_S) as room:
        view_id = await room.open_modal()
        room.handler.may_go_on.clear()
        delivery = await room.slack.submit_view("ann", view_id, {"name_in": "batteries"})

        assert delivery.acked_at_s is not None
        assert delivery.answer is None
        assert room.open_views() == set()
        assert room.handler.submissions == []
        room.handler.may_go_on.set()
        await room.world.handled()
        assert len(room.handler.submissions) == 1
        assert room.ledger.unfinished == set()


async def test_a_refused_submission_says_so_in_the_modal(room: Room) -> None:
    view_id = await room.open_modal({**MODAL, "blocks": [row(button()), NAME]}, user="guest")
    delivery = await room.slack.submit_view("guest", view_id, {"name_in": "batteries"})
    await room.world.handled()

    assert delivery.answer is not None
    assert delivery.answer["errors"] == {"name": BOT.say("en", "ingress-refusal-guest")}
    assert room.handler.calls == 0
