"""Modals against the stand-in: one for each trigger, in time."""

import pytest

from agent_core.messages import JsonObject
from agent_core.sessions.leases import LeaseLost
from bot.sandbox.slack import SlackStandIn
from bot.slack_api import SlackRefused, SlackUnavailable
from tests.bot.slack_api.conftest import Desk


def modal(text: str = "Name") -> JsonObject:
    element = {"type": "plain_text_input", "action_id": "name_in"}
    label = {"type": "plain_text", "text": text}
    return {
        "type": "modal",
        "callback_id": "form",
        "title": {"type": "plain_text", "text": "Form"},
        "submit": {"type": "plain_text", "text": "Save"},
        "blocks": [{"type": "input", "block_id": "name", "label": label, "element": element}],
    }


def trigger_of(slack: SlackStandIn, user: str = "ann") -> str:
    return slack.workspace.triggers.issue(slack.people[user])


def shown_label(slack: SlackStandIn) -> str:
    [view] = slack.state.views.values()
    return view.body["blocks"][0]["label"]["text"]


async def test_a_trigger_opens_one_modal(desk: Desk) -> None:
    trigger_id = trigger_of(desk.slack)
    view_id = await desk.api.views.open(trigger_id, modal())

    assert view_id is not None
    assert set(desk.slack.state.views) == {view_id}
    assert await desk.api.views.open(trigger_id, modal()) is None
    assert set(desk.slack.state.views) == {view_id}


@pytest.mark.parametrize(
    "code",
    ["expired_trigger_id", "exchanged_trigger_id", "trigger_expired", "trigger_exchanged"],
)
async def test_a_trigger_that_is_too_late_opens_none(desk: Desk, code: str) -> None:
    desk.slack.fail("views.open", error=code)

    assert await desk.api.views.open(trigger_of(desk.slack), modal()) is None
    assert desk.calls("views.open") == 1


async def test_without_a_trigger_slack_is_not_asked(desk: Desk) -> None:
    assert await desk.api.views.open("", modal()) is None
    assert desk.calls("views.open") == 0


async def test_a_trigger_that_never_was_is_refused(desk: Desk) -> None:
    with pytest.raises(SlackRefused) as refused:
        await desk.api.views.open("1.2.3", modal())

    assert refused.value.code == "invalid_trigger_id"


async def test_a_modal_that_slack_cannot_show_is_refused(desk: Desk) -> None:
    with pytest.raises(SlackRefused):
        await desk.api.views.open(trigger_of(desk.slack), {**modal(), "blocks": [{"type": "no"}]})


async def test_a_pause_is_not_waited_out(desk: Desk) -> None:
    desk.slack.fail("views.open", status=429, retry_after_s=60)

    assert await desk.api.views.open(trigger_of(desk.slack), modal()) is None
    assert await desk.api.views.open(trigger_of(desk.slack), modal()) is None
    assert desk.calls("views.open") == 1
    assert desk.clock.slept == []


async def test_a_lost_answer_is_told_and_a_second_call_opens_no_second_modal(desk: Desk) -> None:
    trigger_id = trigger_of(desk.slack)
    desk.slack.fail("views.open", drop_after_accept=True)
    with pytest.raises(SlackUnavailable):
        await desk.api.views.open(trigger_id, modal())

    assert await desk.api.views.open(trigger_id, modal()) is None
    assert len(desk.slack.state.views) == 1


async def test_an_open_modal_is_replaced(desk: Desk) -> None:
    view_id = await desk.api.views.open(trigger_of(desk.slack), modal())
    assert view_id is not None
    desk.slack.fail("views.update", status=500, times=2)

    assert await desk.api.views.update(view_id, modal("Full name"))
    assert shown_label(desk.slack) == "Full name"


async def test_a_modal_that_has_changed_since_is_left_as_it_is(desk: Desk) -> None:
    view_id = await desk.api.views.open(trigger_of(desk.slack), modal())
    assert view_id is not None
    before = desk.slack.state.views[view_id].hash
    assert await desk.api.views.update(view_id, modal("Second"), view_hash=before)

    assert not await desk.api.views.update(view_id, modal("Third"), view_hash=before)
    assert shown_label(desk.slack) == "Second"


async def test_a_modal_that_was_closed_is_not_updated(desk: Desk) -> None:
    view_id = await desk.api.views.open(trigger_of(desk.slack), modal())
    assert view_id is not None
    await desk.slack.close_view(view_id)

    assert not await desk.api.views.update(view_id, modal("Second"))


async def test_a_guard_is_asked_before_a_modal_is_shown(desk: Desk) -> None:
    async def guard() -> None:
        raise LeaseLost

    with pytest.raises(LeaseLost):
        await desk.api.guarded(guard).views.open(trigger_of(desk.slack), modal())

    assert desk.slack.state.views == {}
