"""The ingress filter: what a payload tells, and whether it is for the bot.

It reads payloads into posts, edits, deletions and halts, and decides on them cheaply before they
are acknowledged, with look-ups in Slack only behind that.
"""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

from agent_core.ids import SessionId, TurnId
from agent_core.messages import InboundMessage, JsonObject
from agent_core.runtime import Ledger, detect_language
from bot.inbound import (
    DELETED,
    EDITED,
    InboundPost,
    object_in,
    plain_text,
    post_key,
    read_post,
    text_in,
)
from bot.ingress.authorise import Rules, Sender, authorise, refusal, screen, screen_source
from bot.ingress.replies import Replies, ThreadActivity
from bot.slack_api import People, Person

Address = Literal["ours", "not_ours", "reply"]

_log = logging.getLogger(__name__)

TOMBSTONE = "tombstone"
"""What stands in the place of a deleted post that has replies."""

STOP_REACTION = "x"
REACTED, STOPPED = "reaction_added", "agent_session_stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A person changed the text of their own post."""

    post: InboundPost
    """As it is now."""
    before: InboundPost | None
    """As it was, where the payload tells it."""
    body: JsonObject
    """The payload that would have brought the post as it is now."""

    @property
    def key(self) -> str:
        """The edit's own identity, the same in both payloads that Slack tells of it with."""
        return f"{self.post.key}:edit:{self.post.said_ts}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """A post is gone, whoever took it away."""

    post_key: str
    before: InboundPost | None
    """As it was, where the payload tells it."""

    @property
    def key(self) -> str:
        return f"{self.post_key}:deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Halt:
    """A person called the work of a thread off without a word: with Slack's own Stop, or an ❌."""

    sender: Sender
    ts: str
    """A post of the thread."""
    is_own: bool
    """The post is the bot's, or the thread was stopped as such; otherwise it is the person's."""
    event_ts: str

    @property
    def post_key(self) -> str:
        return post_key(self.sender.team, self.sender.channel, self.ts)

    @property
    def key(self) -> str:
        return f"{self.post_key}:halt:{self.sender.user}:{self.event_ts}"


PostEvent = InboundPost | Edit | Deletion | Halt


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTurn:
    """A gesture that the agent has."""

    text: str
    said_at: datetime
    """When it was said, or last edited."""
    is_at_work: bool
    """It was begun with, or is part of what was, and that has not ended."""


class Front(Protocol):
    """The agent's front door."""

    async def handle(self, message: InboundMessage) -> TurnId | None:
        """Begin or queue a turn; None when the gesture has one already."""
        ...

    async def revise(self, key: str, text: str) -> bool:
        """Another text stands in the place of the gesture's. False unless its turn waits."""
        ...

    async def withdraw(self, key: str, *, by: str = "") -> bool:
        """The gesture was taken back, or called off by whom `by` names: its turn ends.

        False where none can be ended.
        """
        ...

    async def known_turn(self, key: str) -> KnownTurn | None:
        """What the agent has of a gesture; None when it has no turn."""
        ...

    async def stop(self, session: SessionId, by: str) -> bool:
        """End all work of a thread; False without any."""
        ...

    async def stop_channel(
        self,
        team: str,
        channel: str,
        by: str,
        *,
        before_ts: str,
    ) -> bool:
        """End all work of a channel's threads that began before a post; False without any."""
        ...

    async def ended(self, key: str) -> None:
        """Returns when the gesture's turn has ended; it may never do so."""
        ...

    async def newest_of(self, session: SessionId, *, before_ts: str) -> str:
        """The `ts` of the newest post of a thread before a moment that the agent has, or empty."""
        ...

    async def activity(self, session: SessionId) -> ThreadActivity: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A post that the bot will answer."""

    post: InboundPost
    person: Person


@dataclass(frozen=True, slots=True, kw_only=True)
class NotServed:
    """A post by somebody whom the bot does not serve."""

    sentence: str
    """PostEvent to the author alone, unless it is empty."""


Admission = Admitted | NotServed | None
"""None: the post is not for the bot."""


def address(post: InboundPost, *, bot_user: str) -> Address:
    """Who the post speaks to, as far as the post itself tells.

    `reply`: it mentions nobody, in a thread.
    """
    if post.channel_type == "im" or post.mentions_bot:
        return "ours"
    return "reply" if post.is_reply and not post.mentions_others else "not_ours"


def post_language(post: InboundPost, author: Person | None, earlier: str = "") -> str:
    """That its author chose, or else of the post, of the thread's earlier posts, or of them."""
    if author is not None and author.language:
        return author.language
    locale = author.locale if author else ""
    return detect_language(plain_text(post.wire_text), earlier, locale=locale)


