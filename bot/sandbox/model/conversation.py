"""A request as a conversation: who asked what, which tools there are, and what they brought."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from bot.sandbox.model.message import ReplyText, StandInReply, ToolUse
from bot.sandbox.model.sentences import phrases
from bot.sandbox.model.wire import (
    Json,
    as_list,
    as_object,
    as_text,
    blocks_of,
    first_object,
    text_of,
    walk,
)

MATERIAL = re.compile(r"<([a-z_]+)>.*?</\1>", re.DOTALL)
EDITED = re.compile(r"A person changed this call\b")
NOTES = re.compile(
    r"\AAttached files[^\n]*:\n(?:- [^\n]*(?:\n|\Z))+\s*|^The message below has [^\n]*\n\s*",
    re.MULTILINE,
)
ATTACHED = re.compile(
    r"^- (?P<path>\S[^\n]*?) \((?P<type>[\w.+-]+/[\w.+-]+), [\d,]+ bytes\)$", re.M
)
FILE = re.compile(
    r"<attached_file>\s*(?P<path>\S+), attached [^\n]*?marks in it\. ?(?P<about>[^\n]*)\n"
    r"(?P<text>.*?)</attached_file>",
    re.DOTALL,
)
STEER = re.compile(
    r"\AWhile you were working, [^\n]* wrote in the thread:\s*(?P<words>.*?)\s*"
    r"Take it into account from here on[^\n]*\Z",
    re.DOTALL,
)
PARTS, RESULT = "parts explored", "result of a part"
"""What the loop says of child runs, read as calls of these names."""
EXPLORED = re.compile(r"\AThese parts of the task are being explored already")
RUN = re.compile(r"^- (\S+): ", re.MULTILINE)
ARRIVED = re.compile(
    r"\A(?P<run>\S+), which you started, (?P<end>failed|has ended)\. Its task: (?P<task>.*?)\n\n"
    r"Result of (?P=run):\n\n(?P<text>.*)\n\n\(Written by that run",
    re.DOTALL,
)
KNOWN = re.compile(r"got this message, too, before its next step[^\n]*\Z")
GO_ON = phrases("go_on")
REPORT = phrases("report")
SEARCHES = phrases("searches")
SECTION = phrases("section")
HANDS_ON = phrases("hands_on")
COMMANDS = phrases("commands")
TRAILING = phrases("trailing")
MAX_TOPIC_CHARS = 160
BATCH_TOOL = "MULTI_EXECUTE_TOOL"
LOST = re.compile(r"\bmay or may not have\b")
ADDS_NOTHING = phrases("adds_nothing")


def topic_of(words: str) -> str:
    """What a request is about, in the person's own words, on one line; empty where it is vague."""
    first = words.strip().split("\n\n")[0]
    asked = HANDS_ON.sub("", first) or first
    topic = TRAILING.sub("", " ".join(COMMANDS.sub("", asked).split()))
    topic = re.split(r"(?<=\w{3})[.?!](?:\s|$)", topic)[0]
    return topic.strip(" .,:;?!\"'“”*_")[:MAX_TOPIC_CHARS]


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCall:
    """One tool call of the history with what came back."""

    name: str
    """Without the prefix of its server."""
    arguments: Json
    result: str
    is_error: bool

    @property
    def is_lost(self) -> bool:
        """Whether nobody knows if the call was carried out."""
        return self.is_error and LOST.search(self.result) is not None

    @property
    def data(self) -> Json:
        """The JSON object that the result opens with; empty where it holds none."""
        return first_object(self.result)

    def objects(self) -> Iterator[Json]:
        """Every JSON object in the result."""
        return walk(self.data)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What a person asked, the calls made for it, and the final answer where there is one."""

    asked: str = ""
    calls: tuple[PastCall, ...] = ()
    answer: str = ""
    notes: tuple[str, ...] = ()
    """What people wrote while the work went on."""

    @property
    def words(self) -> str:
        """What the person wrote, without material in tags and without what was attached."""
        return NOTES.sub("", MATERIAL.sub("", self.asked).strip()).strip()

    @property
    def attachments(self) -> list[tuple[str, str]]:
        """Path and type of the files that came with it."""
        said = MATERIAL.sub("", self.asked)
        return [(found["path"], found["type"]) for found in ATTACHED.finditer(said)]

    @property
    def files(self) -> dict[str, tuple[str, str]]:
        """By path: the text of each file that is here as a whole, and what is said of it."""
        found = [
            (each["path"], each["text"].strip(), each["about"])
            for each in FILE.finditer(self.asked)
        ]
        return {
            path: (text, about)
            for path, text, about in found
            if "read_local_file" not in f"{about} {text[:40]}"
        }

    def done(self, *names: str) -> list[PastCall]:
        """The calls of these tools whose result is known, in order."""
        return [call for call in self.calls if call.name in names and not call.is_lost]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """The tools by their short names, and the exchanges, oldest first."""

    system: str
    tools: dict[str, str]
    exchanges: list[Exchange]
    may_call_tools: bool
    """False where the last message says that there must be no further calls."""

    @property
    def now(self) -> Exchange:
        """What this request is about; a bare "continue" goes on with the work before it."""
        now, earlier = self.exchanges[-1], self.earlier
        if not (earlier and GO_ON.match(now.words)):
            return now
        calls = (*earlier[-1].calls, *now.calls)
        return replace(earlier[-1], calls=calls, notes=(*earlier[-1].notes, *now.notes))

    @property
    def goes_on(self) -> bool:
        """Whether a bare "continue" follows an answer."""
        is_bare = GO_ON.match(self.exchanges[-1].words) is not None
        return is_bare and bool(self.earlier) and bool(self.earlier[-1].answer)

    @property
    def earlier(self) -> list[Exchange]:
        return self.exchanges[:-1]

    def use(self, name: str, **arguments: object) -> ToolUse:
        """A call of an offered tool by its short name."""
        return ToolUse(name=self.tools[name], input=arguments)

    def batch(self, calls: Iterable[tuple[str, Json]]) -> StandInReply:
        """Calls of apps' tools, in one batch."""
        entries = [{"tool_slug": slug, "arguments": given} for slug, given in calls]
        return (self.use(BATCH_TOOL, tools=entries, sync_response_to_workbench=False),)


