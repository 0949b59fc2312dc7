"""What people do with the buttons about digests, and the form in which a digest is written."""

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime

from agent_core.ids import SessionId
from agent_core.messages import JsonObject
from agent_core.runtime import detect_language
from agent_core.runtime.schedules import (
    MAX_TASK_CHARS,
    BadRule,
    Order,
    Rule,
    ScheduleId,
    read_recurrence,
    rule_words,
)
from bot.digests import posts
from bot.digests.messages import DigestMessages
from bot.digests.orders import NotDone, Orders
from bot.ingress import Press, Submission
from bot.render import Draft, entry, modal, plain_text, section
from bot.slack_api import SlackApi
from bot.threads import ThreadRef, parse_session, user_id
from bot.words import BOT

logger = logging.getLogger(__name__)

NEW = "new"
"""In place of a schedule's id: the form orders one."""
DAYS = (
    "FREQ=DAILY",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    *(f"FREQ=WEEKLY;BYDAY={day}" for day in ("MO", "TU", "WE", "TH", "FR", "SA", "SU")),
    "FREQ=MONTHLY;BYMONTHDAY=1",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
)
_TIME = re.compile(r"\s*([01]?\d|2[0-3])[:.]([0-5]\d)\s*")


class Clicks:
    """The `Gestures` of digests. Done again, each leaves the same behind."""

    def __init__(
        self,
        orders: Orders,
        messages: DigestMessages,
        api: SlackApi,
        clock: Callable[[], datetime],
    ) -> None:
        self._orders = orders
        self._messages = messages
        self._api = api
        self._clock = clock

    async def press(self, press: Press) -> None:
        """Do what the button says, or tell the person alone why not.

        Raises:
            SlackError: Slack could not be asked; the press may come again.
        """
        name, value = press.action_id.removeprefix(posts.PREFIX), press.value
        if name == "menu":
            name, _, value = press.value.partition(":")
        try:
            await self._do(name, value, press)
        except NotDone as refused:
            language = posts.language_of(refused.schedule.order) if refused.schedule else "en"
            await self._api.post_ephemeral(
                press.channel,
                press.user,
                posts.refusal(refused, language),
                thread_ts=press.thread.root_ts,
            )

    async def submit(self, submission: Submission) -> Mapping[str, str] | None:
        """Order or change the schedule as the form says."""
        name, language, place, ts = submission.private_metadata.split(" ", 3)
        thread = parse_session(SessionId(place))
        who, now = user_id(submission.team, submission.user), self._clock()
        try:
            if name == NEW:
                order = await self._new_order(submission.user, thread, language)
            else:
                order = (await self._orders.get(ScheduleId(name), who)).order
            wanted = read_form(submission.values, order, language, now)
            if not isinstance(wanted, Order):
                return wanted
            if name == NEW:
                await self._messages.offer(submission.key, wanted)
                return None
            changed = await self._orders.change(ScheduleId(name), wanted, who)
        except NotDone as refused:
            is_when = isinstance(refused.__cause__, BadRule) and "days" in submission.values
            block = "channel" if "channel" in refused.slots else "days" if is_when else "task"
            return {block: posts.refusal(refused, language)}
        if changed.status == "proposed":
            draft = await self._messages.proposal(changed)
            await self._api.update(thread.channel, ts, draft.text, blocks=draft.blocks)
        else:
            told = posts.told("changed", changed, language, now)
            await self._messages.answer(thread, submission.key, Draft(text=told))
        return None

    async def _do(self, name: str, value: str, press: Press) -> None:
        who, schedule = user_id(press.team, press.user), ScheduleId(value)
        match name:
            case "confirm" | "cancel":
                place = {"channel": press.channel, "ts": press.message_ts}
                await self._messages.decide(schedule, who, is_yes=name == "confirm", **place)
            case "new":
                thread = press.thread
                order = await self._new_order(press.user, thread, "", words=value)
                await self._open(press, NEW, order)
            case "change" | "edit":
                await self._open(press, value, (await self._orders.get(schedule, who)).order)
            case "pause" | "resume" | "run" | "delete":
                told = await self._messages.do(name, schedule, who)
                # Said in the thread of the list, where everybody sees who did it.
                draft = Draft(text=f"<@{press.user}>: {told}")
                await self._messages.answer(press.thread, press.key, draft)
            case _:
                logger.warning("a button of another version was pressed: %s", name)

    async def _open(self, press: Press, name: str, order: Order) -> None:
        language = posts.language_of(order)
        metadata = f"{name} {language} {press.thread.session} {press.message_ts}"
        view = form(order, language, metadata)
        if not await self._api.open_view(press.trigger_id, view):
            raise NotDone("press_again")

    async def _new_order(
        self, user: str, thread: ThreadRef, language: str, *, words: str = "-"
    ) -> Order:
        """What the form of a new digest begins with: a person's words, on weekdays at nine."""
        person = await self._orders.people.person(user)
        locale = person.locale if person else ""
        return Order(
            team=thread.team,
            place=thread.channel,
            owner=user_id(thread.team, user),
            owner_name=person.name if person else user,
            owner_locale=language or detect_language(words, locale=locale),
            task="" if words == "-" else words,
            rule=Rule(
                recurrence=f"{DAYS[1]};BYHOUR=9;BYMINUTE=0",
                zone=(person.zone if person else "") or "UTC",
                begins=_minute(self._clock()),
            ),
            origin=thread.session,
            owner_zone=person.zone if person else "",
        )


