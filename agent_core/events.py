"""The one way out of the core: what a turn announces, in the past tense.

Slack, the console, the transcript, the trace, metrics and tests are readers of this stream. An
event's identity is `(turn, run, step, attempt, n)`; a replay of a turn announces the same
identities again, and the store keeps the first. `LIVE_ONLY` events are not stored and may be
missed.
"""

import zlib
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Literal, TypedDict

from pydantic import Field, TypeAdapter

from agent_core.ids import AskId, RunId, SessionId, ToolCallId, TurnId, UserId
from agent_core.messages import JsonObject

ATTEMPTS_A_GENERATION = 100
"""A turn that goes on from its history counts its attempts from the next hundred on."""

REPORT = "text/html"
"""The type of an artifact that is a report."""

Route = Literal["SIMPLE", "COMPLEX"]
Outcome = Literal["answered", "limited", "stopped", "failed", "steered"]
"""`steered`: the message became part of the turn that was at work, which answers it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one model call, or of several, and what they cost.

    `input_tokens` excludes what the prompt cache served or stored.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float = 0.0
    """Of the calls whose model has a known price."""
    unpriced_calls: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        added = asdict(other)
        return Usage(**{name: amount + added[name] for name, amount in asdict(self).items()})

    @property
    def total_tokens(self) -> int:
        cached = self.cache_read_tokens + self.cache_write_tokens
        return self.input_tokens + self.output_tokens + cached


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What all events carry."""

    session: SessionId
    turn: TurnId
    run: RunId
    step: int
    """0 before the first model call of the run."""
    attempt: int
    """1, or more when the model call was made again: that voids earlier attempts' deltas."""
    n: int
    """Place within `(run, step, attempt)`."""
    at: datetime

    @property
    def generation(self) -> int:
        """Which workflow of the run announced it, counted from 1."""
        return (self.attempt - 1) // ATTEMPTS_A_GENERATION + 1


class EventHeader(TypedDict):
    """The fields of an Event, to be splatted into any kind of it; the type checker sees them."""

    session: SessionId
    turn: TurnId
    run: RunId
    step: int
    attempt: int
    n: int
    at: datetime


