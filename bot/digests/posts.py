"""The posts about digests: proposals, lists, and the digest itself. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from agent_core.messages import JsonObject
from agent_core.prompts.language import Language
from agent_core.schedules.rule import slots_after
from agent_core.schedules.schedule import Schedule, Slot
from agent_core.schedules.spoken import moment_words, rule_words
from bot.digests.clerk import NotDone
from bot.digests.report import Finding, Report, plain
from bot.digests.words import WORDS, Button, Words
from bot.render import Draft, IsLive, defanged, limits, one_line, split, to_mrkdwn
from bot.threads import parse_user

PREFIX = "digest."
"""Of the names of all buttons and forms about digests."""
TASK_CHARS = 300
NAME_CHARS = 60
LISTED_TASK_CHARS = 80
ROOT_CHARS = 3_800
TIMES_SHOWN = 3
LATE_S = 300.0
MAX_LISTED = 20
LISTED_CHARS = limits.BLOCK_TEXT_CHARS // (MAX_LISTED + 2)

_OUR_CHANNEL = re.compile(r"<#[A-Z0-9]+>")
_BACKTICKS = re.compile("(`(?!\u200b)[^`\n]+`)|`")
"""Those of code, and single ones, which would pair with that of an address shown as code."""
_LOOKS_LIKE_ONE = "\u2035"
"""Not a letter: an address behind it is still seen as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """What a digest says of itself, beside what it found."""

    schedule: Schedule
    slot: Slot
    before: datetime | None
    """When the digest before it was due; None for the first one."""


def proposal(schedule: Schedule, language: Language, now: datetime) -> Draft:
    """What was understood, and the buttons that agree to it."""
    words, order = WORDS[language], schedule.order
    lines = [words.understood.format(**_facts(schedule, language, now))]
    if order.when_nothing_new != "post":
        silent = order.when_nothing_new == "be_silent"
        lines.append(f"_{words.only_news if silent else words.says_no_news}_")
    lines.append(words.shall_i)
    text = "\n".join(lines)
    buttons = [_button(name, words, schedule) for name in ("confirm", "change", "cancel")]
    return Draft(text=text, blocks=(_section(text), {"type": "actions", "elements": buttons}))


def agreed(schedule: Schedule, language: Language, now: datetime) -> Draft:
    """What a proposal becomes when it is confirmed."""
    words = WORDS[language]
    facts = _facts(schedule, language, now)
    who = f"<@{parse_user(schedule.order.owner)[1]}>"
    return Draft(text=words.scheduled.format(n=schedule.number, who=who, **facts))


def told(form: str, schedule: Schedule, language: Language, now: datetime) -> str:
    """One of the sentences about a schedule, its slots filled."""
    return form.format(n=schedule.number, **_facts(schedule, language, now))


def named(form: str, schedule: Schedule, **slots: str) -> str:
    """A sentence that names a schedule and says nothing of its times."""
    return form.format(n=schedule.number, task=_task(schedule), **slots)


def refusal(refused: NotDone, language: Language) -> str:
    """Why something was not done."""
    words = WORDS[language]
    slots = {name: _slot(value) for name, value in refused.slots.items()}
    if refused.schedule is not None:
        slots |= {
            "n": str(refused.schedule.number),
            "who": f"<@{parse_user(refused.schedule.order.owner)[1]}>",
        }
    text = words.refusals[refused.refusal].format(**slots)
    shown = [
        f"{each.number}. {_task(each, LISTED_TASK_CHARS)}"
        for each in refused.candidates[:MAX_LISTED]
    ]
    return _fallback([text, *shown, *_more(refused.candidates, words)])


def listing(schedules: Sequence[Schedule], language: Language, now: datetime) -> Draft:
    """Each schedule with what can be done with it."""
    words = WORDS[language]
    if not schedules:
        return Draft(text=words.none)
    blocks: list[JsonObject] = []
    texts: list[str] = []
    for schedule in schedules[:MAX_LISTED]:
        text = _listed(schedule, language, now)
        texts.append(text)
        section = _section(text, LISTED_CHARS)
        blocks.append({**section, "accessory": _menu(words, schedule)})
    head, more = f"*{words.listed}*", _more(schedules, words)
    notes = [_section(text) for text in more]
    return Draft(text=_fallback([head, *texts, *more]), blocks=(_section(head), *blocks, *notes))


def root(report: Report, telling: Telling, language: Language, is_live: IsLive) -> str:
    """The digest's first post: a headline, its lines, and what they are to be read with.

    At most `ROOT_CHARS`, and each line one line. Lines that would not fit with their addresses are
    told without them.
    """
    words, schedule = WORDS[language], telling.schedule
    title = f"*{_foreign(report.title, TASK_CHARS)}*"
    footer = words.footer.format(
        n=schedule.number,
        when=rule_words(schedule.order.rule, language),
        who=_foreign(schedule.order.owner_name, NAME_CHARS),  # a mention would ping each time
    )
    state = _state(report, telling, words, language)
    notes = [f"_{note}_" for note in (state, *_notes(telling, words, language), footer)]
    room = ROOT_CHARS - sum(len(text) + 1 for text in (title, *notes))
    new_mark = words.new_mark if telling.before else ""
    is_old = telling.before is not None and not report.is_news
    lines = [] if is_old else _finding_lines(report.findings, new_mark, is_live, room)
    return "\n".join([title, *lines, *notes])


def nothing_new(telling: Telling, language: Language) -> str:
    """The one line of a digest that found nothing new since the one before."""
    words, before = WORDS[language], telling.before or telling.slot.at
    since = words.no_news_since.format(when=_moment(before, telling.schedule, language))
    return f"*{_task(telling.schedule)}*: {since}"


