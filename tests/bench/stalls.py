"""What foreign texts cost the event loop: shapes of 10, 100 and 1,000 kB at the product's doors.

`python -m tests.bench.stalls [--json]`. At each door the work is done as the product does it, on
the loop or beside it, while a heart beats on the loop. `worst_stall_ms` is the longest that it
missed, the best of `ROUNDS`, less what other programs took of the machine meanwhile; `growth` is
the CPU time per byte at 1,000 kB over that at 10 kB, summed over all shapes, at the door where it
grows most.
"""

import asyncio
import gc
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from mcp_types import CallToolResult, JSONRPCResponse

from agent_core.consent.provenance import AddressProvenance, keys_in
from agent_core.consent.recipients import recipients_of
from agent_core.consent.results import LinkPlaces
from agent_core.events import QuestionAsked
from agent_core.ids import ROOT_RUN, AskId, SessionId, ToolCallId, TurnId, UserId
from agent_core.mcp.client import output_of
from agent_core.mcp.wire import Screen, off_loop
from agent_core.messages import JsonObject, Message, ToolCall, ToolResult, user_message
from agent_core.tools import fault_of_arguments
from agent_core.words import detect_language, small_talk
from bot.inbound import mentioned_users, plain_text
from bot.presenter.answer import thread_drafts
from bot.presenter.asks import question_drafts
from bot.render import one_line
from bot.words import BOT
from mcp_local.errors import ToolkitError
from mcp_local.report.compose import compose_report
from mcp_local.sources import NumberedSource
from tests.attacks.shapes import shapes
from tests.bench.results import Result, run

SIZES = (10_000, 100_000, 1_000_000)
ROUNDS = 2
BEAT_S = 0.002
MESSAGE_CHARS = 40_000
"""Slack cuts a message there."""
WORDS = BOT.of("en")
NOW = datetime(2026, 11, 23, tzinfo=UTC)
PLACES = LinkPlaces(("connect.composio.dev/link",))

Door = Callable[[str], Awaitable[object]]


async def answer(text: str) -> None:
    await asyncio.to_thread(thread_drafts, text, WORDS, lambda _: False)


async def question(text: str) -> None:
    event = QuestionAsked(
        session=SessionId("slack:T1:C1:1.000001"), turn=TurnId("turn:x"), run=ROOT_RUN, step=1,
        attempt=1, n=1, at=NOW, ask=AskId("a"), call_id=ToolCallId("c"), asker=UserId("T1:U1"),
        question=text, options=(), deadline=NOW,
    )  # fmt: skip
    await asyncio.to_thread(question_drafts, event, WORDS)


async def message(text: str) -> None:
    said = text[:MESSAGE_CHARS]
    mentioned_users(said)
    typed = plain_text(said, bot_user="U1")
    small_talk(typed)
    detect_language(typed)
    one_line(typed, 60)


async def result(text: str) -> None:
    await _received([{"type": "text", "text": text}])


async def result_in_pieces(text: str) -> None:
    await _received([{"type": "text", "text": sign} for sign in text[::30]])


async def structured(text: str) -> None:
    await _received([], {"rows": [[] for _ in text[::4]], text[:2_000]: text[2_000:]})


async def _received(content: list[dict[str, str]], more: JsonObject | None = None) -> None:
    """The line is made here and costs the loop nothing there, so a thread makes it."""
    result: JsonObject = {"content": content} | ({"structuredContent": more} if more else {})
    told = {"jsonrpc": "2.0", "id": 1, "result": result}
    line = await asyncio.to_thread(lambda: json.dumps(told).encode())
    screen = Screen("s", version=lambda: "2025-06-18", on_tools_changed=lambda: None)
    read = await off_loop(screen.read, line)
    if isinstance(read, JSONRPCResponse):
        validated = CallToolResult.model_validate(read.result)
        output = output_of(validated)
        PLACES.strip(output.text[:MESSAGE_CHARS], is_connecting=False)