def form(order: Order, language: str, metadata: str) -> JsonObject:
    """A modal that shows an order as it is; a rule that its menus do not have stays as it is."""
    words, rule = BOT.of(language), order.rule
    days, time = _taken_apart(rule)
    labels = {each: rule_words(_of_days(each, rule), language) for each in DAYS}
    news = {"post": words("digest-news-post"), "be_silent": words("digest-news-silent")}
    channels = {
        "type": "conversations_select",
        "initial_conversation": order.place,
        "filter": {"include": ["public", "private"], "exclude_bot_users": True},
    }
    label = words("digest-form-time", zone=rule.zone)
    times = [section(rule_words(rule, language))]
    if days:
        times = [
            entry("days", words("digest-form-days"), _menu(labels, days)),
            entry("time", label, _text(time)),
        ]
    chosen = "be_silent" if order.only_when_new else "post"
    return modal(
        f"{posts.PREFIX}form",
        words("digest-form-title"),
        words("digest-form-save"),
        words("digest-button-cancel"),
        private_metadata=metadata,
        blocks=[
            entry("task", words("digest-form-task"), _text(order.task, multiline=True)),
            *times,
            entry("channel", words("digest-form-channel"), channels),
            entry("news", words("digest-form-news"), _menu(news, chosen)),
        ],
    )


def read_form(
    values: Mapping[str, str], order: Order, language: str, now: datetime
) -> Order | dict[str, str]:
    """The order as it was written, or what is wrong with it by the id of its block.

    Args:
        values: By block id.
        order: As it was when the form was opened.
        language: Of the complaints.
        now: From when another rule counts.
    """
    words, rule = BOT.of(language), order.rule
    task = " ".join(values.get("task", "").split())
    if not task:
        return {"task": words("digest-form-task")}
    if days := values.get("days"):
        time = _TIME.fullmatch(values.get("time") or "")
        if time is None:
            return {"time": words("digest-form-time-unclear")}
        recurrence = f"{days};BYHOUR={int(time[1])};BYMINUTE={int(time[2])}"
        if recurrence != rule.recurrence:
            rule = replace(rule, recurrence=recurrence, begins=_minute(now))
    return replace(
        order,
        task=task,
        rule=rule,
        place=values.get("channel") or order.place,
        only_when_new=values.get("news") == "be_silent",
    )


def _taken_apart(rule: Rule) -> tuple[str, str]:
    """The days of a rule as the menu has them, and its time; empty where the menu has not."""
    read = read_recurrence(rule.recurrence)
    for days in DAYS:
        for hour, minute in zip(read.hours[:1], read.minutes[:1] or (0,), strict=False):
            if read == read_recurrence(f"{days};BYHOUR={hour};BYMINUTE={minute}"):
                return days, f"{hour:02}:{minute:02}"
    return "", ""


def _of_days(days: str, rule: Rule) -> Rule:
    return Rule(recurrence=days, zone=rule.zone, begins=datetime(2026, 1, 1, 12, 1, tzinfo=UTC))


def _text(value: str, *, multiline: bool = False) -> JsonObject:
    return {
        "type": "plain_text_input",
        "initial_value": value[:MAX_TASK_CHARS],
        "max_length": MAX_TASK_CHARS,
        "multiline": multiline,
    }


def _menu(labels: Mapping[str, str], chosen: str) -> JsonObject:
    options = {name: {"text": plain_text(label), "value": name} for name, label in labels.items()}
    return {
        "type": "static_select",
        "options": list(options.values()),
        "initial_option": options[chosen],
    }


def _minute(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(second=0, microsecond=0)