def slot_of(key: str) -> int:
    """An `n` for what comes into a step by itself: the key's own, two keys hardly ever share it."""
    return 100_000 + zlib.crc32(key.encode()) // 4


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(Event):
    """Comes first, once a turn."""

    asker: UserId
    author_name: str
    text: str
    author_locale: str = ""
    language: str = ""
    """Of the thread, such as `de`; empty in events of before."""
    kind: Literal["turn_started"] = "turn_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteChosen(Event):
    """Comes once, after TurnStarted. `reason`: a rule's name, `classifier`, `late`, `failed`."""

    route: Route
    reason: str
    raw: str
    """The classifier's own words; empty when a rule decided."""
    usage: Usage = Usage()
    """Of the classifier's call and of a fast answer that was given up."""
    model_calls: int = 0
    fallback: str = ""
    """Why a fast answer was given up, such as that it wanted tools; empty where none was."""
    kind: Literal["route_chosen"] = "route_chosen"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanMade(Event):
    """What a new task was found to need first; comes after RouteChosen, at most once."""

    question: str
    default: str
    """What is taken when nobody answers; empty where the question blocks the work."""
    sub_questions: tuple[str, ...]
    titles: tuple[str, ...] = ()
    """Of the sub-questions, in a few words each; empty in events of before."""
    usage: Usage = Usage()
    kind: Literal["plan_made"] = "plan_made"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Event):
    """A run began; `parent` is None for the root run. Precedes every step of the run.

    A child run may still wait for its place among those at work.
    """

    parent: RunId | None
    agent: str
    task: str
    context: str = ""
    """What the model reads below a child's task, such as the whole that it is a part of."""
    title: str = ""
    """What a child is after, in a few words for people; empty where nobody said."""
    asker: UserId | None = None
    """For whom a child's tools act at first; None of the root run."""
    kind: Literal["run_started"] = "run_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStarted(Event):
    """A model call is about to be made."""

    away: str = ""
    """What the run has to do without, in a sentence for people; empty where nothing is away."""
    kind: Literal["step_started"] = "step_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta(Event):
    """Live only. Text of the answer as it is written; StepFinished carries the whole."""

    text: str
    kind: Literal["text_delta"] = "text_delta"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadingWritten(Event):
    """Live only. The model is writing a text into a tool call, and has come to this section."""

    tool: str
    heading: str
    """With the section's number."""
    kind: Literal["heading_written"] = "heading_written"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRetried(Event):
    """Live only. The model call failed in passing and is made again; deltas so far are void."""

    reason: str
    wait_s: float
    given_up_at: datetime | None = None
    """On the clocks of whoever asked; only once the model is away for so long that people are to
    know."""
    kind: Literal["step_retried"] = "step_retried"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFinished(Event):
    """The model's whole reply is there. Its tool calls follow."""

    text: str
    thinking: str
    model: str
    stop_reason: str
    usage: Usage
    duration_s: float
    tool_calls: int
    kind: Literal["step_finished"] = "step_finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallStarted(Event):
    call_id: ToolCallId
    tool: str
    """Full name, such as `mcp__local_toolkit__crawl_parallel`."""
    arguments: JsonObject
    kind: Literal["tool_call_started"] = "tool_call_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallProgressed(Event):
    """Live only. A long tool call says how far it is, in people's words."""

    call_id: ToolCallId
    tool: str
    text: str
    kind: Literal["tool_call_progressed"] = "tool_call_progressed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A page of the web."""

    url: str
    title: str
    """In one line; may be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallFinished(Event):
    """Exactly one for each ToolCallStarted, however the call ended."""

    call_id: ToolCallId
    tool: str
    is_error: bool
    preview: str
    """The first 1,000 characters of the result."""
    size_bytes: int
    duration_s: float
    may_have_happened: bool = False
    """Its result was lost on the way: whether it had its effect is not known."""
    sources: tuple[Source, ...] = ()
    """Pages that the result names: read by a tool that reads, found by any other."""
    kind: Literal["tool_call_finished"] = "tool_call_finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactSaved(Event):
    """A file for the person is in the workspace."""

    path: str
    """Relative to the workspace."""
    title: str
    mimetype: str
    size_bytes: int
    citations: tuple[str, ...] = ()
    """The addresses that `[1]`, `[2]`, … stand for in it; empty where one is not cited."""
    follow_ups: tuple[str, ...] = ()
    """Questions that its reader may ask next."""
    checked: str = ""
    """How many of its claims were checked and found, in its own language."""
    kind: Literal["artifact_saved"] = "artifact_saved"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageTaken(Event):
    """A message that came while the turn was at work, or that answers its question, is taken in.

    The model sees it with its next call. Tools act for its author from then on.
    """

    author: UserId
    """Empty where a branch is begun again: tools act for whom they did."""
    author_name: str
    text: str
    taken: TurnId
    """The turn that the message had waited as; empty for an intervention."""
    intervention: int = 0
    """The `n` of the `Intervened` that it is; 0 for a message of the thread."""
    kind: Literal["message_taken"] = "message_taken"


InterventionKind = Literal["comment", "content", "stop", "retry", "done"]
"""`comment` steers a run, `content` is its new task; the others end its branch: `stop` with what it
had found, `done` as answered, `retry` so that it is begun again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervened(Event):
    """A person stepped in at one run; told at once, in whatever process. `run` is the one meant.

    A run that takes it in says so with MessageTaken.
    """

    key: str
    """The gesture's identity, which `n` follows from; that is unique in the turn."""
    what: InterventionKind
    text: str
    """The person's own words; may be empty."""
    by: UserId
    by_name: str
    kind: Literal["intervened"] = "intervened"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionAsked(Event):
    """The turn waits for a person's answer, at the latest until `deadline`."""

    ask: AskId
    call_id: ToolCallId
    asker: UserId
    """Who is asked."""
    question: str
    options: tuple[str, ...]
    deadline: datetime
    default: str = ""
    """What is taken at the deadline; empty where nothing is."""
    kind: Literal["question_asked"] = "question_asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedAction:
    """One thing that a tool call would do; a batch has several."""

    tool: str
    """The app's own name of the tool, such as `GMAIL_SEND_EMAIL`."""
    toolkit: str
    """The app, such as `gmail`; empty where the tool belongs to none."""
    account: str
    """Whose account it is done with, such as an address; empty where none is used."""
    arguments: JsonObject
    """In full, exactly as they would be sent."""
    asks: bool
    """False for what goes along in the same batch and needs no approval of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentFile:
    """A file that a call would send, which its arguments name by a key of the app service."""

    name: str
    path: str = ""
    """Where it lies in the workspace; empty where nobody here knows what the key stands for."""
    sha256: str = ""
    """Of what was uploaded, in hex."""
    key: str = ""
    """By which the arguments name it."""
    size_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequested(Event):
    """The turn waits until somebody who may decide approves or rejects a call."""

    ask: AskId
    call_id: ToolCallId
    asker: UserId
    tool: str
    """Full name of the tool that is called."""
    actions: tuple[PlannedAction, ...]
    digest: str
    """SHA-256 over all that the approval is bound to, in hex."""
    is_tainted: bool
    """The session has read text from outside, which may have asked for this call."""
    files: tuple[SentFile, ...] = ()
    """What would be sent along."""
    owner_only: bool = False
    """Others had a word in the work, so nobody but the asker may approve the call."""
    may_allow_thread: bool
    """Whether "approve for this thread" may be offered."""
    deadline: datetime
    zone: str = ""
    """The asker's time zone; empty where it is not known."""
    before: tuple[PlannedAction, ...] = ()
    """Those of the request whose place this one takes."""
    kind: Literal["approval_requested"] = "approval_requested"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthRequired(Event):
    """The turn waits until the asker has connected accounts. It holds no link.

    The link is given to the asker alone, by `Runtime.asks`.
    """

    ask: AskId
    call_id: ToolCallId
    asker: UserId
    toolkits: tuple[str, ...]
    """The apps, such as `gmail`."""
    deadline: datetime
    kind: Literal["auth_required"] = "auth_required"


