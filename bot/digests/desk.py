"""Orders for digests and commands about them, as people write them into a thread.

A message comes here behind its acknowledgement and is in the ledger until this is done with it.
What the small model has read in it is noted before anything is done about it: taken up again after
a crash, a message is not read a second time, and what it led to is there once.
"""

import hashlib
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from agent_core.messages import InboundMessage
from agent_core.prompts.language import detect_language
from agent_core.prompts.small_talk import short_form
from agent_core.runtime import Marks
from agent_core.schedules.order_reader import (
    MAX_CHARS,
    OrderDraft,
    OrderReader,
    ReaderAway,
    Reading,
    Said,
    check,
    says_digest,
    smells_of_order,
)
from agent_core.schedules.rule import Rule
from agent_core.schedules.schedule import Schedule, ScheduleId, WhenNothingNew
from bot.digests import posts
from bot.digests.clerk import Clerk, NotDone, Wanted
from bot.render import Draft
from bot.slack_api import SlackApi
from bot.threads import parse_session
from bot.words import BOT

logger = logging.getLogger(__name__)

_CHANNEL = re.compile(r"(?<![\w&])#[\w-]+")
MAX_TEXTS = 8


def schedule_id(key: str) -> ScheduleId:
    """The id of what a message orders: the same however often it is taken up."""
    return ScheduleId(hashlib.sha256(key.encode()).hexdigest()[:16])


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenOrder:
    """What one person ordered in one thread and has not settled; empty where nothing waits."""

    texts: tuple[str, ...] = ()
    """Their own words about it, oldest first."""
    draft: OrderDraft | None = None
    """What is known of it."""
    read: OrderDraft | None = None
    """What was read in the message that is being seen to."""
    proposal: str = ""
    """The id of what was proposed, and the `ts` of the post with its buttons."""
    post: str = ""
    consent: Literal["", "yes", "no"] = ""
    """What was said to the proposal, where that is not carried out yet."""
    retired: str = ""
    """The proposal before, and its post, where they are not taken back yet."""
    retired_post: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An open order as a message finds it."""

    order: OpenOrder
    message: Literal["new", "begun", "settled", "late"]
    """`begun` and `settled` by this very message before; `late` where a newer one was."""


class OpenOrders:
    """Kept as marks, which only move on: each begins with its message's time and a step."""

    _stored = TypeAdapter(OpenOrder)

    def __init__(self, marks: Marks) -> None:
        self._marks = marks

    async def find(self, message: InboundMessage) -> Found:
        """What waits for the message's author in its thread."""
        name = self._name(message)
        stored = (await self._marks.load(name)).get(name, "")
        at, _, rest = stored.partition(" ")
        step, _, told = rest.partition(" ")
        try:
            order = self._stored.validate_json(told)
        except ValidationError:
            return Found(order=OpenOrder(), message="new")
        if at == _stamp(message):
            return Found(order=order, message="begun" if step == "0" else "settled")
        is_late = at > _stamp(message)
        return Found(order=replace(order, read=None), message="late" if is_late else "new")

    async def begin(self, message: InboundMessage, order: OpenOrder) -> None:
        """Note what the message wants, before it is carried out."""
        await self._save(message, 0, order)

    async def settle(self, message: InboundMessage, order: OpenOrder) -> None:
        """The message is done with; `order` waits from now on."""
        await self._save(message, 1, replace(order, read=None))

    async def _save(self, message: InboundMessage, step: int, order: OpenOrder) -> None:
        told = self._stored.dump_json(order, exclude_defaults=True).decode()
        await self._marks.save({self._name(message): f"{_stamp(message)} {step} {told}"})

    def _name(self, message: InboundMessage) -> str:
        return f"digest question {message.session} {message.asker}"


class Replies:
    """One answer to each message, however often it is taken up."""

    def __init__(self, api: SlackApi) -> None:
        self._api = api

    async def post(self, message: InboundMessage, draft: Draft) -> str:
        """Answer in the message's thread; the `ts` of the answer, be it an earlier one."""
        thread, op_id = parse_session(message.session), f"{message.key}:digest"
        found = await self._api.find_post(thread, op_id)
        return found or await self._api.post(thread, draft.text, op_id=op_id, blocks=draft.blocks)

    async def has_answered(self, message: InboundMessage) -> bool:
        """Whether the message's thread has its answer."""
        thread = parse_session(message.session)
        return await self._api.find_post(thread, f"{message.key}:digest") is not None

    async def replace(self, message: InboundMessage, ts: str, draft: Draft) -> None:
        """Write something else into a post of that thread; buttons that it has go away."""
        channel = parse_session(message.session).channel
        blocks = draft.blocks or (posts.section(draft.text),)
        await self._api.update(channel, ts, draft.text, blocks=blocks)


