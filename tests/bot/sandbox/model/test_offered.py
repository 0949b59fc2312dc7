"""What README and chips say one can write: the stand-in has something to do for each of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from agent_core.prompts import prompt
from agent_core.tools.surface import SURFACE_TOOLS
from agent_core.words import CORE
from bot.home.home import FIXED_PROMPTS
from bot.home.view import LANGUAGES
from bot.sandbox.model.phrases import line, lines
from bot.sandbox.world import read_manifest
from bot.words import BOT

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import MessageParam, ToolUseBlock

README = Path(__file__).parents[4] / "README.md"
CHAPTERS = ("Try it", "In a busy thread", "Many minds", "Digests", "In people's own apps")
OFFERS = lines("offers")
CLASSIFY = "Say 'SIMPLE' or 'COMPLEX'.\n\nQuery: {}\n\nRespond with ONLY 'SIMPLE' or 'COMPLEX'."
MAIN_TOOLS = (
    *SURFACE_TOOLS,
    "ask_user",
    "Task",
    "crawl_parallel",
    "list_local_files",
    "mcp__composio__COMPOSIO_SEARCH_TOOLS",
    "mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL",
    "mcp__composio__COMPOSIO_SEARCH_WEB",
)
HISTORY: list[MessageParam] = [
    {"role": "user", "content": "Write a report on moss"},
    {"role": "assistant", "content": "Moss has 900 kinds. The report “Moss” is ready."},
]


def of_the_readme() -> set[str]:
    """The quotations of its chapters on what to write, without names of buttons and menus."""
    labels: list[str] = []
    for catalogue in (README.parent / "bot").rglob("en.ftl"):
        labels += re.findall(r"(?m) = (.+)$", catalogue.read_text(encoding="utf-8"))
    by_rule = CORE.say("en", "short-status").split(", ")
    texts: list[str] = []
    for chapter in README.read_text(encoding="utf-8").split("\n## "):
        if chapter.startswith(CHAPTERS):
            texts += re.findall(r"“([^”]+)”", chapter)
    texts = [" ".join(text.split()) for text in texts]
    return {
        text for text in texts if text not in labels and text.casefold().strip("?") not in by_rule
    }


def of_the_chips() -> set[str]:
    """What Home, a new chat and the app suggest, in all languages."""
    named = read_manifest()["features"]["agent_view"]["suggested_prompts"]
    chips = {BOT.say(code, f"home-prompt-{name}") for code in LANGUAGES for name in FIXED_PROMPTS}
    again = {BOT.say(code, "home-prompt-again", what="Heat pumps") for code in LANGUAGES}
    return chips | again | {prompt["message"] for prompt in named} | set(OFFERS)


def test_the_readme_and_the_chips_offer_what_is_looked_for_here() -> None:
    assert "Remove that report" in of_the_readme()
    assert len(of_the_readme()) > 12
    assert len(of_the_chips()) > 12


@pytest.mark.proves("sandbox.offers")
@pytest.mark.parametrize("words", sorted(of_the_readme() | of_the_chips()))
async def test_whatever_readme_and_chips_offer_is_done(client: AsyncAnthropic, words: str) -> None:
    text, _ = await step(client, CLASSIFY.format(words))
    if text == "ORDER":
        _, call = await step(client, f"<message>\n{words}\n</message>", "read_order")
        assert call
        assert dict(call.input)["intent"] != "none"
    elif text in ("SIMPLE", "COMPLEX"):
        asked: list[MessageParam] = [*HISTORY, {"role": "user", "content": words}]
        text, call = await step(client, asked, "use_tools")
        if call:
            text, call = await step(client, asked, *MAIN_TOOLS)
        assert text != line("no_model")
        assert call is None or not dict(call.input).get("options"), (
            "no errand is answered by an offer"
        )
        assert words not in str(call and call.input) or call is None or call.name != "Task"
    else:
        assert text in ("STOP", "AGREE")


async def test_what_no_page_has_is_answered_with_three_requests_that_work(
    client: AsyncAnthropic,
) -> None:
    asked: list[MessageParam] = [{"role": "user", "content": "a haiku on rain, please"}]
    _, call = await step(client, asked, "use_tools")
    assert call
    _, call = await step(client, asked, *MAIN_TOOLS)
    assert call
    options = options_of(call)
    assert len(options) == 3
    assert set(options) < set(OFFERS)
    chosen = {"type": "tool_result", "tool_use_id": call.id}
    answer: Any = {**chosen, "content": f"ann answered: {OFFERS[1]}"}
    asked.append({"role": "assistant", "content": [call]})
    asked.append({"role": "user", "content": [answer]})
    _, call = await step(client, asked, *MAIN_TOOLS)
    assert call
    assert dict(call.input)["query"] == "heat pumps"


@pytest.mark.parametrize(
    ("words", "of_all"),
    [("write a report", "report"), ("compare", "Compare"), ("help me with the thing", "")],
)
async def test_what_is_vague_is_asked_with_options_that_fit(
    client: AsyncAnthropic, words: str, of_all: str
) -> None:
    _, call = await step(client, [{"role": "user", "content": words}], *MAIN_TOOLS)
    assert call
    options = options_of(call)
    assert len(options) == 3
    assert all(of_all in option for option in options)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("2+2?", "2+2 = 4"),
        ("what is 12 x (3 - 1.5)", "12 x (3 - 1.5) = 18"),
        ("What time is it?", "It is Tuesday, 24 November 2026, 15:00 in Europe/Amsterdam."),
        ("shorter", "Moss has 900 kinds.\nThe report “Moss” is ready."),
        ("hello", "Hello!"),
        ("hallo", "Hallo!"),
        ("who are you?", "Hello!"),
        ("what day is today?", "It is Tuesday, 24 November 2026"),
        ("17*3", "17\u00d73 = 51"),
        ("3,5 * 2", "3,5 \u00d7 2 = 7"),
        ("1,000 * 2", "1,000 \u00d7 2 = 2000"),
    ],
)
async def test_small_talk_gets_a_line(client: AsyncAnthropic, words: str, answer: str) -> None:
    moment = "Tuesday, 24 November 2026, 15:00 in Europe/Amsterdam (UTC+01:00)"
    sent = f"<sent>{moment}, by ann</sent>\n\n{words}"
    text, _ = await step(client, [*HISTORY, {"role": "user", "content": sent}], "use_tools")
    assert text.startswith(answer)


@pytest.mark.parametrize(
    ("words", "tool", "answer"),
    [
        ("continue", "Task", ""),
        (
            "Answer with what you have",
            "",
            "I stopped early; this is what I have until now.\n\n- Moss",
        ),
    ],
)
async def test_work_after_a_stop_goes_on_or_ends_with_its_findings(
    client: AsyncAnthropic, words: str, tool: str, answer: str
) -> None:
    asked: list[MessageParam] = [{"role": "user", "content": "Write a report on moss"}]
    _, search = await step(client, asked, *MAIN_TOOLS)
    assert search
    found: Any = {
        "type": "tool_result",
        "tool_use_id": search.id,
        "content": '{"citations": [{"url": "http://blog.test/moss", "title": "Moss"}]}',
    }
    again: list[Any] = [{"type": "text", "text": f"<sent>Tuesday, by ann</sent>\n\n{words}"}]
    if answer:
        again.append({"type": "text", "text": prompt("what_there_is", findings="- Moss")})
    asked.append({"role": "assistant", "content": [search]})
    asked.append({"role": "user", "content": [found, *again]})
    text, task = await step(client, asked, *MAIN_TOOLS)
    assert (text[: len(answer)], task.name if task else "") == (answer, tool)
    assert "<sent>" not in str(task)


async def test_a_report_finds_the_six_pages_that_hold_one_aspect_each(
    client: AsyncAnthropic,
) -> None:
    aspects = ("shade", "water", "price", "roots", "species", "pruning")
    subject = f"street trees: {', '.join(aspects)}"
    asked: list[MessageParam] = [{"role": "user", "content": f"Write a report on {subject}"}]
    _, search = await step(client, asked, *MAIN_TOOLS)
    assert search
    pages = [{"url": f"http://p.test/{n}", "title": name} for n, name in enumerate(aspects)]
    pages += [{"url": f"http://p.test/street-{n}", "title": "A street"} for n in range(9)]
    citations: Any = {
        "type": "tool_result",
        "tool_use_id": search.id,
        "content": json.dumps({"citations": pages}),
    }
    asked.append({"role": "assistant", "content": [search]})
    asked.append({"role": "user", "content": [citations]})
    _, task = await step(client, asked, *MAIN_TOOLS)
    assert task
    brief = str(task.input)
    assert all(f"http://p.test/{n}" in brief for n in range(len(aspects)))
    assert brief.index("http://p.test/5") < brief.index("http://p.test/street-")


async def test_a_plain_question_is_answered_by_a_quotation_with_its_page(
    client: AsyncAnthropic,
) -> None:
    answer, _ = await step(client, "What is full jitter?", "use_tools")
    assert "> Full jitter waits a random time" in answer
    assert "[Jitter, explained](http://blog.test/jitter)" in answer


async def test_what_no_page_says_is_not_claimed_to_be_known(client: AsyncAnthropic) -> None:
    answer, _ = await step(client, "What is the capital of France?")
    assert "No model is connected" in answer
    assert "ANTHROPIC_API_KEY" in answer
    assert "Paris" not in answer


def options_of(call: ToolUseBlock) -> list[str]:
    return cast("list[str]", dict(call.input)["options"])


async def step(
    client: AsyncAnthropic, asked: str | list[MessageParam], *tools: str
) -> tuple[str, ToolUseBlock | None]:
    """The words and the first call of one reply."""
    reply = await client.messages.create(
        model="claude-haiku-5-5",
        max_tokens=1000,
        messages=[{"role": "user", "content": asked}] if isinstance(asked, str) else asked,
        tools=[{"name": name, "input_schema": {"type": "object"}} for name in tools],
    )
    texts = [block.text for block in reply.content if block.type == "text"]
    calls = [block for block in reply.content if block.type == "tool_use"]
    return "".join(texts), calls[0] if calls else None
