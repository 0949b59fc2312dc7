"""Modals that are sent off: answered in time, and handed over once."""

from collections.abc import AsyncIterator
from copy import deepcopy

import pytest

from agent_core.messages import JsonObject
from bot.words import BOT
from tests.bot.ingress.pressing import MODAL, NAME, Room, button, pressed_room, row

SOON_S = 0.05


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    async with pressed_room() as room:
        yield room


async def test_a_submission_brings_what_was_entered_and_closes_the_modal(room: Room) -> None:
    view_id = await room.open_modal()
    delivery = await room.slack.submit_view("ann", view_id, {"name_in": "batteries"})
    await room.settle()

    [submission] = room.handler.submissions
    assert (submission.team, submission.user) == (room.slack.team_id, room.slack.people["ann"])
    assert (submission.callback_id, submission.private_metadata) == ("digest.form", "about")
    assert submission.values == {"name": "batteries"}
    assert submission.view_id == view_id
    assert delivery.answer is None
    assert room.open_views() == set()
    assert room.ledger.settled == [submission.key]


async def test_errors_keep_the_modal_open_until_it_is_right(room: Room) -> None:
    view_id = await room.open_modal()
    room.handler.errors = [{"name": "Too short."}, {"name": "Still too short."}]
    for entered in ("x", "x"):
        delivery = await room.slack.submit_view("ann", view_id, {"name_in": entered})
        assert delivery.answer is not None
        assert delivery.answer["response_action"] == "errors"
        assert room.open_views() == {view_id}
    assert delivery.answer["errors"] == {"name": "Still too short."}

    await room.slack.submit_view("ann", view_id, {"name_in": "batteries"})
    await room.settle()
    assert room.open_views() == set()
    assert [each.values["name"] for each in room.handler.submissions] == ["x", "x", "batteries"]






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
        await room.settle()
        assert len(room.handler.submissions) == 1
        assert room.ledger.unfinished == set()




async def test_a_refused_submission_says_so_in_the_modal(room: Room) -> None:
    view_id = await room.open_modal(
        {**MODAL, "blocks": [row(button("digest.more")), NAME]}, user="guest"
    )
    delivery = await room.slack.submit_view("guest", view_id, {"name_in": "batteries"})
    await room.settle()

    assert delivery.answer is not None
    assert delivery.answer["errors"] == {"name": BOT.say("en", "ingress-refusal-guest")}
    assert room.handler.calls == 0


async def test_a_modal_is_judged_by_people_and_not_by_channels() -> None:
    async with pressed_room(channels=frozenset({"C1"})) as room:
        view_id = await room.open_modal()
        await room.slack.submit_view("ann", view_id, {"name_in": "batteries"})
        await room.settle()

        assert len(room.handler.submissions) == 1






async def test_every_kind_of_input_is_read(room: Room) -> None:
    shown: dict[str, tuple[JsonObject, str]] = {
        "text": ({"value": "hello"}, "hello"),
        "empty": ({"value": None}, ""),
        "one": ({"selected_option": option("b")}, "b"),
        "none": ({"selected_option": None}, ""),
        "boxes": ({"selected_options": [option("a"), option("c")]}, "a,c"),
        "place": ({"selected_conversation": "C1"}, "C1"),
        "places": ({"selected_conversations": ["C1", "C2"]}, "C1,C2"),
        "person": ({"selected_user": "U1"}, "U1"),
        "day": ({"selected_date": "2026-03-27"}, "2026-03-27"),
        "hour": ({"selected_time": "09:00"}, "09:00"),
        "moment": ({"selected_date_time": 1783536983}, "1783536983"),
    }
    room.handler.errors = [{"name": "Once more."}]
    sent = await room.slack.submit_view("ann", await room.open_modal(), {"name_in": "x"})
    payload = deepcopy(sent.payload)
    payload["view"]["state"]["values"] = {
        name: {f"{name}_in": value} for name, (value, _) in shown.items()
    }
    other = room.another_process()
    assert await other.receive(payload) == {}
    await other.drain()

    assert room.handler.submissions[-1].values == {name: text for name, (_, text) in shown.items()}


def option(value: str) -> JsonObject:
    return {"text": {"type": "plain_text", "text": value}, "value": value}
