"""A schedule: what is to be done again and again, for whom, when, and where it is told.

What a run finds is a digest: the model hands it over by a tool, and not in prose.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NewType
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent_core.ids import SessionId, UserId
from agent_core.models import ToolSpec
from agent_core.prompts import prompt
from agent_core.schedules.rule import Rule

PUBLISH_DIGEST = "publish_digest"
MAX_LINES = 5

_STAMP = "%Y%m%dT%H%M%SZ"

ScheduleId = NewType("ScheduleId", str)

ScheduleStatus = Literal["proposed", "active", "paused", "over", "deleted"]
"""`proposed` waits for its owner's yes; `over` has no slot left, or has changed another one."""

SlotState = Literal["due", "begun", "posted", "nothing_new", "failed", "left_out"]
"""`due` was claimed and its turn may not be there yet; all behind `begun` are final."""


WhenNothingNew = Literal["post", "say_so", "be_silent"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a person asks for."""

    team: str
    place: str
    """Where it is told: the surface's own name of a channel."""
    owner: UserId
    owner_name: str
    owner_locale: str
    task: str
    rule: Rule
    origin: SessionId
    """The conversation in which it was asked for."""
    when_nothing_new: WhenNothingNew = "post"
    """What a run does that found only what was told before; `say_so` is one line."""
    owner_zone: str = ""
    """The zone in which the owner reads times; empty where it is the rule's."""
    reads: str = ""
    """The place whose posts it is about, as the surface calls it; empty where it is about none."""
    changes: ScheduleId = ScheduleId("")
    """Of a proposal: the schedule that is to be like this; empty where it orders a new one."""
    repeats: ScheduleId = ScheduleId("")
    """Of a proposal: the schedule that is about the same, which its owner may replace or keep."""
    authors: tuple[UserId, ...] = ()
    """Who else changed its words, since the owner agreed to them last."""
    post: str = ""
    """The surface's own name of the post in which it was agreed on, in the thread of `origin`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """An order as it is stored."""

    id: ScheduleId
    number: int
    """By which people name it: 1 for the team's first; 0 as long as nobody has agreed to it."""
    order: Order
    status: ScheduleStatus
    reason: str
    """Why it is paused: a word of ours, empty when a person wanted it."""
    failures: int
    """How many runs in a row came to nothing."""
    next_due: datetime | None
    """Aware, in UTC; None when it is not active."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One moment at which a schedule was due, and what became of it."""

    schedule: ScheduleId
    at: datetime
    """Aware, in UTC. A run that a person wanted in between has the moment of the wish."""
    state: SlotState
    claimed_at: datetime
    left_out: int = 0
    """How many earlier slots nobody was there for."""
    by_hand: bool = False
    root: str = ""
    """The surface's own name of the post that told it; empty when none did."""

    @property
    def key(self) -> str:
        """The identity of the gesture that starts its turn."""
        return f"slot:{self.schedule}:{self.at.strftime(_STAMP)}"

    @property
    def session(self) -> SessionId:
        """The session of its turn, its own."""
        return SessionId(f"digest:{self.schedule}:{self.at.strftime(_STAMP)}")


def slot_named(session: SessionId) -> tuple[ScheduleId, datetime] | None:
    """Whose slot a session is, and which; None when it is none's."""
    kind, _, rest = session.partition(":")
    schedule, _, stamp = rest.rpartition(":")
    if kind != "digest" or not schedule:
        return None
    return ScheduleId(schedule), datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)


class _Published(BaseModel):
    model_config = ConfigDict(json_schema_serialization_defaults_required=True)


class DigestLine(_Published):
    """One fact."""

    text: str = Field(
        min_length=1,
        max_length=600,
        description="One fact in plain words, with the date of its source.",
    )
    source: str = Field(
        default="",
        max_length=2_000,
        description="The address of the page that says so; empty for posts.",
    )
    is_new: bool = Field(default=True, description="Whether no earlier digest has told it.")


class PublishedDigest(_Published):
    """A headline, a few lines, and what else is worth knowing, as Markdown."""

    headline: str = Field(min_length=1, max_length=200, description="At most ten words.")
    lines: tuple[DigestLine, ...] = Field(default=(), max_length=MAX_LINES)
    details: str = Field(
        default="",
        max_length=8_000,
        description="What else is worth knowing, as Markdown, in at most 200 words.",
    )

    @classmethod
    def of_answer(cls, task: str, answer: str) -> "PublishedDigest":
        """What a run has that ended before it published anything: one fact, and the details."""
        line = DigestLine(text=(" ".join(answer.split()) or task)[:400])
        return cls(headline=task[:200], lines=(line,), details=answer[:8_000])

    @property
    def has_news(self) -> bool:
        """Whether there is anything that was not told before."""
        return any(line.is_new for line in self.lines)

    @property
    def items(self) -> dict[str, list[str]]:
        """What is to be remembered of the lines: their words, and the pages that they name."""
        sources = [_page(line.source) for line in self.lines if line.source]
        return {"claim": [line.text for line in self.lines], "source": sources}

    def beside(self, known: Collection[str]) -> "PublishedDigest":
        """With what is new first; not new is what was told before, whatever the model says.

        A line is known by its source, where it names one, and by its words, where it names none.
        """
        lines = [
            line.model_copy(update={"is_new": line.is_new and by not in known})
            for line in self.lines
            for by in [_page(line.source) if line.source else line.text]
        ]
        in_order = tuple(sorted(lines, key=lambda line: not line.is_new))
        return self.model_copy(update={"lines": in_order})


def faults_of(arguments: object, known_sources: Collection[str]) -> str:
    """What is wrong with a call of the tool, for the model to mend; empty where nothing is."""
    try:
        digest = PublishedDigest.model_validate(arguments)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()]
        return "Not published. " + "; ".join(faults[:5])
    known = {_page(source) for source in known_sources}
    sources = [line.source for line in digest.lines if line.source]
    if unknown := [source for source in sources if _page(source) not in known]:
        return (
            "Not published. These sources were neither found nor read in this session: "
            f"{', '.join(unknown)}. Name the page that you read, or leave the source empty."
        )
    return ""


def _page(url: str) -> str:
    """An address by which two links to one page are the same, itself included."""
    try:
        parts = urlsplit(url.strip().partition("#")[0])
    except ValueError:
        return url
    host = parts.netloc.lower().removeprefix("www.")
    query = f"?{parts.query}" if parts.query else ""
    return f"{host}{parts.path.rstrip('/')}{query}"


PUBLISH_DIGEST_SPEC = ToolSpec(
    name=PUBLISH_DIGEST,
    description=prompt("publish_digest"),
    input_schema=PublishedDigest.model_json_schema(mode="serialization"),
)
