"""The status of a turn in words: how far it is, what it has found, and what it may have done."""

import re
from collections.abc import (
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from datetime import datetime

from agent_core.consent import recipients_of
from agent_core.events import (
    AnyEvent,
    ApprovalRequested,
    AuthRequired,
    QuestionAsked,
    RunFinished,
    StepFinished,
    StepRetried,
    ToolCallStarted,
)
from agent_core.ids import ROOT_RUN, RunId
from agent_core.messages import ToolCall
from agent_core.sessions import Stop
from agent_core.snapshot import (
    CallKey,
    TurnSnapshot,
    Wait,
    branch_of,
)
from agent_core.tools import (
    AGENT,
    COMPOSIO,
    Action,
    app_name,
    opened,
    slug_of,
)
from agent_core.words import Words, spoken_time
from agent_core.workspaces import SourceFacts

MAX_NAMED = 5
MAX_NAME_CHARS = 60
JUST_BEGUN_S = 15.0
"""A turn without results says from this age on for how long it has been at work."""

_ITEM = re.compile(r"^(?:[-*+>]|\d+[.)])\s+")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\(\S*?\)|\s?\[\d+(?:#\d+)?\]")
_FRAME = re.compile(r"\n| [|·»•→] |\t")
"""Parts the words of a page's frame: its menus, its bylines, its breadcrumbs."""
_SENTENCE = re.compile(
    r"(?:^|(?<=[.!?] ))[\"“„«]?[^\Wa-z_].{4,300}?"
    r"(?:(?<![.…])[.!?][\"”»]?(?=\s+[^\Wa-z]|\s*$)|[。！？])"  # noqa: RUF001 (marks of East Asia)
)
"""A whole one: nothing is cut off at its beginning or its end."""
_WITHOUT_MARKUP = str.maketrans({"`": "'", "[": "(", "]": ")", "*": "", "<": "(", ">": ")"})
_NAME_WORD = re.compile(r"[a-z]+")
_SENDING = frozenset({"send", "reply", "forward"})
_TOOLKIT = "mcp__local_toolkit__"
"""Prefix of tools whose effects stay in the workspace."""


_WAIT_SENTENCES: dict[type[Wait], str] = {
    QuestionAsked: "progress-wait-answer",
    ApprovalRequested: "progress-wait-approval",
    AuthRequired: "progress-wait-connection",
}


class TurnStatus:
    """The words for a snapshot of a turn.

    Args:
        events: The turn's, oldest first.
        effects: The turn's calls that may have had an effect; None where any of them may have.
    """

    def __init__(
        self, events: Iterable[AnyEvent], effects: Collection[CallKey] | None = None
    ) -> None:
        self._turn = TurnSnapshot()
        self._effects = effects
        self.last_words = ""
        """The newest text of the root run, in full."""
        self._tried_until: datetime | None = None
        """The model is away, and so long it is tried."""
        self._gists: dict[RunId, str] = {}
        """The newest words of the root run and of each branch, the newest last."""
        for event in events:
            self._turn.fold(event)
            match event:
                case StepRetried():
                    self._tried_until = event.given_up_at
                case StepFinished() | RunFinished(outcome="answered" | "limited"):
                    self._note_gist(branch_of(event.run), event.text)
                case _:
                    pass

    def _note_gist(self, branch: RunId, text: str) -> None:
        gist = _sentence(text)
        if not gist:
            return
        self._gists.pop(branch, None)
        self._gists[branch] = gist
        if branch == ROOT_RUN:
            self.last_words = text.strip()

    def progress(self, at: datetime, words: Words) -> str:
        """The answer to a person who asks how far the work is."""
        turn = self._turn
        if turn.waits:
            *_, wait = turn.waits.values()
            return words(_WAIT_SENTENCES[type(wait)])
        seconds = 0.0
        if turn.started:
            seconds = (at - turn.started.at).total_seconds()
        time = spoken_time(seconds)
        if self._tried_until:
            return words("progress-model-away", time=time, until=f"{self._tried_until:%H:%M}")
        if turn.read:
            first = words("progress-read", time=time, n=len(turn.read))
        elif seconds >= JUST_BEGUN_S or self._gists:
            first = words("progress-at-work", time=time)
        else:
            first = words("progress-begun")
        return " ".join([first, *self._activity(words), words("progress-add")])

    def _activity(self, words: Words) -> Iterator[str]:
        """The work under way, as far as there is a plain word for it."""
        titles: list[str] = []
        for run in self._turn.runs.values():
            if run.started is None or run.outcome is not None or run.id == ROOT_RUN:
                continue
            if "report" in run.agent:
                yield words("progress-now-report")
                return
            if run.started.title:
                titles.append(run.started.title)
        if titles:
            yield words("progress-now-parts", what=_listed(titles))

    def findings(self, words: Words, known: Mapping[str, SourceFacts]) -> str:
        """Results so far, in a few lines with links; empty where there are none.

        They are words of the runs, or else what the pages say that are `known`.
        """
        lines: list[str] = []
        newest = ROOT_RUN
        for run, gist in self._gists.items():
            newest = run
            if run == ROOT_RUN:
                continue
            branch = self._turn.runs.get(run)
            title = ""
            if branch and branch.started and branch.started.title:
                title = f"**{safe_name(branch.started.title)}:** "
            lines.append(f"- {title}{gist}")
        root_gist = self._gists.get(ROOT_RUN)
        if root_gist and (newest == ROOT_RUN or not lines):
            lines.append(f"> {root_gist}")
        parts = [self.read(words, known), self._saved(words)]
        if lines:
            parts = [words("stop-so-far"), "\n".join(lines), *parts]
        return "\n\n".join(filter(None, parts))

    def read(self, words: Words, known: Mapping[str, SourceFacts]) -> str:
        """What the pages say that were read or at least found, with links; empty without any."""
        pages = self._turn.read or self._turn.pages
        if not pages:
            return ""
        head = words("stop-read" if self._turn.read else "stop-found")
        lines = [head, ""]
        for url, title in list(pages.items())[:MAX_NAMED]:
            link = f"[{safe_name(title or url)}](<{url}>)"
            gist = _sentence(known[url].gist, title) if url in known else ""
            lines.append(f"- {gist} ({link})" if gist else f"- {link}")
        surplus = len(pages) - MAX_NAMED
        if surplus > 0:
            lines.append(f"- {words('stop-more', n=surplus)}")
        return "\n".join(lines)

    def _saved(self, words: Words) -> str:
        titles = [saved.title for saved in self._turn.artifacts.values()]
        if not titles:
            return ""
        return words("stop-saved", what=_listed(titles))

    def unsure(self, words: Words, more: Iterable[ToolCallStarted] = ()) -> str:
        """What may or may not have happened: lost results, and `more` calls; empty without any."""
        deeds: dict[str, None] = {}
        lost = [
            call.started
            for call in self._turn.calls.values()
            if call.finished is not None and call.finished.may_have_happened
        ]
        for started in [*lost, *more]:
            call = opened(
                ToolCall(
                    id=started.call_id,
                    name=started.tool,
                    arguments=started.arguments,
                )
            )
            if call.prefix != _TOOLKIT:
                for action in call.actions:
                    deeds[_deed(action, call.prefix, words)] = None
        if not deeds:
            return ""
        return words("notice-unsure", what=", ".join([*deeds][:MAX_NAMED]))

    def stopped(
        self,
        stop: Stop,
        words: Words,
        findings: str = "",
        *,
        left_out: Sequence[str] = (),
    ) -> str:
        """What was found until the turn was stopped, and how it can go on.

        Who deleted the request wanted neither to go on nor to read what came of it.

        Args:
            stop: Who wanted it to end, and why.
            words: In which language.
            findings: What there is so far.
            left_out: What people had added and the turn had not taken in.
        """
        cut_off = [
            call.started
            for key, call in self._turn.open_calls.items()
            if self._effects is None or key in self._effects
        ]
        unsure = self.unsure(words, cut_off)
        if stop.why == "deleted":
            parts = [words("stop-deleted"), self._saved(words), unsure]
            return " ".join(filter(None, parts))
        parts = [unsure]
        if left_out:
            parts.append(words("stop-left-out", what=_listed(left_out)))
        parts.append(words("stop-to-go-on"))
        rest = " ".join(filter(None, parts))
        stopped_by = words("stop-now")
        if stop.by:
            stopped_by = words("stop-by", name=stop.by)
        if findings:
            return f"{stopped_by} {findings}\n\n{rest}"
        nothing = words("stop-nothing")
        return f"{stopped_by} {nothing} {rest}"


def _deed(action: Action, prefix: str, words: Words) -> str:
    """An action in words, as far as its name and its arguments say to a person what it does."""
    names = _NAME_WORD.findall(slug_of(action.tool).lower())
    recipients = recipients_of(action.arguments)
    if recipients and _SENDING.intersection(names):
        whom = ", ".join(map(safe_name, recipients[:MAX_NAMED]))
        return words("deed-message", whom=whom)
    app = ""
    if prefix == COMPOSIO and len(names) > 1:
        app = app_name(names.pop(0))
    elif prefix not in (AGENT, COMPOSIO):
        _, server, *_ = prefix.split("__")
        app = app_name(server)
    deed = safe_name(" ".join(names) or "…")
    if not app:
        return words("deed-plain", deed=deed)
    return words("deed-in-app", deed=deed, app=app)


def _listed(names: Iterable[str]) -> str:
    """Titles and messages of people in a sentence; more than a few end in dots."""
    quoted = list(dict.fromkeys(f"“{safe_name(name)}”" for name in names))
    listed = ", ".join(quoted[:MAX_NAMED])
    return f"{listed} …" if len(quoted) > MAX_NAMED else listed


def safe_name(text: str) -> str:
    """Foreign words as a name in a sentence: in one line, short, and with no markup."""
    flat = " ".join(text.translate(_WITHOUT_MARKUP).split())
    if len(flat) <= MAX_NAME_CHARS:
        return flat
    cut = flat[:MAX_NAME_CHARS]
    words, _, _ = cut.rpartition(" ")
    return f"{words or cut}…"


def _sentence(text: str, title: str = "") -> str:
    """The first whole sentence that a model or a page says, without markup; empty without any."""
    for line in _FRAME.split(_LINK.sub(r"\1", text)):
        plain = _ITEM.sub("", line.strip()).translate(_WITHOUT_MARKUP)
        if sentence := _SENTENCE.search(plain.removeprefix(title).strip()):
            return sentence[0]
    return ""
