"""The handlers of buttons, menus and forms about digests."""

from agent_core.ids import SessionId, UserId
from agent_core.runtime import detect_language
from agent_core.runtime.schedules import Order, PendingOrder, ScheduleId, ScheduleStore
from bot.clicks import DigestForm, Errors, Gesture, NewDigestClick, ProposalClick, ScheduleClick
from bot.digests import posts
from bot.digests.form import form, on_weekdays, read_form
from bot.digests.orders import refused
from bot.digests.proposals import Proposals, schedule_id
from bot.render import PostDraft, mention
from bot.slack_api import Person, Receipt, language_of
from bot.threads import parse_session


class DigestClicks:
    """A click that comes again leaves the same behind. Raises SlackError; it may come again."""

    def __init__(self, proposals: Proposals, schedules: ScheduleStore) -> None:
        self._proposals = proposals
        self._schedules = schedules

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
        is_yes = click.kind == "digest.confirm"
        post = Receipt(gesture.sender.channel, gesture.message_ts)
        await self._proposals.decide(
            click.schedule,
            gesture.by,
            is_yes=is_yes,
            post=post,
        )
        session = gesture.session
        pending = await self._schedules.pending_order(session, gesture.by)
        if schedule_id(pending.proposal) == click.schedule:
            # The moment stays: the messages so far were dealt with.
            settled = PendingOrder(heard_at=pending.heard_at)
            await self._schedules.save_pending(session, gesture.by, settled)

    async def order(
        self,
        click: NewDigestClick,
        gesture: Gesture,
        person: Person,
    ) -> None:
        """Open the form of a new digest with the words that could not be read."""
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
        """Do what was chosen in the thread of the list, where everybody sees who did it."""
        if click.verb == "edit":
            await self.edit(click.schedule, gesture)
            return
        text = await self._proposals.do(click.verb, click.schedule, gesture.by)
        draft = PostDraft(text=f"{mention(gesture.by)}: {text}")
        await self._proposals.answer(parse_session(gesture.session), gesture.key, draft)

    async def edit(self, schedule: ScheduleId, gesture: Gesture) -> None:
        """Open the form of a schedule, from anywhere; what it changes is said where it began."""
        current = await self._proposals.orders.get(schedule, gesture.by)
        await self._open(schedule, current.order, gesture)

    async def submit(
        self,
        click: DigestForm,
        gesture: Gesture,
        person: Person,
    ) -> Errors | None:
        """Order or change the schedule as the form says."""
        thread = parse_session(click.session)
        orders, now = self._proposals.orders, self._proposals.clock()
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
            await self._proposals.offer(gesture.key, wanted)
            return None
        changed = await orders.change(click.schedule, wanted, gesture.by)
        if changed.status == "proposed":
            draft = await self._proposals.draft(changed)
            api = self._proposals.api
            await api.update(
                thread.channel,
                click.ts,
                draft.text,
                blocks=draft.blocks,
            )
        else:
            text = posts.sentence(
                "changed",
                changed,
                posts.language_of(changed.order),
                now,
            )
            await self._proposals.answer(thread, gesture.key, PostDraft(text=text))
        return None

    async def _open(
        self,
        schedule: ScheduleId,
        order: Order,
        gesture: Gesture,
    ) -> None:
        session = gesture.session or order.origin
        about = DigestForm(schedule=schedule, session=session, ts=gesture.message_ts)
        view = form(order, posts.language_of(order), about)
        if not await self._proposals.api.open_view(gesture.trigger_id, view):
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
        thread = parse_session(session)
        return Order(
            team=thread.team,
            place=thread.channel,
            owner=owner,
            owner_name=person.name,
            owner_locale=language,
            task=task,
            rule=on_weekdays(person.zone, self._proposals.clock(), person.digest_time),
            origin=session,
            owner_zone=person.zone,
        )
