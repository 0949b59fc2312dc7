"""How far a turn is, read from its events: what is told to who asks, and when it was stopped."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from agent_core.events import (
    AnyEvent,
    ArtifactSaved,
    QuestionAsked,
    StepFinished,
    StepStarted,
    ToolCallFinished,
    ToolCallStarted,
    TurnStarted,
)
from agent_core.ids import ROOT_RUN, RunId, ToolCallId
from agent_core.prompts.spoken import spoken_time
from agent_core.runtime.phrases import Phrases
from agent_core.sessions.turns import Stop

MAX_SAID_CHARS = 500
MAX_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What a turn has done up to a moment."""

    started_at: datetime | None
    model_calls: int
    tool_calls: int
    """Those that have ended."""
    under_way: tuple[str, ...]
    """Names of the tools that have not, oldest first."""
    unsure: tuple[str, ...]
    """Names of tools whose call may or may not have happened."""
    saved: tuple[str, ...]
    """Paths of files for the person."""
    said: str
    """The agent's last words so far."""
    is_asking: bool
    """It waits for the answer to a question."""


def standing(events: Sequence[AnyEvent]) -> Standing:
    """How far the turn of these events is."""
    started: dict[tuple[RunId, ToolCallId], str] = {}
    ended: list[ToolCallFinished] = []
    for event in events:
        if isinstance(event, ToolCallStarted):
            started[event.run, event.call_id] = event.tool
        elif isinstance(event, ToolCallFinished):
            started.pop((event.run, event.call_id), None)
            ended.append(event)
    said = [e.text for e in events if isinstance(e, StepFinished) and e.run == ROOT_RUN]
    return Standing(
        started_at=next((event.at for event in events if isinstance(event, TurnStarted)), None),
        model_calls=sum(isinstance(event, StepFinished) for event in events),
        tool_calls=len(ended),
        under_way=tuple(map(_plain, started.values())),
        unsure=tuple(_plain(event.tool) for event in ended if event.may_have_happened),
        saved=tuple(dict.fromkeys(e.path for e in events if isinstance(e, ArtifactSaved))),
        said=next((text.strip() for text in reversed(said) if text.strip()), ""),
        is_asking=_is_asking(events),
    )


def progress_words(now: Standing, at: datetime, phrases: Phrases) -> str:
    """What to tell a person who asks how far the work is."""
    if now.is_asking:
        return phrases.waiting
    lines = [phrases.just_begun]
    if now.started_at is not None and (now.model_calls or now.tool_calls):
        seconds = (at - now.started_at).total_seconds()
        lines = [phrases.at_work.format(time=spoken_time(seconds), done=_done(now, phrases))]
    if now.under_way:
        lines.append(phrases.under_way.format(what=_listed(now.under_way)))
    return " ".join([*lines, phrases.add_something])


def stop_words(then: Standing, stop: Stop, phrases: Phrases) -> str:
    """What was done until a turn was stopped, and how it can go on."""
    by = phrases.stopped_by.format(name=stop.by) if stop.by else phrases.stopped_now
    lines = [phrases.stopped_deleted if stop.why == "deleted" else by]
    if then.tool_calls or then.model_calls:
        lines.append(phrases.until_then.format(done=_done(then, phrases)))
    if then.saved:
        lines.append(phrases.saved.format(what=", ".join(f"`{path}`" for path in then.saved)))
    if unsure := (*then.unsure, *then.under_way):
        lines.append(phrases.unsure.format(what=_listed(unsure)))
    lines.append(phrases.to_go_on)
    quoted = f"\n\n> {_cut(then.said)}" if then.said else ""
    return " ".join(lines) + quoted


def unsure_words(events: Sequence[AnyEvent], phrases: Phrases) -> str:
    """What may or may not have happened in a turn; empty when all is known."""
    unsure = standing(events).unsure
    return phrases.unsure.format(what=_listed(unsure)) if unsure else ""


def _is_asking(events: Sequence[AnyEvent]) -> bool:
    """Whether the last question has no step behind it."""
    telling = [event for event in events if isinstance(event, QuestionAsked | StepStarted)]
    return bool(telling) and isinstance(telling[-1], QuestionAsked)


def _done(now: Standing, phrases: Phrases) -> str:
    return phrases.counted.format(
        steps=phrases.count(phrases.steps, now.model_calls),
        calls=phrases.count(phrases.calls, now.tool_calls),
    )


def _listed(names: Sequence[str]) -> str:
    kept = list(dict.fromkeys(names))
    shown = ", ".join(f"`{name}`" for name in kept[:MAX_NAMED])
    return shown if len(kept) <= MAX_NAMED else f"{shown} …"


def _plain(tool: str) -> str:
    """A tool's name without the server that it comes from."""
    return tool.rpartition("__")[2]


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= MAX_SAID_CHARS else f"{flat[:MAX_SAID_CHARS]}…"
