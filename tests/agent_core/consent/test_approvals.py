"""What a call would do is looked up when it is asked for, and an approval is bound to all of it."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.clock import machine_time
from agent_core.composio import AppTool
from agent_core.consent.approvals import Approvals, plan_of
from agent_core.consent.policy import read_policy
from agent_core.ids import SessionId, ToolCallId, UserId
from agent_core.json_values import digest_of_json
from agent_core.sessions import Ask, AskStore, Database
from agent_core.testing.accounts import FakeAccounts
from agent_core.tools import ToolOutput
from tests.agent_core.consent.calls import batch, call, entry
from tests.tool_calls import tool_context

SHIPPED = read_policy()

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12
)
ARGUMENTS = st.dictionaries(st.text(max_size=8), VALUES, max_size=4)


CALL: dict[str, Any] = {
    "tool": "mcp__composio__GMAIL_SEND_EMAIL",
    "arguments": {"to": "a@x.test", "body": "hello"},
    "account": "ca_1",
    "definition": "5d",
    "session": SessionId("T:C:1"),
    "asker": UserId("T:U1"),
}


async def digest(folder: Path, **changed: Any) -> str:
    """The digest of the plan of one call."""
    made = CALL | changed
    accounts = FakeAccounts(schema_digest=made["definition"])
    context = replace(tool_context(folder, asker=made["asker"]), session=made["session"])
    accounts.connect(context.asker, "gmail", account=made["account"])
    opened = call(made["tool"], **made["arguments"])
    judged = SHIPPED.judge(opened, is_tainted=False)
    plan = await plan_of(accounts, judged, opened, None, context)
    return plan.digest


async def test_the_same_call_has_the_same_digest_however_its_names_are_ordered(
    tmp_path: Path,
) -> None:
    sealed = await digest(tmp_path)
    assert sealed == await digest(tmp_path, arguments={"body": "hello", "to": "a@x.test"})
    assert len(sealed) == 64


@pytest.mark.proves("consent.stands")
async def test_a_call_that_took_over_a_standing_request_is_judged_again_to_the_same(
    tmp_path: Path,
) -> None:
    """A crash between the two makes the judging happen twice: the request stays one."""
    database = Database(f"sqlite:///{tmp_path}/state.sqlite")
    await database.open()
    asks = AskStore(database, machine_time)
    approvals = Approvals(asks=asks, clock=machine_time)
    accounts = FakeAccounts()
    context = tool_context(tmp_path)
    accounts.connect(context.asker, "gmail")

    async def judged(id: str) -> ToolOutput | Ask:
        opened = call("mcp__composio__GMAIL_SEND_EMAIL", to="a@x.test")
        opened = replace(opened, call=replace(opened.call, id=ToolCallId(id)))
        judgement = SHIPPED.judge(opened, is_tainted=False)
        plan = await plan_of(accounts, judgement, opened, None, context)
        plain = {"is_tainted": False, "is_joint": False}
        return await approvals.approval_for(opened, context, judgement, plan, **plain)

    first = await judged("first")
    assert isinstance(first, Ask)
    await asks.release(first.id)
    for _ in range(2):
        again = await judged("again")
        assert isinstance(again, Ask)
        assert (again.id, again.call_id, again.state) == (first.id, "again", "open")
    await database.close()


@pytest.mark.parametrize(
    "changed",
    [
        {"tool": "mcp__other__GMAIL_SEND_EMAIL"},
        {"tool": "mcp__composio__GMAIL_SEND_EMAIl"},
        {"account": "ca_2"},
        {"definition": "5e"},
        {"session": "T:C:2"},
        {"asker": "T:U2"},
        {"arguments": {"to": "a@x.test", "body": "hello "}},
        {"arguments": {"to": "a@x.test", "body": "hello", "bcc": None}},
    ],
)
async def test_whatever_is_changed_changes_the_digest(
    tmp_path: Path, changed: dict[str, Any]
) -> None:
    assert await digest(tmp_path, **changed) != await digest(tmp_path)


@settings(max_examples=60)
@given(ARGUMENTS, st.text(min_size=1), st.data())
async def test_one_byte_changed_in_any_text_changes_the_digest(
    arguments: dict[str, Any], text: str, data: st.DataObject
) -> None:
    position = data.draw(st.integers(0, len(text) - 1))
    sign = data.draw(st.characters(exclude_characters=text[position]))
    changed = text[:position] + sign + text[position + 1 :]
    before = await digest(Path(), arguments={**arguments, "body": text})
    assert await digest(Path(), arguments={**arguments, "body": changed}) != before


def test_kinds_of_numbers_and_spellings_of_letters_are_told_apart() -> None:
    alike = [1, 1.0, True, "1", [1], None, "null", 0, -0.0, 0.0, "\u00e9", "e\u0301"]
    assert len({digest_of_json(value) for value in alike}) == len(alike)


def test_a_lone_surrogate_is_no_hindrance_and_no_disguise() -> None:
    texts = ["\ud83d", "\ud83d\ude00", "\U0001f600", "\\ud83d"]
    assert len({digest_of_json(text) for text in texts}) == len(texts)


@dataclass
class NotedAccounts(FakeAccounts):
    """Notes which tools were looked up, and whether afresh."""

    asked: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])

    async def tool(self, slug: str, *, afresh: bool = False) -> AppTool:
        self.asked.append((slug, afresh))
        return await super().tool(slug, afresh=afresh)


async def test_what_asks_is_looked_up_afresh_and_once_however_often_it_stands_in_a_batch(
    tmp_path: Path,
) -> None:
    accounts, context = NotedAccounts(), tool_context(tmp_path)
    accounts.connect(context.asker, "gmail")
    sending = [entry("GMAIL_SEND_EMAIL", to=f"{n}@example.com") for n in range(50)]
    several = batch(*sending, entry("GMAIL_FETCH_EMAILS"))
    judged = SHIPPED.judge(several, is_tainted=False)
    plan = await plan_of(accounts, judged, several, None, context)
    assert accounts.asked == [("GMAIL_SEND_EMAIL", True), ("GMAIL_FETCH_EMAILS", False)]
    assert len(plan.actions) == 51
    assert {each.account for each in plan.actions} == {"u1@example.com"}
