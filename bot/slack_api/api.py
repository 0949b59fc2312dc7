"""The bot's hands in Slack: one method per thing it does. Nobody else calls the Web API."""

import logging
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import aiohttp
from cachetools import TTLCache
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from agent_core.background import Locks
from agent_core.messages import JsonObject
from agent_core.runtime import Preferences, written_language
from bot.inbound import mentioned_users, objects_in
from bot.slack_api.calls import CALL_LIMIT_S, Calls, MonotonicClock, WriteGuard, ask
from bot.slack_api.channels import GONE, Channels
from bot.slack_api.errors import SlackError, SlackRefused
from bot.slack_api.files import Files
from bot.slack_api.records import (
    BotToken,
    Identity,
    Op,
    Person,
    PostRecord,
    Receipt,
    mark,
    read_op,
    read_person,
    read_post,
)
from bot.slack_api.streams import StreamAllowance, Streams
from bot.threads import ThreadRef

_log = logging.getLogger(__name__)

Find = Callable[[], Awaitable[Receipt | None]]
"""Looks for a post that may be there already."""

SessionStatus = Literal["processing", "active"]
READ_BACK_GAP_S = 2.0
PEOPLE_TTL_S = 300.0
ADMINS_TTL_S = 3_600.0
MAX_PEOPLE = 2_000