class Desk:
    """Takes the messages that are about digests; all others are the agent's.

    Safe to call again for one message. Everything raises SlackError where Slack could not be asked,
    or took no answer; the message may come again.
    """

    def __init__(
        self,
        clerk: Clerk,
        reader: OrderReader,
        api: SlackApi,
        marks: Marks,
        clock: Callable[[], datetime],
    ) -> None:
        self._clerk = clerk
        self._reader = reader
        self._replies = Replies(api)
        self._open = OpenOrders(marks)
        self._clock = clock

    async def take(self, message: InboundMessage) -> bool:
        """Answer a message that is about digests; False where it is about something else.

        Only one that smells of an order, or stands where an order waits, is read at all.
        """
        text = message.text
        smells = smells_of_order(text) or _CHANNEL.search(text) or short_form(text, "digests")
        if message.key == message.session and not smells:
            return False
        return _is_eligible(message) and await self._take(message, is_to_be_read=bool(smells))

    async def take_order(self, message: InboundMessage) -> bool:
        """The same for one in which the classifier sees an order."""
        return _is_eligible(message) and await self._take(message, is_to_be_read=True)

    async def has_order(self, key: str) -> bool:
        """Whether a message ordered a digest that waits for a yes."""
        return await self._clerk.waiting(schedule_id(key)) is not None

    async def take_back(self, key: str) -> InboundMessage | None:
        """The message that ordered a digest is gone, or says something else now.

        Returns it without its words, for those that stand in their place; None where nothing waits
        for a yes. Then nothing was changed.
        """
        proposed = await self._clerk.waiting(schedule_id(key))
        if proposed is None:
            return None
        order = proposed.order
        message = InboundMessage(
            session=order.origin,
            key=f"{key}:{self._clock():%Y%m%dT%H%M%S%f}",
            asker=order.owner,
            author_name=order.owner_name,
            text="",
            received_at=self._clock(),
            author_locale=order.owner_locale,
            author_zone=order.owner_zone,
        )
        waiting = (await self._open.find(message)).order
        await self._clerk.cancel(proposed.id, message.asker)
        if waiting.proposal == proposed.id:
            await self._replies.replace(message, waiting.post, _not_scheduled(proposed))
            await self._open.settle(message, OpenOrder())
        return message

    async def _take(self, message: InboundMessage, *, is_to_be_read: bool) -> bool:
        found = await self._open.find(message)
        if (is_taken := await self._resume(found, message)) is not None:
            return is_taken
        order = OpenOrder() if found.message == "late" else await self._unanswered(found.order)
        if order.proposal and (consent := _consent(message.text)):
            order = replace(order, consent=consent)
            await self._open.begin(message, order)
            await self._finish(order, message)
            return True
        if not is_to_be_read and order.draft is None:
            return False
        return await self._read(order, message)

    async def _resume(self, found: Found, message: InboundMessage) -> bool | None:
        """Go on with a message that was here before; None where it was not."""
        match found.message:
            case "begun" if found.order.read is not None:
                return await self._act(found.order, message)
            case "begun":
                await self._finish(found.order, message)
                return True
            case "settled":
                return True
            case "late":
                return await self._replies.has_answered(message) or None
            case "new":
                return None

    async def _read(self, order: OpenOrder, message: InboundMessage) -> bool:
        if short_form(message.text, "digests"):
            draft = OrderDraft(intent="list")
        else:
            try:
                draft = await self._reader.draft(await self._said(order, message))
            except ReaderAway as away:
                logger.warning("%s was not read as an order: %s", message.key, away)
                return await self._offer_form(order, message)
        if draft.intent == "none":
            return False
        order = replace(order, read=draft)
        await self._open.begin(message, order)
        return await self._act(order, message)

    async def _offer_form(self, order: OpenOrder, message: InboundMessage) -> bool:
        """Only where it is plain that digests are meant: anything else the agent may answer."""
        if order.draft is None and not says_digest(message.text):
            return False
        language = _language(message, order)
        await self._replies.post(message, posts.offer_of_form(message.text, language))
        await self._open.settle(message, order)
        return True

    async def _said(self, order: OpenOrder, message: InboundMessage) -> Said:
        own, here = await self._clerk.own(message.asker), await self._clerk.here(message.session)
        return Said(
            text=message.text,
            asker=message.asker,
            now=self._clock(),
            zone=message.author_zone,
            channels=channel_marks(message.text),
            earlier=order.texts,
            pending=order.draft,
            schedules=tuple(own),
            here=here,
        )

    async def _act(self, order: OpenOrder, message: InboundMessage) -> bool:
        """Do what was read, and say so. What cannot be done leaves the open order as it was."""
        said, language = await self._said(order, message), _language(message, order)
        try:
            draft, left = await self._carry_out(order, said, message, language)
        except NotDone as refused:
            draft, left = Draft(text=posts.refusal(refused, language)), order
        post = await self._replies.post(message, draft)
        if left.proposal and not left.post:
            left = replace(left, post=post)
            await self._open.begin(message, replace(left, read=None))
        await self._retire(left, message)
        return True

    async def _carry_out(
        self, order: OpenOrder, said: Said, message: InboundMessage, language: str
    ) -> tuple[Draft, OpenOrder]:
        """What to answer, and what waits from then on."""
        read = order.read or OrderDraft(intent="none")
        reading = check(read, said)
        if reading.fault == "not_there" and read.which is not None:
            others = await self._clerk.visible_to(message.asker, message.session)
            reading = check(read, replace(said, schedules=tuple(others)))
        if reading.missing == "which":
            raise await self._which(message)
        known = replace(order, draft=reading.draft, texts=(*order.texts, said.text)[-MAX_TEXTS:])
        if reading.fault:
            refused = Draft(text=posts.refusal(NotDone(reading.fault), language))
            return refused, order if order.proposal or reading.draft is None else known
        if reading.missing:
            zone = message.author_zone or "UTC"
            asked = posts.question(reading.question, language, reading.missing, zone)
            return Draft(text=asked), known
        if reading.rule is not None and reading.draft is not None and reading.schedule is None:
            return await self._propose(reading.draft, reading.rule, known, message, language)
        return await self._command(reading, order, message, language)

    async def _command(
        self, reading: Reading, order: OpenOrder, message: InboundMessage, language: str
    ) -> tuple[Draft, OpenOrder]:
        """Anything but an order; about the one that waits where no schedule is meant."""
        if reading.schedule is not None:
            draft = await self._change(reading, reading.schedule, message, language)
            return draft, order if order.proposal else OpenOrder()
        match reading.intent:
            case "list":
                shown = await self._listed(reading, message)
                return posts.listing(shown, language, self._clock()), order
            case "delete":
                said = Draft(text=BOT.say(language, "digest-not-scheduled"))
                return said, OpenOrder(retired=order.proposal, retired_post=order.post)
            case _:
                return Draft(text=BOT.say(language, "digest-agree")), order

    async def _propose(
        self,
        draft: OrderDraft,
        rule: Rule,
        known: OpenOrder,
        message: InboundMessage,
        language: str,
    ) -> tuple[Draft, OpenOrder]:
        """Tell what was understood; the proposal before, if there is one, goes."""
        new = schedule_id(message.key)
        try:
            proposed = await self._clerk.propose(new, _wanted(draft, rule), message, language)
        except NotDone as refused:
            waits = replace(known, draft=draft.model_copy(update={"channel": "", "reads": ""}))
            return Draft(text=posts.refusal(refused, language)), waits
        order = replace(known, proposal=new, post="")
        if known.proposal not in ("", new):
            order = replace(order, retired=known.proposal, retired_post=known.post)
        may_read = await self._clerk.may_read(proposed.order)
        return posts.proposal(proposed, language, self._clock(), may_read=may_read), order

    async def _change(
        self, reading: Reading, schedule: Schedule, message: InboundMessage, language: str
    ) -> Draft:
        """Do something about a schedule that was agreed on, and say so."""
        by, now = message.asker, self._clock()
        if not await self._clerk.is_visible(schedule, by, message.session):
            raise NotDone("not_there")
        match reading.intent:
            case "pause" | "resume" | "run" | "delete" as verb:
                done, said = await self._clerk.do(verb, schedule.id, by)
                return Draft(text=posts.told(said, done, language, now))
            case _ if reading.draft is not None and reading.rule is not None:
                wanted = _wanted(reading.draft, reading.rule, schedule.order.when_nothing_new)
                done = await self._clerk.change(schedule.id, by, wanted)
                return Draft(text=posts.told("changed", done, language, now))
            case _:
                current = await self._clerk.may_change(schedule.id, by)
                return posts.listing([current], language, now)

    async def _listed(self, reading: Reading, message: InboundMessage) -> list[Schedule]:
        shown = await self._clerk.visible_to(message.asker, message.session)
        if reading.draft is None or not reading.draft.channel:
            return shown
        place = await self._clerk.place_named(reading.draft.channel)
        return [each for each in shown if each.order.place == place]

    async def _which(self, message: InboundMessage) -> NotDone:
        refused = NotDone("which")
        shown = await self._clerk.visible_to(message.asker, message.session)
        refused.candidates = tuple(each for each in shown if each.order.owner == message.asker)
        return refused

    async def _unanswered(self, order: OpenOrder) -> OpenOrder:
        """The open order, unless a click has answered it."""
        if not order.proposal or await self._clerk.waiting(ScheduleId(order.proposal)):
            return order
        return OpenOrder()

    async def _finish(self, order: OpenOrder, message: InboundMessage) -> None:
        """Carry a yes or a no out; taken up again, tell what came of it."""
        if not order.consent:
            await self._retire(order, message)
            return
        proposal, asker = ScheduleId(order.proposal), message.asker
        do = self._clerk.confirm if order.consent == "yes" else self._clerk.cancel
        language = _language(message, order)
        try:
            done = await do(proposal, asker)
        except NotDone as refused:
            if refused.refusal != "not_there":
                await self._replies.post(message, Draft(text=posts.refusal(refused, language)))
                await self._open.settle(message, replace(order, consent=""))
                return
            done = None  # cancelled by this message before
        if done is None or done.status == "deleted":
            draft = Draft(text=BOT.say(language, "digest-not-scheduled"))
        else:
            draft = posts.agreed(done, posts.language_of(done.order), self._clock())
        await self._replies.replace(message, order.post, draft)
        await self._open.settle(message, OpenOrder())

    async def _retire(self, order: OpenOrder, message: InboundMessage) -> None:
        """Take back the proposal that another one stands for now, and its buttons."""
        if order.retired:
            try:
                gone = _not_scheduled(
                    await self._clerk.cancel(ScheduleId(order.retired), message.asker)
                )
            except NotDone:
                gone = Draft(text=BOT.say(_language(message, order), "digest-not-scheduled"))
            await self._replies.replace(message, order.retired_post, gone)
        await self._open.settle(message, replace(order, retired="", retired_post=""))


