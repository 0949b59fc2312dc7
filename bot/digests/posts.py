"""The posts about digests: proposals, lists, and the digest itself. Pure."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from urllib.parse import urlsplit

from agent_core.messages import JsonObject
from agent_core.prompts.language import detect_language
from agent_core.schedules.digest import PublishedDigest
from agent_core.schedules.rule import slots_after
from agent_core.schedules.schedule import Order, Schedule, Slot
from agent_core.schedules.told import moment_words, rule_words
from agent_core.words import Words
from bot.digests.clerk import NotDone
from bot.render import Draft, IsLive, defanged, limits, one_line, split, to_mrkdwn
from bot.threads import parse_user
from bot.words import BOT

PREFIX = "digest."
"""Of the names of all buttons and forms about digests."""
TASK_CHARS = 300
NAME_CHARS = 60
LISTED_TASK_CHARS = 80
LINE_CHARS = 320
QUESTION_CHARS = 300
ROOT_CHARS = 3_800
TIMES_SHOWN = 3
LATE_S = 300.0
MAX_LISTED = 20
LISTED_CHARS = limits.BLOCK_TEXT_CHARS // (MAX_LISTED + 2)

_OUR_CHANNEL = re.compile(r"<#[A-Z0-9]+>")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>&~|!#])")
_LOOKS_LIKE_TICK = "\u2035"
"""Not a letter: an address behind it is still seen as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One line of a digest: plain words, and the page that says so."""

    text: str
    source: str
    is_new: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run found, as its channel gets it."""

    title: str
    findings: tuple[Finding, ...]
    details: str
    """Markdown for the thread."""
    is_plain: bool = False
    """The run has published nothing: its words are told as they are."""

    @property
    def is_news(self) -> bool:
        """Whether there is anything that was not told before."""
        return self.is_plain or any(finding.is_new for finding in self.findings)

    @property
    def claims(self) -> tuple[str, ...]:
        """What is to be remembered of the lines."""
        return () if self.is_plain else tuple(finding.text for finding in self.findings)

    @property
    def sources(self) -> tuple[str, ...]:
        """The pages that the lines name, as they are remembered."""
        return tuple(address(each.source) for each in self.findings if each.source)


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What a digest says of itself, beside what it found."""

    schedule: Schedule
    slot: Slot
    before: datetime | None
    """When the digest before it was due; None for the first one."""


def report_of(
    published: PublishedDigest, *, known_sources: Collection[str], known_claims: Collection[str]
) -> Report:
    """What was published; told before is what an earlier digest has told, whatever the model says.

    A line is known by its source, where it names one, and by its words, where it names none.
    """

    def finding(text: str, source: str, is_new: bool) -> Finding:
        short = cut(text, LINE_CHARS)
        was_told = address(source) in known_sources if source else short in known_claims
        return Finding(text=short, source=source.strip(), is_new=is_new and not was_told)

    found = [finding(line.text, line.source, line.is_new) for line in published.lines]
    return Report(
        title=cut(published.headline, TASK_CHARS),
        findings=tuple(sorted(found, key=lambda each: not each.is_new)),
        details=published.details.strip(),
    )


def plain_report(answer: str, task: str) -> Report:
    """The words of a run that has published nothing."""
    paragraphs = [part for part in answer.split("\n\n") if not part.lstrip().startswith("#")]
    first = cut(next(filter(str.strip, paragraphs), ""), LINE_CHARS)
    told = (Finding(text=first, source="", is_new=False),) if first else ()
    return Report(title=cut(task, TASK_CHARS), findings=told, details=answer.strip(), is_plain=True)


def address(url: str) -> str:
    """An address by which two links to one page are the same, itself included."""
    try:
        parts = urlsplit(url.strip().partition("#")[0])
    except ValueError:
        return url
    host = parts.netloc.lower().removeprefix("www.")
    query = f"?{parts.query}" if parts.query else ""
    return f"{host}{parts.path.rstrip('/')}{query}"


def as_markdown(report: Report) -> str:
    """What a digest tells, for those who go on with it."""
    lines = [f"- {each.text} {each.source}".rstrip() for each in report.findings]
    return "\n\n".join(filter(None, [report.title, "\n".join(lines), report.details]))


def cut(text: str, max_chars: int) -> str:
    """Words in one line, cut with an ellipsis; not yet escaped."""
    flat = " ".join(text.split())
    return flat if len(flat) <= max_chars else f"{flat[: max_chars - 1].rstrip()}…"


def language_of(order: Order) -> str:
    """The language in which a schedule is told."""
    return detect_language(order.task, locale=order.owner_locale)


def proposal(schedule: Schedule, language: str, now: datetime, *, may_read: bool = True) -> Draft:
    """What was understood, and the buttons that agree to it."""
    words, order = BOT.of(language), schedule.order
    lines = [words("digest-understood", **_facts(schedule, words, language, now))]
    if order.reads:
        reads = words("digest-reads" if may_read else "digest-reads-not", reads=f"<#{order.reads}>")
        lines.append(f"_{reads}_")
    if order.when_nothing_new != "post":
        is_silent = order.when_nothing_new == "be_silent"
        said = words("digest-only-news" if is_silent else "digest-says-no-news")
        lines.append(f"_{said}_")
    lines.append(words("digest-shall-i"))
    text = "\n".join(lines)
    names = ("confirm", "change", "cancel")
    buttons = [button(name, words, schedule.id) for name in names]
    return Draft(text=text, blocks=(section(text), {"type": "actions", "elements": buttons}))


def agreed(schedule: Schedule, language: str, now: datetime) -> Draft:
    """What a proposal becomes when it is confirmed."""
    words = BOT.of(language)
    facts = _facts(schedule, words, language, now)
    who = f"<@{parse_user(schedule.order.owner)[1]}>"
    return Draft(text=words("digest-scheduled", n=str(schedule.number), who=who, **facts))


def told(key: str, schedule: Schedule, language: str, now: datetime) -> str:
    """One of the sentences about a schedule: `paused`, `resumed`, `started` and so on."""
    words = BOT.of(language)
    facts = _facts(schedule, words, language, now)
    return words(f"digest-{key}", n=str(schedule.number), **facts)


def question(text: str, language: str, missing: str, zone: str) -> str:
    """What is asked about an order: the model's own question, or ours for what is missing."""
    if text:
        return _foreign(text, QUESTION_CHARS)
    return BOT.of(language)(f"digest-ask-{missing}", zone=zone)


