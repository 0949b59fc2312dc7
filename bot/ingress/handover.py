"""The hand-over to the agent: of posts, with names, earlier posts and files, and of changes."""

import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from cachetools import LRUCache

from agent_core.background import GivenUp
from agent_core.ids import SOMEBODY
from agent_core.messages import Attachment, InboundMessage
from agent_core.runtime import Ledger, asks_for_nothing, small_talk
from bot.front import MAX_MB, FrontDoor, LeftOut, WorkspaceFiles
from bot.inbound import (
    Deletion,
    Edit,
    Halt,
    InboundPost,
    SlackFile,
    mentioned_users,
    plain_text,
    posted_at,
)
from bot.ingress.filter import Admitted, IngressFilter, Posts, post_language
from bot.ingress.replies import Replies
from bot.render import escape
from bot.render.escape import flat
from bot.slack_api import (
    Op,
    People,
    PostRecord,
    SlackApi,
    SlackError,
)
from bot.threads import ThreadRef, user_id
from bot.words import BOT

MAX_POSTS = 100
MAX_CHARS = 20_000
"""Bounds for the earlier posts of a thread."""

MAX_EARLIER_FILES = 5
MAX_EARLIER_FILE_BYTES = 20_000_000
"""Bounds for the files of those posts; the others are only named."""

MAX_NOTICES = 1_000
MAX_LOOKS = 24
"""How often one looks for the turn of a post that another process may be handing over."""

_UNREADABLE = "(The earlier posts of this thread could not be read.)"
_INDENT = "    "
_FENCE = re.compile(r"<(?=\s*+/?\s*+earlier_posts)", re.IGNORECASE)
_NOTICES = frozenset({"channel_join", "channel_leave", "channel_topic", "channel_purpose"})

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Earlier:
    """The posts of a thread that the agent has not read, and the files that came with them."""

    text: str = ""
    users: tuple[str, ...] = ()
    """Who wrote them; empty for an app, and the asker where the words are the bot's own."""
    files: tuple[SlackFile, ...] = ()


