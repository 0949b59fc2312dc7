"""Messages about digests: read by the small model, answered with a proposal or with what was done.

A message comes here behind its acknowledgement and is in the ledger until this is done with it, so
it may come again: what it orders has an id that is made from the message's, and so has the answer.
"""

import logging
import re
from dataclasses import dataclass, replace

from agent_core.ids import SessionId, UserId
from agent_core.messages import InboundMessage
from agent_core.runtime import detect_language, short_form
from agent_core.runtime.schedules import (
    Order,
    OrderDraft,
    OrderMessage,
    OrderReader,
    OrderReading,
    PendingOrder,
    ReaderAway,
    Rule,
    Schedule,
    ScheduleId,
    WhenNothingNew,
    check_draft,
)
from bot.clicks import Refused
from bot.digests import posts
from bot.digests.orders import DigestOrders, refused, schedule_id
from bot.render import PostDraft
from bot.threads import parse_session, parse_user
from bot.words import BOT

logger = logging.getLogger(__name__)

_CHANNEL = re.compile(r"(?<![\w&])#[\w-]+")
_SMELL = re.compile(
    r"(?<![^\W_])(?:digest|every|each|daily|hourly|weekly|monthly|yearly|quarterly|weekday|"
    r"regularly|from now on|jede|täglich|wöchentlich|monatlich|werktag|regelmäßig|montags|"
    r"dienstags|mittwochs|donnerstags|freitags|chaque|tous les|toutes les|quotidien|hebdomadaire|"
    r"mensuel|cada|todos los|todas las|diario|semanal|ogni|tutti i|settimanal|elke|iedere|"
    r"dagelijks|wekelijks|todos os|todas as|diariamente)|毎|ダイジェスト"
)
"""Words in most orders. They only save a call: what has none of them is the classifier's."""


_Outcome = tuple[PendingOrder, PostDraft | None]
"""What waits from a message on, and what is answered, if anything."""


@dataclass(slots=True)
class DigestMessages:
    """Takes the messages that are about digests; all others are the agent's.

    Done again for one message, it leaves the same behind. Every method raises SlackError where
    Slack could not be asked, or took no answer; the message may come again.
    """

    _orders: DigestOrders
    _reader: OrderReader

    async def take(self, message: InboundMessage, *, is_order: bool = False) -> bool:
        """Answer a message that is about digests; False where it is about something else.

        Only one in which the classifier sees an order (`is_order`), that smells of one, or stands
        where one waits, is read at all.
        """
        if message.scheduled or message.attachments:
            return False  # only a person's own words order something
        text = message.text
        names_channel = _CHANNEL.search(text) is not None
        smells = _SMELL.search(text.casefold()) is not None
        may_be_order = names_channel or smells or short_form(text, "digests")
        is_to_be_read = is_order or may_be_order
        if message.key == message.session and not is_to_be_read:
            return False  # nothing waits in a thread that it begins
        pending = await self._waiting(message)
        if pending is None:
            return True
        consent = _consent(message.text) if pending.proposal else ""
        if not (consent or is_to_be_read or pending.draft):
            return False
        outcome = await self._settle(message, pending, consent)
        if outcome is None:
            return False
        await self._conclude(
            message,
            pending,
            outcome,
            is_agreed=consent == "yes",
        )
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
        order, now = proposed.order, self._orders.clock()
        await self._decide(key, order.origin, order.owner, is_yes=False)
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

    async def _waiting(self, message: InboundMessage) -> PendingOrder | None:
        """What a message may be about; None when the message has been dealt with."""
        pending = await self._orders.store.pending_order(message.session, message.asker)
        if pending.heard_at is None or pending.heard_at < message.received_at:
            return pending
        if pending.heard_at == message.received_at:
            return None
        # The message is taken up again after newer ones.
        thread = parse_session(message.session)
        answer = await self._orders.answered(thread, message.key)
        return None if answer else PendingOrder()

    async def _settle(
        self,
        message: InboundMessage,
        pending: PendingOrder,
        consent: str,
    ) -> _Outcome | None:
        """What comes of a message; None where it is about something else."""
        language = detect_language(message.text, locale=message.author_locale)
        known = replace(pending, language=language)
        try:
            if consent == "yes":  # in place of the click; a no is seen to with the answer
                asker = message.asker
                await self._decide(
                    pending.proposal,
                    message.session,
                    asker,
                    is_yes=True,
                )
            if consent:
                return PendingOrder(), None
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
            offer = posts.offer_of_form(message.text, known.language)
            return pending, offer
        except Refused as refusal:
            return _after_refusal(refusal, pending, known)

    async def _conclude(
        self,
        message: InboundMessage,
        before: PendingOrder,
        outcome: _Outcome,
        *,
        is_agreed: bool,
    ) -> None:
        """Answer, take a proposal back that another one replaces, and note the message as done."""
        session = message.session
        asker = message.asker
        pending, answer = outcome
        if answer is not None:
            await self._orders.answer(parse_session(session), message.key, answer)
        is_replaced = before.proposal not in ("", pending.proposal)
        if is_replaced and not is_agreed:
            await self._decide(
                before.proposal,
                session,
                asker,
                is_yes=False,
                is_replaced=bool(pending.proposal),
            )
        pending = replace(pending, heard_at=message.received_at)
        await self._orders.store.save_pending(session, asker, pending)

    async def _decide(
        self,
        key: str,
        session: SessionId,
        by: UserId,
        *,
        is_yes: bool,
        is_replaced: bool = False,
    ) -> None:
        post = await self._orders.answered(parse_session(session), key)
        await self._orders.decide(
            schedule_id(key),
            by,
            is_yes=is_yes,
            is_replaced=is_replaced,
            replaces=None,
            post=post,
        )

    async def _read(self, message: InboundMessage, pending: PendingOrder) -> OrderReading | None:
        """What holds of what the small model reads, and may be told in this thread, if anything."""
        orders = self._orders
        person = await orders.people.person(parse_user(message.asker)[1])
        wanted = OrderMessage(
            text=message.text,
            asker=message.asker,
            now=self._orders.clock(),
            zone=message.author_zone,
            channels=channel_marks(message.text),
            pending=pending.draft,
            schedules=tuple(await orders.own(message.asker)),
            here=await orders.here(message.session),
            usual_time=person.digest_time if person else "",
            payer=message.payer,
        )
        if short_form(message.text, "digests"):
            draft = OrderDraft(intent="list")
        else:
            draft = await self._reader.draft(wanted)
        if draft.intent == "none":
            return None
        reading = check_draft(draft, wanted)
        if reading.fault == "not_there" and draft.which is not None:
            others = await orders.visible_to(message.asker, message.session)
            reading = check_draft(draft, replace(wanted, schedules=tuple(others)))
        about = reading.schedule
        if about is None or await orders.is_visible(about, message.asker, message.session):
            return reading
        raise refused("not_there")

    async def _carry_out(
        self,
        reading: OrderReading,
        message: InboundMessage,
        pending: PendingOrder,
        known: PendingOrder,
    ) -> _Outcome:
        language, draft = known.language, reading.draft
        if reading.rule is not None and draft is not None:
            order = _order(
                draft,
                reading.rule,
                reading.schedule,
                message,
                language,
            )
            await self._orders.offer(message.key, order, draft.same_as)
            return replace(known, proposal=message.key), None
        if reading.fault:
            raise refused(reading.fault)
        if reading.missing == "which" or reading.intent == "list":
            listing = await self._list(reading, message, language)
            return pending, listing
        if reading.missing:
            zone = message.author_zone or "UTC"
            question = posts.question(
                reading.question,
                language,
                reading.missing,
                zone,
            )
            return known, PostDraft(text=question)
        if reading.schedule is None and reading.intent == "delete":
            text = BOT.say(language, "digest-not-scheduled")
            return PendingOrder(), PostDraft(text=text)
        if reading.schedule is None:
            text = BOT.say(language, "digest-refusal-repeats")
            return pending, PostDraft(text=text)
        left = pending if pending.proposal else PendingOrder()
        schedule = reading.schedule.id
        asker = message.asker
        if reading.intent == "change":
            # Without a rule there is nothing to change it to: it is shown with its menu.
            current = await self._orders.get(schedule, asker)
            answer = posts.listing([current], language, self._orders.clock())
        else:
            text = await self._orders.do(reading.intent, schedule, asker, language)
            answer = PostDraft(text=text)
        return left, answer

    async def _list(
        self,
        reading: OrderReading,
        message: InboundMessage,
        language: str,
    ) -> PostDraft:
        """The schedules that are asked for, or of which one has to be named."""
        orders = self._orders
        now = orders.clock()
        schedules = await orders.visible_to(message.asker, message.session)
        channel = reading.draft.channel if reading.draft else ""
        if reading.missing:
            own = [each for each in schedules if each.order.owner == message.asker]
            return posts.listing(own, language, now, "digest-refusal-which")
        if channel in channel_marks(message.text):
            about = await orders.api.channels.find(channel.removeprefix("#"))
            schedules = [each for each in schedules if about and each.order.place == about.id]
            if not schedules:
                text = BOT.say(language, "digest-none-there", channel=channel)
                return PostDraft(text=text)
        return posts.listing(schedules, language, now)


