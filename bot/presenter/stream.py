"""The stream of an answer: a preview in Slack's streamed posts, which become the answer's posts.

The stream holds safe Markdown in whole sentences, items and blocks, with no live address. Words
that turn out not to belong to the answer are deleted, and the last edit corrects the rest.
"""

import asyncio
import logging
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from agent_core.events import (
    AnyEvent,
    ArtifactSaved,
    RouteChosen,
    StepFinished,
    StepRetried,
    TextDelta,
)
from agent_core.ids import ROOT_RUN
from agent_core.masking import certain_chars, masked_post
from agent_core.runtime import without_paths
from bot.presenter.journal import Bookmark, Destination
from bot.render import (
    Footnotes,
    limits,
    none_live,
    to_markdown,
)
from bot.slack_api import (
    Op,
    Receipt,
    SlackError,
    SlackRefused,
)
from bot.threads import parse_user

HOLD_S = 0.5
"""So long nothing is shown: what is said before a tool call is mostly known as such by then."""
HOLD_CHARS = 200
"""Fewer words are no answer of a turn with tools: they come before a call."""

_BLANK = re.compile(r"\n[ \t]*\n(?=\S)")
_ITEM = re.compile(r"\n(?=(?:[-*+]|\d{1,9}[.)])[ \t])")
_IS_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]")
_SENTENCE = re.compile(r"(?<=[.!?…:])[ \n](?=\S)")
_BLOCK = re.compile(
    r"(?:^ {0,3}(?P<fence>`{3,}+|~{3,}+)|-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY).*?"
    r"(?:(?(fence)\n {0,3}(?P=fence)|-----END [A-Z0-9 ]{0,40}-----)[^\n]*(?P<end>\n)|\Z)",
    re.MULTILINE | re.DOTALL,
)
"""Code, or a private key: it is masked as a whole, which its pieces would not be."""
_HELD = re.compile(
    r"(?P<tick>`++).{0,300}?(?:(?<!`)(?P=tick)(?!`)|\Z)"
    r"|\[[^\]]{0,300}(?:\](?:\([^)]{0,300}(?:\)|\Z))?|\Z)"
    r"|(?<![\w*_~])(?P<mark>\*\*?|__?|~~)(?![\s*_~]).{0,300}?(?:(?<!\s)(?P=mark)|\Z)",
    re.DOTALL,
)
"""Code, a link or formatting; what is open for longer was none, but a sign of the words."""
_STOPPED = "stopped_by_user"

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Open:
    """The stream that grows now."""

    op: Op
    ts: str
    begun_s: float
    size_bytes: int


