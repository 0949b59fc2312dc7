"""What people say and press about digests, answered with a proposal or with what was done.

A message comes here behind its acknowledgement and is in the ledger until this is done with it, so
it may come again: what it orders has an id that is made from the message's, and so has the answer.
"""

import hashlib
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pydantic import TypeAdapter

from agent_core.ids import SessionId, UserId
from agent_core.messages import InboundMessage
from agent_core.runtime import Marks, detect_language, read_language, short_form
from agent_core.runtime.schedules import (
    BadRule,
    Order,
    OrderDraft,
    OrderMessage,
    OrderReader,
    OrderReading,
    ReaderAway,
    Rule,
    Schedule,
    ScheduleId,
    check_draft,
    smells_of_order,
)
from bot.digests import posts
from bot.digests.form import form, on_weekdays, read_form
from bot.digests.orders import DigestOrders, NotDone
from bot.ingress import Press, Submission
from bot.render import PostDraft, card
from bot.slack_api import Op, Receipt, SlackApi
from bot.threads import ThreadRef, parse_session, parse_user, user_id
from bot.words import BOT

logger = logging.getLogger(__name__)

NEW = "new"
"""In place of a schedule's id: the form orders one."""
_CHANNEL = re.compile(r"(?<![\w&])#[\w-]+")


def schedule_id(key: str) -> ScheduleId:
    """The id of what a message orders: the same however often it is taken up."""
    return ScheduleId(hashlib.sha256(key.encode()).hexdigest()[:16])


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """What one person ordered in one thread and has not settled; empty where nothing waits."""

    language: str = ""
    """Of their words about it."""
    draft: OrderDraft | None = None
    """What is known of it."""
    proposal: str = ""
    """The key of the message that led to the newest proposal."""
    doing: OrderDraft | None = None
    """What the model read in the message that is being dealt with."""


PENDING = TypeAdapter(Pending)