def channel_marks(text: str) -> tuple[str, ...]:
    """The channels that a text names, as it names them."""
    return tuple(dict.fromkeys(_CHANNEL.findall(text)))


def _is_eligible(message: InboundMessage) -> bool:
    """A person's own words, and no document: nothing else orders."""
    return not (message.scheduled or message.attachments or len(message.text) > MAX_CHARS)


def _consent(text: str) -> Literal["", "yes", "no"]:
    if short_form(text, "yes"):
        return "yes"
    return "no" if short_form(text, "no") or short_form(text, "stop") else ""


def _wanted(draft: OrderDraft, rule: Rule, otherwise: WhenNothingNew = "post") -> Wanted:
    """An order that was checked."""
    is_silent = draft.only_when_new
    if is_silent is False and otherwise == "be_silent":
        otherwise = "post"
    return Wanted(
        task=draft.task,
        rule=rule,
        channel=draft.channel.removeprefix("#"),
        when_nothing_new="be_silent" if is_silent else otherwise,
        reads=draft.reads.removeprefix("#"),
    )


def _language(message: InboundMessage, order: OpenOrder) -> str:
    """Of the message; of the order that it is about, where it is too short to tell."""
    texts = (message.text, *reversed(order.texts))
    return detect_language(*texts, locale=message.author_locale)


def _not_scheduled(proposed: Schedule) -> Draft:
    return Draft(text=BOT.say(posts.language_of(proposed.order), "digest-not-scheduled"))


def _stamp(message: InboundMessage) -> str:
    return message.received_at.astimezone(UTC).strftime("%Y%m%dT%H%M%S.%f")
