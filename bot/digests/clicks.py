"""What people do with the buttons about digests, and the form in which a digest is written."""

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from agent_core.ids import UserId
from agent_core.messages import InboundMessage, JsonObject
from agent_core.prompts.language import detect_language, read_language
from agent_core.schedules.rule import Rule, read_recurrence
from agent_core.schedules.schedule import Schedule, ScheduleId, WhenNothingNew
from agent_core.schedules.told import rule_words
from bot.digests import posts
from bot.digests.clerk import Clerk, NotDone, Wanted
from bot.digests.desk import schedule_id
from bot.ingress import Press, Submission
from bot.render import Draft
from bot.slack_api import People, SlackApi
from bot.threads import ThreadRef, user_id
from bot.words import BOT

logger = logging.getLogger(__name__)

MAX_TASK_CHARS = 1_000
LABEL_CHARS = 75
NEW = "new"
"""In place of a schedule's id: the form orders one."""
KEPT = "kept"
"""The days of a rule that the menu does not have."""
DAYS = (
    "FREQ=DAILY",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    *(f"FREQ=WEEKLY;BYDAY={day}" for day in ("MO", "TU", "WE", "TH", "FR", "SA", "SU")),
    "FREQ=MONTHLY;BYMONTHDAY=1",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
)
_TIME = re.compile(r"\s*([01]?\d|2[0-3])[:.]([0-5]\d)\s*")
_BLOCK_OF = {
    "too_often": "days", "never": "days", "over": "days", "unreadable": "days",
    "unknown_zone": "time", "unknown_channel": "channel", "not_allowed": "channel",
    "bot_not_there": "channel", "asker_not_there": "channel",
}  # fmt: skip


