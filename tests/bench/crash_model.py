"""A model stand-in that knows the asks of the crash harness: what it says depends on them alone.

An ask holds one word with a number, such as `errand17`. Every answer names it, so that answers to
different asks never read alike, and a request that comes again after a crash gets the same reply.
"""

import re
from dataclasses import dataclass, field

from bot.sandbox.model import ReplyPace, ReplyText, StandInReply, ToolUse
from bot.sandbox.model.message import Json, as_list, as_object, as_text, blocks_of, text_of
from tests.scripted_stand_in import ScriptedStandIn

WORD = re.compile(r"\b(item|errand|chain|note|doubt|puzzle|letter)\d+\b")
CARELESS = re.compile(r"\bcareless\d+\b")
UNKNOWN = "may or may not have"
CONNECTED = "Authentication completed"
CHAIN_STEPS = 5
LOOK = "mcp__local_toolkit__list_local_files"
EXECUTE = "mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL"
ASK = "ask_user"
ESCAPE = "use_tools"
LETTER = "GMAIL_SEND_EMAIL"


@dataclass(slots=True, kw_only=True)
class Task:
    """The newest ask of a request, with what was done for it."""

    word: str = ""
    notes: list[str] = field(default_factory=list[str])
    results: list[Json] = field(default_factory=list[Json])
    is_done: bool = False

    @property
    def kind(self) -> str:
        return self.word.rstrip("0123456789")

    def hear(self, word: str) -> None:
        """A person's text: a note to a chain at work belongs to it, all else is a new task."""
        if word == self.word:
            return
        if self.kind == "chain" and word.startswith("note") and not self.is_done:
            self.notes.append(word)
            return
        self.word, self.notes, self.results, self.is_done = word, [], [], False


def read_task(body: Json) -> Task:
    """The task that a request is about; one without a word if it is none of ours."""
    task = Task()
    for message in map(as_object, as_list(body.get("messages"))):
        blocks = blocks_of(message.get("content"))
        if message.get("role") == "assistant":
            task.is_done = not any(block.get("type") == "tool_use" for block in blocks)
            continue
        task.results += [block for block in blocks if block.get("type") == "tool_result"]
        for block in blocks:
            for found in WORD.finditer(as_text(block.get("text"))):
                task.hear(found[0])
    return task


def reply_to(task: Task, tools: set[str]) -> StandInReply:
    """The next step of a task."""
    return _next_call(task, tools) or _say(_closing(task))


def _next_call(task: Task, tools: set[str]) -> StandInReply | None:
    match task.kind:
        case "errand" if not task.results:
            return _call(EXECUTE, _errand(task.word))
        case "letter" if not task.results or CONNECTED in _last_of(task):
            return _call(EXECUTE, _letter(task.word))
        case "chain" if len(task.results) < CHAIN_STEPS:
            return _call(LOOK, {})
        case "doubt" if not task.results and ASK in tools:
            return _call(ASK, {"question": f"Which colour is meant with {task.word}?"})
        case _:
            return None


def _closing(task: Task) -> str:
    if UNKNOWN in _last_of(task):
        return f"Nobody knows whether {task.word} was done."
    return f"{task.word} is done. {' '.join(task.notes)}".strip()


def _last_of(task: Task) -> str:
    return text_of(task.results[-1].get("content")) if task.results else ""


def _errand(word: str) -> Json:
    """A call that acts, by its name; the Composio stand-in records it, and that is its effect."""
    entry = {"tool_slug": "ERRANDS_CREATE_ENTRY", "arguments": {"name": word}}
    return {"tools": [entry], "sync_response_to_workbench": False, "thought": word}


def _letter(word: str) -> Json:
    """A mail: it wants the asker's account, and then their approval."""
    arguments = {"recipient_email": "ben@example.com", "subject": word, "body": f"On {word}."}
    entry = {"tool_slug": LETTER, "arguments": arguments}
    return {"tools": [entry], "sync_response_to_workbench": False, "thought": word}


def _say(text: str) -> StandInReply:
    return (ReplyText(text=text),)


def _call(name: str, arguments: Json) -> StandInReply:
    return (ToolUse(name=name, input=arguments),)


def _is_careless(body: Json) -> bool:
    """Whether a sub-agent was told to be, and was not told off for it."""
    said = " ".join(
        text_of(as_object(message).get("content")) for message in as_list(body.get("messages"))
    )
    return CARELESS.search(said) is not None and "skipped a mandatory step" not in said


class RehearsedModel(ScriptedStandIn):
    """The stand-in with the harness's asks rehearsed; it thinks `first_token_s` each time."""

    def __init__(self, *, first_token_s: float) -> None:
        super().__init__(pace=ReplyPace(first_token_s=first_token_s))

    async def plan(self, body: Json) -> tuple[str, StandInReply]:
        """The harness's asks come before the playbooks."""
        task = read_task(body)
        kind, reply = await super().plan(body)
        if task.word and kind != "classify":
            return "scripted", _rehearsed(task, body)
        if kind == "delegated" and _is_careless(body):
            return kind, _say("I did not feel like reading anything.")
        return kind, reply


def _rehearsed(task: Task, body: Json) -> StandInReply:
    tools = {as_text(as_object(tool).get("name")) for tool in as_list(body.get("tools"))}
    if tools == {ESCAPE} and task.kind == "puzzle":
        return _call(ESCAPE, {"reason": "A puzzle."})
    return reply_to(task, tools)
