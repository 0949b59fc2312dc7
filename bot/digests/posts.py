"""The posts about digests: proposals, lists, and the digest itself. Pure."""

from collections.abc import Iterator, Mapping, Sequence
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
    moments_words,
    rule_words,
    slots_after,
)
from agent_core.words import Words
from bot import clicks
from bot.clicks import (
    HomeScheduleClick,
    NewDigestClick,
    ProposalClick,
    ProposalKind,
    ScheduleClick,
    ScheduleVerb,
)
from bot.render import IsLive, PostDraft, card, foreign_line, limits, link, mention, section, split
from bot.words import BOT

NAME_CHARS = 60
TASK_CHARS = 300
LISTED_TASK_CHARS = 80
LINE_CHARS = 320
QUESTION_CHARS = 300
ROOT_CHARS = 3_800
TIMES_SHOWN = 3
LATE_S = 300.0
MAX_LISTED = 20
_CHOICES: Mapping[str, ProposalKind] = {
    "confirm": "digest.confirm",
    "change": "digest.change",
    "cancel": "digest.cancel",
}
_OTHERS_CHOICES: Mapping[str, ProposalKind] = {
    "keep-both": "digest.confirm",
    "cancel": "digest.cancel",
}
_REPEATED_CHOICES: Mapping[str, ProposalKind] = {"replace": "digest.replace", **_OTHERS_CHOICES}
LISTED_CHARS = limits.BLOCK_TEXT_CHARS // (MAX_LISTED + 2)


def as_markdown(digest: PublishedDigest) -> str:
    """What a digest tells, for those who go on with it."""
    lines = [f"- {each.text} {each.source}".rstrip() for each in digest.lines]
    parts = [digest.headline, "\n".join(lines), digest.details]
    return "\n\n".join(part for part in parts if part)


def language_of(order: Order) -> str:
    """The language in which a schedule is told."""
    return detect_language(order.task, locale=order.owner_locale)


def proposal(
    schedule: Schedule,
    now: datetime,
    *,
    may_read: bool = True,
    repeated: Schedule | None = None,
) -> PostDraft:
    """What was understood, and the buttons that agree to it; of a repetition also what it repeats.

    Nobody but its owner may replace a digest.
    """
    order = schedule.order
    language = language_of(order)
    words = BOT.of(language)
    lines = [sentence("understood", schedule, language, now)]
    if order.reads:
        key = "digest-reads" if may_read else "digest-reads-not"
        lines.append(f"_{words(key, reads=f'<#{order.reads}>')}_")
    if order.when_nothing_new == "be_silent":
        lines.append(f"_{words('digest-only-news')}_")
    elif order.when_nothing_new == "say_so":
        lines.append(f"_{words('digest-says-no-news')}_")
    choices = _CHOICES
    ask = words("digest-shall-i")
    if repeated is not None:
        choices = _REPEATED_CHOICES if repeated.order.owner == order.owner else _OTHERS_CHOICES
        ask = sentence("repeats", repeated, language, now)
    lines.append(ask)
    buttons = [
        clicks.button(
            words(f"digest-button-{label}"),
            ProposalClick(kind=kind, schedule=schedule.id),
            "" if number else "primary",
        )
        for number, (label, kind) in enumerate(choices.items())
    ]
    return card("\n".join(lines), *buttons)


def dropped(schedule: Schedule, *, is_replaced: bool) -> PostDraft:
    """What a proposal becomes when its owner has said no, or ordered another instead."""
    key = "digest-replaced" if is_replaced else "digest-not-scheduled"
    return card(BOT.say(language_of(schedule.order), key))


def standing(key: str, schedule: Schedule, now: datetime) -> PostDraft:
    """A schedule that was agreed on, with the buttons for what is done most; none once deleted."""
    language = language_of(schedule.order)
    if schedule.status == "deleted":
        return card(sentence("did-delete", schedule, language, now))
    words = BOT.of(language)
    verbs: tuple[ScheduleVerb, ...] = ("run", _toggle(schedule), "edit")
    buttons = [
        clicks.button(
            words(f"digest-button-{verb}"),
            ScheduleClick(kind="digest.button", schedule=schedule.id, verb=verb),
            number=number,
        )
        for number, verb in enumerate(verbs)
    ]
    return card(sentence(key, schedule, language, now), *buttons)


def _toggle(schedule: Schedule) -> ScheduleVerb:
    return "pause" if schedule.status == "active" else "resume"


def sentence(
    key: str,
    schedule: Schedule,
    language: str,
    now: datetime,
) -> str:
    """One of the sentences about a schedule: `understood`, `changed`, `did-pause` and so on."""
    order = schedule.order
    words = BOT.of(language)
    when = rule_words(order.rule, language)
    is_paused = schedule.status == "paused"
    times = words("digest-is-paused") if is_paused else _next_times(order, language, now)
    return words(
        f"digest-{key}",
        n=str(schedule.number),
        who=mention(order.owner),
        task=foreign_line(order.task, TASK_CHARS),
        when=f"{when[:1].upper()}{when[1:]}",
        channel=channel_name(order.place, words),
        next=times or "-",
    )


def _next_times(order: Order, language: str, now: datetime) -> str:
    """The next moments on the owner's clocks, with their zone where the rule has another one."""
    zone = order.owner_zone or order.rule.zone
    moments = list(islice(slots_after(order.rule, now), TIMES_SHOWN))
    if not moments:
        return ""
    times = moments_words(moments, zone, language)
    if zone == order.rule.zone:
        return times
    return f"{times} ({zone})"