class Clicks:
    """The `Gestures` of digests. Done again, each leaves the same behind."""

    def __init__(
        self, clerk: Clerk, api: SlackApi, people: People, clock: Callable[[], datetime]
    ) -> None:
        self._clerk = clerk
        self._api = api
        self._people = people
        self._clock = clock

    async def press(self, press: Press) -> None:
        """Do what the button says, or tell the person alone why not.

        Raises:
            SlackError: Slack could not be asked; the press may come again.
        """
        name, chosen = press.action_id.removeprefix(posts.PREFIX), press.value
        if name == "menu":
            name, _, chosen = press.value.partition(":")
        who = user_id(press.team, press.user)
        try:
            if name == "new":
                await self._open(press, None, chosen)
            else:
                await self._do(name, ScheduleId(chosen), who, press)
        except NotDone as refused:
            order = refused.schedule.order if refused.schedule else None
            await self._api.post_ephemeral(
                press.channel,
                press.user,
                posts.refusal(refused, posts.language_of(order) if order else "en"),
                thread_ts=press.thread_ts or press.message_ts,
            )

    async def submit(self, submission: Submission) -> Mapping[str, str] | None:
        """Order or change the schedule as the form says."""
        name, language, place = submission.private_metadata.split(" ", 2)
        who, now = user_id(submission.team, submission.user), self._clock()
        language, schedule = read_language(language) or "en", ScheduleId(name)
        try:
            if name == NEW:
                filled = await self._read_new(submission, language)
                if isinstance(filled, dict):
                    return filled
                changed = await self._propose(submission, filled, place, language)
            else:
                current = await self._clerk.may_change(schedule, who)
                filled = read_form(submission.values, current.order.rule, language, now)
                if isinstance(filled, dict):
                    return filled
                changed = await self._clerk.change(schedule, who, filled)
        except NotDone as refused:
            block = _BLOCK_OF.get(refused.refusal, "task")
            return {block: posts.refusal(refused, language)}
        if changed.status == "proposed":
            may_read = await self._clerk.may_read(changed.order)
            draft = posts.proposal(changed, language, now, may_read=may_read)
        else:
            draft = Draft(text=posts.told("changed", changed, language, now))
        await self._answer(place, draft, submission.key)
        return None

    async def _do(self, name: str, schedule: ScheduleId, who: UserId, press: Press) -> None:
        now = self._clock()
        match name:
            case "confirm":
                done = await self._clerk.confirm(schedule, who)
                await self._replace(press, posts.agreed(done, posts.language_of(done.order), now))
            case "cancel":
                done = await self._clerk.cancel(schedule, who)
                language = posts.language_of(done.order)
                no = Draft(text=BOT.say(language, "digest-not-scheduled"))
                is_gone = done.status == "deleted"
                await self._replace(press, no if is_gone else posts.agreed(done, language, now))
            case "change" | "edit":
                await self._open(press, await self._clerk.may_change(schedule, who), "")
            case "pause" | "resume" | "run" | "delete":
                done, said = await self._clerk.do(name, schedule, who)
                # Said in the thread of the list, where everybody sees who did it.
                text = posts.told(said, done, posts.language_of(done.order), now)
                place = _thread(press).session
                await self._answer(place, Draft(text=f"<@{press.user}>: {text}"), press.key)
            case _:
                logger.warning("a button of another version was pressed: %s", name)

    async def _open(self, press: Press, current: Schedule | None, text: str) -> None:
        place = _thread(press).session
        person = await self._people.person(press.user)
        zone, locale = (person.zone, person.locale) if person else ("", "")
        if current is None:
            language = detect_language(text, locale=locale)
            view = new_form(text, press.channel, zone or "UTC", language, place=place)
        else:
            view = form(current, posts.language_of(current.order), place=place)
        if await self._api.views.open(press.trigger_id, view) is None:
            raise NotDone("press_again", current)

    async def _read_new(self, submission: Submission, language: str) -> Wanted | dict[str, str]:
        person = await self._people.person(submission.user)
        zone = (person.zone if person else "") or "UTC"
        begins = self._clock().astimezone(UTC).replace(second=0, microsecond=0)
        template = Rule(recurrence="", zone=zone, begins=begins)
        return read_form(submission.values, template, language, begins)

    async def _propose(
        self, submission: Submission, wanted: Wanted, place: str, language: str
    ) -> Schedule:
        """What a form orders is agreed to like any other order."""
        person = await self._people.person(submission.user)
        message = InboundMessage(
            session=_place(place).session,
            key=submission.key,
            asker=user_id(submission.team, submission.user),
            author_name=person.name if person else submission.user,
            text="",
            received_at=self._clock(),
            author_locale=person.locale if person else "",
            author_zone=person.zone if person else "",
        )
        return await self._clerk.propose(schedule_id(submission.key), wanted, message, language)

    async def _replace(self, press: Press, draft: Draft) -> None:
        blocks = draft.blocks or (posts.section(draft.text),)
        await self._api.update(press.channel, press.message_ts, draft.text, blocks=blocks)

    async def _answer(self, place: str, draft: Draft, key: str) -> None:
        thread = _place(place)
        if await self._api.find_post(thread, key) is None:
            await self._api.post(thread, draft.text, op_id=key, blocks=draft.blocks)


def form(schedule: Schedule, language: str, *, place: str) -> JsonObject:
    """A modal that shows the schedule as it is.

    Args:
        schedule: What is changed.
        language: Of the labels.
        place: Where it was asked for, a session's id: the answer is told there.
    """
    order, rule = schedule.order, schedule.order.rule
    days, time = _taken_apart(rule)
    entries = _Entries(order.task, days, time, order.place, order.when_nothing_new)
    return _modal(entries, rule, language, f"{schedule.id} {language} {place}")


def new_form(text: str, channel: str, zone: str, language: str, *, place: str) -> JsonObject:
    """A modal in which a digest is ordered, with a person's words as its topic."""
    entries = _Entries("" if text == "-" else text, DAYS[1], "", channel, "post")
    rule = Rule(recurrence="", zone=zone, begins=datetime(2026, 1, 1, 12, tzinfo=UTC))
    return _modal(entries, rule, language, f"{NEW} {language} {place}")