class IngressFilter:
    """Decides on payloads. What it lets in is durable when it returns.

    To judge raises SlackError where Slack could not be asked.
    """

    def __init__(
        self,
        front: Front,
        ledger: Ledger,
        people: People,
        rules: Rules,
        replies: Replies,
    ) -> None:
        self._front = front
        self._ledger = ledger
        self._people = people
        self._rules = rules
        self._replies = replies
        self._bot_user = rules.identity.bot_user

    async def let_in(self, event: PostEvent, body: JsonObject) -> bool:
        """Record what may be for the bot and was not recorded before; False for all else.

        Slack is not asked, so this takes no longer than the database.
        """
        if self._is_foreign(event, body) or not await self._may_be_for_us(event):
            return False
        second_key = event.second_key if isinstance(event, InboundPost) else ""
        return await self._ledger.record(event.key, second_key, body)

    async def judge(self, post: InboundPost) -> Admission:
        """Whether a post is for the bot, and its author somebody whom the bot serves."""
        spoken_to = address(post, bot_user=self._bot_user)
        if spoken_to == "not_ours":
            return None
        is_reply = spoken_to == "reply"
        if is_reply and not await self._replies.has_bot(post):
            return None
        admission = await self.judge_author(post)
        if not is_reply or not isinstance(admission, Admitted):
            return admission
        return admission if await self._replies.is_for_bot(post) else None

    async def judge_author(self, post: InboundPost) -> Admitted | NotServed:
        """The part of `judge` that is about the person."""
        person = await self._people.person(post.user)
        served = authorise(_sender(post), self._rules, person)
        if isinstance(served, Person):
            return Admitted(post=post, person=served)
        _log.info(
            "denied %s in %s: %s",
            post.user,
            post.thread.channel,
            served,
        )
        spoke_to_bot = post.mentions_bot or post.channel_type == "im"
        if not spoke_to_bot:
            return NotServed(sentence="")
        return NotServed(sentence=refusal(served).text(post_language(post, person)))

    async def served(self, sender: Sender) -> Person | None:
        """The person of a payload, where the bot serves them."""
        person = await self._people.person(sender.user)
        served = authorise(sender, self._rules, person)
        return served if isinstance(served, Person) else None

    async def is_for_us(self, post: InboundPost) -> bool:
        """Whether a post speaks to the bot."""
        spoken_to = address(post, bot_user=self._bot_user)
        if spoken_to == "reply":
            return await self._replies.is_for_bot(post)
        return spoken_to == "ours"

    def _is_foreign(self, event: PostEvent, body: JsonObject) -> bool:
        if isinstance(event, Halt):
            return screen(event.sender, self._rules) is not None
        post = event.before if isinstance(event, Deletion) else post_of(event)
        if post is None:
            team, app_id = text_in(body, "team_id"), text_in(body, "api_app_id")
            reason = screen_source(team, app_id, self._rules)
        else:
            reason = screen(_sender(post), self._rules)
        if reason:
            _log.info("dropped a payload: %s", reason)
        return reason is not None

    async def _may_be_for_us(self, event: PostEvent) -> bool:
        """Whether it speaks to the bot, or changes a post that the agent has."""
        match event:
            case InboundPost():
                return self._is_candidate(event)
            case Edit():
                versions = (event.post, event.before)
                is_candidate = any(post and self._is_candidate(post) for post in versions)
                key = event.post.key
            case Deletion():
                # A payload without the post leaves open whom it spoke to.
                is_candidate = event.before is None or self._is_candidate(event.before)
                key = event.post_key
            case Halt():
                is_candidate = event.is_own or event.post_key in self._replies.under_way
                key = event.post_key
        return is_candidate or await self._front.known_turn(key) is not None

    def _is_candidate(self, post: InboundPost) -> bool:
        """A reply in a thread that is not known may be for the bot."""
        spoken_to = address(post, bot_user=self._bot_user)
        if spoken_to == "reply":
            return self._replies.may_be_for_bot(post.thread)
        return spoken_to == "ours"


