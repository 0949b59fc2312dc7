"""Slack as the place where the agent works: who may read what there now, and its own posts."""

import hashlib
import logging
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import zip_longest

from agent_core.errors import SessionError, SurfaceRefused
from agent_core.events import TurnFinished
from agent_core.ids import SessionId, UserId
from agent_core.messages import JsonObject
from agent_core.runtime import AnsweredTurn, Cap, Runtime, detect_language
from bot.inbound import plain_text, posted_at
from bot.presenter.answer import about_sources, live_links
from bot.presenter.journal import READER, Bookmark
from bot.render import PostDraft, answer_drafts, foreign_line, limits, none_live
from bot.slack_api import (
    Conversation,
    Op,
    People,
    PostRecord,
    Receipt,
    SlackApi,
    SlackError,
    SlackRefused,
    language_of,
)
from bot.slack_api.records import read_post, shared_in
from bot.threads import ThreadRef, parse_session, parse_user
from bot.words import BOT

MAX_POSTS = 300
MAX_POST_CHARS = 600
MAX_CHARS = 30_000
"""Bounds for what is read of a channel; the newest posts are kept."""

_UNREADABLE = (
    "#{name} cannot be read here. Channels are read that exist, and that both the person who asks "
    "and you are members of now; somebody there can invite you. A private one is told only in "
    "itself, or in the person's direct conversation with you."
)
_NO_POSTS = "Where that answer stands is not known, so it could not be changed."

ChannelPost = tuple[str, JsonObject]
"""A post as Slack has it, behind its channel."""

logger = logging.getLogger(__name__)


async def channel_lines(
    api: SlackApi,
    people: People,
    channel: str,
    since: datetime,
    *,
    linked: bool = False,
) -> list[str]:
    """What people said in a channel, such as `Ann (11-21 14:03): text`, oldest first.

    A post is one line, so that none can speak in another's name; it says how many replies it has
    and, if `linked`, where it is. Posts of bots, joins and other notices are left out.
    """
    posts = await _posts_since(api, channel, since)
    names = await people.names_in(posts)
    base = f"{api.home}archives/{channel}" if linked else ""
    lines = [_line(post, names, base) for post in posts]
    while sum(map(len, lines)) > MAX_CHARS:
        del lines[0]
    return lines


def material(head: str, lines: list[str]) -> str:
    """The posts of a channel as the model reads them."""
    return "\n".join([head, *(lines or ["(none)"])])


async def _posts_since(api: SlackApi, channel: str, since: datetime) -> list[PostRecord]:
    posts: list[PostRecord] = []
    history = api.channels.history(channel, oldest=f"{since.timestamp():.6f}")
    async with aclosing(history) as pages:
        async for page in pages:
            for raw in page:
                post = read_post(raw)
                is_notice = post.subtype or post.bot_id
                if post.user and post.text and not is_notice:
                    posts.append(post)
            if len(posts) >= MAX_POSTS:
                break
    return posts[:MAX_POSTS][::-1]


def _line(post: PostRecord, names: dict[str, str], base: str) -> str:
    author = names.get(post.user, post.user)
    at = posted_at(post.ts, utc_offset_s=0)
    text = " ".join(plain_text(post.text, names=names).split())
    line = f"{author} ({at:%m-%d %H:%M}): {text[:MAX_POST_CHARS]}"
    if post.replies:
        line += f" [{post.replies} replies]"
    if base:
        line += f" {base}/p{post.ts.replace('.', '')}"
    return line


@contextmanager
def _refusals() -> Generator[None]:
    """What Slack does not do becomes a sentence for the model."""
    try:
        yield
    except SlackError as error:
        logger.warning("not done for the agent: %s", error)
        raise SurfaceRefused("Slack did not let this be done just now.") from error


def _id_in(cap: Cap) -> str:
    """Slack's id of a person or channel; of a thread its channel's."""
    return cap.name.split(":")[-1 if cap.kind == "team" else 1]


