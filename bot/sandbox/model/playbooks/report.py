"""Playbook of the main agent: search, then answer in short or have the report expert write.

`pages.py` reads what the tools brought; `expert.py` plays the report expert.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.sandbox.model.dialogue import (
    PARTS,
    REPORT,
    RESULT,
    SECTION,
    Dialogue,
    say,
    topic_of,
)
from bot.sandbox.model.message import StandInReply
from bot.sandbox.model.playbooks.pages import (
    NOTHING,
    find_hits,
    linked,
    listed,
    numbered,
    pages_read,
    read_files,
    rows_of,
    search,
    sentences_on,
    unread_in,
)
from bot.sandbox.model.playbooks.parts import FIND_OUT, sides_of
from bot.sandbox.model.sentences import stems
from bot.sandbox.model.writing import capitalised

EXPERT = "report-creation-expert"
PAGES_TO_ANSWER = 4
ANSWER_SENTENCES = 4
URL = re.compile(r"https?://[^\s<>\"')\]]+")
REQUEST = 'Request, word for word:\n"""\n{request}\n"""\n\nTopic: {topic}'
EXTEND = "The report exists: keep its title and sections, and add the new one."
ASK_TOPIC = "What should this be about?"
UNSAID = "I do not know what this should be about, so I did nothing."
TOPICS = ("Keeping chat bots reliable", "Batteries in the grid", "Heat pumps in old houses")
NOTHING_OPEN = (
    "Nothing is open in this thread. I can add a section to the report, look into another subject, "
    "or compare two."
)
OVERTAKEN = "This stand-in plays a fixed book and could not take into account: “{note}”."
ANSWERED = re.compile(r"\A[^:\n]{1,80}\banswered:\s*")
WAITING = "I have the report, and wait for the runs that explore each part."


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """The main agent's task for the report expert."""

    request: str
    topic: str
    sections: tuple[str, ...] = ()
    """To be added to the report that there is."""
    sides: tuple[str, ...] = ()
    """What the report compares."""

    @property
    def topics(self) -> list[str]:
        return [*self.sections, self.topic]

    def write(self, hits: Mapping[str, str]) -> str:
        """The brief in words, with the address and the title of every page that was found."""
        lines = [REQUEST.format(request=self.request, topic=self.topic)]
        lines += [f"Section: {section}" for section in self.sections]
        lines += [f"Side: {side}" for side in self.sides]
        if self.sections:
            lines.append(EXTEND)
        lines.append("Read these pages in full and save them:")
        lines += [f"- {title}: {url}" for url, title in hits.items()]
        return "\n".join(lines)

    @classmethod
    def read(cls, text: str) -> "Brief":
        """A brief of ours, or as much as can be understood of anybody's."""
        topic = re.search(r"(?m)^Topic: (.+)$", text)
        request = re.search(r'(?s)"""\n(.*?)\n"""', text)
        return cls(
            request=request[1] if request else text,
            topic=topic[1] if topic else topic_of(URL.sub(" ", text)),
            sections=tuple(re.findall(r"(?m)^Section: (.+)$", text)),
            sides=tuple(re.findall(r"(?m)^Side: (.+)$", text)),
        )


def decide(dialogue: Dialogue) -> StandInReply:
    """The next step of the main agent: ask what is vague, search, then delegate or read."""
    sides = sides_of(dialogue.now.words)
    if len(sides) > 1:
        return _compare(dialogue, sides)
    brief = read_brief(dialogue)
    if not stems(brief.topic):
        return _ask_topic(dialogue)
    step = search(dialogue, brief.topics)
    if step:
        return step
    hits = find_hits(dialogue, brief.topics)
    if not hits:
        return say(NOTHING.format(topic=brief.topic))
    step = _read_or_delegate(dialogue, brief, hits)
    if step and dialogue.may_call_tools:
        return step
    is_over = dialogue.goes_on and not dialogue.exchanges[-1].calls
    notes = [OVERTAKEN.format(note=note) for note in dialogue.now.notes]
    answer = NOTHING_OPEN if is_over else _conclude(dialogue, brief)
    return say("\n\n".join([*notes, answer]))