def question(
    text: str,
    language: str,
    missing: str,
    zone: str,
) -> str:
    """What is asked about an order: the model's own question, or ours for what is missing."""
    if text:
        return foreign_line(text, QUESTION_CHARS)
    return BOT.say(language, f"digest-ask-{missing}", zone=zone)


def trouble(schedule: Schedule) -> str:
    """That a run has failed, or why a schedule was paused."""
    words = BOT.of(language_of(schedule.order))
    number = str(schedule.number)
    task = foreign_line(schedule.order.task, TASK_CHARS)
    if schedule.status != "paused":
        return words("digest-failed", n=number, task=task)
    return words(
        "digest-paused-because",
        why=_why(schedule, words),
        n=number,
        task=task,
    )


def listing(
    schedules: Sequence[Schedule],
    language: str,
    now: datetime,
    head: str = "digest-listed",
    *,
    click: type[ScheduleClick | HomeScheduleClick] = ScheduleClick,
) -> PostDraft:
    """Each schedule with the menu of what can be done with it, whose handler is that of `click`."""
    words = BOT.of(language)
    if not schedules:
        return PostDraft(text=words("digest-none"))
    blocks: list[JsonObject] = [section(f"*{words(head)}*")]
    for schedule in schedules[:MAX_LISTED]:
        text = _listed(schedule, words, language, now)
        row = section(_whole(text, LISTED_CHARS))
        verbs: tuple[ScheduleVerb, ...] = (_toggle(schedule), "run", "edit", "delete")
        options = [
            (words(f"digest-button-{verb}"), click(schedule=schedule.id, verb=verb))
            for verb in verbs
        ]
        blocks.append({**row, "accessory": clicks.dots_menu(options)})
    left = len(schedules) - MAX_LISTED
    if left > 0:
        blocks.append(section(words("digest-more", n=str(left))))
    text = "\n".join(block["text"]["text"] for block in blocks)
    return PostDraft(text=_whole(text, limits.TEXT_CHARS), blocks=tuple(blocks))


def offer_of_form(text: str, language: str) -> PostDraft:
    """What is said where nobody can read an order: the form does it as well."""
    words = BOT.of(language)
    click = NewDigestClick(task=" ".join(text.split())[:TASK_CHARS])
    return card(words("digest-away"), clicks.button(words("digest-button-new"), click))


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
    order = schedule.order
    language = language_of(order)
    words = BOT.of(language)
    state = [f"_{note}_" for note in _state(digest, order, slot, before)]
    has_lines = digest.has_news or before is None
    if not has_lines and order.when_nothing_new == "say_so":
        return f"*{foreign_line(order.task, TASK_CHARS)}* · {' '.join(state)}"
    foot = words(
        "digest-footer",
        n=str(schedule.number),
        when=rule_words(order.rule, language),
        who=foreign_line(order.owner_name, NAME_CHARS),  # a mention would ping each time
    )
    notes = "\n".join((*state, f"_{foot}_"))
    lines = [f"*{foreign_line(digest.headline, TASK_CHARS)}*"]
    for each in digest.lines if has_lines else ():
        mark = f"*{words('digest-new-mark')}* " if each.is_new and before else ""
        # By its host: `link` shows it as text where it is not live.
        source = f", {link(each.source, '', is_live)}" if each.source else ""
        lines.append(f"• {mark}{foreign_line(each.text, LINE_CHARS)}{source}")
    text = _whole("\n".join(lines), ROOT_CHARS - len(notes) - 1)
    return f"{text}\n{notes}"


def _state(
    digest: PublishedDigest,
    order: Order,
    slot: Slot,
    before: datetime | None,
) -> Iterator[str]:
    """What a digest is to be read with."""
    words = BOT.of(language_of(order))
    if before is None:
        yield words("digest-first")
    else:
        new = sum(line.is_new for line in digest.lines)
        key = "digest-news-since" if new else "digest-no-news-since"
        count, of = str(new), str(len(digest.lines))
        yield words(key, count=count, of=of, when=_moment(before, order))
    if slot.by_hand:
        yield words("digest-by-hand")
        return
    if (slot.claimed_at - slot.at).total_seconds() > LATE_S:
        yield words("digest-late", when=_moment(slot.at, order))
    if slot.left_out:
        yield words("digest-left-out", n=slot.left_out)


def _listed(
    schedule: Schedule,
    words: Words,
    language: str,
    now: datetime,
) -> str:
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
    channel = channel_name(order.place, words)
    return f"{schedule.number}. *{task}* · {when} · {channel} · _{state}_"


def _why(schedule: Schedule, words: Words) -> str:
    return words(f"digest-why-{schedule.reason.replace('_', '-')}") if schedule.reason else ""


def _whole(text: str, max_chars: int) -> str:
    """As much as a block or a post takes."""
    return split(text, max_chars)[0]


def channel_name(channel: str, words: Words) -> str:
    """A channel as a mention. Slack names no direct conversation by one."""
    return words("digest-in-private") if channel.startswith("D") else f"<#{channel}>"


def _moment(moment: datetime, order: Order) -> str:
    return moment_words(moment, order.rule.zone, language_of(order))
