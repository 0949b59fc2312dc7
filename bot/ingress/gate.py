"""What happens to a payload before it is acknowledged: read, addressed, authorised, recorded."""

import logging
from collections import OrderedDict
from dataclasses import dataclass
from typing import TypeVar

from agent_core.ids import SessionId
from agent_core.messages import JsonObject
from bot.inbound import InboundPost, read_post
from bot.ingress.addressing import address
from bot.ingress.authorise import Denied, Facts, Rules, authorise, screen
from bot.ingress.roots import Roots
from bot.ingress.seams import Front, Ledger
from bot.ingress.words import WORDS, post_language
from bot.slack_api import People, Person

FRESH_THREAD_S = 3_600.0
MAX_NOTICES = 1_000
MAX_THREADS = 10_000

T = TypeVar("T")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A post that the bot will answer; it is in the ledger."""

    post: InboundPost
    person: Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A post to the bot by somebody whom it does not serve, to be told so once."""

    post: InboundPost
    sentence: str


class Gate:
    """Decides on posts. What it lets in is durable when it returns."""

    def __init__(
        self, front: Front, ledger: Ledger, people: People, roots: Roots, rules: Rules
    ) -> None:
        self._front = front
        self._ledger = ledger
        self._people = people
        self._roots = roots
        self._rules = rules
        self._told: OrderedDict[str, None] = OrderedDict()
        self._admitted: OrderedDict[SessionId, None] = OrderedDict()

    async def pass_in(self, body: JsonObject) -> Admitted | Refused | None:
        """The post to answer, the refusal to tell, or None: nothing to do.

        Raises:
            SlackError: Slack could not be asked about the author; the payload must come again.
        """
        judged = await self.judge(body)
        if not isinstance(judged, Admitted):
            return judged
        post = judged.post
        return judged if await self._ledger.record(post.key, post.second_key, body) else None

    async def judge(self, body: JsonObject) -> Admitted | Refused | None:
        """The same decision without a look at the ledger, for payloads that are in it already."""
        post = self.read(body)
        if post is None:
            return None
        facts = _facts(body, post)
        if dropped := screen(facts, self._rules):
            _log.info("dropped a payload: %s", dropped.reason)
            return None
        if not await self._is_for_us(post):
            return None
        person = await self._people.person(post.user)
        verdict = authorise(facts, self._rules, person)
        if isinstance(verdict, Denied):
            return self._refuse(post, verdict, person)
        _remember(self._admitted, post.thread.session, MAX_THREADS)
        return Admitted(post=post, person=verdict.person)

    def read(self, body: JsonObject) -> InboundPost | None:
        """The post in a payload, before anything is decided on it."""
        return read_post(body, bot_user=self._rules.identity.bot_user)

    async def _is_for_us(self, post: InboundPost) -> bool:
        match address(post, bot_user=self._rules.identity.bot_user):
            case "ours":
                return True
            case "not_ours":
                return False
            case "ours_in_our_thread":
                candidate = _is_fresh(post) or await self._is_known(post.thread.session)
                return candidate and await self._roots.is_ours(post.thread)

    async def _is_known(self, session: SessionId) -> bool:
        """The first post of a thread may still be on its way to the front door."""
        return session in self._admitted or await self._front.knows(session)

    def _refuse(self, post: InboundPost, denied: Denied, person: Person | None) -> Refused | None:
        _log.info("denied %s in %s: %s", post.user, post.thread.channel, denied.reason)
        spoke_to_bot = post.mentions_bot or post.channel_type == "im"
        sentence = WORDS[post_language(post, person)].refusals.get(denied.reason)
        if not (spoke_to_bot and sentence) or post.key in self._told:
            return None
        _remember(self._told, post.key, MAX_NOTICES)
        return Refused(post=post, sentence=sentence)


def _is_fresh(post: InboundPost) -> bool:
    """Slack promises no order: a reply may come before the mention that its thread began with."""
    return float(post.ts) - float(post.thread.root_ts) < FRESH_THREAD_S


def _remember(known: OrderedDict[T, None], key: T, limit: int) -> None:
    """Keep a key among the `limit` newest."""
    known[key] = None
    known.move_to_end(key)
    if len(known) > limit:
        known.popitem(last=False)


def _facts(body: JsonObject, post: InboundPost) -> Facts:
    return Facts(
        team=post.thread.team,
        app_id=str(body.get("api_app_id") or ""),
        channel=post.thread.channel,
        user=post.user,
        user_team=post.user_team,
    )