def refusal(refused: NotDone, language: str) -> str:
    """Why something was not done."""
    words = BOT.of(language)
    slots = {name: _slot(value) for name, value in refused.slots.items()}
    if refused.schedule is not None:
        slots |= {
            "n": str(refused.schedule.number),
            "who": f"<@{parse_user(refused.schedule.order.owner)[1]}>",
        }
    text = words(f"digest-refusal-{refused.refusal.replace('_', '-')}", **slots)
    shown = [
        f"{each.number}. {_foreign(each.order.task, LISTED_TASK_CHARS)}"
        for each in refused.candidates[:MAX_LISTED]
    ]
    return _fallback([text, *shown, *_more(refused.candidates, words)])


def trouble(schedule: Schedule) -> str:
    """That a run has failed, or why a schedule was paused."""
    words = BOT.of(language_of(schedule.order))
    named = {"n": str(schedule.number), "task": _task(schedule)}
    if schedule.status != "paused":
        return words("digest-failed", **named)
    return words("digest-paused-because", why=_why(schedule, words), **named)


def listing(schedules: Sequence[Schedule], language: str, now: datetime) -> Draft:
    """Each schedule with what can be done with it."""
    words = BOT.of(language)
    if not schedules:
        return Draft(text=words("digest-none"))
    blocks: list[JsonObject] = []
    texts: list[str] = []
    for schedule in schedules[:MAX_LISTED]:
        texts.append(_listed(schedule, words, language, now))
        accessory = {"accessory": _menu(words, schedule)}
        blocks.append({**section(texts[-1], LISTED_CHARS), **accessory})
    head, more = f"*{words('digest-listed')}*", _more(schedules, words)
    notes = [section(text) for text in more]
    return Draft(text=_fallback([head, *texts, *more]), blocks=(section(head), *blocks, *notes))


