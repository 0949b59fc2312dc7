"""The answer while it is written: a preview in Slack's streams that becomes the answer's posts.

What is streamed is safe Markdown in whole sentences, items and blocks, with no live address. Words
that turn out to be none of the answer are taken back, and the last edit mends the rest.
"""

import asyncio
import logging
import re
from dataclasses import dataclass
from pathlib import Path

from agent_core.events import (
    AnyEvent,
    ArtifactSaved,
    FastPathFallback,
    StepFinished,
    StepRetried,
    TextDelta,
)
from agent_core.ids import ROOT_RUN, TurnId
from agent_core.masking import masked_post
from agent_core.runtime import without_paths
from bot.presenter.journal import Place
from bot.render import limits, none_live, split, to_markdown
from bot.slack_api import SlackError, SlackRefused
from bot.threads import parse_user

HOLD_S = 0.5
"""So long nothing is shown: what is said before a tool call is mostly known as such by then."""
HOLD_CHARS = 200
"""Fewer words are no answer of a turn with tools: they come before a call."""

_BLANK = re.compile(r"\n[ \t]*\n(?=\S)")
_ITEM = re.compile(r"\n(?=(?:[-*+]|\d{1,9}[.)])[ \t])")
_IS_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]")
_FENCE = re.compile(
    r"^ {0,3}(?P<code>`{3,}|~{3,})"
    r"|-----(?:(?P<key>BEGIN) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|END [A-Z0-9 ]{0,40})-----",
    re.MULTILINE,
)
_SIGN = re.compile(
    r"\\[^\w\s`]|`+|\*+|_+|~~|\]\(|[\[\])>]|<(?=[A-Za-z/!@#])|(?<=[.!?…:])[ \n](?=\S)"
)
"""What opens or closes something in a paragraph, and the blank behind a sentence."""
_OPENED = {"]": "[", "](": "[", ")": "(", ">": "<"}
HELD_CHARS = 300
"""What is open for longer was no formatting, but a sign of the words."""
_STOPPED = "stopped_by_user"

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Open:
    """The stream that grows now."""

    op: str
    ts: str
    begun_s: float
    size_bytes: int