class AnswerStream:
    """Streams a turn's answer as `hear` gets it; `end` leaves posts that the answer is put into."""

    def __init__(
        self,
        destination: Destination,
        workspace: Path,
        *,
        asked_ts: str,
        is_off: bool,
    ) -> None:
        self._api = destination.api
        self._thread = destination.thread
        self._journal = destination.journal
        self._board = destination.board
        self._streams = destination.api.streams
        self._workspace = workspace
        self._asked_ts = asked_ts
        self._is_off = is_off
        self._text = ""
        """What is not shown yet."""
        self._chars = 0
        """Of all text so far."""
        self._footnotes = Footnotes(is_live=none_live)
        self._is_fast = False
        self._open: _Open | None = None
        self._ended = set[str]()
        """The `ts` of those that grow no more."""
        self._writing = asyncio.Lock()
        self._grown = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def hear(self, event: AnyEvent) -> None:
        """Take the next event of the turn."""
        if self._is_off or (event.run != ROOT_RUN and not isinstance(event, ArtifactSaved)):
            return
        match event:
            case TextDelta():
                await self._grow(event)
            case RouteChosen() if event.fallback:
                await self._take_back()
            case StepRetried() | ArtifactSaved():
                self._is_off |= isinstance(event, ArtifactSaved)
                await self._take_back()
            case StepFinished() if event.tool_calls:
                await self._take_back()
            case _:
                pass

    async def stop(self) -> None:
        """Cancel the writer, after a write under way has ended. Idempotent."""
        self._is_off = True
        if self._task is not None:
            async with self._writing:
                self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None
        if self._open is not None:
            self._streams.let_go(self._open.ts)

    async def end(self) -> None:
        """End all streams of the turn, also those of a process that died; their posts stay."""
        await self.stop()
        bookmark = self._journal.bookmark
        await self._find_lost(bookmark)
        for op, ts in bookmark.streams.items():
            if op not in bookmark.done:
                await self._stop(op, ts)

    async def _find_lost(self, bookmark: Bookmark) -> None:
        """Find the posts of streams that were begun by a process that died before it noted them."""
        begun = bookmark.begun - bookmark.done
        lost = [op for op in self._ops() if op.part("stream") in begun]
        if not lost:
            return
        thread = self._thread
        left = await self._streams.left_over(thread, after=self._asked_ts)
        unknown = [ts for ts in left if ts not in bookmark.streams.values()]
        bookmark.streams |= dict(zip(lost, unknown, strict=False))
        bookmark.done |= {op.part("stream") for op in lost}
        await self._journal.save()

    async def clear(self) -> None:
        """Delete the streamed posts that became no post of the answer."""
        bookmark = self._journal.bookmark
        channel = self._thread.channel
        for op, ts in list(bookmark.streams.items()):
            if Receipt(channel, ts) in bookmark.posts.values():
                continue
            await self._stop(op, ts)
            try:
                await self._streams.delete(channel, ts)
            except SlackRefused as refused:
                _log.warning("a streamed post stands beside the answer: %s", refused)
                continue
            del bookmark.streams[op]
            bookmark.begun.discard(op.part("stream"))
            bookmark.done.discard(op.part("stream"))
            await self._journal.save()

    async def _grow(self, event: TextDelta) -> None:
        if self._task is None:
            bookmark = self._journal.bookmark
            if any(op.part("stream") in bookmark.begun for op in self._ops()):
                self._is_off = True  # an earlier process has begun, and its text is not known
                return
            self._task = asyncio.create_task(self._keep_up(), name="stream")
        self._text += event.text
        self._chars += len(event.text)
        self._is_fast = event.step == 0
        self._grown.set()

    async def _keep_up(self) -> None:
        """Write what there is, at most once in an interval, until it is stopped."""
        clock = self._api.clock
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
            await clock.sleep(self._streams.interval_s)

    async def _write(self) -> None:
        """Append the whole sentences and blocks; text that Slack does not take now waits."""
        if self._open is None and self._chars < HOLD_CHARS and not self._is_fast:
            return
        end, gap = whole(self._text)
        end = certain_chars(self._text[:end])
        text = masked_post(without_paths(self._text[:end], self._workspace, {}))
        markdown = await asyncio.to_thread(to_markdown, text, none_live, self._footnotes)
        if markdown.strip() and not await self._put(markdown + gap):
            self._grown.set()
            return
        self._text = self._text[end:]

    async def _put(self, text: str) -> bool:
        """Append to the open stream, or begin the next one; False while Slack asks for a pause."""
        stream = self._open
        if stream is None:
            return await self._begin(text)
        size_bytes = stream.size_bytes + len(text.encode())
        age_s = self._api.clock.seconds() - stream.begun_s
        if size_bytes <= limits.STREAM_BYTES and age_s <= limits.STREAM_S:
            channel = self._thread.channel
            try:
                is_taken = await self._streams.append(channel, stream.ts, text)
            except SlackRefused as refused:
                if refused.code == _STOPPED:
                    raise
                _log.info("the words go on in a new stream: %s", refused)
            else:
                if is_taken:
                    stream.size_bytes = size_bytes
                return is_taken
        await self._stop(stream.op, stream.ts)
        self._open = None
        return await self._begin(text)

    async def _begin(self, text: str) -> bool:
        """Begin the next stream; without one, the answer is posted as a whole at the end."""
        bookmark = self._journal.bookmark
        op = next((op for op in self._ops() if op not in bookmark.streams), None)
        if op is not None and not bookmark.direct:
            await self._journal.once(op.part("stream"), partial(self._start, op, text))
        self._is_off = self._open is None
        return not self._is_off

    async def _start(self, op: Op, text: str, _may_exist: bool) -> None:
        _, user = parse_user(self._board.asker)
        ts = await self._streams.start(self._thread, user, text)
        if not ts:
            return
        bookmark = self._journal.bookmark
        bookmark.streams[op] = ts
        begun_s = self._api.clock.seconds()
        self._open = _Open(
            op,
            ts,
            begun_s,
            len(text.encode()),
        )

    async def _take_back(self) -> None:
        """Delete the streamed text: it is not part of the answer, or comes again."""
        async with self._writing:
            self._text = ""
            self._chars = 0
            self._footnotes = Footnotes(is_live=none_live)
            self._open = None
            try:
                await self.clear()
            except SlackError as error:
                _log.warning("a stream stands until the answer comes: %s", error)
                self._is_off = True

    async def _stop(self, op: Op, ts: str) -> None:
        if ts not in self._ended:
            await self._streams.stop(self._thread.channel, ts, op)
            self._ended.add(ts)

    def _ops(self) -> list[Op]:
        """Of the answer's posts."""
        answer = Op(self._board.turn.id).part("answer")
        return [answer.part(number) for number in range(limits.ANSWER_POSTS)]


def whole(text: str) -> tuple[int, str]:
    """How much of a text that still grows can be shown, and what then stands behind it.

    It ends behind a block, an item of a list or a sentence, and never inside of code, a table, a
    link or anything else that has an end of its own.
    """
    *_, block = None, *_BLOCK.finditer(text)
    if block and not block["end"]:
        return block.start(), "\n\n"
    start = block.end() if block else 0
    for blank in _BLANK.finditer(text, start):
        start = blank.end()
    tail = text[start:]
    if _IS_ITEM.match(tail):
        ends = _ITEM.finditer(tail)
        gap = "\n"
    elif tail[:1] in "#>| \t\n" or "|" in tail:
        return start, "\n\n"
    else:
        ends = _SENTENCE.finditer(_HELD.sub(lambda held: "x" * len(held[0]), tail))
        gap = " "
    cut = 0
    for end in ends:
        cut = end.end()
    if not cut:
        gap = "\n\n"
    elif tail[cut - 1] == "\n":
        gap = "\n"
    return start + cut, gap