def _finding_lines(
    findings: Sequence[Finding], new_mark: str, is_live: IsLive, room: int
) -> list[str]:
    """What one line leaves of its share of the room is the next ones'."""
    lines: list[str] = []
    for number, finding in enumerate(findings):
        share = room // (len(findings) - number) - 1
        mark = f"**{new_mark}** " if finding.is_new and new_mark else ""
        lines.append(_finding_line(f"• {mark}", finding.text, is_live, share))
        room -= len(lines[-1]) + 1
    return lines


def _finding_line(mark: str, text: str, is_live: IsLive, max_chars: int) -> str:
    """Behind the bullet nothing is a heading, a list or a fence."""
    line = _rendered(f"{mark}{text}", is_live)
    max_words = max_chars
    while len(line) > max_chars and max_words > 0:
        line = f"{_rendered(mark, is_live)} {_foreign(plain(text) or text, max_words)}"
        max_words = max_words * 3 // 4
    return line


def _rendered(markdown: str, is_live: IsLive) -> str:
    paired = _BACKTICKS.sub(lambda match: match[1] or _LOOKS_LIKE_ONE, to_mrkdwn(markdown))
    return defanged(paired, is_live)


def _state(report: Report, telling: Telling, words: Words, language: Language) -> str:
    if telling.before is None:
        return words.first
    when = _moment(telling.before, telling.schedule, language)
    new = sum(finding.is_new for finding in report.findings)
    if not new:
        return words.no_news_since.format(when=when)
    return words.news_since.format(count=new, of=len(report.findings), when=when)


def _notes(telling: Telling, words: Words, language: Language) -> list[str]:
    slot = telling.slot
    if slot.by_hand:
        return [words.by_hand]
    notes: list[str] = []
    if (slot.claimed_at - slot.at).total_seconds() > LATE_S:
        notes.append(words.late.format(when=_moment(slot.at, telling.schedule, language)))
    if slot.left_out:
        notes.append(words.count(words.left_out, slot.left_out))
    return notes


def _facts(schedule: Schedule, language: Language, now: datetime) -> dict[str, str]:
    order = schedule.order
    times = islice(slots_after(order.rule, now), TIMES_SHOWN)
    zone = order.owner_zone or order.rule.zone
    spoken = " · ".join(moment_words(time, zone, language) for time in times)
    mark = f" ({zone})" if spoken and zone != order.rule.zone else ""
    return {
        "task": _task(schedule),
        "when": _capital(rule_words(order.rule, language)),
        "channel": _place(order.place, WORDS[language]),
        "next": f"{spoken}{mark}" or "-",
    }


def _listed(schedule: Schedule, language: Language, now: datetime) -> str:
    words, order = WORDS[language], schedule.order
    match schedule.status:
        case "paused":
            why = words.why_paused.get(schedule.reason, "")
            state = words.is_paused_because.format(why=why) if why else words.is_paused
        case "over":
            state = words.is_over
        case _:
            due = schedule.next_due or now
            state = words.next_is.format(next=_moment(due, schedule, language))
    when = rule_words(order.rule, language)
    task = _task(schedule, LISTED_TASK_CHARS)
    return f"{schedule.number}. *{task}* · {when} · {_place(order.place, words)} · _{state}_"


def _menu(words: Words, schedule: Schedule) -> JsonObject:
    toggle: Button = "pause" if schedule.status == "active" else "resume"
    names: tuple[Button, ...] = (toggle, "run", "edit", "delete")
    return {
        "type": "overflow",
        "action_id": f"{PREFIX}menu",
        "options": [
            {
                "text": {"type": "plain_text", "text": words.buttons[name]},
                "value": f"{name}:{schedule.id}",
            }
            for name in names
        ],
    }


def _button(name: Button, words: Words, schedule: Schedule) -> JsonObject:
    style = {"style": "primary"} if name == "confirm" else {}
    return {
        "type": "button",
        "action_id": f"{PREFIX}{name}",
        "text": {"type": "plain_text", "text": words.buttons[name]},
        "value": schedule.id,
        **style,
    }


def _section(text: str, max_chars: int = limits.SECTION_CHARS) -> JsonObject:
    return {"type": "section", "text": {"type": "mrkdwn", "text": split(text, max_chars)[0]}}


def _fallback(texts: Sequence[str]) -> str:
    """A text for where no blocks are shown, as much as one post takes."""
    return split("\n".join(texts), limits.TEXT_CHARS)[0]


def _more(schedules: Sequence[Schedule], words: Words) -> list[str]:
    left = len(schedules) - MAX_LISTED
    return [words.more.format(n=left)] if left > 0 else []


def _task(schedule: Schedule, max_chars: int = TASK_CHARS) -> str:
    return _foreign(schedule.order.task, max_chars)


def _place(place: str, words: Words) -> str:
    """Slack names no direct conversation where it is mentioned as a channel."""
    return words.in_private if place.startswith("D") else f"<#{place}>"


def _slot(value: str) -> str:
    """A channel's mention is ours; whatever else fills a sentence was written by a person."""
    return value if _OUR_CHANNEL.fullmatch(value) else _foreign(value, LISTED_TASK_CHARS)


def _foreign(text: str, max_chars: int) -> str:
    """Foreign words in a sentence of ours: no mention, no markup, no address that is live."""
    return defanged(one_line(text.replace("`", _LOOKS_LIKE_ONE), max_chars), lambda _url: False)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _moment(moment: datetime, schedule: Schedule, language: Language) -> str:
    return moment_words(moment, schedule.order.rule.zone, language)