def offer_of_form(text: str, language: str) -> Draft:
    """What is said where nobody can read an order: the form does it as well."""
    words = BOT.of(language)
    said = words("digest-away")
    buttons = [button("new", words, cut(text, TASK_CHARS) or "-")]
    return Draft(text=said, blocks=(section(said), {"type": "actions", "elements": buttons}))


def root(report: Report, telling: Telling, language: str, is_live: IsLive) -> str:
    """The digest's first post: a headline, its lines, and what they are to be read with.

    At most `ROOT_CHARS`, and each line one line. Lines that would not fit with their addresses are
    told without them.
    """
    words, schedule = BOT.of(language), telling.schedule
    title = f"*{_foreign(report.title, TASK_CHARS)}*"
    footer = words(
        "digest-footer",
        n=str(schedule.number),
        when=rule_words(schedule.order.rule, language),
        who=_foreign(schedule.order.owner_name, NAME_CHARS),  # a mention would ping each time
    )
    notes = [f"_{note}_" for note in (*_state(report, telling, words, language), footer)]
    room = ROOT_CHARS - sum(len(text) + 1 for text in (title, *notes))
    mark = words("digest-new-mark") if telling.before else ""
    is_old = telling.before is not None and not report.is_news
    lines = [] if is_old else _finding_lines(report.findings, mark, is_live, room)
    return "\n".join([title, *lines, *notes])


def nothing_new(telling: Telling, language: str) -> str:
    """The one line of a digest that found nothing new since the one before."""
    before = telling.before or telling.slot.at
    when = _moment(before, telling.schedule, language)
    since = BOT.say(language, "digest-no-news-since", when=when)
    return f"*{_task(telling.schedule)}*: {since}"


def button(name: str, words: Words, value: str) -> JsonObject:
    """One of our buttons."""
    style = {"style": "primary"} if name == "confirm" else {}
    return {
        "type": "button",
        "action_id": f"{PREFIX}{name}",
        "text": {"type": "plain_text", "text": words(f"digest-button-{name}")},
        "value": value,
        **style,
    }


def section(text: str, max_chars: int = limits.SECTION_CHARS) -> JsonObject:
    """A paragraph; an update without blocks would leave the buttons where they are."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": split(text, max_chars)[0]}}


def _finding_lines(
    findings: Sequence[Finding], new_mark: str, is_live: IsLive, room: int
) -> list[str]:
    """What one line leaves of its share of the room is the next ones'."""
    lines: list[str] = []
    for number, finding in enumerate(findings):
        share = room // (len(findings) - number) - 1
        mark = f"• *{new_mark}* " if finding.is_new and new_mark else "• "
        line = f"{mark}{_foreign(finding.text, LINE_CHARS)}{_link(finding.source, is_live)}"
        if len(line) > share:
            line = f"{mark}{_foreign(finding.text, max(1, share - len(mark)))}"[: max(1, share)]
        lines.append(line)
        room -= len(line) + 1
    return lines


def _link(source: str, is_live: IsLive) -> str:
    if not source:
        return ""
    label = _MARKUP.sub(r"\\\1", address(source).partition("/")[0])
    return f", {defanged(to_mrkdwn(f'[{label}](<{source}>)'), is_live)}"