def say(text: str) -> StandInReply:
    """A reply of one text."""
    return (ReplyText(text=text),)


def short_name(name: str) -> str:
    """A tool's name without its server's: `mcp__composio__COMPOSIO_SEARCH_WEB` is `SEARCH_WEB`."""
    return name.rpartition("__")[2].removeprefix("COMPOSIO_")


def read_conversation(body: Json) -> Dialogue:
    """Read a validated request."""
    names = [as_text(as_object(tool).get("name")) for tool in as_list(body.get("tools"))]
    messages = [as_object(message) for message in as_list(body.get("messages"))]
    is_last_word = "Do not call any more tools" in text_of(messages[-1].get("content"))
    is_off = as_object(body.get("tool_choice")).get("type") == "none"
    return Dialogue(
        system=text_of(body.get("system")),
        tools={short_name(name): name for name in names},
        exchanges=_exchanges(messages),
        may_call_tools=bool(names) and not (is_last_word or is_off),
    )


def _exchanges(messages: list[Json]) -> list[Exchange]:
    """A person's text opens a new exchange, unless work went on."""
    found = [Exchange()]
    open_calls: dict[str, Json] = {}
    for message in messages:
        now, blocks = found[-1], blocks_of(message.get("content"))
        if message.get("role") == "assistant":
            open_calls = {b["id"]: b for b in blocks if b.get("type") == "tool_use"}
            answer = "" if open_calls else text_of(blocks)
            found[-1] = replace(now, answer=answer)
            continue
        results = [block for block in blocks if block.get("type") == "tool_result"]
        made = [_call(open_calls.get(r["tool_use_id"], {}), r) for r in results]
        texts = [text for b in blocks if (text := as_text(b.get("text")))]
        of_runs = {text: call for text in texts if (call := _of_run(text))}
        if of_runs:  # the work went on, whatever was said before
            now = found[-1] = replace(now, calls=(*now.calls, *of_runs.values()), answer="")
        steered = [(STEER.match(text), text) for text in texts if text not in of_runs]
        words = [match["words"] if match else text for match, text in steered]
        known = [match["words"] for match, text in steered if match and KNOWN.search(text)]
        if made:
            notes = [e for e in words if e not in known and not ADDS_NOTHING.search(e)]
            found[-1] = replace(now, calls=(*now.calls, *made), notes=(*now.notes, *notes))
        elif not words:
            continue
        elif now.answer:
            found.append(Exchange(asked="\n\n".join(words)))
        else:
            asked = "\n\n".join(filter(None, [now.asked, *words]))
            found[-1] = replace(now, asked=asked)
    return found


def _of_run(text: str) -> PastCall | None:
    """What the loop says of child runs; None where it says nothing of them."""
    if EXPLORED.match(text):
        return PastCall(
            name=PARTS, arguments={"runs": RUN.findall(text)}, result="", is_error=False
        )
    if arrived := ARRIVED.match(text):
        told: Json = {"run": arrived["run"], "task": arrived["task"]}
        is_error = arrived["end"] == "failed"
        return PastCall(name=RESULT, arguments=told, result=arrived["text"], is_error=is_error)
    return None


def _call(use: Json, result: Json) -> PastCall:
    """A call as it was made: a person may have changed it before they approved it."""
    text, given = text_of(result.get("content")), as_object(use.get("input"))
    if EDITED.match(text):
        given, (_, _, text) = first_object(text), text.partition("\n\n")
    return PastCall(
        name=short_name(as_text(use.get("name"))),
        arguments=given,
        result=text,
        is_error=bool(result.get("is_error")),
    )
