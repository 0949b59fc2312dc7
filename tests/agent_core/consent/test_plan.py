"""What a call would do is looked up when it is asked for, and an approval is bound to all of it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.composio import AppTool
from agent_core.consent.call_plan import SealedAction, digest_of, plan_of
from agent_core.consent.policy import read_policy
from agent_core.ids import SessionId, UserId
from agent_core.json_values import digest_of_json
from agent_core.testing.accounts import FakeAccounts
from agent_core.testing.tools import tool_context
from tests.agent_core.consent.calls import batch, entry

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12
)
ARGUMENTS = st.dictionaries(st.text(max_size=8), VALUES, max_size=4)


def sealed(**changed: Any) -> str:
    action: dict[str, Any] = {
        "slug": "GMAIL_SEND_EMAIL",
        "arguments": {"to": "a@x.test", "body": "hello"},
        "account": "ca_1",
        "definition": "5d",
    }
    whole: dict[str, Any] = {
        "tool": "mcp__composio__GMAIL_SEND_EMAIL",
        "arguments": {"to": "a@x.test", "body": "hello"},
        "session": SessionId("T:C:1"),
        "asker": UserId("T:U1"),
    }
    action |= {name: value for name, value in changed.items() if name in action}
    whole |= {name: value for name, value in changed.items() if name in whole}
    return digest_of(**whole, actions=[SealedAction(**action)])


def test_the_same_call_has_the_same_digest_however_its_names_are_ordered() -> None:
    assert sealed() == sealed(arguments={"body": "hello", "to": "a@x.test"})
    assert len(sealed()) == 64


@pytest.mark.parametrize(
    "changed",
    [
        {"tool": "mcp__other__GMAIL_SEND_EMAIL"},
        {"slug": "GMAIL_SEND_EMAIl"},
        {"account": "ca_2"},
        {"definition": "5e"},
        {"session": "T:C:2"},
        {"asker": "T:U2"},
        {"arguments": {"to": "a@x.test", "body": "hello "}},
        {"arguments": {"to": "a@x.test", "body": "hello", "bcc": None}},
    ],
)
def test_whatever_is_changed_changes_the_digest(changed: dict[str, Any]) -> None:
    assert sealed(**changed) != sealed()


@settings(max_examples=60)
@given(ARGUMENTS, st.text(min_size=1), st.data())
def test_one_byte_changed_in_any_text_changes_the_digest(
    arguments: dict[str, Any], text: str, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(text) - 1))
    sign = data.draw(st.characters(exclude_characters=text[place]))
    changed = text[:place] + sign + text[place + 1 :]
    before, after = ({**arguments, "body": each} for each in (text, changed))
    assert sealed(arguments=before) != sealed(arguments=after)


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
    call = batch(*sending, entry("GMAIL_FETCH_EMAILS"))
    judged = read_policy().judge(call, is_tainted=False)
    plan = await plan_of(accounts, judged, call, None, context)
    assert accounts.asked == [("GMAIL_SEND_EMAIL", True), ("GMAIL_FETCH_EMAILS", False)]
    assert len(plan.actions) == 51
    assert {each.account for each in plan.actions} == {"u1@example.com"}
