"""A request read as a dialogue: who asked what, which tools there are, and what they returned.

Everything a playbook knows comes from here: the stand-in keeps no state between requests.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from bot.sandbox.model.message import (
    Json,
    ReplyText,
    StandInReply,
    ToolUse,
    as_object,
    as_text,
    blocks_of,
    text_of,
    walk,
)
from bot.sandbox.model.phrases import find, in_english, line, pattern

MATERIAL = re.compile(r"(?s)<([a-z_]+)>.*?</\1>")
SENT = re.compile(r"<sent>(?P<sent>[^<]*?)(?: \(UTC[^)]*\))?, by [^<]*</sent>")
"""When a message was written, on its author's clock."""
DAY = re.compile(r"\d{1,2} [A-Z]\w+ \d{4}, \d\d:\d\d")
REPORT_TITLE = re.compile(r"The report “([^”]+)”")
REPORT_FILE = re.compile(r"work_products/[^\s\"]+\.(?:html|pdf)")
ANSWERED = re.compile(r"\A[^:\n]{1,80}\banswered:\s*")
EDITED = re.compile(r"A person changed this call\b")
NOTES = re.compile(
    r"(?m)\AAttached files[^\n]*:\n(?:- [^\n]*(?:\n|\Z))+\s*|^The message below has [^\n]*\n\s*"
)
ATTACHED = re.compile(r"(?m)^- (\S[^\n]*?) \(([\w.+-]+/[\w.+-]+), [\d,]+ bytes\)$")
"""The path and the type of a file."""
FILE = re.compile(
    r"(?s)<attached_file>\s*(\S+), attached [^\n]*?marks in it\. ?([^\n]*)\n"
    r"\s*(.*?)\s*</attached_file>"
)
"""The path of a file, a note on it, and its text."""
PICTURE = "(The picture is shown below.)"
"""In the place of a picture's text."""
STEER = re.compile(
    r"(?s)\AWhile you were working, [^\n]* wrote in the thread:\s*(?P<words>.*?)\s*"
    r"Take it into account from here on[^\n]*\Z"
)
PARTS = "parts explored"
RESULT = "result of a part"
"""Names of the calls that stand for the loop's messages about child runs."""
EXPLORED = re.compile(r"\AThese parts of the task are being explored already")
RUN = re.compile(r"(?m)^- (\S+): ")
ARRIVED = re.compile(
    r"(?s)\A(?P<run>\S+), which you started, (?P<end>failed|has ended)\. "
    r"Its task: (?P<task>.*?)\n\nResult of (?P=run):\n\n(?P<text>.*)\n\n\(Written by that run"
)
FINDINGS = re.compile(
    r"(?s)\AThe work was stopped\. Until then this was found[^\n]*\s*(?P<findings>.*?)\s*\Z"
)
KNOWN = re.compile(r"got this message, too, before its next step[^\n]*\Z")
"""Ends a note that a child run got as well, which heeds it."""
MAX_TOPIC_CHARS = 160
BATCH_TOOL = "MULTI_EXECUTE_TOOL"
LOST = re.compile(r"\bmay or may not have\b")
OPEN = re.compile(r"\ANot decided yet:| is not connected yet:")
"""Begins the result of a call whose request stands in the thread, undecided."""
READ = "read_local_file"
FORK = "fork"
EXACT = (READ, FORK, "search_corpus")
"""Calls that nobody edits: another one is no substitute."""


def topic_of(words: str) -> str:
    """The topic of a request, in the person's own words, on one line; empty where it is vague."""
    request = words.strip().split("\n\n")[0]
    request = pattern("hands_on").sub("", request) or request
    for rule in ("commands", "trailing"):
        request = " ".join(pattern(rule).sub("", request).split())
    topic = re.split(r"(?<=\w{3})[.?!](?:\s|$)", request)[0]
    return topic.strip(" .,:;?!\"'“”*_")[:MAX_TOPIC_CHARS]


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCall:
    """One tool call of the history with its result."""

    name: str
    """Without the prefix of its server."""
    arguments: Json
    result: str
    is_error: bool = False

    @property
    def is_lost(self) -> bool:
        """Whether nobody knows if the call was carried out."""
        return self.is_error and LOST.search(self.result) is not None

    @property
    def is_open(self) -> bool:
        """Whether it waits for its buttons still, and is made again to go on with that."""
        return self.is_error and OPEN.search(self.result) is not None

    @property
    def data(self) -> Json:
        """The JSON object that the result opens with; empty where it holds none."""
        return _first_object(self.result)


