"""Whatever a service answers, reading it does not fail."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.messages import JsonObject
from agent_core.observers.observing import executions
from agent_core.observers.search_results import cleaned_results
from agent_core.tools.payloads import parse, search
from tests.agent_core.observers.observed import FINISHED, observed

KEYS = st.sampled_from(
    ["data", "results", "response", "tool_slug", "index", "news_results", "link", "title", "tools"]
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False)
    | st.sampled_from(["https://e.org/a", "COMPOSIO_SEARCH_WEB", "{", '{"data": []}', "text"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=25,
)
TOOLS = st.sampled_from(
    ["mcp__c__COMPOSIO_SEARCH_NEWS", "mcp__c__COMPOSIO_MULTI_EXECUTE_TOOL", "x"]
)


@settings(deadline=None)
@given(TOOLS, JSON, st.dictionaries(KEYS, JSON, max_size=2))
def test_any_json_is_read_without_failing(tool: str, result: object, asked: JsonObject) -> None:
    for execution in executions(observed(Path(), tool, result, arguments=asked)):
        cleaned = cleaned_results(execution, FINISHED)
        if cleaned is not None:
            listed = cleaned["articles" if cleaned["type"] == "news" else "results"]
            assert all(item["url"].startswith("https://") for item in listed)
            json.dumps(cleaned)


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read_without_failing(text: str) -> None:
    parse(text)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '"' * 3])
def test_text_that_nests_without_end_is_no_json(text: str) -> None:
    assert parse(text) in (None, "")


def test_the_outermost_match_is_taken() -> None:
    nested: JsonObject = {"a": {"hit": "deep", "b": {"hit": "deeper"}}, "c": {"hit": "late"}}

    assert search(nested, lambda one: one.get("hit"), depth=3) == "deep"
    assert search(nested, lambda one: one.get("hit"), depth=0) is None
