"""Buttons, menus and the form about digests: their handlers, and what the form asks."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import get_args

from agent_core.ids import SessionId, UserId
from agent_core.messages import JsonObject
from agent_core.runtime import detect_language
from agent_core.runtime.schedules import (
    MAX_TASK_CHARS,
    Order,
    PendingOrder,
    Rule,
    ScheduleId,
    WhenNothingNew,
    read_recurrence,
    rule_words,
)
from bot import clicks
from bot.clicks import DigestForm, Errors, Gesture, NewDigestClick, ProposalClick, ScheduleClick
from bot.digests import posts
from bot.digests.orders import DigestOrders, refused, schedule_id
from bot.render import PostDraft, entry, mention, plain_text, section
from bot.slack_api import Op, Person, Receipt, language_of
from bot.threads import parse_session, parse_user
from bot.words import BOT

DAYS = (
    "FREQ=DAILY",
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    *(f"FREQ=WEEKLY;BYDAY={day}" for day in ("MO", "TU", "WE", "TH", "FR", "SA", "SU")),
    "FREQ=MONTHLY;BYMONTHDAY=1",
    "FREQ=MONTHLY;BYMONTHDAY=-1",
)
NEWS: Mapping[str, WhenNothingNew] = {each: each for each in get_args(WhenNothingNew)}
USUAL_TIME = "09:00"
_ANY_MOMENT = datetime(2026, 1, 1, 12, 1, tzinfo=UTC)
_TIME = re.compile(r"\s*([01]?\d|2[0-3])[:.]([0-5]\d)\s*")


@dataclass(slots=True)
class DigestClicks:
    """A click that comes again leaves the same behind. Raises SlackError; it may come again."""

    _orders: DigestOrders

    async def decide(
        self,
        click: ProposalClick,
        gesture: Gesture,
        person: Person,
    ) -> None:
        """Agree to a proposal, take it back, or open its form."""
        if click.kind == "digest.change":
            await self.edit(click.schedule, gesture)
            return
        is_yes = click.kind != "digest.cancel"
        post = Receipt(gesture.sender.channel, gesture.message_ts)
        await self._orders.decide(
            click.schedule,
            gesture.by,
            is_yes=is_yes,
            replaces=click.kind == "digest.replace",
            post=post,
        )
        session = gesture.session
        pending = await self._orders.store.pending_order(session, gesture.by)
        if schedule_id(pending.proposal) == click.schedule:
            # The moment stays: the messages so far were dealt with.
            settled = PendingOrder(heard_at=pending.heard_at)
            await self._orders.store.save_pending(session, gesture.by, settled)

    async def order(
        self,
        click: NewDigestClick,
        gesture: Gesture,
        person: Person,
    ) -> None:
        """Open the form of a new digest, with the words that could not be read if there are any."""
        language = detect_language(click.task, locale=person.locale)
        order = self._new_order(
            gesture.by,
            person,
            gesture.session,
            language,
            click.task,
        )
        await self._open(ScheduleId(""), order, gesture)

    async def choose(
        self,
        click: ScheduleClick,
        gesture: Gesture,
        person: Person,
    ) -> None:
        """Do what was chosen in the thread of the button, where everybody sees who did it."""
        if click.verb == "edit":
            await self.edit(click.schedule, gesture)
            return
        orders = self._orders
        text = await orders.do(click.verb, click.schedule, gesture.by)
        draft = PostDraft(text=f"{mention(gesture.by)}: {text}")
        await orders.answer(parse_session(gesture.session), gesture.key, draft)
        if click.kind == "digest.button":
            schedule = await orders.get(click.schedule, gesture.by)
            post = Receipt(gesture.sender.channel, gesture.message_ts)
            if post.ts != schedule.order.post:
                await orders.show(post, posts.standing("scheduled", schedule, orders.clock()))

    async def edit(self, schedule: ScheduleId, gesture: Gesture) -> None:
        """Open the form of a schedule, from anywhere; what it changes is said where it began."""
        current = await self._orders.get(schedule, gesture.by)
        await self._open(schedule, current.order, gesture)

    async def submit(
        self,
        click: DigestForm,
        gesture: Gesture,
        person: Person,
    ) -> Errors | None:
        """Order or change the schedule as the form says."""
        orders = self._orders
        now = orders.clock()
        language = language_of(person)
        if click.schedule:
            order = (await orders.get(click.schedule, gesture.by)).order
        else:
            order = self._new_order(
                gesture.by,
                person,
                click.session,
                language,
            )
        wanted = read_form(gesture.values, order, language, now)
        if not isinstance(wanted, Order):
            return wanted
        if not click.schedule:
            if not wanted.origin:
                wanted = replace(wanted, origin=await self._begin_thread(gesture, language))
            await self._orders.offer(gesture.key, wanted)
            return None
        thread = parse_session(click.session)
        changed = await orders.change(click.schedule, wanted, gesture.by)
        if changed.status == "proposed":
            draft = await orders.draft(changed)
            await orders.show(Receipt(thread.channel, click.ts), draft)
        else:
            draft = posts.standing("changed", changed, now)
            await orders.answer(thread, gesture.key, draft)
        return None

    async def _begin_thread(self, gesture: Gesture, language: str) -> SessionId:
        """The thread of what was ordered on Home: a new one with the person."""
        thread = await self._orders.api.post_direct(
            gesture.sender.team,
            gesture.sender.user,
            BOT.say(language, "digest-from-home"),
            op=Op(gesture.key).part("thread"),
            since=gesture.pressed_ts,
        )
        return thread.session

    async def _open(
        self,
        schedule: ScheduleId,
        order: Order,
        gesture: Gesture,
    ) -> None:
        session = gesture.session or order.origin
        about = DigestForm(schedule=schedule, session=session, ts=gesture.message_ts)
        view = form(order, posts.language_of(order), about)
        if not await self._orders.api.open_view(gesture.trigger_id, view):
            raise refused("press_again")

    def _new_order(
        self,
        owner: UserId,
        person: Person,
        session: SessionId,
        language: str,
        task: str = "",
    ) -> Order:
        """The beginning of a new digest's form: a person's words, at their usual time."""
        team, _ = parse_user(owner)
        return Order(
            team=team,
            place=parse_session(session).channel if session else "",
            owner=owner,
            owner_name=person.name,
            owner_locale=language,
            task=task,
            rule=on_weekdays(person.zone, self._orders.clock(), person.digest_time),
            origin=session,
            owner_zone=person.zone,
        )


def form(order: Order, language: str, about: DigestForm) -> JsonObject:
    """A modal that shows an order as it is; a rule that its menus do not have stays as it is."""
    words, rule = BOT.of(language), order.rule
    days, time = _days_and_time(rule)
    if days:
        labels: dict[str, str] = {}
        for each in DAYS:
            of_days = Rule(recurrence=each, zone=rule.zone, begins=_ANY_MOMENT)
            labels[each] = rule_words(of_days, language)
        time_label = words("digest-form-time", zone=rule.zone)
        times = [
            entry("days", words("digest-form-days"), _menu(labels, days)),
            entry("time", time_label, _text(time)),
        ]
    else:
        times = [section(rule_words(rule, language))]
    channels: JsonObject = {
        "type": "conversations_select",
        "filter": {"include": ["public", "private"], "exclude_bot_users": True},
    }
    if order.place:
        channels["initial_conversation"] = order.place
    news = {each: words(f"digest-news-{each.replace('_', '-')}") for each in NEWS}
    fields = [
        entry("task", words("digest-form-task"), _text(order.task, multiline=True)),
        *times,
        entry("channel", words("digest-form-channel"), channels),
        entry("news", words("digest-form-news"), _menu(news, order.when_nothing_new)),
    ]
    return clicks.form(
        about,
        words("digest-form-title"),
        words("digest-form-save"),
        words("digest-button-cancel"),
        fields,
    )


def read_form(
    values: Mapping[str, str],
    order: Order,
    language: str,
    now: datetime,
) -> Order | dict[str, str]:
    """The order with what was written, or what is wrong with that by the id of its block."""
    words, rule = BOT.of(language), order.rule
    task = " ".join(values.get("task", "").split())
    if not task:
        return {"task": words("digest-form-task")}
    if days := values.get("days"):
        time = _TIME.fullmatch(values.get("time") or "")
        if time is None:
            return {"time": words("digest-form-time-unclear")}
        recurrence = _recurrence(days, int(time[1]), int(time[2]))
        if recurrence != rule.recurrence:
            rule = replace(rule, recurrence=recurrence, begins=_minute(now))
    return replace(
        order,
        task=task,
        rule=rule,
        place=values.get("channel") or order.place,
        when_nothing_new=NEWS.get(values.get("news", ""), order.when_nothing_new),
    )


def on_weekdays(zone: str, now: datetime, time: str = "") -> Rule:
    """The rule with which the form of a new digest begins: at a person's usual time, or at nine."""
    hour, minute = (time or USUAL_TIME).split(":")
    recurrence = _recurrence(DAYS[1], int(hour), int(minute))
    return Rule(recurrence=recurrence, zone=zone or "UTC", begins=_minute(now))


def _days_and_time(rule: Rule) -> tuple[str, str]:
    """The days of a rule as the menu has them, and its time; empty where the menu has not."""
    read = read_recurrence(rule.recurrence)
    if not read.hours:
        return "", ""
    hour = read.hours[0]
    minute = read.minutes[0] if read.minutes else 0
    for days in DAYS:
        if read == read_recurrence(_recurrence(days, hour, minute)):
            return days, f"{hour:02}:{minute:02}"
    return "", ""


def _recurrence(days: str, hour: int, minute: int) -> str:
    return f"{days};BYHOUR={hour};BYMINUTE={minute}"


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
