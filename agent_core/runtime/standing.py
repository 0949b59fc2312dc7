"""The state of a turn in words, read from its events: progress, stop notices, failures."""

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, cast

from agent_core.durable import first_cause
from agent_core.errors import (
    ModelRejected,
    ModelUnavailable,
    ReplyTruncated,
    RequestTooLarge,
    TurnSetAside,
)
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
from agent_core.ids import ROOT_RUN, RunId, ToolCallId, is_in_branch
from agent_core.loop.ask_user import ASK_USER
from agent_core.prompts.language import spoken_time
from agent_core.sessions.turns import Stop
from agent_core.words import CORE, FALLBACK, Words

MAX_SAID_CHARS = 500
MAX_NAMED = 5
MAX_NAME_CHARS = 60
JUST_BEGUN_S = 15.0
"""From then on it is told for how long it has been at work, even if nothing came of it yet."""

_PREFIX = re.compile(r"^(?:.*__)?(?:composio_)?")


_Call = tuple[RunId, ToolCallId]


class Standing:
    """What a turn has done up to a moment, with the words for it.

    Args:
        events: The turn's, oldest first.
        effects: Its calls that may have had an effect; None where any of them may have.
    """

    def __init__(
        self, events: Sequence[AnyEvent], effects: Collection[_Call] | None = None
    ) -> None:
        begun: dict[_Call, ToolCallStarted] = {}
        ended: dict[_Call, ToolCallFinished] = {}
        for event in events:
            if isinstance(event, ToolCallStarted) and event.tool != ASK_USER:
                begun[event.run, event.call_id] = event
            elif isinstance(event, ToolCallFinished):
                ended[event.run, event.call_id] = event
        steps = [event for event in events if isinstance(event, StepStarted | StepFinished)]
        own = [event for event in steps if event.run == ROOT_RUN]
        said = [event.text.strip() for event in own if isinstance(event, StepFinished)]
        telling = [event for event in events if isinstance(event, QuestionAsked | StepStarted)]
        self._started_at = next((e.at for e in events if isinstance(e, TurnStarted)), None)
        self._model_calls = sum(isinstance(event, StepFinished) for event in steps)
        self._tool_calls = len(begun)
        self._under_way = _names(
            call
            for key, call in begun.items()
            if key not in ended and (effects is None or key in effects)
        )
        self.unsure = _names(
            begun[key] for key, end in ended.items() if key in begun and end.may_have_happened
        )
        """What may or may not have happened."""
        self._saved = dict.fromkeys(e.path for e in events if isinstance(e, ArtifactSaved))
        self._said = next(filter(None, reversed(said)), "")
        self._is_asking = bool(telling) and isinstance(telling[-1], QuestionAsked)
        self._is_at_model = bool(own) and isinstance(own[-1], StepStarted)

    def progress(self, at: datetime, words: Words) -> str:
        """What to tell a person who asks how far the work is."""
        if self._is_asking:
            return words("progress-waiting")
        seconds = (at - self._started_at).total_seconds() if self._started_at else 0.0
        lines = [words("progress-begun")]
        if done := self._done(words):
            lines = [words("progress-at-work-done", time=spoken_time(seconds), done=done)]
        elif seconds >= JUST_BEGUN_S:
            lines = [words("progress-at-work", time=spoken_time(seconds))]
        if self._under_way:
            lines.append(words("progress-under-way", what=_listed(self._under_way)))
        elif self._is_at_model:
            lines.append(words("progress-at-model"))
        return " ".join([*lines, words("progress-add")])

    def stopped(self, stop: Stop, words: Words, *, left_out: Sequence[str] = ()) -> str:
        """What was done until the turn was stopped, and how it can go on.

        Who deleted the request wanted neither to go on nor to read what came of it.

        Args:
            stop: Who wanted it to end, and why.
            words: In which language.
            left_out: What people had added and the turn had not taken in.
        """
        is_deleted = stop.why == "deleted"
        by = words("stop-by", name=stop.by) if stop.by else words("stop-now")
        lines = [words("stop-deleted") if is_deleted else by]
        if (done := self._done(words)) and not is_deleted:
            lines.append(words("stop-until-then", done=done))
        if self._saved:
            lines.append(words("stop-saved", what=", ".join(f"`{path}`" for path in self._saved)))
        if unsure := (*self.unsure, *self._under_way):
            lines.append(words("notice-unsure", what=_listed(unsure)))
        if is_deleted:
            return " ".join(lines)
        if left_out:
            lines.append(words("stop-left-out", what=_listed([named(one) for one in left_out])))
        lines.append(words("stop-to-go-on"))
        quoted = f"\n\n> {_cut(self._said)}" if self._said else ""
        return " ".join(lines) + quoted

    def _done(self, words: Words) -> str:
        """What is none is left out; empty when nothing was done."""
        steps = words("progress-steps", n=self._model_calls) if self._model_calls else ""
        calls = words("progress-calls", n=self._tool_calls) if self._tool_calls else ""
        if steps and calls:
            return words("progress-both", steps=steps, calls=calls)
        return steps or calls


def found_by(events: Sequence[AnyEvent], run: RunId) -> str:
    """What a run that was ended had said last, and the files that it and those below it saved."""
    said = [e.text.strip() for e in events if isinstance(e, StepFinished) and e.run == run]
    saved = [e for e in events if isinstance(e, ArtifactSaved) and is_in_branch(e.run, run)]
    paths = dict.fromkeys(each.path for each in saved)
    files = f"Files: {', '.join(f'`{path}`' for path in paths)}" if paths else ""
    return "\n\n".join(filter(None, (next(filter(None, reversed(said)), ""), files)))


def unsure_words(events: Sequence[AnyEvent], words: Words) -> str:
    """What may or may not have happened in a turn; empty when all is known."""
    unsure = Standing(events).unsure
    return words("notice-unsure", what=_listed(unsure)) if unsure else ""


def apology(error: BaseException, reference: str, language: str) -> str:
    """Why a turn failed, in plain sentences, with the reference an operator finds it by."""
    words = CORE.of(language)
    reason = words(f"failure-{_failure(error)}")
    return words("failure-with-reference", reason=reason, mark=reference)


def child_failure(error: BaseException) -> str:
    """A plain sentence for the model that delegated to a sub-agent which failed."""
    return f"The sub-agent could not finish: {CORE.say(FALLBACK, f'failure-{_failure(error)}')}"


def _failure(error: BaseException) -> str:
    match first_cause(error):
        case RequestTooLarge():
            return "too-long"
        case ReplyTruncated():
            return "truncated"
        case ModelRejected():
            return "rejected"
        case ModelUnavailable():
            return "unavailable"
        case TurnSetAside():
            return "set-aside"
        case _:
            return "other"


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


def named(words: str) -> str:
    """A message in so few words that it is known again; nothing in it ends the code span."""
    return _cut(words.replace("`", "'"), MAX_NAME_CHARS)


def _cut(text: str, max_chars: int = MAX_SAID_CHARS) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= max_chars else f"{flat[:max_chars]}…"
