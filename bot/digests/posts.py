"""The posts about digests: proposals, lists, and the digest itself. Pure."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice

from agent_core.messages import JsonObject
from agent_core.runtime import detect_language
from agent_core.runtime.schedules import (
    Order,
    PublishedDigest,
    Schedule,
    Slot,
    moment_words,
    rule_words,
    slots_after,
)
from agent_core.words import Words
from bot.digests.orders import NotDone
from bot.render import (
    IsLive,
    PostDraft,
    button,
    card,
    foreign_line,
    limits,
    link,
    mention,
    plain_text,
    section,
    split,
)
from bot.slack_api.channels import CHANNEL_ID
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


def as_markdown(digest: PublishedDigest) -> str:
    """What a digest tells, for those who go on with it."""
    lines = [f"- {each.text} {each.source}".rstrip() for each in digest.lines]
    return "\n\n".join(filter(None, [digest.headline, "\n".join(lines), digest.details]))


def language_of(order: Order) -> str:
    """The language in which a schedule is told."""
    return detect_language(order.task, locale=order.owner_locale)


def proposal(schedule: Schedule, now: datetime, *, may_read: bool = True) -> PostDraft:
    """What was understood, and the buttons that agree to it."""
    order, language = schedule.order, language_of(schedule.order)
    words = BOT.of(language)
    lines = [sentence("understood", schedule, language, now)]
    if order.reads:
        reads = words("digest-reads" if may_read else "digest-reads-not", reads=f"<#{order.reads}>")
        lines.append(f"_{reads}_")
    if order.when_nothing_new != "post":
        is_silent = order.when_nothing_new == "be_silent"
        lines.append(f"_{words('digest-only-news' if is_silent else 'digest-says-no-news')}_")
    text = "\n".join([*lines, words("digest-shall-i")])
    buttons = [_button(name, words, schedule.id) for name in ("confirm", "change", "cancel")]
    return card(text, *buttons)


def decided(schedule: Schedule, now: datetime, *, is_change: bool) -> str:
    """What a proposal becomes when its owner has said yes or no."""
    language = language_of(schedule.order)
    if schedule.status == "deleted":
        return BOT.say(language, "digest-not-scheduled")
    return sentence("changed" if is_change else "scheduled", schedule, language, now)


def sentence(key: str, schedule: Schedule, language: str, now: datetime) -> str:
    """One of the sentences about a schedule: `understood`, `changed`, `did-pause` and so on."""
    words, order = BOT.of(language), schedule.order
    zone = order.owner_zone or order.rule.zone
    times = islice(slots_after(order.rule, now), TIMES_SHOWN)
    spoken = " · ".join(moment_words(time, zone, language) for time in times)
    mark = f" ({zone})" if spoken and zone != order.rule.zone else ""
    when = rule_words(order.rule, language)
    return words(
        f"digest-{key}",
        n=str(schedule.number),
        who=mention(order.owner),
        task=foreign_line(order.task, TASK_CHARS),
        when=f"{when[:1].upper()}{when[1:]}",
        channel=_place(order.place, words),
        next=f"{spoken}{mark}" or "-",
    )


def question(text: str, language: str, missing: str, zone: str) -> str:
    """What is asked about an order: the model's own question, or ours for what is missing."""
    if text:
        return foreign_line(text, QUESTION_CHARS)
    return BOT.say(language, f"digest-ask-{missing}", zone=zone)


def refusal(refused: NotDone, language: str) -> str:
    """Why something was not done."""
    slots = dict(refused.slots)
    if channel := slots.get("channel"):
        is_id = CHANNEL_ID.fullmatch(channel)
        name = f"#{foreign_line(channel, NAME_CHARS)}"
        slots["channel"] = f"<#{channel}>" if is_id else name
    if refused.schedule is not None:
        owner = mention(refused.schedule.order.owner)
        slots |= {"n": str(refused.schedule.number), "who": owner}
    return BOT.say(language, f"digest-refusal-{refused.refusal.replace('_', '-')}", **slots)


def trouble(schedule: Schedule) -> str:
    """That a run has failed, or why a schedule was paused."""
    words = BOT.of(language_of(schedule.order))
    named = {"n": str(schedule.number), "task": foreign_line(schedule.order.task, TASK_CHARS)}
    if schedule.status != "paused":
        return words("digest-failed", **named)
    return words("digest-paused-because", why=_why(schedule, words), **named)


def listing(
    schedules: Sequence[Schedule],
    language: str,
    now: datetime,
    head: str = "digest-listed",
    *,
    menu: str = f"{PREFIX}menu",
) -> PostDraft:
    """Each schedule with what can be done with it; `menu` is who is told of that."""
    words = BOT.of(language)
    if not schedules:
        return PostDraft(text=words("digest-none"))
    head = f"*{words(head)}*"
    texts = [_listed(each, words, language, now) for each in schedules[:MAX_LISTED]]
    rows: list[JsonObject] = [
        {**section(_whole(text, LISTED_CHARS)), "accessory": _menu(words, schedule, menu)}
        for schedule, text in zip(schedules, texts, strict=False)
    ]
    left = len(schedules) - MAX_LISTED
    more = [words("digest-more", n=str(left))] if left > 0 else []
    text = _whole("\n".join([head, *texts, *more]), limits.TEXT_CHARS)
    return PostDraft(text=text, blocks=(section(head), *rows, *map(section, more)))