@dataclass(slots=True)
class DigestMessages:
    """Takes the messages that are about digests, all others are the agent's, and the gestures.

    Done again for one message or gesture, it leaves the same behind. Everything raises SlackError
    where Slack could not be asked, or took no answer; it may come again.
    """

    _orders: DigestOrders
    _reader: OrderReader
    _api: SlackApi
    _marks: Marks
    _clock: Callable[[], datetime]

    async def take(self, message: InboundMessage, *, is_order: bool = False) -> bool:
        """Answer a message that is about digests; False where it is about something else.

        Only one in which the classifier sees an order (`is_order`), that smells of one, or stands
        where one waits, is read at all.
        """
        text = message.text
        is_to_be_read = bool(
            is_order
            or smells_of_order(text)
            or _CHANNEL.search(text)
            or short_form(text, "digests")
        )
        if message.key == message.session and not is_to_be_read:
            return False
        if message.scheduled or message.attachments:
            return False  # only a person's own words order something
        pending, thread = await self._waiting(message), parse_session(message.session)
        if pending is None:
            return True
        consent = _consent(message.text) if pending.proposal else ""
        if not (consent or is_to_be_read or pending.draft or pending.doing):
            return False
        found = await self._settle(message, pending, consent)
        if found is None:
            return False
        left, answer = found
        if answer is not None:
            await self._answer(thread, message.key, answer)
        if consent != "yes" and pending.proposal not in ("", left.proposal):
            await self._decide_on(pending.proposal, thread.session, message.asker, is_yes=False)
        left = replace(left, doing=None)
        await self._save(thread.session, message.asker, f"{_stamp(message)} 1", left)
        return True

    async def has_order(self, key: str) -> bool:
        """Whether a message ordered a digest that waits for a yes."""
        return await self._orders.waiting(schedule_id(key)) is not None

    async def take_back(self, key: str, text: str = "") -> InboundMessage | None:
        """The message that ordered a digest is gone, or says something else now.

        Returns it with its new words; None where nothing waits for a yes. Then nothing was changed.
        """
        proposed = await self._orders.waiting(schedule_id(key))
        if proposed is None:
            return None
        order, now = proposed.order, self._clock()
        await self._decide_on(key, order.origin, order.owner, is_yes=False)
        return InboundMessage(
            session=order.origin,
            key=f"{key}:{now:%Y%m%dT%H%M%S%f}",
            asker=order.owner,
            author_name=order.owner_name,
            text=text,
            received_at=now,
            author_locale=order.owner_locale,
            author_zone=order.owner_zone,
        )

    async def _offer(self, key: str, order: Order) -> None:
        """Propose an order in its thread, with the buttons that agree to it."""
        proposed = await self._orders.propose(schedule_id(key), order)
        draft = await self._proposal(proposed)
        await self._answer(parse_session(order.origin), key, draft)

    async def _proposal(self, proposed: Schedule) -> PostDraft:
        """What is asked before anything is scheduled."""
        may_read = await self._orders.may_read(proposed.order)
        return posts.proposal(proposed, self._clock(), may_read=may_read)

    async def do(self, verb: str, schedule: ScheduleId, by: UserId, language: str = "") -> str:
        """Pause, resume, run or delete a schedule; what is to be said of it."""
        done = await self._orders.do(verb, schedule, by)
        language = language or posts.language_of(done.order)
        return posts.sentence(f"did-{verb}", done, language, self._clock())

    async def _answer(self, thread: ThreadRef, key: str, draft: PostDraft) -> None:
        """One answer to a message or a gesture, however often it is taken up."""
        if await self._api.find_post(thread, _op(key)) is None:
            await self._api.post(thread, draft.text, op=_op(key), blocks=draft.blocks)

    async def _decide(
        self, proposal: ScheduleId, by: UserId, *, is_yes: bool, post: Receipt | None
    ) -> None:
        """Agree to a proposal or take it back, and say so in its post, where the buttons stood."""
        order = (await self._orders.get(proposal, by, is_proposal=True)).order
        done = await self._orders.decide(proposal, by, is_yes=is_yes)
        told = card(posts.decided(done, self._clock(), is_change=bool(order.changes)))
        if post is not None:
            await self._api.update(post.channel, post.ts, told.text, blocks=told.blocks)

    async def press(self, press: Press) -> None:
        """Do what a button says, or tell the person alone why not."""
        name, value = press.action_id.removeprefix(posts.PREFIX), press.value
        if name == "menu":
            name, _, value = press.value.partition(":")
        try:
            await self._press(name, value, press)
        except NotDone as refused:
            language = refused.slots.get("language", "en")
            if refused.schedule is not None:
                language = posts.language_of(refused.schedule.order)
            said, thread = posts.refusal(refused, language), press.thread
            await self._api.post_ephemeral(
                thread.channel, press.user, said, thread_ts=thread.root_ts
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
                await self._offer(submission.key, wanted)
                return None
            changed = await self._orders.change(ScheduleId(name), wanted, who)
        except NotDone as refused:
            is_when = isinstance(refused.__cause__, BadRule) and "days" in submission.values
            block = "channel" if "channel" in refused.slots else "days" if is_when else "task"
            return {block: posts.refusal(refused, language)}
        if changed.status == "proposed":
            draft = await self._proposal(changed)
            await self._api.update(thread.channel, ts, draft.text, blocks=draft.blocks)
        else:
            told = posts.sentence("changed", changed, language, now)
            await self._answer(thread, submission.key, PostDraft(text=told))
        return None

    async def _press(self, name: str, value: str, press: Press) -> None:
        who, schedule = user_id(press.team, press.user), ScheduleId(value)
        match name:
            case "confirm" | "cancel":
                post = Receipt(press.channel, press.message_ts)
                await self._decide(schedule, who, is_yes=name == "confirm", post=post)
                stamp, pending = await self._find(press.thread.session, who)
                if schedule_id(pending.proposal) == schedule:
                    await self._save(press.thread.session, who, f"{stamp} 2", Pending())
            case "new":
                order = await self._new_order(press.user, press.thread, "", words=value)
                await self._open(press, NEW, order)
            case "change" | "edit":
                await self.edit(press, schedule)
            case "pause" | "resume" | "run" | "delete":
                told = await self.do(name, schedule, who)
                # Said in the thread of the list, where everybody sees who did it.
                draft = PostDraft(text=f"<@{press.user}>: {told}")
                await self._answer(press.thread, press.key, draft)
            case _:
                logger.warning("a button of another version was pressed: %s", name)

    async def edit(self, press: Press, schedule: ScheduleId) -> None:
        """Open the form of a schedule, from anywhere; what it changes is said where it began."""
        who = user_id(press.team, press.user)
        await self._open(press, schedule, (await self._orders.get(schedule, who)).order)

    async def _open(self, press: Press, name: str, order: Order) -> None:
        language = posts.language_of(order)
        session = press.thread.session if press.message_ts else order.origin
        metadata = f"{name} {language} {session} {press.message_ts}"
        if not await self._api.open_view(press.trigger_id, form(order, language, metadata)):
            raise NotDone("press_again", language=language)

    async def _new_order(
        self, user: str, thread: ThreadRef, language: str, *, words: str = "-"
    ) -> Order:
        """What the form of a new digest begins with: a person's words, on weekdays at nine."""
        person = await self._orders.people.person(user)
        locale, zone = (person.locale, person.zone) if person else ("", "")
        return Order(
            team=thread.team,
            place=thread.channel,
            owner=user_id(thread.team, user),
            owner_name=person.name if person else user,
            owner_locale=language or detect_language(words, locale=locale),
            task="" if words == "-" else words,
            rule=on_weekdays(zone, self._clock(), person.digest_time if person else ""),
            origin=thread.session,
            owner_zone=zone,
        )

    async def _decide_on(self, key: str, session: SessionId, by: UserId, *, is_yes: bool) -> None:
        thread = parse_session(session)
        post = await self._api.find_post(thread, _op(key))
        await self._decide(schedule_id(key), by, is_yes=is_yes, post=post)

    async def _find(self, session: SessionId, asker: UserId) -> tuple[str, Pending]:
        """The time of the last message about an order, and what waits since then."""
        name = _name(session, asker)
        stamp, _, told = (await self._marks.load(name)).get(name, "").partition(" ")
        return stamp, PENDING.validate_json(told[2:]) if told else Pending()

    async def _save(self, session: SessionId, asker: UserId, stamp: str, pending: Pending) -> None:
        """This waits from now on. Marks only move on, so each begins with a time and a step."""
        told = PENDING.dump_json(pending, exclude_defaults=True).decode()
        await self._marks.save({_name(session, asker): f"{stamp} {told}"})

    async def _waiting(self, message: InboundMessage) -> Pending | None:
        """What a message may be about; None when the message has been dealt with."""
        stamp, pending = await self._find(message.session, message.asker)
        if stamp == _stamp(message):
            return pending if pending.doing else None
        if stamp < _stamp(message):
            return replace(pending, doing=None)
        thread = parse_session(message.session)  # it is taken up again after newer ones
        return None if await self._api.find_post(thread, _op(message.key)) else Pending()

    async def _settle(
        self, message: InboundMessage, pending: Pending, consent: str
    ) -> tuple[Pending, PostDraft | None] | None:
        """What waits from then on, and what is said; None of a message about something else.

        A refusal leaves what waited as it was.
        """
        # Of the order that it is about, where a message is too short to tell its language.
        locale = pending.language or message.author_locale
        known = replace(pending, language=detect_language(message.text, locale=locale))
        try:
            if consent:  # in place of the click; a no is seen to with the answer
                if consent == "yes":
                    by = message.asker
                    await self._decide_on(pending.proposal, message.session, by, is_yes=True)
                return Pending(), None
            reading = await self._read(message, pending)
            if reading is None:
                return None
            if reading.draft is not None and reading.intent in ("order", "change"):
                known = replace(known, draft=reading.draft)
            return await self._carry_out(reading, message, pending, known)
        except ReaderAway as away:
            logger.warning("%s was not read as an order: %s", message.key, away)
            if pending.draft is None and "digest" not in message.text.casefold():
                return None  # anything else the agent may answer
            return pending, posts.offer_of_form(message.text, known.language)
        except NotDone as refused:
            left, answer = pending, PostDraft(text=posts.refusal(refused, known.language))
            if pending.doing is not None:  # it may have been done: this is how things are now
                own = await self._orders.own(message.asker)
                answer = posts.listing(own, known.language, self._clock())
            elif not pending.proposal and known.draft is not None:
                otherwise = {"channel": "", "reads": ""} if "channel" in refused.slots else {}
                left = replace(known, draft=known.draft.model_copy(update=otherwise))
            return left, answer

    async def _read(self, message: InboundMessage, pending: Pending) -> OrderReading | None:
        """What holds of what the small model reads, and may be told in this thread, if anything."""
        person = await self._orders.people.person(parse_user(message.asker)[1])
        said = OrderMessage(
            text=message.text,
            asker=message.asker,
            now=self._clock(),
            zone=message.author_zone,
            channels=channel_marks(message.text),
            pending=pending.draft,
            schedules=tuple(await self._orders.own(message.asker)),
            here=await self._orders.here(message.session),
            usual_time=person.digest_time if person else "",
        )
        is_list = short_form(message.text, "digests")
        read = pending.doing or OrderDraft(intent="list")
        if pending.doing is None and not is_list:
            read = await self._reader.draft(said)
            if read.intent == "none":
                return None
            begun = replace(pending, doing=read)
            await self._save(message.session, message.asker, f"{_stamp(message)} 0", begun)
        reading = check_draft(read, said)
        if reading.fault == "not_there" and read.which is not None:
            others = await self._orders.visible_to(message.asker, message.session)
            reading = check_draft(read, replace(said, schedules=tuple(others)))
        about, is_visible = reading.schedule, self._orders.is_visible
        if about is not None and not await is_visible(about, message.asker, message.session):
            raise NotDone("not_there")
        return reading

    async def _carry_out(
        self, reading: OrderReading, message: InboundMessage, pending: Pending, known: Pending
    ) -> tuple[Pending, PostDraft | None]:
        language, asker, now = known.language, message.asker, self._clock()
        about, draft = reading.schedule, reading.draft
        if reading.rule is not None and draft is not None:
            await self._offer(message.key, _order(draft, reading.rule, about, message, language))
            return replace(known, proposal=message.key), None
        if reading.fault:
            raise NotDone(reading.fault)
        if reading.missing == "which" or reading.intent == "list":
            return pending, await self._list(reading, message, language)
        if reading.missing:
            zone = message.author_zone or "UTC"
            asked = posts.question(reading.question, language, reading.missing, zone)
            return known, PostDraft(text=asked)
        if about is None:
            is_no = reading.intent == "delete"
            told = BOT.say(language, f"digest-{'not-scheduled' if is_no else 'agree'}")
            return Pending() if is_no else pending, PostDraft(text=told)
        left = pending if pending.proposal else Pending()
        if reading.intent == "change":
            return left, posts.listing([await self._orders.get(about.id, asker)], language, now)
        return left, PostDraft(text=await self.do(reading.intent, about.id, asker, language))

    async def _list(
        self, reading: OrderReading, message: InboundMessage, language: str
    ) -> PostDraft:
        """The schedules that are asked for, or of which one has to be named."""
        shown = await self._orders.visible_to(message.asker, message.session)
        if reading.missing:
            shown = [each for each in shown if each.order.owner == message.asker]
        elif reading.draft is not None and reading.draft.channel:
            place = await self._orders.channels.find(reading.draft.channel.removeprefix("#"))
            shown = [each for each in shown if place and each.order.place == place.id]
        head = "digest-refusal-which" if reading.missing else "digest-listed"
        return posts.listing(shown, language, self._clock(), head)


def channel_marks(text: str) -> tuple[str, ...]:
    """The channels that a text names, as it names them."""
    return tuple(dict.fromkeys(_CHANNEL.findall(text)))


def _consent(text: str) -> str:
    if short_form(text, "yes"):
        return "yes"
    return "no" if short_form(text, "no") or short_form(text, "stop") else ""


def _order(
    draft: OrderDraft, rule: Rule, target: Schedule | None, message: InboundMessage, language: str
) -> Order:
    """What a message orders, or how it wants another schedule to be: its author's to agree to."""
    thread, locale = parse_session(message.session), message.author_locale
    place, reads, when_nothing_new = thread.channel, "", "post"
    if target is not None:
        earlier = target.order
        place, reads, when_nothing_new = earlier.place, earlier.reads, earlier.when_nothing_new
    if draft.only_when_new is not None and draft.only_when_new != (when_nothing_new == "be_silent"):
        when_nothing_new = "be_silent" if draft.only_when_new else "post"
    return Order(
        team=thread.team,
        place=draft.channel.removeprefix("#") or place,
        owner=message.asker,
        owner_name=message.author_name,
        # It is told in the language in which it was ordered, whatever its owner's locale is.
        owner_locale=locale if read_language(locale) == language else language,
        task=draft.task,
        rule=rule,
        when_nothing_new=when_nothing_new,
        origin=message.session,
        owner_zone=message.author_zone,
        reads=draft.reads.removeprefix("#") or reads,
        changes=target.id if target is not None else ScheduleId(""),
    )


def _op(key: str) -> Op:
    return Op(key).part("digest")


def _name(session: SessionId, asker: UserId) -> str:
    return f"digest question {session} {asker}"


def _stamp(message: InboundMessage) -> str:
    return message.received_at.astimezone(UTC).strftime("%Y%m%dT%H%M%S.%f")