@dataclass(slots=True, kw_only=True)
class Exchange:
    """A person's request, the calls made for it, and the final answer where there is one."""

    asked: str = ""
    calls: list[PastCall] = field(default_factory=list[PastCall])
    answer: str = ""
    notes: list[str] = field(default_factory=list[str])
    """What people wrote while the work went on."""
    findings: str | None = None
    """Of stopped work, where an answer is wanted of them and of nothing else."""

    @property
    def words(self) -> str:
        """The person's own words, without material in tags and without attachments."""
        text = MATERIAL.sub("", self.asked).strip()
        return in_english(NOTES.sub("", text).strip())

    @property
    def sent(self) -> str:
        """When it was asked, in words, on its author's clock; empty where that is not known."""
        sent = SENT.search(self.asked)
        return sent["sent"] if sent else ""

    @property
    def sent_at(self) -> datetime | None:
        """The same as a wall clock shows it."""
        day = DAY.search(self.sent)
        return datetime.strptime(day[0], "%d %B %Y, %H:%M") if day else None  # noqa: DTZ007 (a wall clock)

    @property
    def attachments(self) -> dict[str, str]:
        """The types of the files that came with the request, by their paths."""
        return dict(ATTACHED.findall(MATERIAL.sub("", self.asked)))

    @property
    def files(self) -> dict[str, str]:
        """The text of each file that the request holds as a whole, else a note on it, by path."""
        files: dict[str, str] = {}
        for path, about, text in FILE.findall(self.asked):
            if READ not in f"{about} {text[:40]}":
                files[path] = about if text == PICTURE else text
        return files

    def done(self, *names: str) -> list[PastCall]:
        """The calls of these tools whose result is known, in order."""
        calls = [call for call in self.calls if call.name in names]
        return [call for call in calls if not (call.is_lost or call.is_open)]


class NextStep(Exception):
    """Ends a playbook: the calls that it needs next, or a text that ends the work."""

    def __init__(self, *blocks: ReplyText | ToolUse) -> None:
        self.reply: StandInReply = blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """The offered tools, and the exchanges, oldest first.

    A playbook is written as one straight line: a call whose result is known gives it, and the first
    one that is not is the reply, which NextStep carries out of the playbook.
    """

    system: str
    tools: dict[str, str]
    """Full names by short names."""
    exchanges: list[Exchange]
    may_call_tools: bool
    """False where the last message forbids further calls."""
    used: list[PastCall] = field(default_factory=list[PastCall])
    """The known calls whose results the playbook has had."""

    @property
    def now(self) -> Exchange:
        """The exchange to answer; a bare "continue" continues the work before it."""
        now = self.exchanges[-1]
        work = [exchange for exchange in self.earlier if exchange.findings is None]
        if not self.goes_on or not work:
            return now
        last = work[-1]
        return replace(last, calls=last.calls + now.calls, notes=last.notes + now.notes)

    @property
    def goes_on(self) -> bool:
        """Whether a bare "continue" follows an answer."""
        return bool(self.earlier) and find("go_on", self.exchanges[-1].words) is not None

    @property
    def earlier(self) -> list[Exchange]:
        return self.exchanges[:-1]

    @property
    def answers(self) -> list[str]:
        """The answers before this request, oldest first."""
        return [exchange.answer for exchange in self.earlier if exchange.answer]

    def use(self, name: str, arguments: Json) -> ToolUse:
        """A call of a tool by its short name; an app's tool is called through Composio."""
        if name in self.tools:
            return ToolUse(name=self.tools[name], input=arguments)
        slug = f"COMPOSIO_{name}" if name.startswith("SEARCH_") else name
        entry = {"tool_slug": slug, "arguments": arguments}
        batch: Json = {"tools": [entry], "sync_response_to_workbench": False}
        return ToolUse(name=self.tools[BATCH_TOOL], input=batch)

    def call(self, name: str, **arguments: object) -> PastCall:
        """The result of a call; without one where the tool is not to be had."""
        [call] = self.side_by_side([(name, arguments)])
        return call

    def side_by_side(self, wanted: Iterable[tuple[str, Json]]) -> list[PastCall]:
        """The results of calls that are made at once."""
        calls: list[PastCall] = []
        steps: list[ToolUse] = []
        for name, arguments in wanted:
            past = self._past(name, arguments)
            is_offered = name in self.tools or (BATCH_TOOL in self.tools and name.isupper())
            if past is None and self.may_call_tools and is_offered:
                steps.append(self.use(name, arguments))
            call = past or PastCall(name=name, arguments=arguments, result="")
            self.used.append(call)
            calls.append(call)
        if steps:
            is_open = any(call.is_open for call in self.now.calls)
            stands = [ReplyText(text=line("stands"))] if is_open else []
            raise NextStep(*stands, *steps)
        return calls

    def _past(self, name: str, arguments: Json) -> PastCall | None:
        """The known call; people may have changed its arguments, or written what changes them."""
        known = [call for call in self.now.done(name) if not any(call is one for one in self.used)]
        same = [call for call in known if call.arguments == arguments]
        if not same and name not in EXACT:
            same = known
        return same[0] if same else None

    def read(self, paths: Iterable[str]) -> dict[str, str]:
        """The texts of files, each read to its end; a note on a file that has none."""
        texts = dict.fromkeys(paths, "")
        offsets = dict.fromkeys(texts, 0)
        while offsets:
            parts = [(READ, {"path": path, "offset": offset}) for path, offset in offsets.items()]
            offsets = {}
            for read in self.side_by_side(parts):
                path = read.arguments["path"]
                texts[path] += as_text(read.data.get("text")) or as_text(read.data.get("note"))
                if read.data.get("next_offset"):
                    offsets[path] = read.data["next_offset"]
        return texts