def _state(report: Report, telling: Telling, words: Words, language: str) -> list[str]:
    """What a digest is to be read with."""
    slot, said = telling.slot, list[str]()
    if telling.before is None:
        said.append(words("digest-first"))
    elif not report.is_plain:
        when = _moment(telling.before, telling.schedule, language)
        new, of = sum(finding.is_new for finding in report.findings), len(report.findings)
        since = words("digest-news-since", count=str(new), of=str(of), when=when)
        said.append(since if new else words("digest-no-news-since", when=when))
    if slot.by_hand:
        return [*said, words("digest-by-hand")]
    if (slot.claimed_at - slot.at).total_seconds() > LATE_S:
        said.append(words("digest-late", when=_moment(slot.at, telling.schedule, language)))
    if slot.left_out:
        said.append(words("digest-left-out", n=slot.left_out))
    return said


def _facts(schedule: Schedule, words: Words, language: str, now: datetime) -> dict[str, str]:
    order = schedule.order
    times = islice(slots_after(order.rule, now), TIMES_SHOWN)
    zone = order.owner_zone or order.rule.zone
    spoken = " · ".join(moment_words(time, zone, language) for time in times)
    mark = f" ({zone})" if spoken and zone != order.rule.zone else ""
    when = rule_words(order.rule, language)
    return {
        "task": _task(schedule),
        "when": f"{when[:1].upper()}{when[1:]}",
        "channel": _place(order.place, words),
        "next": f"{spoken}{mark}" or "-",
    }


def _listed(schedule: Schedule, words: Words, language: str, now: datetime) -> str:
    order = schedule.order
    match schedule.status:
        case "paused":
            why = _why(schedule, words)
            because = words("digest-is-paused-because", why=why) if why else ""
            state = because or words("digest-is-paused")
        case "over":
            state = words("digest-is-over")
        case _:
            due = schedule.next_due or now
            state = words("digest-next-is", next=_moment(due, schedule, language))
    when = rule_words(order.rule, language)
    task = _foreign(order.task, LISTED_TASK_CHARS)
    return f"{schedule.number}. *{task}* · {when} · {_place(order.place, words)} · _{state}_"


def _why(schedule: Schedule, words: Words) -> str:
    return words(f"digest-why-{schedule.reason.replace('_', '-')}") if schedule.reason else ""


def _menu(words: Words, schedule: Schedule) -> JsonObject:
    toggle = "pause" if schedule.status == "active" else "resume"
    return {
        "type": "overflow",
        "action_id": f"{PREFIX}menu",
        "options": [
            {
                "text": {"type": "plain_text", "text": words(f"digest-button-{name}")},
                "value": f"{name}:{schedule.id}",
            }
            for name in (toggle, "run", "edit", "delete")
        ],
    }


def _fallback(texts: Sequence[str]) -> str:
    """A text for where no blocks are shown, as much as one post takes."""
    return split("\n".join(texts), limits.TEXT_CHARS)[0]


def _more(schedules: Sequence[Schedule], words: Words) -> list[str]:
    left = len(schedules) - MAX_LISTED
    return [words("digest-more", n=str(left))] if left > 0 else []


def _task(schedule: Schedule) -> str:
    return _foreign(schedule.order.task, TASK_CHARS)


def _place(place: str, words: Words) -> str:
    """Slack names no direct conversation where it is mentioned as a channel."""
    return words("digest-in-private") if place.startswith("D") else f"<#{place}>"


def _slot(value: str) -> str:
    """A channel's mention is ours; whatever else fills a sentence was written by a person."""
    return value if _OUR_CHANNEL.fullmatch(value) else _foreign(value, LISTED_TASK_CHARS)


def _foreign(text: str, max_chars: int) -> str:
    """Foreign words in a sentence of ours: no mention, no markup, no address that is live."""
    return defanged(one_line(text.replace("`", _LOOKS_LIKE_TICK), max_chars), lambda _url: False)


def _moment(moment: datetime, schedule: Schedule, language: str) -> str:
    return moment_words(moment, schedule.order.rule.zone, language)
