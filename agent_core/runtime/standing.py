"""The state of a turn in words, read from its events: progress, stop notices, failures."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from agent_core.errors import ModelRejected, ModelUnavailable, ReplyTruncated, RequestTooLarge
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
from agent_core.loop.ask_user import ASK_USER
from agent_core.prompts.language import spoken_time
from agent_core.sessions.turns import Stop
from agent_core.words import CORE, Words

MAX_SAID_CHARS = 500
MAX_NAMED = 5
MAX_NAME_CHARS = 60
JUST_BEGUN_S = 15.0
"""From then on it is told for how long it has been at work, even if nothing came of it yet."""

_OF_A_CHILD = {
    "too-long": "its work has become too long for its language model",
    "truncated": "what it wanted to write was longer than its language model writes in one go",
    "rejected": "its language model refused the request, and asking again would not help",
    "unavailable": "its language model is not answering at the moment",
    "other": "something went wrong while it worked",
}
_PREFIX = re.compile(r"^(?:.*__)?(?:composio_)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What a turn has done up to a moment."""

    started_at: datetime | None
    model_calls: int
    tool_calls: int
    """Those that have begun, as progress counts them; to ask a person is none."""
    under_way: tuple[str, ...]
    """What those that have not ended do, oldest first."""
    unsure: tuple[str, ...]
    """What may or may not have happened."""
    effects_under_way: tuple[str, ...]
    """What may or may not have happened should the turn end now."""
    saved: tuple[str, ...]
    """Paths of files for the person."""
    said: str
    """The agent's last words so far."""
    is_asking: bool
    """It waits for the answer to a question."""
    is_at_model: bool
    """Its root run waits for the model, which may be thinking or busy."""


def standing(
    events: Sequence[AnyEvent], effects: Collection[tuple[RunId, ToolCallId]] | None = None
) -> Standing:
    """How far the turn of these events is.

    Args:
        events: The turn's, oldest first.
        effects: Its calls that may have had an effect; None where any of them may have.
    """
    begun: dict[tuple[RunId, ToolCallId], ToolCallStarted] = {}
    ended: dict[tuple[RunId, ToolCallId], ToolCallFinished] = {}
    for event in events:
        if isinstance(event, ToolCallStarted) and event.tool != ASK_USER:
            begun[event.run, event.call_id] = event
        elif isinstance(event, ToolCallFinished):
            ended[event.run, event.call_id] = event
    under_way = [key for key in begun if key not in ended]
    unsure = [begun[key] for key in begun if key in ended and ended[key].may_have_happened]
    said = [e.text for e in events if isinstance(e, StepFinished) and e.run == ROOT_RUN]
    return Standing(
        started_at=next((event.at for event in events if isinstance(event, TurnStarted)), None),
        model_calls=sum(isinstance(event, StepFinished) for event in events),
        tool_calls=len(begun),
        under_way=_names(begun[key] for key in under_way),
        unsure=_names(unsure),
        effects_under_way=_names(
            begun[key] for key in under_way if effects is None or key in effects
        ),
        saved=tuple(dict.fromkeys(e.path for e in events if isinstance(e, ArtifactSaved))),
        said=next((text.strip() for text in reversed(said) if text.strip()), ""),
        is_asking=_is_asking(events),
        is_at_model=_is_at_model(events),
    )


def progress_words(now: Standing, at: datetime, words: Words) -> str:
    """What to tell a person who asks how far the work is."""
    if now.is_asking:
        return words("progress-waiting")
    seconds = (at - now.started_at).total_seconds() if now.started_at else 0.0
    lines = [words("progress-begun")]
    if done := _done(now, words):
        lines = [words("progress-at-work-done", time=spoken_time(seconds), done=done)]
    elif seconds >= JUST_BEGUN_S:
        lines = [words("progress-at-work", time=spoken_time(seconds))]
    if now.under_way:
        lines.append(words("progress-under-way", what=_listed(now.under_way)))
    elif now.is_at_model:
        lines.append(words("progress-at-model"))
    return " ".join([*lines, words("progress-add")])


