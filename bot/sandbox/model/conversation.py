"""A request as a conversation: who asked what, which tools there are, what they brought."""

import re
from dataclasses import dataclass

from bot.sandbox.model.interjections import adds_nothing, quoted_words
from bot.sandbox.model.notes import Attachment, find_attachments, without_notes
from bot.sandbox.model.purposes import Tool, read_tools
from bot.sandbox.model.wire import Json, as_list, as_object, as_text, blocks_of, text_of

TAGGED = re.compile(r"<([a-zA-Z][\w-]*)(?:\s[^<>]*)?>.*?</\1>", re.DOTALL)
UNKNOWN = re.compile(r"\b(?:may|might) or (?:may|might) not have\b", re.I)
NO_MORE_CALLS = re.compile(r"\bdo not (?:call|use|run) (?:any )?(?:more |further )*tools\b", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call of the history with what came back."""

    name: str
    purpose: str
    arguments: Json
    result: str
    is_error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What a person asked, the calls made for it, and the final answer where there is one."""

    asked: str
    calls: tuple[Call, ...]
    answer: str
    attempted: tuple[Call, ...] = ()
    """The calls with those whose results were lost, which `calls` leaves out."""
    interjected: tuple[str, ...] = ()
    """What of `asked` came while the work went on."""

    @property
    def words(self) -> str:
        """What the person wrote, without material in tags and notes; may be empty."""
        return without_notes(TAGGED.sub("", self.asked))

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """The files that came with it."""
        return find_attachments(TAGGED.sub("", self.asked))


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    system: str
    tools: tuple[Tool, ...]
    exchanges: tuple[Exchange, ...]
    """Oldest first; the last one is what this request is about."""
    may_call_tools: bool = True
    """False where the request forbids further calls, by its settings or in words."""

    @property
    def now(self) -> Exchange:
        return self.exchanges[-1]

    @property
    def earlier(self) -> tuple[Exchange, ...]:
        return self.exchanges[:-1]

    @property
    def asked(self) -> str:
        """The last text of the person, without material in tags and notes around it."""
        return self.now.words or ("" if self.now.attachments else self.now.asked)

    def tool(self, purpose: str) -> Tool | None:
        """The first offered tool that serves a purpose."""
        return next((tool for tool in self.tools if tool.purpose == purpose), None)

    def calls(self, purpose: str) -> list[Call]:
        """The calls of this turn that served a purpose, in order."""
        return [call for call in self.now.calls if call.purpose == purpose]

    def has_called(self, purpose: str) -> bool:
        return bool(self.calls(purpose))


def read_conversation(body: Json) -> Conversation:
    """Read a validated request."""
    tools = read_tools(as_list(body.get("tools")))
    purposes = {tool.name: tool.purpose for tool in tools}
    reader = _Reader(purposes)
    for message in as_list(body.get("messages")):
        reader.read(as_object(message))
    return Conversation(
        system=text_of(body.get("system")),
        tools=tools,
        exchanges=reader.exchanges(),
        may_call_tools=bool(tools) and not _forbids_tools(body),
    )


def _forbids_tools(body: Json) -> bool:
    if as_object(body.get("tool_choice")).get("type") == "none":
        return True
    messages = [as_object(message) for message in as_list(body.get("messages"))]
    return bool(messages) and NO_MORE_CALLS.search(text_of(messages[-1].get("content"))) is not None


def _is_unknown(call: Call) -> bool:
    """Whether the result was lost: a call that only reads is then simply made again."""
    return call.is_error and UNKNOWN.search(call.result) is not None


class _Reader:
    """Folds messages into exchanges: a person's text opens a new one, unless work went on."""

    def __init__(self, purposes: dict[str, str]) -> None:
        self._purposes = purposes
        self._done: list[Exchange] = []
        self._asked: list[str] = []
        self._interjected: list[str] = []
        self._answer: list[str] = []
        self._calls: dict[str, Json] = {}
        self._results: dict[str, Json] = {}

    def read(self, message: Json) -> None:
        blocks = blocks_of(message.get("content"))
        if message.get("role") == "assistant":
            self._read_assistant(blocks)
        elif message.get("role") == "user":
            self._read_user(blocks)

    def exchanges(self) -> tuple[Exchange, ...]:
        return (*self._done, self._close())

    def _read_assistant(self, blocks: list[Json]) -> None:
        for block in blocks:
            if block.get("type") == "tool_use":
                self._calls[as_text(block.get("id"))] = block
        if not any(block.get("type") == "tool_use" for block in blocks):
            self._answer.append(text_of(blocks))

    def _read_user(self, blocks: list[Json]) -> None:
        results = [block for block in blocks if block.get("type") == "tool_result"]
        for block in results:
            self._results[as_text(block.get("tool_use_id"))] = block
        texts = [as_text(block.get("text")) for block in blocks if block.get("type") == "text"]
        passed_on = [words for text in texts if (words := quoted_words(text)) is not None]
        own = [text for text in texts if quoted_words(text) is None]
        if not results and (own or not passed_on):
            self._open("\n\n".join(own))
        for words in passed_on:
            self._interject(words)

    def _open(self, text: str) -> None:
        if self._answer or self._calls:
            self._done.append(self._close())
        self._asked.append(text)

    def _interject(self, words: str) -> None:
        """Words that come after the answer are a request of their own, unless they add nothing."""
        if adds_nothing(TAGGED.sub("", words)):
            return
        if self._answer:
            self._done.append(self._close())
        self._asked.append(words)
        self._interjected.append(words)

    def _close(self) -> Exchange:
        calls = [self._call(key, block) for key, block in self._calls.items()]
        exchange = Exchange(
            asked="\n\n".join(text for text in self._asked if text),
            calls=tuple(call for call in calls if not _is_unknown(call)),
            answer="\n\n".join(self._answer),
            attempted=tuple(calls),
            interjected=tuple(self._interjected),
        )
        self._asked, self._interjected, self._answer = [], [], []
        self._calls, self._results = {}, {}
        return exchange

    def _call(self, key: str, block: Json) -> Call:
        result = self._results.get(key, {})
        name = as_text(block.get("name"))
        return Call(
            name=name,
            purpose=self._purposes.get(name, ""),
            arguments=as_object(block.get("input")),
            result=text_of(result.get("content")),
            is_error=bool(result.get("is_error")),
        )