def _ask_topic(dialogue: Dialogue) -> StandInReply:
    if "ask_user" not in dialogue.tools or dialogue.now.done("ask_user"):
        return say(UNSAID)
    return (dialogue.use("ask_user", question=ASK_TOPIC, options=TOPICS),)


def _read_or_delegate(
    dialogue: Dialogue, brief: Brief, hits: Mapping[str, str]
) -> StandInReply | None:
    """The next call after the search; None once there is enough for an answer."""
    is_report = REPORT.search(brief.request) or brief.sections
    if is_report and "Task" in dialogue.tools:
        return delegate(dialogue, brief, hits)
    crawls = dialogue.now.done("crawl_parallel")
    if crawls:
        return read_files(dialogue, crawls)
    urls = list(hits)[:PAGES_TO_ANSWER]
    return (dialogue.use("crawl_parallel", urls=urls),)


def _compare(dialogue: Dialogue, sides: Sequence[str]) -> StandInReply:
    """Several things side by side: a run explores each while the report on all is written."""
    now = dialogue.now
    step = search(dialogue, sides)
    if step:
        return step
    topic = f"{', '.join(sides[:-1])} and {sides[-1]}"
    brief = Brief(request=now.words, topic=topic, sides=tuple(sides))
    hits = find_hits(dialogue, sides)
    if hits and dialogue.may_call_tools and "Task" in dialogue.tools:
        step = delegate(dialogue, brief, hits)
        if step:
            return step
    results = {call.arguments["run"]: call for call in now.done(RESULT)}
    runs = [run for call in now.done(PARTS) for run in call.arguments["runs"]]
    if dialogue.may_call_tools and not results.keys() >= set(runs):
        return say(WAITING)
    paragraphs = [
        f"**{capitalised(side)}**\n{call.result}"
        for side in sides
        for call in results.values()
        if FIND_OUT.format(side=side) in call.arguments["task"]
    ]
    return say("\n\n".join([*paragraphs, _conclude(dialogue, brief)]))


def read_brief(dialogue: Dialogue) -> Brief:
    """The brief for a new topic, or for a new section of the report of this thread."""
    now = dialogue.now
    section = SECTION.search(now.words)
    tasks = [call for exchange in dialogue.earlier for call in exchange.done("Task")]
    if section and tasks:
        known = Brief.read(tasks[-1].arguments["prompt"])
        name = section["topic"].strip(' .!"“”')
        sections = dict.fromkeys([*known.sections, name])
        return Brief(request=now.words, topic=known.topic, sections=tuple(sections))
    answers = [ANSWERED.sub("", call.result) for call in now.done("ask_user") if not call.is_error]
    answers = [answer for answer in answers if not answer.startswith("Nobody answered")]
    return Brief(
        request="\n\n".join([now.words, *answers]),
        topic=topic_of(now.words) or topic_of(" ".join(answers)),
    )


def delegate(dialogue: Dialogue, brief: Brief, hits: Mapping[str, str]) -> StandInReply | None:
    """The task for the report expert; None once it was given."""
    if dialogue.now.done("Task"):
        return None
    task = dialogue.use(
        "Task",
        description=f"Report: {brief.topic}"[:80],
        prompt=brief.write(hits),
        subagent_type=EXPERT,
    )
    return (task,)


def _conclude(dialogue: Dialogue, brief: Brief) -> str:
    """The answer: the expert's result with the report's numbers, or sentences of the pages."""
    tasks = dialogue.now.done("Task")
    if tasks:
        return numbered(tasks[-1].result.partition("COMPLIANCE:")[0])
    pages = pages_read(dialogue, rows_of(dialogue.now.done("crawl_parallel")))
    sentences = sentences_on(brief.topic, pages, ANSWER_SENTENCES)
    if not sentences:
        return NOTHING.format(topic=brief.topic) + unread_in(dialogue)
    lines = [f"- {sentence}" for sentence in sentences]
    lines += map(listed, pages)
    return linked("\n".join(lines))