def stop_words(then: Standing, stop: Stop, words: Words, *, left_out: Sequence[str] = ()) -> str:
    """What was done until a turn was stopped, and how it can go on.

    Who deleted the request wants neither to go on nor to read what came of it.

    Args:
        then: How far the turn was.
        stop: Who wanted it to end, and why.
        words: In which language.
        left_out: What people had added and the turn had not taken in.
    """
    is_deleted = stop.why == "deleted"
    by = words("stop-by", name=stop.by) if stop.by else words("stop-now")
    lines = [words("stop-deleted") if is_deleted else by]
    if (done := _done(then, words)) and not is_deleted:
        lines.append(words("stop-until-then", done=done))
    if then.saved:
        lines.append(words("stop-saved", what=", ".join(f"`{path}`" for path in then.saved)))
    if unsure := (*then.unsure, *then.effects_under_way):
        lines.append(words("notice-unsure", what=_listed(unsure)))
    if is_deleted:
        return " ".join(lines)
    if left_out:
        lines.append(words("stop-left-out", what=_listed([_named(one) for one in left_out])))
    lines.append(words("stop-to-go-on"))
    quoted = f"\n\n> {_cut(then.said)}" if then.said else ""
    return " ".join(lines) + quoted


def unsure_words(events: Sequence[AnyEvent], words: Words) -> str:
    """What may or may not have happened in a turn; empty when all is known."""
    unsure = standing(events).unsure
    return words("notice-unsure", what=_listed(unsure)) if unsure else ""


def apology(error: BaseException, reference: str, language: str) -> str:
    """Why a turn failed, in plain sentences, with the reference an operator finds it by."""
    words = CORE.of(language)
    reason = words(f"failure-{_failure(error)}")
    return words("failure-with-reference", reason=reason, mark=reference)


def child_failure(error: BaseException) -> str:
    """A plain sentence for the model that delegated to a sub-agent which failed."""
    return f"The sub-agent could not finish: {_OF_A_CHILD[_failure(error)]}."


def _failure(error: BaseException) -> str:
    match error:
        case RequestTooLarge():
            return "too-long"
        case ReplyTruncated():
            return "truncated"
        case ModelRejected():
            return "rejected"
        case ModelUnavailable():
            return "unavailable"
        case _:
            return "other"


def _is_asking(events: Sequence[AnyEvent]) -> bool:
    """Whether the last question has no step behind it."""
    telling = [event for event in events if isinstance(event, QuestionAsked | StepStarted)]
    return bool(telling) and isinstance(telling[-1], QuestionAsked)


def _is_at_model(events: Sequence[AnyEvent]) -> bool:
    """Whether the root run's last step has no reply yet."""
    steps = [event for event in events if isinstance(event, StepStarted | StepFinished)]
    own = [event for event in steps if event.run == ROOT_RUN]
    return bool(own) and isinstance(own[-1], StepStarted)


def _done(now: Standing, words: Words) -> str:
    """What is none is left out; empty when nothing was done."""
    steps = words("progress-steps", n=now.model_calls) if now.model_calls else ""
    calls = words("progress-calls", n=now.tool_calls) if now.tool_calls else ""
    if steps and calls:
        return words("progress-both", steps=steps, calls=calls)
    return steps or calls


def _listed(names: Sequence[str]) -> str:
    kept = list(dict.fromkeys(names))
    shown = ", ".join(f"`{name}`" for name in kept[:MAX_NAMED])
    return shown if len(kept) <= MAX_NAMED else f"{shown} …"


def _names(calls: Iterable[ToolCallStarted]) -> tuple[str, ...]:
    """What calls do: a sub-agent or a carried tool says more than the tool that was called."""
    return tuple(_plain(name) for call in calls for name in _told_by(call))


def _told_by(call: ToolCallStarted) -> list[str]:
    carried = call.arguments.get("tools")
    inner = cast("list[Any]", carried) if isinstance(carried, list) else []
    told = [cast("dict[str, Any]", one).get("tool_slug") for one in inner if isinstance(one, dict)]
    slugs = [str(slug) for slug in told if slug]
    agent = call.arguments.get("subagent_type")
    return slugs or [str(agent) if agent else call.tool]


def _plain(tool: str) -> str:
    """`GMAIL_SEND_EMAIL` becomes `gmail send email`; the server that a tool is from is left out."""
    name = _PREFIX.sub("", tool.lower())
    return re.sub(r"[^a-z0-9]+", " ", name).strip()[:MAX_NAME_CHARS] or "…"


def _named(words: str) -> str:
    """A message in so few words that it is known again; nothing in it ends the code span."""
    return _cut(words.replace("`", "'"), MAX_NAME_CHARS)


def _cut(text: str, max_chars: int = MAX_SAID_CHARS) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= max_chars else f"{flat[:max_chars]}…"
