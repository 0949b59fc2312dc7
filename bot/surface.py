"""Slack as the place where the agent works: who may read what there now, and its own posts."""

import hashlib
import logging
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import zip_longest

from agent_core.errors import SessionError, SurfaceRefused
from agent_core.events import TurnFinished
from agent_core.ids import SessionId, UserId
from agent_core.messages import JsonObject
from agent_core.runtime import AnsweredTurn, Runtime, detect_language
from bot.inbound import mentioned_users, plain_text
from bot.presenter.answer import live_links
from bot.presenter.journal import READER, Bookmark
from bot.render import PostDraft, answer_drafts, foreign_line, limits, none_live
from bot.slack_api import Op, People, PostRecord, Receipt, SlackApi, SlackError, SlackRefused
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
Post = tuple[str, JsonObject]
"""A post as Slack has it, behind its channel."""

_UNKNOWN_PLACE = "Where that answer stands is not known, so it could not be changed."

logger = logging.getLogger(__name__)


async def channel_lines(
    api: SlackApi, people: People, channel: str, since: datetime, *, linked: bool = False
) -> list[str]:
    """What people said in a channel, such as `Ann (11-21 14:03): text`, oldest first.

    A post is one line, so that none can speak in another's name; it says how many replies it has
    and, if `linked`, where it is. Posts of bots, joins and other notices are left out.
    """
    posts = await _posts_since(api, channel, since)
    users = {user for post in posts for user in (post.user, *mentioned_users(post.text))}
    names = await people.names(users)
    # One address tells all: Slack makes each of its post's `ts`.
    link = (await api.channels.permalink(channel, posts[0].ts)) if linked and posts else ""
    base = link.rpartition("/p")[0]
    lines = [_line(post, names, f"{base}/p" if base else "") for post in posts]
    while sum(map(len, lines)) > MAX_CHARS:
        del lines[0]
    return lines


async def _posts_since(api: SlackApi, channel: str, since: datetime) -> list[PostRecord]:
    found: list[PostRecord] = []
    history = api.channels.history(channel, oldest=f"{since.timestamp():.6f}")
    async with aclosing(history) as pages:
        async for page in pages:
            said = (raw for raw in page if not (raw.get("subtype") or raw.get("bot_id")))
            found += [post for post in map(read_post, said) if post.user and post.text]
            if len(found) >= MAX_POSTS:
                break
    return found[:MAX_POSTS][::-1]


def _line(post: PostRecord, names: dict[str, str], link: str) -> str:
    said = " ".join(plain_text(post.text, names=names).split())[:MAX_POST_CHARS]
    at = datetime.fromtimestamp(float(post.ts), UTC)
    replies = f" [{post.replies} replies]" if post.replies else ""
    where = f" {link}{post.ts.replace('.', '')}" if link else ""
    return f"{names.get(post.user, post.user)} ({at:%m-%d %H:%M}): {said}{replies}{where}"