@dataclass(frozen=True, slots=True)
class SlackSurface:
    """The core's `Surface`. Who may read is asked anew each time: people come and go."""

    _runtime: Runtime
    _api: SlackApi
    _people: People
    _channels: frozenset[str] | None = None
    """Where the bot may work at all; None: everywhere."""

    async def place_for(self, session: SessionId, asker: UserId) -> str:
        """The sessions of a channel, for its members; of a direct conversation, for its person."""
        try:
            thread = parse_session(session)
        except SessionError:
            return ""
        with _refusals():
            may_read = await self._may_read(thread.team, thread.channel, asker)
        return f"{thread.team}:{thread.channel}:" if may_read else ""

    def link(self, session: SessionId) -> str:
        return parse_session(session).link(self._api.home)

    async def posts_in(
        self,
        channel: str,
        since: datetime,
        session: SessionId,
        asker: UserId,
    ) -> str:
        name = channel.strip().removeprefix("#")
        here = parse_session(session)
        with _refusals():
            source = await self._api.channels.find(name)
            if source is None or not await self._may_tell(source, here, asker):
                raise SurfaceRefused(_UNREADABLE.format(name=name[:80]))
            lines = await channel_lines(
                self._api,
                self._people,
                source.id,
                since,
                linked=True,
            )
        head = (
            f"Posts in #{source.name} since {since:%Y-%m-%d %H:%M %Z}, times in UTC, as material:"
        )
        return material(head, lines)

    async def is_admin(self, person: UserId) -> bool:
        with _refusals():
            member = await self._people.person(parse_user(person)[1])
        return member is not None and member.is_admin

    async def names(self, cap: Cap) -> tuple[str, Sequence[str]]:
        try:
            people = await self._people.names({_id_in(cap)} if cap.kind == "person" else set())
            admins = await self._people.admins()
        except SlackError as error:
            logger.warning("a cap is told without names: %s", error)
            return "", ()
        return "".join(people.values()), [person.name for person in admins]

    async def warn(self, cap: Cap) -> None:
        sign = "@" if cap.kind == "person" else "#"
        for person in await self._people.admins():
            text = BOT.say(
                language_of(person),
                "cap-near",
                kind=cap.kind,
                who=f"<{sign}{_id_in(cap)}>",
                usd=f"${cap.usd:,g}",
            )
            op = Op("cap").part(cap.scope, person.id)
            await self._api.post_direct(person.team, person.id, text, op=op, since="0")

    async def put_right(
        self,
        turn: AnsweredTurn,
        text: str,
        asker: UserId,
    ) -> None:
        api = self._guarded(turn)
        with _refusals():
            posts = [post async for post in self._posts(turn)]
            drafts = await self._corrected(turn, text, asker)
            await self._correct(api, turn, posts, drafts)

    async def remove(self, turn: AnsweredTurn) -> None:
        api = self._guarded(turn)
        with _refusals():
            async for channel, raw in self._posts(turn):
                for file in raw.get("files") or ():
                    await api.files.delete(str(file["id"]))
                await api.streams.delete(channel, str(raw["ts"]))

    def _guarded(self, turn: AnsweredTurn) -> SlackApi:
        """Writes are made by the process that has the session, or not at all."""
        return self._api.guarded(partial(self._runtime.check, turn.turn.session))

    async def _may_tell(
        self,
        source: Conversation,
        here: ThreadRef,
        asker: UserId,
    ) -> bool:
        """Whether the posts of a channel may be told in a thread: all of its channel read it."""
        if not source.is_member or source.kind not in {"channel", "group"}:
            return False
        if self._channels is not None and source.id not in self._channels:
            return False
        is_private_elsewhere = source.kind == "group" and here.channel != source.id
        if is_private_elsewhere and not here.channel.startswith("D"):
            return False
        return await self._may_read(here.team, source.id, asker)

    async def _corrected(
        self,
        turn: AnsweredTurn,
        text: str,
        asker: UserId,
    ) -> list[PostDraft]:
        """The answer as posts, the last of which says who wanted it so."""
        person = await self._people.person(parse_user(asker)[1])
        language = detect_language(text, locale=person.locale if person else "")
        who = foreign_line(person.name if person else "", limits.PROGRESS_WORD_CHARS)
        finished = await self._finished(turn)
        finished = replace(finished, is_tainted=turn.tainted_by is not None)
        is_live = live_links(finished, self._api.home)
        drafts = answer_drafts(
            text,
            is_live,
            sources=finished.citations,
            about=about_sources(finished.published, language),
            heading=BOT.say(language, "progress-sources"),
        )
        if not drafts:
            raise SurfaceRefused("Nothing would be seen of this correction.")
        note = BOT.say(language, "surface-corrected", who=who)
        [mark] = answer_drafts(f"_{note}_", none_live)
        last = drafts[-1]
        text = f"{last.text}\n\n{mark.text}"
        drafts[-1] = replace(last, text=text, blocks=(*last.blocks, *mark.blocks))
        return drafts

    async def _correct(
        self,
        api: SlackApi,
        turn: AnsweredTurn,
        posts: list[ChannelPost],
        drafts: list[PostDraft],
    ) -> None:
        """In its posts, of which those with files stay; what they do not take comes below.

        A post that is new is noted as one of the answer, for the next correction or removal.
        """
        by_files = sorted(posts, key=lambda post: bool(post[1].get("files")))
        spare = by_files[: max(0, len(posts) - len(drafts))]
        for channel, raw in spare:
            await api.streams.delete(channel, str(raw["ts"]))
        kept = [post for post in posts if post not in spare]
        for draft, post in zip_longest(drafts, kept):
            if post is None or not await _replaced(api, post, draft):
                await self._add_post(api, turn, draft)

    async def _add_post(
        self,
        api: SlackApi,
        turn: AnsweredTurn,
        draft: PostDraft,
    ) -> None:
        bookmark, thread = await self._bookmark(turn)
        digest = hashlib.sha256(draft.text.encode()).hexdigest()[:8]
        op = Op(turn.turn.id).part("answer", "corrected", digest)
        bookmark.posts[op] = await api.post(thread, draft.text, blocks=draft.blocks, op=op)
        state = bookmark.model_dump(mode="json")
        save = self._runtime.save_cursor
        await save(READER, turn.turn.id, state, done=bookmark.finished)

    async def _may_read(self, team: str, channel: str, asker: UserId) -> bool:
        home, user = parse_user(asker)
        person = await self._people.person(user) if home == team else None
        if person is None or person.is_guest or person.is_deactivated:
            return False
        return user in await self._api.channels.members(channel)

    async def _posts(self, turn: AnsweredTurn) -> AsyncGenerator[ChannelPost]:
        """The posts of an answer that are still there, oldest first, each with its channel."""
        answer = Op(turn.turn.id).part("answer")
        bookmark, thread = await self._bookmark(turn)
        receipts = {receipt for op, receipt in bookmark.posts.items() if op.is_within(answer)}
        for op, file_id in bookmark.files.items():
            if op.is_within(answer):
                about = await self._api.files.about(file_id)
                shared = shared_in(about, thread.channel)
                receipts |= {Receipt(thread.channel, ts) for ts in shared}
        if not receipts:
            raise SurfaceRefused(_NO_POSTS)
        for receipt in sorted(receipts, key=lambda each: each.ts):
            its_thread = replace(thread, channel=receipt.channel)
            raw = await self._api.channels.post_now(its_thread, receipt.ts)
            if raw is not None:
                yield receipt.channel, raw

    async def _bookmark(self, turn: AnsweredTurn) -> tuple[Bookmark, ThreadRef]:
        """What was shown of a turn, and where."""
        state = await self._runtime.load_cursor(READER, turn.turn.id)
        bookmark = Bookmark.model_validate(state or {})
        session = SessionId(bookmark.direct) if bookmark.direct else turn.turn.session
        return bookmark, parse_session(session)

    async def _finished(self, turn: AnsweredTurn) -> TurnFinished:
        async with aclosing(self._runtime.events(turn.turn.id)) as events:
            async for _, event in events:
                if isinstance(event, TurnFinished):
                    return event
        raise SurfaceRefused(_NO_POSTS)


async def _replaced(api: SlackApi, post: ChannelPost, draft: PostDraft) -> bool:
    """Whether the post now says what the draft does; one may be too old to be edited."""
    channel, raw = post
    try:
        await api.update(
            channel,
            str(raw["ts"]),
            draft.text,
            blocks=draft.blocks,
        )
    except SlackRefused as refused:
        logger.warning("a correction comes as a post of its own: %s", refused)
        return False
    return True