class SlackApi:
    """Typed calls with limits, retries and read-back. Every method raises `SlackError` only."""

    def __init__(
        self,
        client: AsyncWebClient,
        *,
        clock: MonotonicClock | None = None,
        limit_s: float = CALL_LIMIT_S,
        settle_s: float = CALL_LIMIT_S,
    ) -> None:
        """A call may take `limit_s`.

        A request of a process that died may be on its way for `settle_s`: so long is waited before
        the thread is read back.
        """
        self.clock = clock or MonotonicClock()
        self._settle_s = settle_s
        self._has_sessions = True
        self.home = ""
        """The team's own address, known once the bot is: `https://acme.slack.com/`."""
        self._allowance = StreamAllowance()
        self._calls = Calls(client, self.clock, limit_s=limit_s)

    def guarded(self, guard: WriteGuard) -> "SlackApi":
        """The same API under the same limits, with `guard` awaited right before each visible write.

        What `guard` raises reaches the caller, and the write is not made.
        """
        view = copy(self)
        view._calls = self._calls.guarded(guard)
        return view

    @property
    def files(self) -> Files:
        return Files(self._calls, self._settle_s)

    @property
    def channels(self) -> Channels:
        return Channels(self._calls)

    @property
    def streams(self) -> Streams:
        return Streams(self._calls, self.channels, self._allowance, self._settle_s)

    async def identify(self) -> Identity:
        """Who the token belongs to."""
        auth = await self._calls.repeatable("auth.test", {})
        self.home, bot_id = str(auth.get("url", "")), str(auth.get("bot_id", ""))
        about = await self._calls.repeatable("bots.info", {"bot": bot_id}) if bot_id else {}
        return Identity(
            team=str(auth["team_id"]),
            bot_user=str(auth["user_id"]),
            bot_id=bot_id,
            app_id=str(about.get("bot", {}).get("app_id", "")),
        )

    async def token(self) -> BotToken:
        """What Slack says about the token, asked once and without any retry."""
        response = await ask(self._calls.client, "auth.test")
        headers: dict[str, Any] = {name.lower(): value for name, value in response.headers.items()}
        scopes = headers.get("x-oauth-scopes")
        return BotToken(
            bot=str(response.get("user", "")),
            team=str(response.get("team", "")),
            scopes=None if scopes is None else frozenset(str(scopes).replace(",", " ").split()),
        )

    async def post(
        self,
        thread: ThreadRef,
        text: str,
        *,
        op: Op,
        blocks: Sequence[JsonObject] = (),
        may_exist: bool = False,
    ) -> Receipt:
        """Post once into the thread.

        After an answer that never came the thread is read back before anything is repeated. With
        `may_exist` an earlier process may have posted it: the thread is read first, late enough for
        a request that was still under way.
        """
        find = partial(self.find_post, thread, op)
        arguments = {**_marked(thread.channel, text, op, blocks), "thread_ts": thread.root_ts}
        return await self._post_once(arguments, find, may_exist=may_exist)

    async def post_direct(
        self,
        team: str,
        user: str,
        text: str,
        *,
        op: Op,
        since: str,
        may_exist: bool = False,
    ) -> ThreadRef:
        """Write once to a person directly and return the thread that this begins.

        As with `announce`.
        """
        opened = await self._calls.repeatable("conversations.open", {"users": user})
        channel = str(opened["channel"]["id"])
        posted = await self.announce(
            channel,
            text,
            op=op,
            since=since,
            may_exist=may_exist,
        )
        return ThreadRef(team=team, channel=channel, root_ts=posted.ts)

    async def announce(
        self,
        channel: str,
        text: str,
        *,
        op: Op,
        since: str,
        may_exist: bool = False,
    ) -> Receipt:
        """Post once to a whole conversation.

        As with `post`; the conversation is read back for posts that are later than the `ts` of
        `since`. What earlier processes posted can be looked for all at once, with `announced`.
        """

        async def find() -> Receipt | None:
            return await _find(op, channel, self.channels.history(channel, oldest=since))

        return await self._post_once(_marked(channel, text, op), find, may_exist=may_exist)

    async def announced(self, channel: str, *, owner: str, since: str) -> set[Op]:
        """The owner's ops that the bot posted to the whole conversation later than `since`.

        They are asked for late enough for a request that was still under way.
        """
        await self.clock.sleep(self._settle_s)
        pages = self.channels.history(channel, oldest=since)
        posts = [read_post(raw) async for page in pages for raw in page]
        ops = [read_op(owner, post.op_id) for post in posts]
        return {op for op in ops if op is not None}

    async def update(
        self,
        channel: str,
        ts: str,
        text: str,
        *,
        blocks: Sequence[JsonObject] = (),
        op: Op | None = None,
        insist: bool = True,
    ) -> bool:
        """Replace a post of the bot, which may get an op; kept up until Slack took it.

        Without `insist` it is left out, and False, while Slack asks for a pause. Blocks are always
        sent: blocks that are left out stay, and would hide the new text.
        """
        arguments: JsonObject = {
            "channel": channel,
            "ts": ts,
            "text": text,
            "blocks": list(blocks),
        }
        if op is not None:
            arguments["metadata"] = mark(op)
        call = self._calls.repeatable if insist else self._calls.droppable
        return await call("chat.update", arguments) is not None

    async def post_ephemeral(
        self,
        channel: str,
        user: str,
        text: str,
        *,
        thread_ts: str | None = None,
        blocks: Sequence[JsonObject] = (),
    ) -> None:
        """Tell one person something that nobody else sees. Not repeated when the answer is lost."""
        recipient = {"channel": channel, "user": user, "thread_ts": thread_ts}
        await self._calls.single("chat.postEphemeral", {**_quiet(text, blocks), **recipient})

    async def whisper(
        self,
        channel: str,
        user: str,
        text: str,
        *,
        thread_ts: str = "",
    ) -> None:
        """Tell one person something, if there is anything to say; a failure costs nothing else."""
        if not text or not channel:
            return
        try:
            await self.post_ephemeral(
                channel,
                user,
                text,
                thread_ts=thread_ts or None,
            )
        except SlackError as error:
            _log.warning("one person could not be told something: %s", error)

    async def take_away(self, response_url: str) -> None:
        """Take back what one person alone sees, by the address that a press on it came with.

        Where that is not possible any more, it stays.
        """
        if not response_url:
            return
        client = self._calls.client
        hook = AsyncWebhookClient(response_url, session=client.session, proxy=client.proxy)
        try:
            answer = await hook.send_dict({"delete_original": True})
            _log.info("a private post is taken away: %s", answer.status_code)
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            _log.info("a private post stays: %s", type(error).__name__)

    async def set_status(
        self,
        thread: ThreadRef,
        status: SessionStatus,
        *,
        insist: bool = False,
    ) -> bool:
        """Show in the thread whether the bot is at work. False where Slack cannot show it.

        With `insist` pauses are waited out and failed calls made again.
        """
        if not self._has_sessions:
            return False
        call = self._calls.repeatable if insist else self._calls.droppable
        arguments = {
            "channel_id": thread.channel,
            "thread_ts": thread.root_ts,
            "status": status,
        }
        try:
            return await call("agents.sessions.setStatus", arguments) is not None
        except SlackRefused as refused:
            self._has_sessions = refused.code not in {
                "feature_disabled", "not_authorized", "unknown_method",
            }  # fmt: skip
            return False
        except SlackError:
            return False

    async def say_status(
        self,
        thread: ThreadRef,
        line: str,
        loading: Sequence[str] = (),
    ) -> bool:
        """Say in the thread's status line what the bot does, after its name; empty takes it away.

        `loading` is shown in its place where there is room. The bot's next post takes it away, and
        so do two minutes. False if it was left out.
        """
        arguments = {
            "channel_id": thread.channel,
            "thread_ts": thread.root_ts,
            "status": line,
            "loading_messages": list(loading) or None,
        }
        answer = await self._calls.droppable("assistant.threads.setStatus", arguments)
        return answer is not None

    async def react(
        self,
        channel: str,
        ts: str,
        name: str,
        *,
        add: bool,
    ) -> None:
        """Put an emoji on a post, or take the bot's off; one that is so already is fine.

        One is not put where the minute's are used up, as what comes after it would wait.
        """
        arguments = {"channel": channel, "timestamp": ts, "name": name}
        method = f"reactions.{'add' if add else 'remove'}"
        if add and not self._calls.has_room(method, arguments):
            return
        await self._calls.repeatable(method, arguments, fine={"already_reacted", "no_reaction"})

    async def newest_posts(
        self,
        thread: ThreadRef,
        *,
        limit: int,
        since_ts: str = "",
        before_ts: str,
    ) -> tuple[PostRecord, ...]:
        """The newest posts of a thread between two moments, oldest first."""
        newest: deque[PostRecord] = deque(maxlen=limit)
        oldest, since_s = since_ts or None, float(since_ts or 0)
        pages = self.channels.replies(
            thread,
            oldest=oldest,
            latest=before_ts,
            at_once=True,
        )
        async for page in pages:
            posts = map(read_post, page)
            newest.extend(post for post in posts if since_s < float(post.ts) < float(before_ts))
        return tuple(newest)

    async def root_of(self, channel: str, ts: str) -> str:
        """The `ts` of the root of the thread that a post stands in; empty if the post is gone."""
        arguments = {
            "channel": channel,
            "ts": ts,
            "limit": 1,
            "inclusive": True,
        }
        answer = await self._calls.repeatable("conversations.replies", arguments, fine=GONE)
        posts = objects_in(answer, "messages")
        return next((str(raw.get("thread_ts") or raw.get("ts")) for raw in posts), "")

    async def find_post(self, thread: ThreadRef, op: Op) -> Receipt | None:
        """The bot's post of this op, if the thread has it."""
        return await _find(op, thread.channel, self.channels.replies(thread, at_once=True))

    async def person(self, user: str) -> Person | None:
        """A user; None if Slack does not know or show them."""
        answer = await self._calls.repeatable(
            "users.info",
            {"user": user, "include_locale": True},
            fine={"user_not_found", "user_not_visible", "users_not_found"},
        )
        return read_person(answer["user"]) if answer else None

    async def open_view(self, trigger_id: str, view: JsonObject) -> bool:
        """Open a modal for the person whose gesture allows it: a trigger lives for three seconds.

        False where it is too late, or Slack asked for a pause or refused it. After
        `SlackUnavailable` the modal may or may not be open; called again with the same trigger,
        this opens no second one.
        """
        if not trigger_id:
            return False
        arguments = {"trigger_id": trigger_id, "view": view}
        try:
            return await self._calls.droppable("views.open", arguments) is not None
        except SlackRefused as refused:
            _log.warning("no form was opened: %s", refused)
            return False

    async def publish_home(self, user: str, view: JsonObject) -> None:
        """What a person sees on the app's Home tab from now on."""
        await self._calls.repeatable("views.publish", {"user_id": user, "view": view})

    async def suggest(self, channel: str, prompts: Sequence[JsonObject]) -> None:
        """Offer things to ask, `title` and `message`, for the next chat in a direct conversation.

        What Slack does not take is left out.
        """
        given = {"channel_id": channel, "prompts": list(prompts)}
        await self._leave_out("assistant.threads.setSuggestedPrompts", given)

    async def name_session(self, thread: ThreadRef, title: str) -> None:
        """Name a thread in the list of the agent's sessions; left out where Slack has no such."""
        session = {"channel_id": thread.channel, "thread_ts": thread.root_ts}
        if self._has_sessions:
            await self._leave_out("agents.sessions.rename", {**session, "title": title})

    async def _leave_out(self, method: str, arguments: JsonObject) -> None:
        """Make a call that nobody misses."""
        try:
            await self._calls.droppable(method, arguments)
        except SlackError as error:
            _log.info("%s is left out: %s", method, error)

    async def _post_once(
        self,
        arguments: JsonObject,
        find: Find,
        *,
        may_exist: bool,
    ) -> Receipt:
        waits_s = (self._settle_s, min(READ_BACK_GAP_S, self._settle_s))
        for wait_s in waits_s if may_exist else ():
            await self.clock.sleep(wait_s)
            earlier = await find()
            if earlier is not None:
                return earlier

        async def attempt() -> Receipt:
            answer = await self._calls.single("chat.postMessage", arguments)
            return Receipt(channel=str(arguments["channel"]), ts=str(answer["ts"]))

        return await self._calls.insist(attempt, find=find)


