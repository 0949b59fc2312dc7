"""App Home: what one person has going on here, with its buttons; the same for the slash command.

Everything is looked up for who asks, by their id; a button says what is meant, and whether it is
theirs is looked up again when it is pressed.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from agent_core.errors import ToolServerError
from agent_core.ids import SessionId, UserId
from agent_core.runtime import Account, Runtime
from agent_core.runtime.schedules import ScheduleId
from bot.digests import DigestMessages, DigestOrders, posts
from bot.digests.orders import NotDone
from bot.home import view
from bot.home.view import FOLLOW_UPS, LANGUAGES, HomeState, Shown, TeamOverview
from bot.ingress import COMMAND_TEXT, HOME_OPENED, Press, Rules, Sender, Submission, authorise
from bot.ingress.authorise import refusal
from bot.ingress.gestures import Errors
from bot.presenter.tools import app_name
from bot.presenting import title_of
from bot.render import section
from bot.slack_api import People, Person, SlackApi, language_of
from bot.threads import parse_session, parse_user, user_id
from bot.words import BOT

logger = logging.getLogger(__name__)

PROMPTS = 4
OWN_PROMPTS = 2
PROMPT_CHARS = 500
LOOK_S = 2.0
LOOKS = 90
"""So often and so many times it is looked whether an account is there whose link was opened."""


@dataclass(slots=True)
class Home:
    """The `Gestures` of App Home and of the slash command.

    Raises where Slack or the database could not be asked; a press may come again, and changes
    nothing then.
    """

    _runtime: Runtime
    _api: SlackApi
    _people: People
    _rules: Rules
    _orders: DigestOrders
    _digests: DigestMessages
    _clock: Callable[[], datetime]

    async def press(self, press: Press) -> None:
        """Do what is pressed and show Home anew, or offer things to ask in a new chat."""
        if press.action_id == HOME_OPENED:
            await self._opened(press)
            return
        who = user_id(press.team, press.user)
        name = press.action_id.removeprefix(view.PREFIX)
        person = await self._people.person(press.user)
        language = language_of(person)
        try:
            shown = await self._do(name, press, who, person, language)
        except ToolServerError as error:
            logger.warning("%s of Home came to nothing: %s", name, error)
            shown = Shown(note=BOT.say(language, "home-apps-away"))
        except NotDone as refused:
            shown = Shown(note=posts.refusal(refused, language))
        await self._publish(who, shown)
        if name == "link" and await self._is_connected(who, press.value):
            await self._publish(who, Shown())

    async def submit(self, submission: Submission) -> Errors:
        """What a slash command asks for, said to its author alone."""
        who = user_id(submission.team, submission.user)
        person = await self._people.person(submission.user)
        language = language_of(person)
        words, text = BOT.of(language), ""
        match submission.values[COMMAND_TEXT].strip().casefold():
            case "status":
                text = await self._work(who, language) or words("home-nothing-running")
            case "stop":
                text = await self._stop_here(who, submission, person, language)
            case "schedules":
                listed = posts.listing(await self._orders.own(who), language, self._clock())
                text = listed.text + (f"\n_{words('home-buttons')}_" if listed.blocks else "")
            case "connections":
                text = await self._connections(who, language)
            case "usage":
                spent = await self._runtime.overview.spent(who, self._month())
                text = f"{words('home-this-month')}: {view.usage_line(spent, words)}"
            case _:
                text = words("home-help", command=submission.private_metadata)
        return {COMMAND_TEXT: text}

    async def _opened(self, opening: Press) -> None:
        """Home is shown, or where a chat begins, some things to ask. A guest is told why not."""
        facts = Sender(team=opening.team, app_id="", channel="", user=opening.user)
        person = await self._people.person(opening.user)
        served = authorise(facts, replace(self._rules, channels=None), person)
        if opening.value == "messages":
            if isinstance(served, Person):
                await self._suggest(user_id(opening.team, opening.user), opening.channel, served)
        elif isinstance(served, Person):
            await self._publish(user_id(opening.team, opening.user), Shown())
        elif sentence := refusal(served, language_of(person)):
            alone = {"type": "home", "blocks": [section(sentence)]}
            await self._api.publish_home(opening.user, alone)

    async def _publish(self, who: UserId, shown: Shown) -> None:
        """All parts are asked for side by side. What fails is in an ExceptionGroup."""
        user, overview = parse_user(who)[1], self._runtime.overview
        person = await self._people.person(user)
        is_admin = person is not None and person.is_admin
        async with asyncio.TaskGroup() as together:
            ask = together.create_task
            unfinished, sessions = ask(overview.unfinished(who)), ask(overview.sessions(who))
            schedules, accounts = ask(self._orders.own(who)), ask(self._accounts(who))
            spent = ask(overview.spent(who, self._month()))
            preferences = ask(self._runtime.preferences.of(who))
            team = ask(self._team(who)) if is_admin else None
        seen = HomeState(
            language=language_of(person),
            now=self._clock(),
            url=self._rules.identity.url,
            sessions=sessions.result(),
            waiting=[turn for turn in unfinished.result() if turn.status == "waiting"],
            schedules=schedules.result(),
            accounts=accounts.result(),
            spent=spent.result(),
            preferences=preferences.result(),
            shown=shown,
            team=team.result() if team is not None else None,
        )
        await self._api.publish_home(user, view.home_view(seen))

    async def _team(self, who: UserId) -> TeamOverview:
        team, overview = parse_user(who)[0], self._runtime.overview
        here = SessionId(f"{team}:D0:0.000000")  # as in a direct conversation of the admin's
        unfinished = await overview.unfinished(team)
        channels = {parse_session(turn.session).channel for turn in unfinished[: view.MAX_ROWS]}
        async with asyncio.TaskGroup() as together:
            ask = together.create_task
            spent = ask(overview.spent(team, self._month()))
            schedules = ask(self._orders.visible_to(who, here))
            known = [ask(self._api.channels.about(channel)) for channel in channels]
        abouts = [each.result() for each in known]
        return TeamOverview(
            spent=spent.result(),
            unfinished=[turn for turn in unfinished if turn.inbound.asker != who],
            public=frozenset(each.id for each in abouts if each and each.kind == "channel"),
            schedules=[each for each in schedules.result() if each.order.owner != who],
        )

    async def _accounts(self, who: UserId) -> list[Account] | None:
        if self._runtime.accounts is None:
            return None
        try:
            return await self._runtime.accounts.of(who)
        except ToolServerError as error:
            logger.warning("the accounts of %s could not be listed: %s", who, error)
            return None

    async def _do(
        self, name: str, press: Press, who: UserId, person: Person | None, language: str
    ) -> Shown:
        """What Home shows besides once it is done."""
        accounts, value, note, links, rule = self._runtime.accounts, press.value, "", {}, ""
        is_admin = person is not None and person.is_admin
        words = BOT.of(language)
        match name:
            case "stop":
                note = words(await self._stop(who, SessionId(value), person))
            case "delete":
                note = words(await self._delete(who, SessionId(value)))
            case "schedule":
                verb, _, schedule = value.partition(":")
                if verb == "edit":
                    await self._digests.edit(press, ScheduleId(schedule))
                else:
                    note = await self._digests.do(verb, ScheduleId(schedule), who, language)
            case "connect" | "link" if accounts is not None and value in view.APPS:
                links = {value: await accounts.link(who, value)}
            case "disconnect" if accounts is not None:
                if gone := await accounts.remove(who, value):
                    note = words("home-disconnected", what=app_name(gone.toolkit))
            case "language" | "digest_time":
                await self._prefer(who, name, value)
            case "channel" | "follow_ups" if is_admin:
                rule = await self._follow_ups(press.team, value)
            case _:
                logger.warning("something of another version was pressed: %s", name[:80])
        return Shown(note=note, links=links, rule=rule)

    async def _is_connected(self, who: UserId, app: str) -> bool:
        """Whether they have connected it, a while after they have opened its link."""
        for _ in range(LOOKS):
            await self._api.clock.sleep(LOOK_S)
            if app in {each.toolkit for each in await self._accounts(who) or ()}:
                return True
        return False

    async def _stop(self, who: UserId, session: SessionId, person: Person | None) -> str:
        if not await self._may_act(who, session, person):
            return "home-not-yours"
        name = person.name if person is not None else who
        return "home-stopped" if await self._runtime.stop(session, name) else "home-nothing-running"

    async def _delete(self, who: UserId, session: SessionId) -> str:
        """Files are everybody's who works in a thread: who began it may delete them."""
        if (await self._runtime.overview.askers(session))[:1] != [who]:
            return "home-not-yours"
        is_gone = await self._runtime.delete_workspace(session)
        return "home-deleted" if is_gone else "home-not-deleted"

    async def _may_act(self, who: UserId, session: SessionId, person: Person | None) -> bool:
        is_admin = person is not None and person.is_admin
        of_team = session.startswith(f"{parse_user(who)[0]}:")
        return (is_admin and of_team) or who in await self._runtime.overview.askers(session)

    async def _prefer(self, who: UserId, name: str, value: str) -> None:
        known = LANGUAGES if name == "language" else view.TIMES
        value = value if value in known else ""
        await self._runtime.preferences.put(who, name, value)
        self._people.forget(parse_user(who)[1])

    async def _follow_ups(self, team: str, value: str) -> str:
        """A channel with its rule, as it is or as it was just set."""
        channel, _, wanted = value.partition(" ")
        place = f"{team}:{channel}"
        if wanted in FOLLOW_UPS:
            await self._runtime.preferences.put(place, "follow_ups", wanted)
        rule = await self._runtime.preferences.get(place, "follow_ups")
        return f"{channel} {rule or FOLLOW_UPS[0]}"

    async def _stop_here(
        self, who: UserId, command: Submission, person: Person | None, language: str
    ) -> str:
        """A command knows no thread: all that its author has going on in the channel ends."""
        place, name = f"{command.team}:{command.channel}:", person.name if person else command.user
        own = await self._runtime.overview.unfinished(who)
        here = {turn.session for turn in own if turn.session.startswith(place)}
        stopped = [await self._runtime.stop(session, name) for session in sorted(here)]
        if any(stopped):
            return BOT.say(language, "home-stopped")
        nothing = BOT.say(language, "home-nothing-here")
        return "\n".join(filter(None, [nothing, await self._work(who, language)]))

    async def _work(self, who: UserId, language: str) -> str:
        sessions = await self._runtime.overview.sessions(who)
        words, url = BOT.of(language), self._rules.identity.url
        return "\n".join(view.work_lines(sessions, url, words))

    async def _connections(self, who: UserId, language: str) -> str:
        words, accounts = BOT.of(language), await self._accounts(who)
        if accounts is None:
            return words("home-apps-away")
        lines = [f"• {view.account_line(each)}" for each in accounts]
        return "\n".join([*(lines or [words("home-no-accounts")]), f"_{words('home-buttons')}_"])

    async def _suggest(self, who: UserId, channel: str, person: Person) -> None:
        """What they asked for lately with success, then what we have for everybody."""
        words = BOT.of(language_of(person))
        sessions = await self._runtime.overview.sessions(who)
        asked = [each.asked for each in sessions if each.newest.outcome == "answered"]
        own = [text for text in dict.fromkeys(asked) if 3 <= len(text.split()) <= PROMPT_CHARS // 5]
        fixed = [words(f"home-prompt-{name}") for name in ("report", "news", "digest", "apps")]
        texts = list(dict.fromkeys([*own[:OWN_PROMPTS], *fixed]))[:PROMPTS]
        prompts = [{"title": title_of(text), "message": text[:PROMPT_CHARS]} for text in texts]
        await self._api.suggest(channel, prompts)

    def _month(self) -> datetime:
        return self._clock().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