def _after_refusal(refusal: Refused, pending: PendingOrder, known: PendingOrder) -> _Outcome:
    """A refusal leaves what waited as it was, and a new order open to another channel."""
    answer = PostDraft(text=refusal.text(known.language))
    if pending.proposal or known.draft is None:
        return pending, answer
    draft = known.draft
    if refusal.field == "channel":
        draft = draft.model_copy(update={"channel": "", "reads": ""})
    return replace(known, draft=draft), answer


def _consent(text: str) -> str:
    if short_form(text, "yes"):
        return "yes"
    return "no" if short_form(text, "no") or short_form(text, "stop") else ""


def _order(
    draft: OrderDraft,
    rule: Rule,
    target: Schedule | None,
    message: InboundMessage,
    language: str,
) -> Order:
    """What a message orders, or how it wants another schedule to be: its author's to agree to."""
    thread = parse_session(message.session)
    channel = thread.channel
    reads = ""
    changes = ScheduleId("")
    when_nothing_new: WhenNothingNew = "post"
    if target is not None:
        channel = target.order.place
        reads = target.order.reads
        changes = target.id
        when_nothing_new = target.order.when_nothing_new
    if draft.only_when_new:
        when_nothing_new = "be_silent"
    elif draft.only_when_new is False and when_nothing_new == "be_silent":
        when_nothing_new = "post"
    return Order(
        team=thread.team,
        place=draft.channel.removeprefix("#") or channel,
        owner=message.asker,
        owner_name=message.author_name,
        owner_locale=language,  # it is told in the language in which it was ordered
        task=draft.task,
        rule=rule,
        when_nothing_new=when_nothing_new,
        origin=message.session,
        owner_zone=message.author_zone,
        reads=draft.reads.removeprefix("#") or reads,
        changes=changes,
    )


def channel_marks(text: str) -> tuple[str, ...]:
    """The channels that a text names, as it names them; each once."""
    return tuple(dict.fromkeys(_CHANNEL.findall(text)))