def _short_name(name: str) -> str:
    """A tool's name without its server's: `mcp__composio__COMPOSIO_SEARCH_WEB` is `SEARCH_WEB`."""
    return name.rpartition("__")[2].removeprefix("COMPOSIO_")


def read_dialogue(body: Json) -> Dialogue:
    """Read a validated request."""
    tools = {_short_name(tool["name"]): tool["name"] for tool in body.get("tools", [])}
    is_off = as_object(body.get("tool_choice")).get("type") == "none"
    return Dialogue(
        system=text_of(body.get("system")),
        tools=tools,
        exchanges=_exchanges(body["messages"]),
        may_call_tools=bool(tools) and not is_off,
    )


def _exchanges(messages: list[Json]) -> list[Exchange]:
    exchanges = [Exchange()]
    open_calls: dict[str, Json] = {}
    for message in messages:
        blocks = blocks_of(message["content"])
        if message["role"] == "assistant":
            open_calls = {block["id"]: block for block in _of_type(blocks, "tool_use")}
            exchanges[-1].answer = "" if open_calls else text_of(blocks)
            continue
        results = _of_type(blocks, "tool_result")
        calls = [_call(open_calls[result["tool_use_id"]], result) for result in results]
        exchanges[-1].calls += calls
        texts = [block["text"] for block in _of_type(blocks, "text")]
        is_beside = bool(results) or any(map(FINDINGS.match, texts))
        _take(exchanges, texts, is_beside=is_beside)
    return exchanges


def _take(exchanges: list[Exchange], texts: list[str], *, is_beside: bool) -> None:
    """Add a user's texts to their exchange; a request behind an answer begins another."""
    for text in texts:
        now = exchanges[-1]
        child = _child_run_call(text)
        stopped = FINDINGS.match(text)
        if child:
            now.calls.append(child)
            now.answer = ""  # the work went on after what looked like an answer
        elif stopped:
            now.findings = stopped["findings"]
        elif not KNOWN.search(text):
            words = STEER.sub(r"\g<words>", text)
            add = _add_note if is_beside else _add_request
            add(exchanges, words)


def _add_request(exchanges: list[Exchange], text: str) -> None:
    if exchanges[-1].answer:
        exchanges.append(Exchange())
    now = exchanges[-1]
    now.asked = f"{now.asked}\n\n{text}".strip()


def _add_note(exchanges: list[Exchange], text: str) -> None:
    """What people wrote beside the work; with a moment it is a request after a stop."""
    words = MATERIAL.sub("", text).strip()
    if not words or find("adds_nothing", words) or find("go_on", words):
        return
    if SENT.search(text):
        exchanges.append(Exchange(asked=text))
    else:
        exchanges[-1].notes.append(words)


def _of_type(blocks: list[Json], kind: str) -> list[Json]:
    return [block for block in blocks if block["type"] == kind]


def _child_run_call(text: str) -> PastCall | None:
    """The loop's message about child runs as a call; None for any other text."""
    if EXPLORED.match(text):
        return PastCall(name=PARTS, arguments={"runs": RUN.findall(text)}, result="")
    arrived = ARRIVED.match(text)
    if arrived is None:
        return None
    return PastCall(
        name=RESULT,
        arguments={"run": arrived["run"], "task": arrived["task"]},
        result=arrived["text"],
        is_error=arrived["end"] == "failed",
    )


def _call(use: Json, result: Json) -> PastCall:
    """A call as it was made: a person may have changed it before they approved it."""
    text = text_of(result.get("content"))
    name = _short_name(use["name"])
    arguments: Json = use["input"]
    if EDITED.match(text):
        arguments = _first_object(text)
        text = text.partition("\n\n")[2]
    if name == BATCH_TOOL:
        first: Json = arguments["tools"][0]
        name = _short_name(first["tool_slug"])
        arguments = as_object(first.get("arguments"))
    is_error = bool(result.get("is_error"))
    return PastCall(name=name, arguments=arguments, result=text, is_error=is_error)


def _first_object(text: str) -> Json:
    """The first JSON object in a text, which prose may follow; empty where there is none."""
    start = text.find("{")
    try:
        value, _ = json.JSONDecoder().raw_decode(text, max(0, start))
    except ValueError:
        return {}
    return as_object(value)


def objects_in(calls: Iterable[PastCall]) -> Iterable[Json]:
    """Every JSON object in the results of calls."""
    for call in calls:
        yield from walk(call.data)
