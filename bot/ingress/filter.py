"""The ingress filter: whether a payload is for the bot, and who may use it; closed by default.

It decides cheaply before a payload is acknowledged, with look-ups in Slack only behind that. What
people changed about their posts meanwhile is in `Posts`.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from cachetools import LRUCache

from agent_core.messages import JsonObject
from agent_core.runtime import Ledger, ScopeSettings, detect_language
from bot.clicks import Refused
from bot.front import FrontDoor
from bot.inbound import (
    Deletion,
    Edit,
    Halt,
    InboundPost,
    PostEvent,
    Sender,
    mentioned_users,
    plain_text,
    post_of,
    text_in,
)
from bot.ingress.replies import Replies
from bot.slack_api import Identity, People, Person, SlackError
from bot.threads import user_id

Address = Literal["ours", "not_ours", "reply"]

Reason = Literal[
    "foreign_app",
    "foreign_team",
    "bot",
    "unknown_user",
    "deactivated",
    "guest",
    "stranger",
    "channel_not_listed",
    "user_not_listed",
]

_SILENT: frozenset[Reason] = frozenset({"foreign_app", "foreign_team", "bot", "deactivated"})
"""Those to whom nothing is said."""

MAX_POSTS = 10_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Whom the bot serves. None means not restricted; an empty set means nobody."""

    identity: Identity
    teams: frozenset[str] | None = None
    """Home teams of the people served; None means the token's own team."""
    channels: frozenset[str] | None = None
    users: frozenset[str] | None = None
    scopes: ScopeSettings | None = None
    """What holds in a channel: guests may be served there."""
    guests: bool = False

    async def here(self, sender: Sender, person: Person | None) -> "Rules":
        """The rules as the settings of the sender's channel make them, for guests."""
        if self.scopes is None or person is None or not person.is_guest:
            return self
        settings = await self.scopes.at(f"{sender.team}:{sender.channel}")
        return replace(self, guests=settings.values.guests)


def refusal(reason: Reason) -> Refused:
    """Why somebody is not served, as they are told; some are told nothing."""
    is_silent = reason in _SILENT
    return Refused("" if is_silent else f"ingress-refusal-{reason.replace('_', '-')}")


def screen(sender: Sender, rules: Rules) -> Reason | None:
    """Whether the payload alone rules its author out; needs no look-up."""
    if refused := screen_source(sender.team, sender.app_id, rules):
        return refused
    if sender.is_bot or sender.user in {rules.identity.bot_user, ""}:
        return "bot"
    return None


def screen_source(team: str, app_id: str, rules: Rules) -> Reason | None:
    """Whether a payload is not for this installation of this app, whoever it is about."""
    own = rules.identity
    if own.app_id and app_id and app_id != own.app_id:
        return "foreign_app"
    if team != own.team and team not in (rules.teams or frozenset[str]()):
        return "foreign_team"
    return None


def authorise(sender: Sender, rules: Rules, person: Person | None) -> Person | Reason:
    """The person, as Slack knows them by the payload's id, or why they may not use the bot here."""
    if refused := screen(sender, rules):
        return refused
    if person is None or person.id != sender.user:
        return "unknown_user"
    if refused := _refuse_person(sender, rules, person):
        return refused
    if rules.channels is not None and sender.channel not in rules.channels:
        return "channel_not_listed"
    if rules.users is not None and person.id not in rules.users:
        return "user_not_listed"
    return person


def _refuse_person(sender: Sender, rules: Rules, person: Person) -> Reason | None:
    if person.is_bot:
        return "bot"
    if person.is_deactivated:
        return "deactivated"
    if person.is_guest and not rules.guests:
        return "guest"
    teams = rules.teams if rules.teams is not None else frozenset({rules.identity.team})
    homes = {person.team, sender.user_team} - {""}
    if not homes or not homes <= teams or (person.is_stranger and rules.teams is None):
        return "stranger"
    return None


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


def address(post: InboundPost) -> Address:
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


