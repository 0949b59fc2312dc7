"""Nothing foreign holds the event loop: what it costs is bounded, whatever shape it is in.

Work is measured in CPU time of the thread that does it, which other programs have no part in.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.messages import JsonObject
from agent_core.tools import fault_of_arguments
from agent_core.watchdog import LIMIT_S, watched_loop
from bot.presenter.answer import thread_drafts
from bot.presenter.previews import argument_lines
from bot.render import answer_drafts, limits
from bot.words import BOT
from mcp_local.passages import sentence_spans
from tests.attacks.shapes import FRAMED, UNITS, shape, shapes
from tests.bench.stalls import DOORS

SIZE = 20_000
RENDERING = {"answer", "question"}
"""Here a fourth of the shapes shows that the work is not done on the loop; what it costs is seen
below, with each shape.
"""
MAX_CPU_S = 2.0
"""Far above what any shape costs, and far below what a quadratic reading of one costs."""
PIECES = st.sampled_from([*UNITS.values(), *(beginning for beginning, *_ in FRAMED.values())])


DOUBLED: JsonObject = {f"n{n}": {"allOf": [{"$ref": f"#/$defs/n{n + 1}"}] * 2} for n in range(40)}
DIALECT = "https://json-schema.org/draft/2020-12/schema"
SCHEMAS: tuple[JsonObject, ...] = (
    {"properties": {"text": {"pattern": "^(a+)+$"}}},
    {"patternProperties": {"^(a+)+$": {"type": "string"}}, "additionalProperties": False},
    {"unevaluatedProperties": False, "allOf": [{"patternProperties": {"^(a+)+$": {}}}]},
    {"properties": {"list": {"uniqueItems": True}}},
    {"$ref": "#/$defs/n0", "$defs": {**DOUBLED, "n40": {}}},
    {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]},
    {"properties": {"text": {"$schema": DIALECT, "pattern": "^(a+)+$"}}},
    {"$schema": DIALECT, "pattern": "x", "properties": {"x": {"$ref": "#"}}},
)


def cpu_s(work: Callable[[], object]) -> float:
    began_s = time.thread_time()
    work()
    return time.thread_time() - began_s


@pytest_asyncio.fixture
async def unstalled() -> AsyncGenerator[None]:
    """The loop is not held by what this process computes."""
    with watched_loop() as lag:
        yield
    assert lag.worst_cpu_s < LIMIT_S or lag.worst_s < LIMIT_S, lag


@pytest.mark.proves("stalls.none")
@pytest.mark.parametrize("name", DOORS)
async def test_no_shape_holds_the_loop_at_any_door(name: str, unstalled: None) -> None:
    every = 4 if name in RENDERING else 1
    for text in list(shapes(SIZE).values())[::every]:
        await DOORS[name](text)
        await asyncio.sleep(0)


@pytest.mark.proves("stalls.none")
@settings(max_examples=20)
@given(pieces=st.lists(PIECES, min_size=1, max_size=4), end=st.text(max_size=3))
def test_whatever_is_repeated_is_rendered_in_bounded_time(pieces: list[str], end: str) -> None:
    text = shape("".join(pieces), limits.ANSWER_CHARS, end=end)
    assert cpu_s(lambda: answer_drafts(text, lambda _: False)) < MAX_CPU_S


@pytest.mark.parametrize("name", shapes(1))
def test_no_shape_of_an_answer_takes_more_than_its_length(name: str) -> None:
    """What takes eight times the text takes no longer."""

    def render(chars: int) -> None:
        drafts = answer_drafts(shapes(chars)[name], lambda _: False)
        assert all(len(draft.text) <= limits.TEXT_CHARS for draft in drafts)

    assert cpu_s(lambda: render(80_000)) < 20 * max(cpu_s(lambda: render(10_000)), 0.05)


@pytest.mark.proves("stalls.none")
@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_foreign_schema_cannot_ask_for_endless_checks(schema: JsonObject) -> None:
    given: JsonObject = {
        "text": f"{'a' * 40}!",
        f"{'a' * 40}!": 1,
        "list": [[n] for n in range(5_000)],
    }
    assert cpu_s(lambda: fault_of_arguments(given, schema)) < MAX_CPU_S


@pytest.mark.proves("stalls.none")
def test_what_is_left_of_a_schema_is_still_checked() -> None:
    schema: JsonObject = {"properties": {"n": {"type": "integer"}, "s": {"pattern": "^(a+)+$"}}}
    assert "integer" in fault_of_arguments({"n": "x", "s": "!"}, schema)
    assert fault_of_arguments({"n": 1, "s": "!"}, schema) == ""


@pytest.mark.proves("stalls.none")
@pytest.mark.parametrize(
    "work",
    [
        lambda: sentence_spans("." * SIZE + "x"),
        lambda: sentence_spans("a. " * (SIZE // 3)),
        lambda: list(argument_lines({"a": "\r" * SIZE + "!"})),
    ],
)
def test_what_once_took_quadratic_time_takes_little(work: Callable[[], object]) -> None:
    assert cpu_s(work) < MAX_CPU_S


def test_a_text_that_cannot_be_rendered_is_posted_as_it_is() -> None:
    def breaks(_: str) -> bool:
        raise RecursionError

    drafts, _ = thread_drafts("**See** https://x.org/a", BOT.of("en"), breaks)
    assert [draft.text for draft in drafts] == ["```\n**See** https://x.org/a\n```"]