class People:
    """Users by id, asked for once per TTL, so that a deactivated user is noticed in time.

    Its methods raise SlackError where Slack could not be asked.
    """

    def __init__(self, api: SlackApi, preferences: Preferences | None = None) -> None:
        self._api = api
        self._preferences = preferences
        self._known: TTLCache[str, Person | None] = TTLCache(
            MAX_PEOPLE, PEOPLE_TTL_S, timer=api.clock.seconds
        )
        self._asking = Locks[str]()
        self._admins: TTLCache[str, list[Person]] = TTLCache(
            1, ADMINS_TTL_S, timer=api.clock.seconds
        )

    async def person(self, user: str) -> Person | None:
        """The user, or None if Slack does not know or show them. Many who ask at once ask once."""
        async with self._asking.of(user):
            try:
                return self._known[user]
            except KeyError:
                self._known[user] = person = await self._look_up(user)
                return person

    async def admins(self) -> list[Person]:
        """The workspace's admins and owners, as they were within the hour."""
        if not self._admins:
            self._admins[""] = await self._api.channels.admins()
        return self._admins[""]

    def forget(self, user: str) -> None:
        """What is known of somebody has changed here."""
        self._known.pop(user, None)

    async def hear(self, person: Person, text: str) -> Person:
        """The person as they are spoken to from now on: in the language that they write in.

        Buttons and forms have no words of theirs. What they chose stands above it.
        """
        written = written_language(text)
        if not written or person.language or person.locale.startswith(written):
            return person
        if self._preferences is not None:
            await self._preferences.put(f"{person.team}:{person.id}", "written", written)
        person = self._known[person.id] = replace(person, locale=written)
        return person

    async def _look_up(self, user: str) -> Person | None:
        person = await self._api.person(user)
        if person is None or self._preferences is None:
            return person
        chosen = await self._preferences.of(f"{person.team}:{person.id}")
        language, time = chosen.get("language", ""), chosen.get("digest_time", "")
        locale = language or chosen.get("written", "") or person.locale
        return replace(
            person,
            language=language,
            locale=locale,
            digest_time=time,
        )

    async def names_in(self, posts: Iterable[PostRecord], *more: str) -> dict[str, str]:
        """Names of who wrote these posts, of whom the posts mention, and of `more` users."""
        users = set(more)
        for post in posts:
            users |= {post.user, *mentioned_users(post.text)}
        return await self.names(users - {""})

    async def names(self, users: set[str]) -> dict[str, str]:
        """Names of those users that Slack knows."""
        people = [await self.person(user) for user in sorted(users)]
        return {person.id: person.name for person in people if person is not None}


async def _find(op: Op, channel: str, pages: AsyncGenerator[list[JsonObject]]) -> Receipt | None:
    """The bot's post of this op."""
    op_id = str(op)
    async with aclosing(pages):
        async for page in pages:
            for post in map(read_post, page):
                if post.op_id == op_id:
                    return Receipt(channel=channel, ts=post.ts)
    return None


def _quiet(text: str, blocks: Sequence[JsonObject]) -> dict[str, Any]:
    """Text and blocks; no preview is fetched for what a foreign text names."""
    given = {
        "text": text,
        "unfurl_links": False,
        "unfurl_media": False,
    }
    return {**given, "blocks": list(blocks)} if blocks else given


def _marked(
    channel: str,
    text: str,
    op: Op,
    blocks: Sequence[JsonObject] = (),
) -> dict[str, Any]:
    return {
        **_quiet(text, blocks),
        "channel": channel,
        "metadata": mark(op),
    }