@contextmanager
def _plainly() -> Generator[None]:
    """What Slack does not do becomes a sentence for the model."""
    try:
        yield
    except SlackError as error:
        logger.warning("not done for the agent: %s", error)
        raise SurfaceRefused("Slack did not let this be done just now.") from error


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
        with _plainly():
            may_read = await self._may_read(thread.team, thread.channel, asker)
        return f"{thread.team}:{thread.channel}:" if may_read else ""

    async def link(self, session: SessionId) -> str:
        thread = parse_session(session)
        try:
            return await self._api.channels.permalink(thread.channel, thread.root_ts)
        except SlackError as error:
            logger.warning("no link to a thread: %s", error)
            return "(its first post is gone)"

    async def posts_in(
        self, channel: str, since: datetime, session: SessionId, asker: UserId
    ) -> str:
        name, here = channel.strip().removeprefix("#"), parse_session(session)
        with _plainly():
            place = await self._api.channels.find(name)
            may_read = (
                place is not None
                and place.is_member
                and place.kind in {"channel", "group"}
                and (self._channels is None or place.id in self._channels)
                # Of a thread all of its channel are readers.
                and (place.kind == "channel" or here.channel[:1] == "D" or here.channel == place.id)
                and await self._may_read(here.team, place.id, asker)
            )
            if place is None or not may_read:
                raise SurfaceRefused(_UNREADABLE.format(name=name[:80]))
            lines = await channel_lines(self._api, self._people, place.id, since, linked=True)
        head = f"Posts in #{place.name} since {since:%Y-%m-%d %H:%M %Z}, times in UTC, as material:"
        return "\n".join([head, *(lines or ["(none)"])])

    async def is_admin(self, person: UserId) -> bool:
        with _plainly():
            found = await self._people.person(parse_user(person)[1])
        return found is not None and found.is_admin

    async def put_right(self, turn: AnsweredTurn, text: str, asker: UserId) -> None:
        api = self._api.guarded(partial(self._runtime.check, turn.turn.session))
        with _plainly():
            posts = [post async for post in self._posts(turn)]
            await self._correct(api, turn, posts, await self._corrected(turn, text, asker))

    async def remove(self, turn: AnsweredTurn) -> None:
        api = self._api.guarded(partial(self._runtime.check, turn.turn.session))
        with _plainly():
            async for channel, raw in self._posts(turn):
                for file in raw.get("files") or ():
                    await api.files.delete(str(file["id"]))
                await api.streams.delete(channel, str(raw["ts"]))

    async def _corrected(self, told: AnsweredTurn, text: str, asker: UserId) -> list[PostDraft]:
        """The answer as posts, the last of which says who wanted it so."""
        person = await self._people.person(parse_user(asker)[1])
        words = BOT.of(detect_language(text, locale=person.locale if person else ""))
        who = foreign_line(person.name if person else "", limits.PROGRESS_WORD_CHARS)
        finished = replace(await self._finished(told), is_tainted=told.tainted_by is not None)
        is_live = live_links(finished, self._api.home)
        drafts = answer_drafts(text, is_live, sources=finished.citations)
        if not drafts:
            raise SurfaceRefused("Nothing would be seen of this correction.")
        *drafts, last = drafts
        [mark] = answer_drafts(f"_{words('surface-corrected', who=who)}_", none_live)
        blocks = (*last.blocks, *mark.blocks)
        return [*drafts, replace(last, text=f"{last.text}\n\n{mark.text}", blocks=blocks)]

    async def _correct(
        self, api: SlackApi, told: AnsweredTurn, posts: list[Post], drafts: list[PostDraft]
    ) -> None:
        """In its posts, of which those with files stay; what they do not take comes below.

        A post that is new is noted as one of the answer, for the next correction or removal.
        """
        bookmark, thread = await self._stands(told)
        by_files = sorted(posts, key=lambda post: bool(post[1].get("files")))
        spare = by_files[: max(0, len(posts) - len(drafts))]
        for channel, raw in spare:
            await api.streams.delete(channel, str(raw["ts"]))
        kept = [post for post in posts if post not in spare]
        for draft, post in zip_longest(drafts, kept):
            try:
                if post is not None:
                    channel, raw = post
                    await api.update(channel, str(raw["ts"]), draft.text, blocks=draft.blocks)
                    continue
            except SlackRefused as refused:
                logger.warning("a correction comes as a post of its own: %s", refused)
            digest = hashlib.sha256(draft.text.encode()).hexdigest()[:8]
            op = Op(told.turn.id).part("answer", "corrected", digest)
            bookmark.posts[op] = await api.post(thread, draft.text, blocks=draft.blocks, op=op)
            state, is_done = bookmark.model_dump(mode="json"), bookmark.finished
            await self._runtime.readers.save_cursor(READER, told.turn.id, state, done=is_done)

    async def _may_read(self, team: str, channel: str, asker: UserId) -> bool:
        home, user = parse_user(asker)
        person = await self._people.person(user) if home == team else None
        is_served = person is not None and not (person.is_guest or person.is_deactivated)
        return is_served and user in await self._api.channels.members(channel)

    async def _posts(self, told: AnsweredTurn) -> AsyncGenerator[Post]:
        """The posts of an answer that are still there, oldest first, each with its channel."""
        answer, (bookmark, thread) = Op(told.turn.id).part("answer"), await self._stands(told)
        receipts = {receipt for op, receipt in bookmark.posts.items() if op.is_within(answer)}
        for op, file_id in bookmark.files.items():
            about = await self._api.files.about(file_id) if op.is_within(answer) else {}
            receipts |= {Receipt(thread.channel, ts) for ts in shared_in(about, thread.channel)}
        if not receipts:
            raise SurfaceRefused(_UNKNOWN_PLACE)
        for receipt in sorted(receipts, key=lambda each: each.ts):
            raw = await self._api.channels.post_now(
                ThreadRef(team=thread.team, channel=receipt.channel, root_ts=thread.root_ts),
                receipt.ts,
            )
            if raw is not None:
                yield receipt.channel, raw

    async def _stands(self, told: AnsweredTurn) -> tuple[Bookmark, ThreadRef]:
        """What was shown of a turn, and where."""
        state = await self._runtime.readers.load_cursor(READER, told.turn.id)
        bookmark = Bookmark.model_validate(state or {})
        where = SessionId(bookmark.direct) if bookmark.direct else told.turn.session
        return bookmark, parse_session(where)

    async def _finished(self, told: AnsweredTurn) -> TurnFinished:
        async with aclosing(self._runtime.events(told.turn.id)) as events:
            async for _, event in events:
                if isinstance(event, TurnFinished):
                    return event
        raise SurfaceRefused(_UNKNOWN_PLACE)