def offer_of_form(text: str, language: str) -> PostDraft:
    """What is said where nobody can read an order: the form does it as well."""
    words = BOT.of(language)
    new = _button("new", words, " ".join(text.split())[:TASK_CHARS] or "-")
    return card(words("digest-away"), new)


def root(
    digest: PublishedDigest,
    schedule: Schedule,
    slot: Slot,
    before: datetime | None,
    is_live: IsLive,
) -> str:
    """The digest's first post: a headline, its lines, and what they are to be read with.

    At most `ROOT_CHARS`, and each line one line. The digest stands beside what was told `before`:
    the moment when the one before it was due, None for the first one.
    """
    order, language = schedule.order, language_of(schedule.order)
    words = BOT.of(language)
    when = rule_words(order.rule, language)
    who = foreign_line(order.owner_name, NAME_CHARS)  # a mention would ping each time
    foot = words("digest-footer", n=str(schedule.number), when=when, who=who)
    state = [f"_{note}_" for note in _state(digest, order, slot, before)]
    has_lines = digest.has_news or before is None
    if not has_lines and order.when_nothing_new == "say_so":
        return f"*{foreign_line(order.task, TASK_CHARS)}* · {' '.join(state)}"
    notes = "\n".join((*state, f"_{foot}_"))
    lines = [f"*{foreign_line(digest.headline, TASK_CHARS)}*"]
    for each in digest.lines if has_lines else ():
        mark = f"*{words('digest-new-mark')}* " if each.is_new and before else ""
        # By its host: `link` shows it as text where it is not live.
        source = f", {link(each.source, '', is_live)}" if each.source else ""
        lines.append(f"• {mark}{foreign_line(each.text, LINE_CHARS)}{source}")
    told = _whole("\n".join(lines), ROOT_CHARS - len(notes) - 1)
    return f"{told}\n{notes}"


def _state(
    digest: PublishedDigest, order: Order, slot: Slot, before: datetime | None
) -> Iterator[str]:
    """What a digest is to be read with."""
    words = BOT.of(language_of(order))
    if before is None:
        yield words("digest-first")
    else:
        new, of = sum(line.is_new for line in digest.lines), len(digest.lines)
        key = "digest-news-since" if new else "digest-no-news-since"
        yield words(key, count=str(new), of=str(of), when=_moment(before, order))
    if slot.by_hand:
        yield words("digest-by-hand")
        return
    if (slot.claimed_at - slot.at).total_seconds() > LATE_S:
        yield words("digest-late", when=_moment(slot.at, order))
    if slot.left_out:
        yield words("digest-left-out", n=slot.left_out)


def _listed(schedule: Schedule, words: Words, language: str, now: datetime) -> str:
    order = schedule.order
    match schedule.status:
        case "paused" if schedule.reason:
            state = words("digest-is-paused-because", why=_why(schedule, words))
        case "paused" | "over":
            state = words(f"digest-is-{schedule.status}")
        case _:
            due = schedule.next_due or now
            state = words("digest-next-is", next=moment_words(due, order.rule.zone, language))
    when = rule_words(order.rule, language)
    task = foreign_line(order.task, LISTED_TASK_CHARS)
    return f"{schedule.number}. *{task}* · {when} · {_place(order.place, words)} · _{state}_"


def _why(schedule: Schedule, words: Words) -> str:
    return words(f"digest-why-{schedule.reason.replace('_', '-')}") if schedule.reason else ""


def _menu(words: Words, schedule: Schedule, name: str) -> JsonObject:
    toggle = "pause" if schedule.status == "active" else "resume"
    options = [
        {"text": plain_text(words(f"digest-button-{verb}")), "value": f"{verb}:{schedule.id}"}
        for verb in (toggle, "run", "edit", "delete")
    ]
    return {"type": "overflow", "action_id": name, "options": options}


def _button(name: str, words: Words, value: str) -> JsonObject:
    style = "primary" if name == "confirm" else ""
    return button(f"{PREFIX}{name}", words(f"digest-button-{name}"), value, style)


def _whole(text: str, max_chars: int = limits.SECTION_CHARS) -> str:
    """As much as a block or a post takes."""
    return split(text, max_chars)[0]


def _place(place: str, words: Words) -> str:
    """Slack names no direct conversation where it is mentioned as a channel."""
    return words("digest-in-private") if place.startswith("D") else f"<#{place}>"


def _moment(moment: datetime, order: Order) -> str:
    return moment_words(moment, order.rule.zone, language_of(order))