AskDecision = Literal[
    "answered",
    "approved",
    "approved_thread",
    "rejected",
    "edited",
    "connected",
    "skipped",
    "expired",
    "overtaken",
    "replaced",
    "void",
]
"""`approved_thread`: also for later calls of the thread. `edited`: a new edition asks for the call
with other arguments. `overtaken`: a message or a stop came first. `replaced`: the same, and another
request stands in its place. `void`: the approved call is not the call that would be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskDecided(Event):
    """How an ApprovalRequested or an AuthRequired ended; exactly one for each."""

    ask: AskId
    call_id: ToolCallId
    verdict: AskDecision
    by: UserId | None
    """Who decided; None where nobody did."""
    reason: str
    """The person's own words on a rejection; may be empty."""
    link: str = ""
    """Where the link to connect an account leads, without its secret part; empty without one."""
    kind: Literal["ask_decided"] = "ask_decided"


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionInjected(Event):
    """A sub-agent broke its rules; its result was returned with a correction for the model.

    Comes after the RunFinished of the sub-agent's run: a run is checked once it has ended.
    """

    agent: str
    text: str
    kind: Literal["correction_injected"] = "correction_injected"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished(Event):
    """A run ended; last event of its run but for a CorrectionInjected and a ResultTaken."""

    outcome: Outcome
    text: str
    kind: Literal["run_finished"] = "run_finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTaken(Event):
    """The result of this run, a child, is with its parent: as a call's result or a message."""

    kind: Literal["result_taken"] = "result_taken"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinished(Event):
    """Comes last, once a turn, after all its artifacts are on disk."""

    outcome: Outcome
    answer: str
    """For the person, as Markdown. A failure is a plain sentence with `reference`."""
    reference: str
    """What the operator finds the turn by in logs and trace."""
    is_tainted: bool = False
    """Text from outside was read: an address in the answer may carry what that text asked for."""
    sources: tuple[str, ...] = ()
    """Addresses that the session found or fetched; a tainted answer may link to these alone."""
    citations: tuple[str, ...] = ()
    """The addresses that `[1]`, `[2]`, … stand for in the answer; empty where one is not known."""
    has_findings: bool = False
    """It was stopped, and an answer could be made of what there is."""
    published: tuple[tuple[str, str, str], ...] = ()
    """Addresses of the answer, each with the page's ISO day of publication and its publisher."""
    kind: Literal["turn_finished"] = "turn_finished"


AnyEvent = Annotated[
    TurnStarted
    | RouteChosen
    | PlanMade
    | RunStarted
    | StepStarted
    | TextDelta
    | HeadingWritten
    | StepRetried
    | StepFinished
    | ToolCallStarted
    | ToolCallProgressed
    | ToolCallFinished
    | ArtifactSaved
    | MessageTaken
    | Intervened
    | QuestionAsked
    | ApprovalRequested
    | AuthRequired
    | AskDecided
    | CorrectionInjected
    | RunFinished
    | ResultTaken
    | TurnFinished,
    Field(discriminator="kind"),
]

EVENT: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)

Emit = Callable[[AnyEvent], Awaitable[None]]
"""How a turn announces an event. Readers get events in the order of announcing, once stored."""

LIVE_ONLY = (TextDelta, HeadingWritten, StepRetried, ToolCallProgressed)
