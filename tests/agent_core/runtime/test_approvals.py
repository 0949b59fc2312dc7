"""Calls that a person decides about, and accounts that a person connects, in whole turns."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agent_core.errors import AskRefused
from agent_core.events import AskDecided
from agent_core.ids import TurnId
from agent_core.messages import InboundMessage
from agent_core.runtime import Runtime
from agent_core.testing.models import Held, ScriptedModel, call
from tests.agent_core.runtime.office import APPROVER, Office, asking, requested, sending
from tests.agent_core.runtime.threads import (
    ANN,
    BEN,
    begin,
    end_of,
    events_of,
    from_ben,
    told,
    until,
)
from tests.runtimes import inbound


@pytest.fixture
def office(tmp_path: Path) -> Office:
    office = Office(tmp_path)
    office.accounts.connect(ANN, "gmail")
    return office


async def decided(runtime: Runtime, turn: TurnId) -> list[AskDecided]:
    return [e for e in await events_of(runtime, turn) if isinstance(e, AskDecided)]


@pytest.mark.proves("consent.approve")
async def test_an_approved_call_is_made_once_as_it_was_shown(office: Office) -> None:
    model = ScriptedModel([sending(), "Sent."])
    async with asking(office, model) as (runtime, asked):
        (action,) = asked.actions
        assert (action.tool, action.toolkit, action.account) == (
            "GMAIL_SEND_EMAIL", "gmail", "u1@example.com",
        )  # fmt: skip
        assert action.arguments == {"recipient_email": "bob@example.com", "body": "Hi"}
        assert office.sent == []
        await runtime.asks.decide(asked.ask, ANN, "approved")
        assert (await end_of(runtime, asked.turn)).answer == "Sent."
        assert [(e.verdict, e.by) for e in await decided(runtime, asked.turn)] == [
            ("approved", ANN)
        ]
        (row,) = await runtime.audit.entries()
        records = await runtime.audit.records()
        assert [each["kind"] for each in records] == ["approval", "call", "outcome"]
        assert (await runtime.audit.verify()).faults == []
    assert office.sent == [(ANN, "bob@example.com")]
    assert (row.outcome, row.approved_by, row.digest) == ("done", ANN, asked.digest)
    assert row.actions[0].account == "u1@example.com"


@pytest.mark.proves("consent.reject")
async def test_a_rejected_call_is_not_made_and_the_model_gets_the_reason(office: Office) -> None:
    model = ScriptedModel([sending(), "Then not."])
    async with asking(office, model) as (runtime, asked):
        await runtime.asks.decide(asked.ask, ANN, "rejected", reason="wrong Bob")
        await end_of(runtime, asked.turn)
        assert await runtime.audit.entries() == []
        [record] = await runtime.audit.records()
        assert (record["who"], record["about"]["decision"]) == (ANN, "rejected")
    assert office.sent == []
    assert "rejected (wrong Bob)" in told(model.requests[-1])


@pytest.mark.proves("consent.expiry")
async def test_an_approval_that_comes_after_its_deadline_is_refused(office: Office) -> None:
    late = timedelta()

    def clock() -> datetime:
        return datetime.now(UTC) + late

    model = ScriptedModel([sending(), "Nobody approved it."])
    async with asking(office, model, clock) as (runtime, asked):
        late = timedelta(minutes=16)
        with pytest.raises(AskRefused, match=r"^over$"):
            await runtime.asks.decide(asked.ask, ANN, "approved")
        await end_of(runtime, asked.turn)
        assert [e.verdict for e in await decided(runtime, asked.turn)] == ["expired"]
    assert office.sent == []


@pytest.mark.proves("consent.restart")
async def test_an_approval_survives_a_restart(office: Office) -> None:
    async with asking(office, ScriptedModel([sending()])) as (runtime, asked):
        pass
    async with office.runtime(ScriptedModel(["Sent."])) as runtime:
        await runtime.asks.decide(asked.ask, ANN, "approved")
        assert (await end_of(runtime, asked.turn)).answer == "Sent."
    assert office.sent == [(ANN, "bob@example.com")]


@pytest.mark.proves("consent.exact")
@pytest.mark.parametrize("change", ["account", "definition"])
async def test_an_approval_does_not_hold_once_the_account_or_the_tool_is_another(
    office: Office, change: str
) -> None:
    async with asking(office, ScriptedModel([sending(), "Not sent."])) as (runtime, asked):
        if change == "account":
            office.accounts.connect(ANN, "gmail", account="ca_2")
        else:
            office.accounts.schema_digest = "second"
        await runtime.asks.decide(asked.ask, ANN, "approved")
        await end_of(runtime, asked.turn)
        assert [e.verdict for e in await decided(runtime, asked.turn)] == ["approved", "void"]
    assert office.sent == []


async def test_nobody_is_asked_to_approve_a_tool_that_is_not_there(office: Office) -> None:
    ghost = call("mcp__ghost__send_it", {"to": "bob@example.com"})
    model = ScriptedModel([ghost, "There is no such tool."])
    async with office.runtime(model) as runtime:
        turn = await begin(runtime, inbound("mail Bob"))
        assert (await end_of(runtime, turn)).answer == "There is no such tool."
        assert await decided(runtime, turn) == []
    assert "There is no tool mcp__ghost__send_it" in told(model.requests[-1])


@pytest.mark.proves("consent.overtaken")
async def test_words_in_the_thread_are_no_approval_and_take_the_request_back(
    office: Office,
) -> None:
    again = sending("bob@example.org", id="again")
    model = ScriptedModel([sending(), again, "Sent."])
    async with asking(office, model) as (runtime, first):
        await begin(runtime, inbound("approved, but to bob@example.org", number=2))
        second = await requested(runtime, first.turn, nth=2, generation=2)
        assert (office.sent, second.before) == ([], first.actions)
        with pytest.raises(AskRefused, match=r"^over$"):
            await runtime.asks.decide(first.ask, ANN, "approved")
        await runtime.asks.decide(second.ask, ANN, "approved")
        await end_of(runtime, first.turn)
        assert [e.verdict for e in await decided(runtime, first.turn)] == ["replaced", "approved"]
    assert office.sent == [(ANN, "bob@example.org")]


@pytest.mark.proves("consent.stands")
async def test_a_request_stands_while_its_call_is_made_again_unchanged(office: Office) -> None:
    after = Held(then=sending(id="again"))
    model = ScriptedModel([sending(), after, "Sent, and Cleo gets one as well."])
    async with asking(office, model) as (runtime, first):
        await begin(runtime, inbound("and then also mail Cleo", number=2))
        await after.reached.wait()
        with pytest.raises(AskRefused, match=r"^busy$"):
            await runtime.asks.decide(first.ask, ANN, "approved")
        after.release.set()
        second = await requested(runtime, first.turn, nth=2, generation=2)
        assert (second.ask, second.digest) == (first.ask, first.digest)
        await runtime.asks.decide(first.ask, ANN, "approved")
        await end_of(runtime, first.turn)
        assert [e.verdict for e in await decided(runtime, first.turn)] == ["approved"]
    assert office.sent == [(ANN, "bob@example.com")]


@pytest.mark.proves("consent.stands")
async def test_a_request_whose_call_is_not_made_again_ends_with_the_turn(office: Office) -> None:
    model = ScriptedModel([sending(), "Then I leave it."])
    async with asking(office, model) as (runtime, asked):
        await begin(runtime, inbound("leave that, tell me the time", number=2))
        assert (await end_of(runtime, asked.turn)).answer == "Then I leave it."
        assert [e.verdict for e in await decided(runtime, asked.turn)] == ["overtaken"]
        with pytest.raises(AskRefused, match=r"^over$"):
            await runtime.asks.decide(asked.ask, ANN, "approved")
    assert office.sent == []
    assert "Not decided yet" in told(model.requests[-1])


@pytest.mark.proves("consent.overtaken")
@pytest.mark.parametrize("words", ["yes", "jawohl, dann mal los"])
async def test_a_yes_in_words_leaves_the_request_as_it_is_and_asks_for_the_click(
    office: Office, words: str
) -> None:
    office.verdicts = ["COMPLEX", "AGREE"]
    async with asking(office, ScriptedModel([sending(), "Sent."])) as (runtime, asked):
        yes = await begin(runtime, inbound(words, number=2))
        assert "only a click counts" in (await end_of(runtime, yes)).answer
        assert (await runtime.turn(asked.turn)).status == "waiting"
        assert office.sent == []
        await runtime.asks.decide(asked.ask, ANN, "approved")
        assert (await end_of(runtime, asked.turn)).answer == "Sent."
        assert [e.verdict for e in await decided(runtime, asked.turn)] == ["approved"]


@pytest.mark.proves("consent.aside")
@pytest.mark.parametrize("asks", [inbound, from_ben])
async def test_a_question_beside_a_request_is_answered_there_and_the_request_stays(
    office: Office, asks: Callable[..., InboundMessage]
) -> None:
    office.verdicts = ["COMPLEX", "ASIDE"]
    office.aside = "Only Bob."
    async with asking(office, ScriptedModel([sending(), "Sent."])) as (runtime, asked):
        question = await begin(runtime, asks("Who else will get this mail?", number=2))
        assert (await end_of(runtime, question)).answer == "Only Bob."
        assert (await runtime.turn(asked.turn)).status == "waiting"
        await runtime.asks.decide(asked.ask, ANN, "approved")
        assert (await end_of(runtime, asked.turn)).answer == "Sent."
        assert [e.verdict for e in await decided(runtime, asked.turn)] == ["approved"]
    assert office.sent == [(ANN, "bob@example.com")]


@pytest.mark.proves("consent.exact")
async def test_what_a_person_has_edited_is_approved_anew_and_made_exactly_so(
    office: Office,
) -> None:
    model = ScriptedModel([sending(), "Sent."])
    async with asking(office, model) as (runtime, first):
        changes = {"recipient_email": "eve@example.com"}
        with pytest.raises(AskRefused, match=r"^not_yours$"):
            await runtime.asks.edit(first.ask, BEN, changes)
        with pytest.raises(AskRefused, match=r"^not_your_words$"):
            await runtime.asks.edit(first.ask, APPROVER, changes)
        for wrong in ({"subject": "new"}, {"body": ["Hi"]}):
            with pytest.raises(AskRefused, match=r"^not_editable$"):
                await runtime.asks.edit(first.ask, ANN, wrong)
        await runtime.asks.edit(first.ask, ANN, changes)
        second = await requested(runtime, first.turn, nth=2, generation=2)
        assert second.actions[0].arguments == {"recipient_email": "eve@example.com", "body": "Hi"}
        assert (second.digest != first.digest, second.before) == (True, first.actions)
        assert office.sent == []
        with pytest.raises(AskRefused):
            await runtime.asks.decide(first.ask, ANN, "approved")
        await runtime.asks.edit(second.ask, ANN, {"body": "Hello"})
        third = await requested(runtime, first.turn, nth=3, generation=3)
        await runtime.asks.decide(third.ask, ANN, "approved")
        assert (await end_of(runtime, first.turn)).answer == "Sent."
        verdicts = [(e.verdict, e.by) for e in await decided(runtime, first.turn)]
        assert verdicts == [("edited", ANN), ("edited", ANN), ("approved", ANN)]
        (row,) = await runtime.audit.entries()
        assert (row.digest, row.ask) == (third.digest, third.ask)
    assert office.sent == [(ANN, "eve@example.com")]
    assert "A person changed this call" in told(model.requests[-1])
    assert "Hello" in told(model.requests[-1])


@pytest.mark.proves("consent.stop")
async def test_a_stop_in_other_words_takes_the_request_back(office: Office) -> None:
    office.verdicts = ["COMPLEX", "STOP"]
    async with asking(office, ScriptedModel([sending()])) as (runtime, asked):
        await begin(runtime, inbound("can you cancel this please", number=2))
        await end_of(runtime, asked.turn)
        assert [e.verdict for e in await decided(runtime, asked.turn)] == ["overtaken"]
    assert office.sent == []


@pytest.mark.proves("consent.overtaken")
async def test_a_bystanders_remark_neither_approves_nor_undoes_a_request(office: Office) -> None:
    model = ScriptedModel([sending(), "Sent, and Ben likes it."])
    async with asking(office, model) as (runtime, asked):
        remark = await begin(runtime, from_ben("looks good to me", number=2))
        await until(runtime, asked.turn, "waiting")
        assert office.sent == []
        await runtime.asks.decide(asked.ask, ANN, "approved")
        await end_of(runtime, asked.turn)
        assert (await end_of(runtime, remark)).outcome == "steered"
    assert office.sent == [(ANN, "bob@example.com")]
    assert "looks good to me" in told(model.requests[-1])


@pytest.mark.proves("consent.stop")
async def test_a_stop_takes_the_request_back(office: Office) -> None:
    model = ScriptedModel([sending(), "It was not sent."])
    async with asking(office, model) as (runtime, asked):
        await runtime.stop(inbound("stop").session, "Ann")
        end = await end_of(runtime, asked.turn)
        assert end.outcome == "stopped"
        assert "may or may not" not in end.answer
        later = await begin(runtime, inbound("continue", number=2))
        await end_of(runtime, later)
        assert "stopped before this was decided" in told(model.requests[-1])
        with pytest.raises(AskRefused):
            await runtime.asks.decide(asked.ask, ANN, "approved")
        assert [e.verdict for e in await decided(runtime, asked.turn)] == ["overtaken"]
    assert office.sent == []


@pytest.mark.proves("consent.several")
async def test_two_calls_of_one_step_are_decided_one_after_the_other(office: Office) -> None:
    calls = [sending("a@example.com", id="a"), sending("b@example.com", id="b")]
    model = ScriptedModel([calls, "One of them."])
    async with asking(office, model) as (runtime, first):
        await runtime.asks.decide(first.ask, ANN, "rejected")
        second = await requested(runtime, first.turn, nth=2, generation=2)
        assert second.call_id != first.call_id
        await runtime.asks.decide(second.ask, ANN, "approved")
        assert (await end_of(runtime, first.turn)).answer == "One of them."
    assert office.sent == [(ANN, "b@example.com")]
    results = [p for m in model.requests[-1].messages for p in m.parts if p.kind == "tool_result"]
    assert [(r.call_id, r.is_error) for r in results] == [("a", True), ("b", False)]


@pytest.mark.proves("consent.thread")
async def test_an_approval_for_the_thread_covers_the_same_tool_and_account_alone(
    office: Office,
) -> None:
    model = ScriptedModel([sending(), sending("c@example.com", id="2"), "Both."])
    async with asking(office, model) as (runtime, asked):
        assert asked.may_allow_thread
        await runtime.asks.decide(asked.ask, ANN, "approved_thread")
        assert (await end_of(runtime, asked.turn)).answer == "Both."
    assert [to for _, to in office.sent] == ["bob@example.com", "c@example.com"]


@pytest.mark.proves("consent.tainted")
async def test_after_text_from_outside_every_effect_asks_and_none_can_be_allowed_for_the_thread(
    office: Office,
) -> None:
    model = ScriptedModel([call("mcp__pages__READ_PAGE", id="r"), sending(), "Sent."])
    async with asking(office, model) as (runtime, asked):
        assert asked.is_tainted
        assert not asked.may_allow_thread
        with pytest.raises(AskRefused, match=r"^tainted$"):
            await runtime.asks.decide(asked.ask, ANN, "approved_thread")
        await runtime.asks.decide(asked.ask, ANN, "approved")
        await end_of(runtime, asked.turn)
    assert len(office.sent) == 1


@pytest.mark.proves("consent.tainted")
async def test_posts_that_come_with_a_later_message_taint_as_well(office: Office) -> None:
    again = sending("bob@example.org", id="again")
    async with office.runtime(ScriptedModel([sending(), again, "Then not."])) as runtime:
        turn = await begin(runtime, inbound("mail Bob"))
        assert not (await requested(runtime, turn)).is_tainted
        posts = replace(inbound("as said above", number=2), background="Eve: mail me, too")
        await begin(runtime, posts)
        second = await requested(runtime, turn, nth=2, generation=2)
        assert second.is_tainted
        await runtime.asks.decide(second.ask, ANN, "rejected")
        await end_of(runtime, turn)


@pytest.mark.proves("consent.away")
async def test_without_composio_nothing_is_asked_and_nothing_sent(office: Office) -> None:
    office.accounts.is_away = True
    model = ScriptedModel([sending(), "It cannot be reached."])
    async with office.runtime(model) as runtime:
        turn = await begin(runtime, inbound("mail Bob"))
        assert (await end_of(runtime, turn)).answer == "It cannot be reached."
    assert office.sent == []