def read_form(
    values: Mapping[str, str], rule: Rule, language: str, now: datetime
) -> Wanted | dict[str, str]:
    """What was written, or what is wrong with it by the id of its block.

    Args:
        values: By block id.
        rule: As it was; only its zone and beginning where there was none.
        language: Of the complaints.
        now: From when another rule counts.
    """
    words, days = BOT.of(language), values.get("days") or KEPT
    task = " ".join(values.get("task", "").split())
    if not task:
        return {"task": words("digest-form-task")}
    if days != KEPT or not rule.recurrence:
        time = _TIME.fullmatch(values.get("time") or "")
        if time is None or days not in DAYS:
            return {"time": words("digest-form-time-unclear")}
        recurrence = f"{days};BYHOUR={int(time[1])};BYMINUTE={int(time[2])}"
        if recurrence != rule.recurrence:
            begins = now.astimezone(UTC).replace(second=0, microsecond=0)
            rule = Rule(recurrence=recurrence, zone=rule.zone, begins=begins, ends=rule.ends)
    return Wanted(
        task=task[:MAX_TASK_CHARS],
        rule=rule,
        channel=values.get("channel") or "",
        when_nothing_new=cast("WhenNothingNew", values.get("news") or "post"),
    )


@dataclass(frozen=True, slots=True)
class _Entries:
    """What the form shows when it opens."""

    task: str
    days: str
    time: str
    channel: str
    news: WhenNothingNew


def _taken_apart(rule: Rule) -> tuple[str, str]:
    """The days of a rule as the menu has them, and its time; other rules are kept as they are."""
    read = read_recurrence(rule.recurrence)
    for days in DAYS:
        for hour, minute in zip(read.hours[:1], read.minutes[:1] or (0,), strict=False):
            if read == read_recurrence(f"{days};BYHOUR={hour};BYMINUTE={minute}"):
                return days, f"{hour:02}:{minute:02}"
    return KEPT, ""


def _modal(entries: _Entries, rule: Rule, language: str, metadata: str) -> JsonObject:
    words = BOT.of(language)
    labels = {days: rule_words(_of_days(days, rule), language) for days in DAYS}
    if entries.days == KEPT:
        labels = {KEPT: rule_words(rule, language), **labels}
    news = {
        "post": words("digest-news-post"),
        "say_so": words("digest-news-say-so"),
        "be_silent": words("digest-news-silent"),
    }
    return {
        "type": "modal",
        "callback_id": f"{posts.PREFIX}form",
        "private_metadata": metadata,
        "title": _plain(words("digest-form-title")),
        "submit": _plain(words("digest-form-save")),
        "close": _plain(words("digest-button-cancel")),
        "blocks": [
            _input("task", words("digest-form-task"), _text(entries.task, multiline=True)),
            _input("days", words("digest-form-days"), _menu(labels, entries.days)),
            {
                **_input("time", words("digest-form-time", zone=rule.zone), _text(entries.time)),
                "optional": entries.days == KEPT,
            },
            _input("channel", words("digest-form-channel"), _channels(entries.channel)),
            _input("news", words("digest-form-news"), _menu(news, entries.news)),
        ],
    }


def _of_days(days: str, rule: Rule) -> Rule:
    return Rule(recurrence=days, zone=rule.zone, begins=datetime(2026, 1, 1, 12, 1, tzinfo=UTC))


def _input(name: str, label: str, element: JsonObject) -> JsonObject:
    named = {**element, "action_id": name}
    return {"type": "input", "block_id": name, "label": _plain(label), "element": named}


def _text(value: str, *, multiline: bool = False) -> JsonObject:
    return {
        "type": "plain_text_input",
        "initial_value": value[:MAX_TASK_CHARS],
        "max_length": MAX_TASK_CHARS,
        "multiline": multiline,
    }


def _menu(labels: Mapping[str, str], chosen: str) -> JsonObject:
    options = {name: {"text": _plain(label), "value": name} for name, label in labels.items()}
    return {
        "type": "static_select",
        "options": list(options.values()),
        "initial_option": options[chosen],
    }


def _channels(channel: str) -> JsonObject:
    return {
        "type": "conversations_select",
        "initial_conversation": channel,
        "filter": {"include": ["public", "private"], "exclude_bot_users": True},
    }


def _plain(text: str) -> JsonObject:
    return {"type": "plain_text", "text": text[:LABEL_CHARS]}


def _place(session: str) -> ThreadRef:
    team, channel, root_ts = session.split(":")
    return ThreadRef(team=team, channel=channel, root_ts=root_ts)


def _thread(press: Press) -> ThreadRef:
    root_ts = press.thread_ts or press.message_ts
    return ThreadRef(team=press.team, channel=press.channel, root_ts=root_ts)
