"""The state of a turn in words, read from its events: how far it is, and what it has found."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime

from agent_core.consent.recipients import recipients_of
from agent_core.events import (
    AnyEvent,
    ArtifactSaved,
    RunFinished,
    RunStarted,
    StepFinished,
    ToolCallFinished,
    ToolCallStarted,
    TurnStarted,
)
from agent_core.ids import ROOT_RUN, RunId, ToolCallId
from agent_core.messages import ToolCall
from agent_core.prompts.language import spoken_time
from agent_core.sessions.turns import Stop
from agent_core.tools import AGENT, COMPOSIO, Action, app_name, opened, slug_of
from agent_core.words import Words

MAX_GIST_CHARS = 300
MAX_NAMED = 5
MAX_NAME_CHARS = 60
JUST_BEGUN_S = 15.0
"""From then on it is told for how long it has been at work, even if nothing came of it yet."""

READER = re.compile(r"(?:^|__)crawl_parallel$")
_ITEM = re.compile(r"^(?:[-*+>]|\d+[.)])\s+")
_PLAIN = str.maketrans({"`": "'", "[": "(", "]": ")", "*": "", "<": "(", ">": ")"})
_WAITS = {
    "question_asked": "answer",
    "approval_requested": "approval",
    "auth_required": "connection",
}
_WAIT_ENDS = ("approval_decided", "auth_ended", "step_started")
_TELLING = ("answered", "limited")
_OWN = "mcp__local_toolkit__"
"""Its effects stay in the workspace."""

_Call = tuple[RunId, ToolCallId]


class TurnStatus:
    """What a turn has come to up to a moment, with the words for it.

    Args:
        events: The turn's, oldest first.
        effects: Its calls that may have had an effect; None where any of them may have.
    """

    def __init__(
        self, events: Sequence[AnyEvent], effects: Collection[_Call] | None = None
    ) -> None:
        calls: dict[_Call, ToolCallStarted] = {}
        returned: dict[_Call, ToolCallFinished] = {}
        self._at_work: dict[RunId, RunStarted] = {}
        self._titles: dict[RunId, str] = {}
        self.last_words = ""
        """Of the root run, in full."""
        self._said: dict[RunId, str] = {}
        """The newest words of the root run and of each part below it, the newest last."""
        for event in events:
            match event:
                case ToolCallStarted():
                    calls[event.run, event.call_id] = event
                case ToolCallFinished():
                    returned[event.run, event.call_id] = event
                case RunStarted():
                    self._at_work[event.run] = event
                    self._titles[event.run] = event.title
                case StepFinished():
                    self._hear(event.run, event.text)
                case RunFinished():
                    self._at_work.pop(event.run, None)
                    self._hear(event.run, event.text if event.outcome in _TELLING else "")
                case _:
                    pass
        open_calls = {key: call for key, call in calls.items() if key not in returned}
        told = {page.url: page.title for end in returned.values() for page in end.sources}
        read = [end.sources for end in returned.values() if READER.search(end.tool)]
        waits = (e.kind for e in reversed(events) if e.kind in (*_WAITS, *_WAIT_ENDS))
        self._wait = _WAITS.get(next(waits, ""), "")
        self._started_at = next((e.at for e in events if isinstance(e, TurnStarted)), None)
        self._open = [call.tool for call in open_calls.values()]
        self._read = {page.url: page.title for pages in read for page in pages}
        self._found = told
        """Pages that searches told of too."""
        self._saved = {e.path: e.title for e in events if isinstance(e, ArtifactSaved)}
        self.unsure = [
            calls[key] for key, end in returned.items() if key in calls and end.may_have_happened
        ]
        """Calls that may or may not have had their effect."""
        self._cut_off = [
            call for key, call in open_calls.items() if effects is None or key in effects
        ]

    def _hear(self, run: RunId, text: str) -> None:
        part = RunId(".".join(run.split(".")[:2]))
        if gist := _gist(text):
            self._said.pop(part, None)
            self._said[part] = gist
            self.last_words = text.strip() if part == ROOT_RUN else self.last_words

    def progress(self, at: datetime, words: Words) -> str:
        """What to tell a person who asks how far the work is."""
        if self._wait:
            return words(f"progress-wait-{self._wait}")
        seconds = (at - self._started_at).total_seconds() if self._started_at else 0.0
        lines = [words("progress-begun")]
        if self._read:
            lines = [words("progress-read", time=spoken_time(seconds), n=len(self._read))]
        elif seconds >= JUST_BEGUN_S or self._said:
            lines = [words("progress-at-work", time=spoken_time(seconds))]
        return " ".join([*lines, *self._doing(words), words("progress-add")])

    def _doing(self, words: Words) -> Iterator[str]:
        """What it is at right now, as far as there is a plain word for it."""
        parts = [each for run, each in self._at_work.items() if run != ROOT_RUN]
        slugs = " ".join(self._open).lower()
        is_reading, is_searching = any(map(READER.search, self._open)), "search" in slugs
        is_reporting = any("report" in each.agent for each in parts)
        titles = [each.title for each in parts if each.title and "report" not in each.agent]
        if "write_report" in slugs or (is_reporting and not is_reading and not is_searching):
            yield words("progress-now-report")
        elif titles:
            yield words("progress-now-parts", what=_listed(titles))
        elif is_reading or is_searching:
            yield words(f"progress-now-{'read' if is_reading else 'search'}")

    def findings(self, words: Words) -> str:
        """What there is by now, in a few lines with links; empty where there is nothing."""
        parts = {run: gist for run, gist in self._said.items() if run != ROOT_RUN}
        lines = [f"- {self._title(run)}{gist}" for run, gist in parts.items()]
        if list(self._said)[-1:] == [ROOT_RUN] or not parts:
            lines += [f"> {gist}" for run, gist in self._said.items() if run == ROOT_RUN]
        said = [words("stop-so-far"), "\n".join(lines)] if lines else []
        return "\n\n".join(filter(None, [*said, self.read(words), self._kept(words)]))

    def _title(self, run: RunId) -> str:
        title = safe_name(self._titles.get(run, ""))
        return f"**{title}:** " if title else ""

    def read(self, words: Words) -> str:
        """The pages that were read or at least found, as a list of links; empty without any."""
        pages = self._read or self._found
        links = [f"- [{safe_name(title or url)}](<{url}>)" for url, title in pages.items()]
        left = len(links) - MAX_NAMED
        more = [f"- {words('stop-more', n=left)}"] if left > 0 else []
        head = words("stop-read" if self._read else "stop-found")
        return "\n".join([head, "", *links[:MAX_NAMED], *more]) if links else ""

    def _kept(self, words: Words) -> str:
        titles = list(self._saved.values())
        return words("stop-saved", what=_listed(titles)) if titles else ""

    def stopped(self, stop: Stop, words: Words, *, left_out: Sequence[str] = ()) -> str:
        """What was found until the turn was stopped, and how it can go on.

        Who deleted the request wanted neither to go on nor to read what came of it.

        Args:
            stop: Who wanted it to end, and why.
            words: In which language.
            left_out: What people had added and the turn had not taken in.
        """
        unsure = _unsure([*self.unsure, *self._cut_off], words)
        if stop.why == "deleted":
            return " ".join(filter(None, [words("stop-deleted"), self._kept(words), unsure]))
        by = words("stop-by", name=stop.by) if stop.by else words("stop-now")
        findings = self.findings(words)
        added = words("stop-left-out", what=_listed(left_out)) if left_out else ""
        rest = filter(None, [unsure, added, words("stop-to-go-on")])
        if not findings:
            return " ".join([by, words("stop-nothing"), *rest])
        return f"{by} {findings}\n\n{' '.join(rest)}"


def unsure_words(events: Sequence[AnyEvent], words: Words) -> str:
    """What may or may not have happened in a turn; empty when all is known."""
    return _unsure(TurnStatus(events).unsure, words)


def _unsure(calls: Iterable[ToolCallStarted], words: Words) -> str:
    made = (opened(ToolCall(id=c.call_id, name=c.tool, arguments=c.arguments)) for c in calls)
    outside = [each for each in made if each.prefix != _OWN]
    deeds = [_deed(act, each.prefix, words) for each in outside for act in each.actions]
    told = list(dict.fromkeys(deeds))
    return words("notice-unsure", what=", ".join(told[:MAX_NAMED])) if told else ""


def _deed(action: Action, prefix: str, words: Words) -> str:
    """What an action does, as far as its name and its arguments tell it to a person."""
    names = re.findall(r"[a-z]+", slug_of(action.tool).lower())
    whom = ", ".join(map(safe_name, recipients_of(action.arguments)[:MAX_NAMED]))
    title = safe_name(str(action.arguments.get("summary") or action.arguments.get("title") or ""))
    if whom and {"send", "reply", "forward"}.intersection(names):
        is_mail = any("mail" in name for name in names)
        return words(f"deed-{'mail' if is_mail else 'message'}", whom=whom)
    if title and "event" in names:
        return words("deed-event", title=title)
    is_app = prefix == COMPOSIO and len(names) > 1
    server = "" if prefix in (AGENT, COMPOSIO) else prefix.split("__")[1]
    app = app_name(names.pop(0) if is_app else server)
    deed = safe_name(" ".join(names) or "…")
    return words("deed-in-app", deed=deed, app=app) if app else words("deed-plain", deed=deed)


def _listed(names: Iterable[str]) -> str:
    """Titles and messages of people in a sentence; more than a few end in dots."""
    kept = list(dict.fromkeys(map(safe_name, names)))
    shown = ", ".join(f"“{name}”" for name in kept[:MAX_NAMED])
    return shown if len(kept) <= MAX_NAMED else f"{shown} …"


def safe_name(text: str) -> str:
    """Foreign words as a name in a sentence: in one line, short, and with no markup."""
    flat = " ".join(text.translate(_PLAIN).split())
    return flat if len(flat) <= MAX_NAME_CHARS else f"{flat[:MAX_NAME_CHARS]}…"


def _gist(text: str) -> str:
    """The first sentences of what a model wrote, in one line; no headings and no tables."""
    lines = [line.strip() for line in text.splitlines()]
    prose = (_ITEM.sub("", line) for line in lines if not line.startswith(("#", "|", "```", "--")))
    flat = " ".join(" ".join(prose).split())
    if len(flat) <= MAX_GIST_CHARS:
        return flat
    cut = flat[:MAX_GIST_CHARS]
    end = max(cut.rfind(mark) for mark in (". ", "! ", "? "))
    return cut[: end + 1] if end > 0 else f"{cut.rpartition(' ')[0] or cut}…"