class AnswerStream:
    """Streams a turn's answer as `hear` gets it; `end` leaves posts that the answer is put into."""

    def __init__(self, place: Place, workspace: Path, *, asked_ts: str, is_off: bool) -> None:
        self._place = place
        self._turn = TurnId("")
        self._workspace = workspace
        self._asked_ts = asked_ts
        self._is_off = is_off
        self._text, self._gap, self._chars = "", "", 0
        """What is not shown yet, what stands before it, and how much there was of all."""
        self._at = (-1, 0)
        """The step and the attempt that it is of."""
        self._open: _Open | None = None
        self._ended = set[str]()
        """The `ts` of those that grow no more."""
        self._writing = asyncio.Lock()
        self._grown = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def hear(self, event: AnyEvent) -> None:
        """Take the next event of the turn."""
        self._turn = event.turn
        if self._is_off or (event.run != ROOT_RUN and not isinstance(event, ArtifactSaved)):
            return
        match event:
            case TextDelta():
                if event.step == self._at[0] and event.attempt != self._at[1]:
                    await self._take_back()
                await self._grow(event)
            case StepRetried() | FastPathFallback():
                await self._take_back()
            case StepFinished() if event.tool_calls:
                await self._take_back()
            case ArtifactSaved():
                self._is_off = True
                await self._take_back()
            case _:
                pass

    async def stop(self) -> None:
        """Nothing is written or on its way any more when this returns. Safe to call twice."""
        self._is_off = True
        if self._task is not None:
            async with self._writing:
                self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None
        if self._open is not None:
            self._place.api.streams.let_go(self._open.ts)

    async def end(self) -> None:
        """End all streams of the turn, also those of a process that died; their posts stay."""
        await self.stop()
        bookmark = await self._place.journal.open()
        lost = [op for op in self._ops() if f"{op}:stream" in bookmark.begun - bookmark.done]
        lost = [op for op in lost if op not in bookmark.streams]
        if lost:
            try:
                await self._find(lost)
            except SlackRefused as refused:
                _log.warning("what was streamed is not found: %s", refused)
        for op, ts in bookmark.streams.items():
            try:
                if op not in bookmark.done:
                    await self._stop(op, ts)
            except SlackRefused as refused:
                _log.warning("the answer is posted beside what was streamed: %s", refused)

    async def clear(self) -> None:
        """Take away what became no post of the answer. Call `end` first."""
        bookmark = await self._place.journal.open()
        for op, ts in list(bookmark.streams.items()):
            try:
                if f"{self._place.thread.channel} {ts}" not in bookmark.posts.values():
                    await self._delete(op, ts)
            except SlackRefused as refused:
                _log.warning("a streamed post stands beside the answer: %s", refused)

    async def _grow(self, event: TextDelta) -> None:
        bookmark = await self._place.journal.open()
        if self._task is None and any(f"{op}:stream" in bookmark.begun for op in self._ops()):
            self._is_off = True  # an earlier process has begun, and what it wrote is not known
            return
        self._at = (event.step, event.attempt)
        self._text, self._chars = self._text + event.text, self._chars + len(event.text)
        self._grown.set()
        if self._task is None:
            self._task = asyncio.create_task(self._keep_up(), name=f"stream {self._turn}")

    async def _keep_up(self) -> None:
        """Write what there is, at most once in an interval, until it is stopped."""
        clock, streams = self._place.api.clock, self._place.api.streams
        await clock.sleep(HOLD_S)
        while not self._is_off:
            await self._grown.wait()
            self._grown.clear()
            async with self._writing:
                try:
                    await self._write()
                except SlackError as error:
                    _log.info("the answer comes whole: %s", error)
                    self._is_off = True
            await clock.sleep(streams.interval_s)

    async def _write(self) -> None:
        """Let the stream grow by what is whole. What Slack does not take now waits."""
        is_fast = self._at[0] == 0
        if self._open is None and self._chars < HOLD_CHARS and not is_fast:
            return
        end, gap = whole(self._text)
        said = masked_post(without_paths(self._text[:end], self._workspace, {}))
        shown = await asyncio.to_thread(to_markdown, said, none_live)
        size = len(shown.encode())
        parts = split(shown, limits.STREAM_BYTES // 4) if size > limits.STREAM_BYTES else [shown]
        for part in parts if shown.strip() else ():
            if not await self._put(self._gap, part):
                self._grown.set()
                return
            self._gap = "\n\n"
        self._text, self._gap = self._text[end:], gap if end else self._gap

    async def _put(self, gap: str, text: str) -> bool:
        """Into the open stream, or the next one; False while Slack asks for a pause."""
        stream, now = self._open, self._place.api.clock.seconds()
        added = len(f"{gap}{text}".encode())
        if stream is not None and (
            stream.size_bytes + added > limits.STREAM_BYTES
            or now - stream.begun_s > limits.STREAM_S
        ):
            await self._stop(stream.op, stream.ts)
            stream = self._open = None
        if stream is not None:
            channel = self._place.thread.channel
            try:
                is_taken = await self._place.api.streams.append(channel, stream.ts, gap + text)
            except SlackRefused as refused:
                if refused.code == _STOPPED:
                    raise
                _log.info("the words go on in a new stream: %s", refused)
                await self._stop(stream.op, stream.ts)
                self._open = None
            else:
                stream.size_bytes += added if is_taken else 0
                return is_taken
        return await self._begin(text)

    async def _begin(self, text: str) -> bool:
        """The next stream; where there is none to be had, the answer is simply posted."""
        journal, place = self._place.journal, self._place
        bookmark = await journal.open()
        op = next((op for op in self._ops() if op not in bookmark.streams), "")
        if not op or bookmark.direct:
            self._is_off = True
            return False
        bookmark.begun.add(f"{op}:stream")
        await journal.save()
        _, user = parse_user(place.board.asker)
        ts = await place.api.streams.start(place.thread, user, text)
        if ts is None:
            bookmark.begun.discard(f"{op}:stream")
            self._is_off = True
        else:
            bookmark.streams[op] = ts
            size, now = len(text.encode()), place.api.clock.seconds()
            self._open = _Open(op=op, ts=ts, begun_s=now, size_bytes=size)
        await journal.save()
        return ts is not None

    async def _take_back(self) -> None:
        """What was said is not of the answer, or is said again."""
        async with self._writing:
            self._text, self._gap, self._chars, self._open = "", "", 0, None
            bookmark = await self._place.journal.open()
            for op, ts in list(bookmark.streams.items()):
                try:
                    await self._stop(op, ts)
                    await self._delete(op, ts)
                except SlackError as error:
                    _log.warning("a stream stands until the answer comes: %s", error)
                    self._is_off = True

    async def _stop(self, op: str, ts: str) -> None:
        if ts in self._ended:
            return
        await self._place.api.streams.stop(self._place.thread.channel, ts, op)
        self._ended.add(ts)

    async def _delete(self, op: str, ts: str) -> None:
        bookmark = await self._place.journal.open()
        await self._place.api.streams.delete(self._place.thread.channel, ts)
        bookmark.streams.pop(op, None)
        bookmark.begun.discard(f"{op}:stream")
        await self._place.journal.save()

    async def _find(self, lost: list[str]) -> None:
        """Streams that were begun by a process that died before it knew their `ts`."""
        bookmark = await self._place.journal.open()
        streams, thread = self._place.api.streams, self._place.thread
        left = await streams.left_over(thread, after=self._asked_ts)
        found = [ts for ts in left if ts not in bookmark.streams.values()]
        bookmark.streams |= dict(zip(lost, found, strict=False))
        bookmark.begun -= {f"{op}:stream" for op in lost}
        await self._place.journal.save()

    def _ops(self) -> list[str]:
        """Of the answer's posts."""
        return [f"{self._turn}:answer:{number}" for number in range(limits.ANSWER_POSTS)]


def whole(text: str) -> tuple[int, str]:
    """How much of a text that still grows can be shown, and what then stands before the rest.

    It ends behind a block, an item of a list or a sentence, and never inside of code, a table, a
    link or anything else that has an end of its own.
    """
    closed, opening = _fences(text)
    if opening:
        return opening, "\n\n"
    end = len(text) if opening is None else opening
    start = max([closed, *(found.end() for found in _BLANK.finditer(text, closed, end))])
    tail, gap = text[start:end], " "
    if _IS_ITEM.match(tail):
        cut, gap = max([0, *(found.end() for found in _ITEM.finditer(tail))]), "\n"
    else:
        is_words = tail[:1] not in "#>| \t\n" and "|" not in tail
        cut = _sentences(tail) if is_words else 0
    if not cut:
        return start, "\n\n"
    return start + cut, "\n" if tail[cut - 1] == "\n" else gap


def _fences(text: str) -> tuple[int, int | None]:
    """Where the last fence that has an end ends, and where one begins that has none yet.

    A private key is one too: it is masked as a whole, which its pieces would not be.
    """
    closed = 0
    opening: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opening is None:
            opening = fence if fence["code"] or fence["key"] else None
            continue
        code, begun = fence["code"] or "", opening["code"]
        is_end = code.startswith(begun) if begun else not (code or fence["key"])
        if is_end and (close := text.find("\n", fence.end())) != -1:
            closed, opening = close + 1, None
    return closed, opening.start() if opening else None


def _sentences(text: str) -> int:
    """Where the last sentence of a paragraph ends in which nothing is open; one pass over it."""
    end, held = 0, dict[str, int]()
    for found in _SIGN.finditer(text):
        at, sign = found.start(), found[0]
        held = {each: begun for each, begun in held.items() if at - begun <= HELD_CHARS}
        before, after = text[max(at - 1, 0) : at], text[found.end() : found.end() + 1]
        code = next((each for each in held if each[0] == "`"), "")
        if sign.isspace():
            end = end if held else found.end()
        elif code:
            held.pop(sign if sign == code else "", None)
        elif sign in _OPENED:
            held.pop(_OPENED[sign], None)
            held |= {"(": at} if sign == "](" else {}
        elif sign[0] in "*_~" and sign in held and not before.isspace():
            del held[sign]
        elif sign[0] in "`[<" or (sign[0] in "*_~" and after.strip() and not before.isalnum()):
            held.setdefault(sign, at)
    return end