class Posts:
    """Posts as they are now, as far as this process has heard of changes to them."""

    def __init__(self, people: People, identity: Identity) -> None:
        self._people = people
        self.identity = identity
        self._edited: LRUCache[str, InboundPost] = LRUCache(MAX_POSTS)
        self.gone: LRUCache[str, str] = LRUCache(MAX_POSTS)
        """Who called off each post that is not handed over any more; empty where it was deleted."""
        self.under_way: dict[str, InboundPost] = {}
        """Those that are being handed over, by key."""

    def note(self, event: PostEvent) -> None:
        """Take a change into account from now on."""
        if isinstance(event, Deletion):
            self.gone[event.post_key] = ""
        if isinstance(event, Edit) and not self.is_outdated(event):
            self._edited[event.post.key] = event.post

    def is_outdated(self, edit: Edit) -> bool:
        """Whether a later edit of the same post is known."""
        newest = self._edited.get(edit.post.key)
        return newest is not None and newest.version_s > edit.post.version_s

    def newest(self, post: InboundPost) -> InboundPost:
        """The post with its newest text."""
        edited = self._edited.get(post.key)
        if edited is None or edited.version_s <= post.version_s:
            return post
        return replace(post, wire_text=edited.wire_text, version_ts=edited.version_ts)

    def call_off(
        self,
        concerns: Callable[[InboundPost], bool],
        *,
        by: str,
        before_ts: str,
    ) -> None:
        """Posts of before then that are still being handed over are left."""
        for post in self.under_way.values():
            is_earlier = float(post.ts) < float(before_ts)
            if is_earlier and concerns(post) and post.key not in self.gone:
                self.gone[post.key] = by

    async def text(self, post: InboundPost) -> str:
        """What the person typed, people by their names; whom Slack does not tell stays an id."""
        bot_user = self.identity.bot_user
        try:
            names = await self._people.names(mentioned_users(post.wire_text) - {bot_user})
        except SlackError:
            names = {}
        return plain_text(post.wire_text, bot_user=bot_user, names=names)


@dataclass(frozen=True, slots=True)
class IngressFilter:
    """Decides on payloads. What it lets in is durable when it returns.

    To judge raises SlackError where Slack could not be asked.
    """

    _front: FrontDoor
    _ledger: Ledger
    _people: People
    _rules: Rules
    _replies: Replies

    async def let_in(self, event: PostEvent, body: JsonObject) -> bool:
        """Record what may be for the bot and was not recorded before; False for all else.

        Slack is not asked, so this takes no longer than the database.
        """
        if self._is_foreign(event, body) or not await self._may_be_for_us(event):
            return False
        second_key = event.second_key if isinstance(event, InboundPost) else ""
        return await self._ledger.record(event.key, second_key, body)

    async def was_let_in(self, post: InboundPost) -> bool:
        """Whether a post was recorded, so that it was seen to or is going to be."""
        return await self._ledger.has(post.key)

    async def judge(self, post: InboundPost) -> Admission:
        """Whether a post is for the bot, and its author somebody whom the bot serves."""
        spoken_to = address(post)
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
        sender = _sender(post)
        served = authorise(sender, await self._rules.here(sender, person), person)
        if isinstance(served, Person):
            return Admitted(post=post, person=served)
        _log.info(
            "denied %s in %s: %s",
            post.user,
            post.thread.channel,
            served,
        )
        who = user_id(post.thread.team, post.user)
        await self._ledger.refuse(post.key, who, served)
        spoke_to_bot = post.mentions_bot or post.channel_type == "im"
        if not spoke_to_bot:
            return NotServed(sentence="")
        return NotServed(sentence=refusal(served).text(post_language(post, person)))

    async def served(self, sender: Sender) -> Person | None:
        """The person of a payload, where the bot serves them."""
        person = await self._people.person(sender.user)
        served = authorise(sender, await self._rules.here(sender, person), person)
        return served if isinstance(served, Person) else None

    async def is_for_us(self, post: InboundPost) -> bool:
        """Whether a post speaks to the bot."""
        spoken_to = address(post)
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
        spoken_to = address(post)
        if spoken_to == "reply":
            return self._replies.may_be_for_bot(post.thread)
        return spoken_to == "ours"


def _sender(post: InboundPost) -> Sender:
    return Sender(
        team=post.thread.team,
        app_id=post.app_id,
        channel=post.thread.channel,
        user=post.user,
        user_team=post.user_team,
    )