def post_of(event: InboundPost | Edit) -> InboundPost:
    """The post that an event is about, as it is now."""
    return event.post if isinstance(event, Edit) else event


def _sender(post: InboundPost) -> Sender:
    return Sender(
        team=post.thread.team,
        app_id=post.app_id,
        channel=post.thread.channel,
        user=post.user,
        user_team=post.user_team,
    )


def read_event(body: JsonObject, *, bot_user: str) -> PostEvent | None:
    """What a payload tells of a person's post; None where it tells of none.

    Slack tells of an edited mention twice, as a change and as a mention that was edited. A link's
    preview is a change, too, but not marked as an edit.
    """
    event = object_in(body, "event")
    kind, subtype = event.get("type"), event.get("subtype")
    if kind in {REACTED, STOPPED}:
        return _halt(body, event, bot_user)
    if kind == "message" and subtype == DELETED:
        return _deletion(
            body,
            event,
            text_in(event, "deleted_ts"),
            bot_user,
        )
    if kind == "message" and subtype == EDITED:
        now = object_in(event, "message")
        if now.get("subtype") == TOMBSTONE:
            return _deletion(body, event, text_in(now, "ts"), bot_user)
        return _edit(body, event, bot_user)
    post = read_post(body, bot_user=bot_user)
    if post is not None and kind == "app_mention" and post.said_ts != post.ts:
        return Edit(post=post, before=None, body=body)
    return post


def _halt(body: JsonObject, event: JsonObject, bot_user: str) -> Halt | None:
    """None for another reaction, or one to somebody else's post."""
    user, author = text_in(event, "user"), bot_user
    target = event
    if event["type"] == REACTED:
        if text_in(event, "reaction") != STOP_REACTION:
            return None
        author = text_in(event, "item_user")
        target = object_in(event, "item")
    ts = text_in(target, "ts") or text_in(target, "thread_ts")
    if not ts or author not in {user, bot_user}:
        return None
    sender = Sender(
        team=text_in(body, "team_id"),
        app_id=text_in(body, "api_app_id"),
        channel=text_in(target, "channel"),
        user=user,
    )
    event_ts = text_in(event, "event_ts")
    return Halt(
        sender=sender,
        ts=ts,
        is_own=author == bot_user,
        event_ts=event_ts,
    )


def _edit(body: JsonObject, event: JsonObject, bot_user: str) -> Edit | None:
    now = object_in(event, "message")
    edited = object_in(now, "edited")
    as_now = _as_posted(body, event, now)
    post = read_post(as_now, bot_user=bot_user)
    if post is None or not edited or text_in(edited, "user") not in {"", post.user}:
        return None
    before = _previous(body, event, bot_user)
    if before is not None and before.wire_text == post.wire_text:
        return None
    return Edit(post=post, before=before, body=as_now)


def _deletion(
    body: JsonObject,
    event: JsonObject,
    ts: str,
    bot_user: str,
) -> Deletion | None:
    """None for the deletion of what was no person's post."""
    before = _previous(body, event, bot_user)
    if not ts or (before is None and object_in(event, "previous_message")):
        return None
    key = post_key(text_in(body, "team_id"), text_in(event, "channel"), ts)
    return Deletion(post_key=key, before=before)


def _previous(body: JsonObject, event: JsonObject, bot_user: str) -> InboundPost | None:
    previous = _as_posted(body, event, object_in(event, "previous_message"))
    return read_post(previous, bot_user=bot_user)


def _as_posted(body: JsonObject, event: JsonObject, message: JsonObject) -> JsonObject:
    """The payload that would have told of the message when it was posted."""
    as_posted = {
        **message,
        "channel": event.get("channel"),
        "channel_type": event.get("channel_type"),
    }
    return {**body, "event": as_posted}