async def schema(text: str) -> None:
    fields = {"text": {"type": "string", "pattern": "^(a+)+$"}}
    given = {"text": text, "list": text[:2_000].split()}
    wanted: JsonObject = {
        "properties": fields,
        "patternProperties": {"^(a+)+$": {}},
        "minProperties": 1,
    }
    fault_of_arguments(given, wanted)


async def recipients(text: str) -> None:
    await asyncio.to_thread(recipients_of, {"to": text, "body": text})


async def gate(text: str) -> None:
    """What is known of a text from earlier is forgotten, as each round is to cost the same."""
    assert keys_in.cache is not None
    keys_in.cache.clear()
    wrote = ToolCall(id=ToolCallId("w"), name="mcp__notes__write", arguments={"text": text})
    found = ToolResult(call_id=wrote.id, text=text)
    begun, ended = Message(role="assistant", parts=(wrote,)), Message(role="user", parts=(found,))
    said = [(TurnId("turn:x"), ROOT_RUN, each) for each in (user_message(text), begun, ended)]
    await asyncio.to_thread(AddressProvenance, said, Path("/sessions/one"), [text])


async def report(text: str) -> None:
    page = NumberedSource(
        n=1, url="https://x.org", title="x", kind="page", ok=True, text=text, path="x.md"
    )
    markdown = f"Said so. [1]\n\n{text[:90_000]}"
    with suppress(ToolkitError):  # to be refused is an answer as well
        await asyncio.to_thread(
            compose_report, [page], NOW.date(), title="x", markdown=markdown, summary="x [1]"
        )


DOORS: Mapping[str, Door] = {
    door.__name__: door
    for door in (
        answer, question, message, result, result_in_pieces, structured, schema, recipients, gate,
        report,
    )
}  # fmt: skip


async def stall_of(door: Door, text: str) -> tuple[float, float]:
    """How long the loop was held at worst while a text went through a door, and the CPU time."""
    worst_s, is_over = 0.0, False

    async def beat() -> None:
        nonlocal worst_s
        last = time.monotonic(), time.process_time()
        while not is_over:
            await asyncio.sleep(BEAT_S)
            now = time.monotonic(), time.process_time()
            worst_s, last = max(worst_s, min(now[0] - last[0], now[1] - last[1])), now

    beating = asyncio.create_task(beat())
    await asyncio.sleep(BEAT_S)
    began_s = time.process_time()
    await door(text)
    took_s = time.process_time() - began_s
    is_over = True
    await beating
    return worst_s, took_s


async def measure_door(name: str) -> tuple[float, float]:
    """The worst stall at a door in ms, and its growth."""
    worst_s, took_s = 0.0, dict.fromkeys(SIZES, 0.0)
    for size in SIZES:
        for shape_name, text in shapes(size).items():
            rounds = [await stall_of(DOORS[name], text) for _ in range(ROUNDS)]
            stall_s = min(stall for stall, _ in rounds)
            took_s[size] += min(took for _, took in rounds)
            if stall_s > 0.1:
                sys.stderr.write(f"{name}: {shape_name} of {size}: {stall_s * 1_000:.0f} ms\n")
            worst_s = max(worst_s, stall_s)
    growth = (took_s[SIZES[-1]] / SIZES[-1]) / (took_s[SIZES[0]] / SIZES[0])
    sys.stderr.write(f"{name}: {worst_s * 1_000:.0f} ms, growth {growth:.2f}\n")
    return worst_s * 1_000, growth


async def measure(_root: Path) -> list[Result]:
    gc.collect()  # as `bot start` does it
    gc.freeze()
    measured = [await measure_door(name) for name in DOORS]
    worst, growth = (max(values) for values in zip(*measured, strict=True))
    return [
        Result(name="worst_stall_ms", value=round(worst, 1), unit="ms", goal=100),
        Result(name="growth", value=round(growth, 2), unit="", goal=1.2),
    ]


if __name__ == "__main__":
    run(__doc__, measure)
