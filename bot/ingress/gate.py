"""What happens to a payload before it is acknowledged, and who wrote it, which may take longer."""

import logging
from collections import OrderedDict
from dataclasses import dataclass

from agent_core.ids import SessionId
from agent_core.messages import JsonObject
from bot.inbound import InboundPost
from bot.ingress.addressing import address
from bot.ingress.authorise import Denied, Facts, Rules, authorise, screen, screen_source
from bot.ingress.changes import Deletion, Edit, Told, read_told
from bot.ingress.roots import Roots
from bot.ingress.seams import Front, Ledger
from bot.ingress.words import WORDS, post_language
from bot.slack_api import People, Person

FRESH_THREAD_S = 3_600.0
MAX_THREADS = 10_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A payload that may be for the bot. It is in the ledger, and not judged yet."""

    told: Told
    body: JsonObject

    @property
    def post(self) -> InboundPost | None:
        """The post that is told of, as far as it is still there."""
        match self.told:
            case InboundPost():
                return self.told
            case Edit():
                return self.told.post
            case Deletion():
                return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A post that the bot will answer."""

    post: InboundPost
    person: Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A post by somebody whom the bot does not serve; an empty sentence is not told."""

    post: InboundPost
    sentence: str


Judged = Admitted | Refused | None
"""None: the post is not for the bot."""


class Gate:
    """Decides on payloads. What it lets in is durable when it returns."""

    def __init__(
        self, front: Front, ledger: Ledger, people: People, roots: Roots, rules: Rules
    ) -> None:
        self._front = front
        self._ledger = ledger
        self._people = people
        self._roots = roots
        self._rules = rules
        self._let_in: OrderedDict[SessionId, None] = OrderedDict()

    def read(self, body: JsonObject) -> Told | None:
        """What a payload tells, before anything is decided on it."""
        return read_told(body, bot_user=self._rules.identity.bot_user)

    async def let_in(self, told: Told, body: JsonObject) -> Arrival | None:
        """Record what may be for the bot and was not recorded before; None where nothing is to do.

        Slack is not asked, so this takes no longer than the database.
        """
        if self._is_foreign(told, body) or not await self._may_be_for_us(told):
            return None
        if isinstance(told, InboundPost):
            self._remember(told.thread.session)
        second_key = told.second_key if isinstance(told, InboundPost) else ""
        if not await self._ledger.record(told.key, second_key, body):
            return None
        return Arrival(told=told, body=body)

    async def judge(self, post: InboundPost, body: JsonObject) -> Judged:
        """Whether a post is for the bot, and its author somebody whom the bot serves.

        Raises:
            SlackError: Slack could not be asked.
        """
        if not await self.is_for_us(post):
            return None
        return await self.judge_author(post, body)

    async def judge_author(self, post: InboundPost, body: JsonObject) -> Admitted | Refused:
        """The second half of `judge`, for a post that is for the bot.

        Raises:
            SlackError: Slack could not be asked.
        """
        person = await self._people.person(post.user)
        verdict = authorise(_facts(post, body), self._rules, person)
        if isinstance(verdict, Denied):
            return self._refuse(post, verdict, person)
        return Admitted(post=post, person=verdict.person)

    async def is_for_us(self, post: InboundPost) -> bool:
        """Whether a post speaks to the bot.

        Raises:
            SlackError: Slack could not be asked.
        """
        match address(post, bot_user=self._rules.identity.bot_user):
            case "ours":
                return True
            case "not_ours":
                return False
            case "ours_in_our_thread":
                return await self._roots.is_ours(post.thread)

    def _is_foreign(self, told: Told, body: JsonObject) -> bool:
        post = told.before if isinstance(told, Deletion) else _post(told)
        if post is None:
            dropped = screen_source(_source_team(body), _source_app(body), self._rules)
        else:
            dropped = screen(_facts(post, body), self._rules)
        if dropped:
            _log.info("dropped a payload: %s", dropped.reason)
        return dropped is not None

    async def _may_be_for_us(self, told: Told) -> bool:
        match told:
            case InboundPost():
                return await self._is_candidate(told)
            case Edit():
                versions, key = (told.post, told.before), told.post.key
            case Deletion():
                versions, key = (told.before,), told.post_key
        for post in filter(None, versions):
            if await self._is_candidate(post):
                return True
        return versions == (None,) or await self._front.taken(key) is not None

    async def _is_candidate(self, post: InboundPost) -> bool:
        match address(post, bot_user=self._rules.identity.bot_user):
            case "ours":
                return True
            case "not_ours":
                return False
            case "ours_in_our_thread":
                if (known := self._roots.known(post.thread)) is not None:
                    return known
                return _is_fresh(post) or await self._is_known(post.thread.session)

    async def _is_known(self, session: SessionId) -> bool:
        """The first post of a thread may still be on its way to the front door."""
        return session in self._let_in or await self._front.knows(session)

    def _remember(self, session: SessionId) -> None:
        self._let_in[session] = None
        self._let_in.move_to_end(session)
        if len(self._let_in) > MAX_THREADS:
            self._let_in.popitem(last=False)

    def _refuse(self, post: InboundPost, denied: Denied, person: Person | None) -> Refused:
        _log.info("denied %s in %s: %s", post.user, post.thread.channel, denied.reason)
        spoke_to_bot = post.mentions_bot or post.channel_type == "im"
        sentence = WORDS[post_language(post, person)].refusals.get(denied.reason, "")
        return Refused(post=post, sentence=sentence if spoke_to_bot else "")


def _post(told: InboundPost | Edit) -> InboundPost:
    return told.post if isinstance(told, Edit) else told


def _is_fresh(post: InboundPost) -> bool:
    """Slack promises no order: a reply may come before the mention that its thread began with."""
    return float(post.ts) - float(post.thread.root_ts) < FRESH_THREAD_S


def _facts(post: InboundPost, body: JsonObject) -> Facts:
    return Facts(
        team=post.thread.team,
        app_id=_source_app(body),
        channel=post.thread.channel,
        user=post.user,
        user_team=post.user_team,
    )


def _source_team(body: JsonObject) -> str:
    return str(body.get("team_id") or "")


def _source_app(body: JsonObject) -> str:
    return str(body.get("api_app_id") or "")
