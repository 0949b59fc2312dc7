"""Caps in money: work ends with what it has, nothing more is begun, and nobody gets around them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_core.errors import ReplyTruncated
from agent_core.events import Usage
from agent_core.ids import ROOT_RUN, SessionId, UserId, agent_id
from agent_core.messages import Payer
from agent_core.models import ModelRequest
from agent_core.models.metered import CallQuote, Cap
from agent_core.sessions import Budget, Database
from agent_core.testing.models import Held, ScriptedModel, ScriptLine, call, calls_reply, text_reply
from agent_core.testing.tools import FakeToolset
from tests.agent_core.runtime.threads import (
    ANN,
    BEN,
    answer,
    begin,
    end_of,
    from_ben,
    look,
    told,
)
from tests.runtimes import inbound, scripted_runtime

A_REPLY = 5_000
"""Tokens of each reply."""
A_CALL = Usage(output_tokens=A_REPLY, cost_usd=0.05)
NOW = datetime.now(UTC)
TOOLS = FakeToolset({"look": look})


@dataclass
class Office:
    """A surface that knows Ann and her boss."""

    warnings: list[str] = field(default_factory=list[str])

    async def names(self, cap: Cap) -> tuple[str, Sequence[str]]:
        return {ANN: "Ann", BEN: "Ben"}.get(UserId(cap.name), ""), ["Cleo"]

    async def warn(self, cap: Cap) -> None:
        self.warnings.append(cap.scope)


def spend(request: ModelRequest) -> ScriptLine:
    """A step of work, for as long as tools may be called; then an answer."""
    if request.max_tokens < A_REPLY:
        return ReplyTruncated("cut")
    if not request.may_call_tools:
        return text_reply("Three pages, so far.", usage=A_CALL)
    used = sum(len(message.tool_calls) for message in request.messages)
    return calls_reply(call("look", id=f"look{used}"), usage=A_CALL)


def cost_of(model: ScriptedModel) -> float:
    """What the provider bills for all calls, those that were cut included."""
    return sum(min(each.max_tokens, A_REPLY) * 1e-5 for each in model.requests)


def spender() -> ScriptedModel:
    return ScriptedModel([spend] * 1_000)


def free(line: str) -> ScriptedModel:
    return ScriptedModel([text_reply(line, usage=Usage())] * 200)


@pytest.mark.proves("money.turn")
async def test_a_turn_at_its_cap_ends_with_what_it_has_and_says_who_can_raise_it(
    tmp_path: Path,
) -> None:
    model = spender()
    async with scripted_runtime(
        tmp_path, model=model, tools=TOOLS, caps={"turn": 0.30}, classifier=free("COMPLEX")
    ) as runtime:
        runtime.tell_money_to(Office())
        ended = await end_of(runtime, await begin(runtime, inbound("look around")))
    assert ended.outcome == "limited"
    assert ended.answer == (
        "I answer with what I have so far, because this request has used up its budget of $0.3; "
        "Cleo can raise it.\n\nThree pages, so far."
    )
    spent = cost_of(model)
    assert 0.29 <= spent <= 0.30 + A_CALL.cost_usd + 1e-9
    assert [request.may_call_tools for request in model.requests].count(False) == 1


@pytest.mark.proves("money.at_once")
async def test_fifty_turns_at_once_overdraw_by_no_more_than_one_call_each(tmp_path: Path) -> None:
    model = spender()
    async with scripted_runtime(
        tmp_path, model=model, tools=TOOLS, caps={"team": 1.0}, classifier=free("COMPLEX")
    ) as runtime:
        runtime.tell_money_to(Office())
        messages = [inbound("look around", thread=number) for number in range(1, 51)]
        turns = [await begin(runtime, message) for message in messages]
        ends = [await end_of(runtime, turn) for turn in turns]
        refused = await end_of(runtime, await begin(runtime, inbound("more", thread=51)))
    closings = [request.payer for request in model.requests if not request.may_call_tools]
    assert max(Counter(closings).values()) == 1
    spent = cost_of(model)
    assert spent <= 1.0 + len(closings) * A_CALL.cost_usd + 1e-9
    assert all("this workspace has used up" in end.answer for end in ends)
    assert refused.answer.startswith("I cannot take this on, because this workspace has used up")
    assert "Cleo can raise it" in refused.answer


@pytest.mark.proves("money.no_way_around")
async def test_a_person_at_their_cap_cannot_go_on_by_the_work_of_others(tmp_path: Path) -> None:
    held = Held(then=calls_reply(call("look"), usage=Usage()))
    model = ScriptedModel(
        [text_reply("Paid.", usage=replace(A_CALL, cost_usd=0.1)), held, "Poland."]
    )
    verdicts = free("COMPLEX")
    async with scripted_runtime(
        tmp_path, model=model, tools=TOOLS, caps={"person": 0.1}, classifier=verdicts
    ) as runtime:
        runtime.tell_money_to(Office())
        await answer(
            runtime, replace(from_ben("look", number=9), session=inbound("", thread=2).session)
        )
        turn = await begin(runtime, inbound("list Poland"))
        await held.reached.wait()
        judged = len(verdicts.requests)
        steering = await end_of(runtime, await begin(runtime, from_ben("and Spain", number=2)))
        assert "Ben has used up this month's budget of $0.1" in steering.answer
        root = agent_id(turn, ROOT_RUN)
        await runtime.intervene(inbound("").session, root, "content", "Spain", BEN, "Ben")
        digest = replace(from_ben("a digest", number=3), scheduled=True)
        assert "Ben has used up" in await answer(runtime, digest)
        assert len(verdicts.requests) == judged
        stop = await begin(runtime, from_ben("status", number=4))
        assert "“stop” ends it" in (await end_of(runtime, stop)).answer
        held.release.set()
        assert (await end_of(runtime, turn)).answer == "Poland."
        assert "Spain" not in told(model.requests[-1])


@pytest.mark.proves("money.told_once")
async def test_admins_are_told_once_that_a_channel_is_near_its_own_cap_over_restarts(
    tmp_path: Path,
) -> None:
    office = Office()
    for number, cost in enumerate((0.05, 0.05, 0.02), start=1):
        usage = Usage(cost_usd=cost)
        async with scripted_runtime(
            tmp_path,
            model=ScriptedModel([text_reply("Done.", usage=usage)] * 2),
            classifier=free("COMPLEX"),
            caps={"channel": 9.0},
        ) as runtime:
            runtime.tell_money_to(office)
            await runtime.scopes.change("T1:C1", {"budget": "0.125"}, ANN, key="1", now=NOW)
            for channel in ("C1", "C2"):
                session = SessionId(f"T1:{channel}:{number}.000001")
                there = replace(inbound("go"), session=session, key=session)
                assert await answer(runtime, there) == "Done."
    async with scripted_runtime(tmp_path, model=ScriptedModel([]), caps={}) as runtime:
        runtime.tell_money_to(office)
        refusal = await answer(runtime, inbound("go", thread=9))
        assert "this channel has used up this month's budget of $0.125" in refusal
    assert office.warnings == [f"{NOW:%Y-%m}/channel:T1:C1"]


@pytest.mark.proves("money.abandoned")
async def test_what_a_dead_process_had_reserved_is_free_again_and_sub_agents_count(
    tmp_path: Path,
) -> None:
    async with scripted_runtime(tmp_path, model=ScriptedModel([]), caps={}):
        pass
    database = Database(f"sqlite:///{tmp_path}/state.sqlite")
    dead = Budget(database, {}, lambda: NOW)
    quote = CallQuote(input_usd=0.29, token_usd=0.0, max_tokens=1)
    await dead.reserve(Payer(person=ANN, session=SessionId("T1:C1:1")), quote)
    await database.close()
    child = call("Task", {"prompt": "A note.", "subagent_type": "explorer"}, id="t")
    delegated = [calls_reply(child, usage=Usage())]
    model = ScriptedModel([*delegated, *([spend] * 20)])
    async with scripted_runtime(
        tmp_path, model=model, tools=TOOLS, caps={"person": 0.30}, classifier=free("COMPLEX")
    ) as runtime:
        ended = await end_of(runtime, await begin(runtime, inbound("delegate")))
    assert ended.outcome == "limited"
    assert ended.answer.endswith("Three pages, so far.")
    closings = [request for request in model.requests if not request.may_call_tools]
    assert len(closings) == 2
    assert 0.29 <= cost_of(model) - 0.05 <= 0.30 + 2 * A_CALL.cost_usd