@dataclass(slots=True)
class Handover:
    """Gives posts to the front door, and has it carry out what people change about them.

    A post that is changed may not have come yet (Slack promises no order), may be on its way to the
    agent, or may be a turn that waits or works.
    """

    _front: FrontDoor
    _ledger: Ledger
    _files: WorkspaceFiles
    _api: SlackApi
    _people: People
    _filter: IngressFilter
    _posts: Posts
    _replies: Replies
    _explained: LRUCache[str, bool] = field(
        init=False, default_factory=lambda: LRUCache(MAX_NOTICES)
    )
    """Posts whose authors know that an edit came too late."""
    _looks: Counter[str] = field(init=False, default_factory=Counter[str])

    async def deliver(self, admitted: Admitted) -> bool:
        """Hand a post to the agent; the ledger is settled once the agent has it.

        False if the agent had the post before, and if there is nothing in it for the agent.
        """
        message = await self._message(admitted)
        is_new = message is not None and await self._give(message)
        await self._ledger.settle(admitted.post.key)
        return is_new

    async def tell_parked(self, admitted: Admitted) -> None:
        """Say in the thread that the answer has to wait."""
        text = BOT.say(post_language(admitted.post, admitted.person), "ingress-parked")
        await self._post_notice(admitted.post, text, "parked")

    async def _post_notice(self, post: InboundPost, text: str, kind: str) -> None:
        """Posts at most once, across retries and restarts."""
        op = Op(post.key).part(kind)
        try:
            if await self._api.find_post(post.thread, op) is None:
                await self._api.post(post.thread, text, op=op)
        except SlackError as error:
            _log.warning("%s could not be posted: %s", op, error)

    async def _give(self, message: InboundMessage) -> bool:
        """A post may be deleted before the agent has it, or while it takes it."""
        gone = self._posts.gone
        if message.key in gone:
            return False
        turn = await self._front.handle(message)
        if message.key in gone:
            await self._front.withdraw(message.key, by=gone.get(message.key, ""))
        return turn is not None

    async def _message(self, admitted: Admitted) -> InboundMessage | None:
        """None where files could not be had and no word is left to work on; the person was told."""
        post, person = admitted.post, admitted.person
        thread = post.thread
        earlier = await self._read_earlier(admitted)
        own = await self._keep(post, post.files)
        older = await self._keep(post, earlier.files)
        authors = earlier.users + tuple(file.user for file in post.files if file.user)
        kept = [*own, *older]
        attachments = tuple(file for file in kept if isinstance(file, Attachment))
        left_out = [file for file in own if isinstance(file, LeftOut)]
        note = ""
        if left_out:
            text = await self._posts.text(self._posts.newest(post))
            has_more = bool(attachments) or not asks_for_nothing(text)
            language = post_language(post, person, earlier.text)
            note = left_out_note(left_out, language)
            rest = f" {BOT.say(language, 'ingress-left-out-rest')}" if has_more else ""
            await self._post_notice(post, escape(f"{note}{rest}"), "files")
            if not has_more:
                return None
        newest = self._posts.newest(post)
        text = await self._posts.text(newest)
        person = await self._people.hear(person, text)
        if note:  # in the place of the files
            text = f"{text}\n\n({note})".strip()
        return InboundMessage(
            session=thread.session,
            key=post.key,
            asker=user_id(thread.team, post.user),
            author_name=person.name,
            text=text,
            received_at=datetime.fromtimestamp(newest.version_s, UTC),
            title=post.title,
            background=earlier.text,
            background_authors=tuple(
                user_id(thread.team, user) if user else SOMEBODY for user in authors
            ),
            attachments=attachments,
            author_locale=person.locale,
            author_zone=person.zone,
            language=person.language,
            places=(thread.channel, f"{thread.team}:{thread.channel}"),
        )

    async def _keep(
        self, post: InboundPost, files: tuple[SlackFile, ...]
    ) -> tuple[Attachment | LeftOut, ...]:
        return await self._files.keep(post.thread.session, files) if files else ()

    async def _read_earlier(self, admitted: Admitted) -> _Earlier:
        """The posts before this one; empty where the agent has read them all."""
        post = admitted.post
        if not post.is_reply:
            return _Earlier()
        since_ts = await self._front.newest_of(post.thread.session, before_ts=post.ts)
        if since_ts and self._agent_knows_all(post):
            return _Earlier()
        try:
            return await self._earlier_posts(post, since_ts, admitted.person.utc_offset_s)
        except SlackError as error:
            _log.warning("could not read a thread: %s", error)
            return _Earlier(text=_UNREADABLE, users=(post.user,))

    def _agent_knows_all(self, post: InboundPost) -> bool:
        """Whether nothing since its newest post can matter."""
        if post.channel_type == "im":  # all of it is for the bot
            return True
        if small_talk(plain_text(post.wire_text, bot_user=self._posts.identity.bot_user)):
            return True
        return not post.mentions_bot and self._replies.is_alone(post)

    async def _earlier_posts(
        self,
        post: InboundPost,
        since_ts: str,
        utc_offset_s: int,
    ) -> _Earlier:
        """Lines such as `Ann (14:03): text`, oldest first, the bot's own left out, and files.

        The newest posts are kept where there are too many. Times are the asker's. Only the first
        line of a post begins at the margin, so no post can speak in another's name, and none can
        end the passage in which the model gets them.
        """
        bot_user = self._posts.identity.bot_user
        posts = await self._api.newest_posts(
            post.thread,
            limit=MAX_POSTS,
            since_ts=since_ts,
            before_ts=post.ts,
        )
        kept = [each for each in posts if self._is_material(each)]
        names = await self._people.names_in(kept)
        lines = [self._line(each, names, utc_offset_s) for each in kept]
        while len(lines) > 1 and sum(map(len, lines)) > MAX_CHARS:
            del lines[0]
        text = _FENCE.sub("(", "\n".join(lines)[:MAX_CHARS])
        users = tuple(dict.fromkeys(author for each in kept for author in _authors_of(each)))
        if post.channel_type == "im":
            return _Earlier(text=text, users=users)
        # What was written to the bot brings its files by itself, and a stop must not wait for them.
        others = [each for each in reversed(kept) if bot_user not in mentioned_users(each.text)]
        files = [file for each in others for file in each.files]
        small = [file for file in files if file.size_bytes <= MAX_EARLIER_FILE_BYTES]
        return _Earlier(text=text, users=users, files=tuple(small[:MAX_EARLIER_FILES]))

    def _is_material(self, post: PostRecord) -> bool:
        identity = self._posts.identity
        if post.user == identity.bot_user or post.bot_id == identity.bot_id:
            return False
        return post.subtype not in _NOTICES and bool(post.text or post.files)

    def _line(
        self,
        post: PostRecord,
        names: dict[str, str],
        utc_offset_s: int,
    ) -> str:
        author = flat(names.get(post.user) or post.user or "An app")
        at = posted_at(post.ts, utc_offset_s)
        text = plain_text(post.text, bot_user=self._posts.identity.bot_user, names=names)
        indented = f"\n{_INDENT}".join(text.splitlines())
        line = f"{author} ({at:%H:%M}): {indented}"
        if not post.files:
            return line
        file_names = ", ".join(file.name for file in post.files)
        return f"{line} [files: {flat(file_names)}]"

    async def apply(self, change: Edit | Deletion | Halt) -> InboundPost | None:
        """Carry out what a person changed. A post that only its edit tells of is returned.

        That post is in the ledger and is to be handed over. What cannot be done yet is tried again,
        a bounded number of times.

        Raises:
            GivenUp: The post is known and has no turn yet.
            SlackError: Slack could not be asked.
        """
        key = change.key
        post: InboundPost | None = None
        try:
            match change:
                case Edit():
                    post = await self._revise(change)
                case Deletion():
                    await self._withdraw(change.post_key)
                case Halt():
                    await self._halt(change)
        except GivenUp:
            self._looks[key] += 1
            if self._looks[key] < MAX_LOOKS:
                raise
        await self._ledger.settle(key)
        del self._looks[key]
        return post

    async def _halt(self, halt: Halt) -> None:
        """Stop the work of a thread as a typed stop would, for whoever may type one."""
        sender = halt.sender
        person = await self._filter.served(sender)
        if person is None:
            return
        root_ts = await self._api.root_of(sender.channel, halt.ts)
        if not root_ts:
            return
        thread = ThreadRef(team=sender.team, channel=sender.channel, root_ts=root_ts)
        self._posts.call_off(
            lambda post: post.thread == thread, by=person.name, before_ts=halt.event_ts
        )
        await self._front.stop(thread.session, person.name)

    async def _revise(self, edit: Edit) -> InboundPost | None:
        """Put the new text in the place of the old one, as long as the turn has not begun.

        An edit that takes the bot's mention out leaves the request as it is otherwise: to take it
        back one deletes the post.
        """
        post = edit.post
        if self._posts.is_outdated(edit) or post.key in self._posts.gone:
            return None
        author = await self._filter.judge_author(post)
        if not isinstance(author, Admitted):
            return None
        if await self._front.known_turn(post.key) is not None:
            await self._revise_turn(edit, author)
            return None
        if await self._filter.is_for_us(post):
            if await self._ledger.record(post.key, post.second_key, edit.body):
                return post
            raise GivenUp(edit.key)
        if edit.before is not None and await self._filter.is_for_us(edit.before):
            raise GivenUp(edit.key)
        return None

    async def _withdraw(self, key: str) -> None:
        """End the turn of a post that is gone. One that has not come yet never will.

        A message that other work has taken in stays a part of it: the model has read it.
        """
        is_over = await self._front.withdraw(key)
        never_came = not is_over and await self._ledger.record(key, "", {})
        await self._ledger.settle(key)
        if is_over or never_came or key in self._posts.under_way:
            return
        if await self._front.known_turn(key) is None:
            raise GivenUp(key)

    async def _revise_turn(self, edit: Edit, author: Admitted) -> None:
        post = edit.post
        key = post.key
        text = await self._posts.text(post)
        if await self._front.revise(key, text):
            return
        turn = await self._front.known_turn(key)
        if turn is None or not turn.is_at_work:
            return
        if key in self._explained or turn.text == text:
            return
        self._explained[key] = True
        notice = BOT.say(post_language(post, author.person), "ingress-begun")
        await self._api.whisper(
            post.thread.channel,
            post.user,
            notice,
            thread_ts=post.thread.root_ts,
        )


def _authors_of(post: PostRecord) -> Iterator[str]:
    """Whose words a post holds: an app's are not the person's in whose name it wrote."""
    yield "" if post.bot_id else post.user
    for file in post.files:
        if file.user:
            yield file.user


def left_out_note(left_out: Sequence[LeftOut], language: str) -> str:
    """One sentence for each file."""
    words = BOT.of(language)
    return " ".join(
        words(f"ingress-left-out-{each.fault.replace('_', '-')}", name=each.name, max_mb=MAX_MB)
        for each in left_out
    )
