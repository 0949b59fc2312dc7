"""App Home: what one person has going on here, with its buttons; the same for the slash command.

Everything is looked up for who asks, by their id; a button says what is meant, and whether it is
theirs is looked up again when it is pressed.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from agent_core.errors import ToolServerError
from agent_core.ids import SessionId, UserId
from agent_core.runtime import Account, Runtime
from agent_core.runtime.schedules import ScheduleId
from agent_core.words import Words
from bot.clicks import (
    COMMAND_TEXT,
    AccountClick,
    AppClick,
    ChannelClick,
    Command,
    EraseClick,
    Errors,
    Gesture,
    HomeClick,
    HomeOpened,
    HomeScheduleClick,
    NewDigestClick,
    PreferenceClick,
    Refused,
    SessionClick,
    SettingClick,
)
from bot.digests import DigestClicks, DigestOrders, posts
from bot.home import view
from bot.home.view import (
    FOLLOW_UPS,
    LANGUAGES,
    HomeState,
    Note,
    TeamOverview,
)
from bot.ingress import Rules, authorise, refusal
from bot.presenter import title_of
from bot.presenter.tools import app_name
from bot.render import foreign_line, plain_line, section
from bot.setting_orders import SettingOrders, listing
from bot.slack_api import (
    People,
    Person,
    SlackApi,
    language_of,
)
from bot.threads import parse_session, parse_user
from bot.words import BOT

logger = logging.getLogger(__name__)

PROMPTS = 4
OWN_PROMPTS = 2
SUBJECT_CHARS = 60
"""As much as is seen of it before it is pressed."""
FIXED_PROMPTS = ("report", "compare", "digest", "news")
LOOK_S = 2.0
LOOKS = 90
"""After a link was opened, the account is looked for so many times, so far apart."""


@dataclass(slots=True)
class Home:
    """The handlers of App Home and of the slash command.

    They raise where Slack or the database could not be asked; a press may come again, and changes
    nothing then.
    """

    _runtime: Runtime
    _api: SlackApi
    _people: People
    _rules: Rules
    _orders: DigestOrders
    _digests: DigestClicks
    _settings: SettingOrders
    _clock: Callable[[], datetime]

    async def open(
        self,
        click: HomeOpened,
        gesture: Gesture,
        person: Person | None,
    ) -> None:
        """Show Home, or where a chat begins, some things to ask. A guest sees why not."""
        sender = gesture.sender
        is_chat = click.tab == "messages"
        rules = replace(self._rules, channels=None)
        served = authorise(sender, rules, person)
        if not isinstance(served, Person):
            text = refusal(served).text(language_of(person))
            if text and not is_chat:
                alone = {"type": "home", "blocks": [section(text)]}
                await self._api.publish_home(sender.user, alone)
        elif is_chat:
            await self._suggest(gesture.by, sender.channel, served)
        else:
            await self._publish(gesture.by, Note())

    async def press(
        self,
        click: HomeClick | HomeScheduleClick,
        gesture: Gesture,
        person: Person,
    ) -> None:
        """Do what is pressed and show Home anew, with what came of it."""
        language = language_of(person)
        try:
            note = await self._do(click, gesture, person)
        except ToolServerError as error:
            logger.warning("%s of Home came to nothing: %s", click.kind, error)
            note = Note(text=BOT.say(language, "home-apps-away"))
        except Refused as refused:  # Home has a place for it, and no channel
            note = Note(text=refused.text(language))
        await self._publish(gesture.by, note)
        if not isinstance(click, AppClick) or click.kind != "home.link":
            return
        if await self._is_connected(gesture.by, click.app):
            await self._publish(gesture.by, Note())

    async def erase(self, _: EraseClick, gesture: Gesture, person: Person) -> None:
        """Delete what is kept of whoever presses, and say on Home what came of it."""
        count, left = await self._runtime.erasure.erase(gesture.by, gesture.by)
        text = BOT.say(language_of(person), "home-erased", n=count, left=len(left))
        await self._publish(gesture.by, Note(text=text))

    async def command(
        self,
        command: Command,
        gesture: Gesture,
        person: Person,
    ) -> Errors:
        """What a slash command asks for, said to its author alone."""
        who = gesture.by
        language = language_of(person)
        words = BOT.of(language)
        match command.text.strip().casefold():
            case "status":
                text = await self._work(who, words)
                text = text or words("home-nothing-running")
            case "stop":
                text = await self._stop_here(gesture, person, words)
            case "schedules":
                own = await self._orders.own(who)
                listed = posts.listing(own, language, self._clock())
                text = listed.text
                if listed.blocks:
                    text = f"{text}\n_{words('home-buttons')}_"
            case "connections":
                text = await self._connections(who, words)
            case "usage":
                spent = await self._runtime.overview.spent(who, self._month())
                text = view.month_line(spent, words)
            case "" | "help":
                text = words("home-help", command=command.command)
            case unknown:
                what = foreign_line(unknown, SUBJECT_CHARS)
                text = words("home-unknown", command=command.command, what=what)
        return {COMMAND_TEXT: text}

    async def _publish(self, who: UserId, note: Note) -> None:
        team, user = parse_user(who)
        overview = self._runtime.overview
        person = await self._people.person(user)
        unfinished = await overview.unfinished(who)
        state = HomeState(
            language=language_of(person),
            now=self._clock(),
            url=self._api.home,
            sessions=await overview.sessions(who),
            waiting=[turn for turn in unfinished if turn.status == "waiting"],
            schedules=await self._orders.own(who),
            accounts=await self._accounts(who),
            spent=await overview.spent(who, self._month()),
            preferences=await self._runtime.preferences.of(who),
            note=note,
            team=await self._team(who, team) if person and person.is_admin else None,
        )
        await self._api.publish_home(user, view.home_view(state))

    async def _team(self, who: UserId, team: str) -> TeamOverview:
        overview = self._runtime.overview
        here = SessionId(f"{team}:D0:0.000000")  # as in a direct conversation of the admin's
        unfinished = await overview.unfinished(team)
        schedules = await self._orders.visible_to(who, here)
        listed = unfinished[: view.MAX_ROWS]
        channels = {parse_session(turn.session).channel for turn in listed}
        abouts = [await self._api.channels.about(channel) for channel in channels]
        return TeamOverview(
            spent=await overview.spent(team, self._month()),
            latencies_s=await overview.latencies_s(team, self._month()),
            unfinished=[turn for turn in unfinished if turn.inbound.asker != who],
            public={about.id for about in abouts if about and about.kind == "channel"},
            schedules=[each for each in schedules if each.order.owner != who],
        )

    async def _accounts(self, who: UserId) -> Sequence[Account] | None:
        accounts = self._runtime.accounts
        if accounts is None:
            return None
        try:
            return await accounts.of(who)
        except ToolServerError as error:
            logger.warning("the accounts of %s could not be listed: %s", who, error)
            return None

    async def _do(
        self,
        click: HomeClick | HomeScheduleClick,
        gesture: Gesture,
        person: Person,
    ) -> Note:
        """What Home shows besides once it is done."""
        who = gesture.by
        language = language_of(person)
        match click:
            case SessionClick(kind="home.stop"):
                text = BOT.say(language, await self._stop(who, click.session, person))
            case SessionClick():
                text = BOT.say(language, await self._delete(who, click.session))
            case HomeScheduleClick(verb="edit"):
                await self._open_digest(click.schedule, gesture, person)
                text = ""
            case HomeScheduleClick():
                text = await self._orders.do(
                    click.verb,
                    click.schedule,
                    who,
                    language,
                )
            case AccountClick():
                text = await self._disconnect(who, click.account, language)
            case PreferenceClick():
                await self._prefer(who, click)
                text = ""
            case AppClick():
                accounts = self._runtime.accounts
                if accounts is None or click.app not in view.APPS:
                    return Note()
                link = await accounts.link(who, click.app)
                return Note(links={click.app: link})
            case ChannelClick():
                return await self._follow_ups(click, gesture, person)
        return Note(text=text)

    async def _open_digest(self, schedule: ScheduleId, gesture: Gesture, person: Person) -> None:
        """Open the form of a digest, or of a new one."""
        if schedule:
            await self._digests.edit(schedule, gesture)
        else:
            await self._digests.order(NewDigestClick(task=""), gesture, person)

    async def _disconnect(self, who: UserId, account: str, language: str) -> str:
        accounts = self._runtime.accounts
        gone = await accounts.remove(who, account) if accounts else None
        if gone is None:
            return ""
        return BOT.say(language, "home-disconnected", what=app_name(gone.toolkit))

    async def _is_connected(self, who: UserId, app: str) -> bool:
        """Whether they have connected it, a while after they have opened its link."""
        for _ in range(LOOKS):
            await self._api.clock.sleep(LOOK_S)
            accounts = await self._accounts(who) or ()
            if any(account.toolkit == app for account in accounts):
                return True
        return False

    async def _stop(self, who: UserId, session: SessionId, person: Person) -> str:
        """The name of the sentence about it."""
        team = parse_user(who)[0]
        may_stop = person.is_admin and session.startswith(f"{team}:")
        if not may_stop:
            askers = await self._runtime.overview.askers(session)
            may_stop = who in askers
        if not may_stop:
            return "home-not-yours"
        was_stopped = await self._runtime.stop(session, person.name)
        return "home-stopped" if was_stopped else "home-nothing-running"

    async def _delete(self, who: UserId, session: SessionId) -> str:
        """Files are everybody's who works in a thread: who began it may delete them."""
        askers = await self._runtime.overview.askers(session)
        if askers[:1] != [who]:
            return "home-not-yours"
        is_gone = await self._runtime.delete_workspace(session)
        return "home-deleted" if is_gone else "home-not-deleted"

    async def _prefer(self, who: UserId, click: PreferenceClick) -> None:
        is_language = click.kind == "home.language"
        known = LANGUAGES if is_language else view.TIMES
        choice = click.choice if click.choice in known else ""
        name = "language" if is_language else "digest_time"
        await self._runtime.preferences.put(who, name, choice)
        self._people.forget(parse_user(who)[1])

    async def _follow_ups(
        self,
        click: ChannelClick,
        gesture: Gesture,
        person: Person,
    ) -> Note:
        """A channel with its rule, as it is or as it was just set; for admins alone."""
        if not person.is_admin:
            return Note()
        words = BOT.of(language_of(person))
        scope = f"{gesture.sender.team}:{click.channel}"
        if click.choice in FOLLOW_UPS:
            change = SettingClick(scope=scope, texts={"follow_ups": click.choice})
            await self._settings.change(change, gesture, words)
        effective = await self._runtime.scopes.at(scope)
        rule = effective.values.follow_ups
        return Note(channel=click.channel, rule=rule, settings=listing(effective.held, words))

    async def _stop_here(
        self,
        gesture: Gesture,
        person: Person,
        words: Words,
    ) -> str:
        """A command knows no thread: all that its author has going on in the channel ends."""
        sender = gesture.sender
        prefix = f"{sender.team}:{sender.channel}:"
        own = await self._runtime.overview.unfinished(gesture.by)
        here = {turn.session for turn in own if turn.session.startswith(prefix)}
        stopped = [await self._runtime.stop(session, person.name) for session in sorted(here)]
        if any(stopped):
            return words("home-stopped")
        nothing = words("home-nothing-here")
        elsewhere = await self._work(gesture.by, words)
        return f"{nothing}\n{elsewhere}" if elsewhere else nothing

    async def _work(self, who: UserId, words: Words) -> str:
        sessions = await self._runtime.overview.sessions(who)
        return "\n".join(view.work_lines(sessions, self._api.home, words))

    async def _connections(self, who: UserId, words: Words) -> str:
        accounts = await self._accounts(who)
        if accounts is None:
            return words("home-apps-away")
        lines = [f"• {view.account_line(each)}" for each in accounts]
        if not lines:
            lines = [words("home-no-accounts")]
        lines.append(f"_{words('home-buttons')}_")
        return "\n".join(lines)

    async def _suggest(self, who: UserId, channel: str, person: Person) -> None:
        """Openings: what is new on the subjects of their reports, then what we have for everybody.

        Their own words are never offered: one press of an errand would run it once more.
        """
        words = BOT.of(language_of(person))
        subjects = await self._runtime.overview.report_titles(who, limit=OWN_PROMPTS)
        lines = [plain_line(subject, SUBJECT_CHARS) for subject in subjects]
        own = [words("home-prompt-again", what=line) for line in lines]
        fixed = [words(f"home-prompt-{name}") for name in FIXED_PROMPTS]
        prompts = [{"title": title_of(text), "message": text} for text in (*own, *fixed)]
        await self._api.suggest(channel, prompts[:PROMPTS])

    def _month(self) -> datetime:
        return self._clock().replace(
            day=1,
            hour=0,
            minute=0,
            second=0,
            microsecond=0,
        )
