"""Actions from the live view: start a task, answer a question, intervene in one agent's run.

The follow-up buttons below a report are handled here, too.

Each action is recorded in the ledger before it has an effect, so that the next process completes
what a dead one began. A message to the work goes the way of a post: it is posted in the thread,
authorised as any post, and handed over. Only people who may write in the thread may act.
"""

import hashlib
import logging
import secrets
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Literal

from cachetools import LRUCache
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
)
from pydantic.alias_generators import to_camel

from agent_core.background import Locks
from agent_core.errors import InterventionRefused, SessionError
from agent_core.events import InterventionKind
from agent_core.ids import AgentId, SessionId, UserId
from agent_core.masking import masked_post
from agent_core.messages import JsonObject
from agent_core.runtime import AuditRecord, Runtime, detect_language
from agent_core.tree import AgentState, AgentStatus, AgentTree
from bot.clicks import FollowUpClick, Gesture, Refused, without_button
from bot.console.access import FRESH_S, ThreadAccess
from bot.console.passes import HOME
from bot.inbound import post_key, text_in
from bot.ingress import Ingress
from bot.render import foreign_line, limits, quoted
from bot.slack_api import (
    Op,
    Person,
    SlackApi,
    SlackError,
    language_of,
)
from bot.threads import ThreadRef, parse_session, parse_user
from bot.words import BOT

MAX_TEXT_CHARS = 12_000
RECENT_S = 86_400.0
"""How far back to look for a post when Slack did not confirm whether it took it."""
MIN_ID_CHARS = 16
"""A shorter `requestId` is a counter: unique in its connection only, so no key for dedup."""
MAX_REMEMBERED = 1_000
ACTS_AT_ONCE = 10
ACT_INTERVAL = timedelta(seconds=2)
"""A person may do so many things at once, and then one in this time."""
LIVE = "live_view"
"""The type of these entries in the ledger."""

logger = logging.getLogger(__name__)


class _PageMessage(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        strict=True,
        alias_generator=to_camel,
    )

    request_id: Annotated[str, Field(max_length=64)] | Annotated[int, Field(lt=2**53)] | None = None


class StartAgent(_PageMessage):
    type: Literal["start-agent"]
    prompt: str


class UserResponse(_PageMessage):
    type: Literal["user-response"]
    agent_id: AgentId
    response: str


class UserIntervention(_PageMessage):
    """A comment, a new task, a status: those that are given and new are applied in this order."""

    type: Literal["user-intervention"]
    agent_id: AgentId
    user_comment: str | None = None
    user_content: str | None = None
    status: AgentStatus | Literal[""] | None = None


class GetAgentTree(_PageMessage):
    """The whole tree, or the agents that changed after a cursor."""

    type: Literal["get-agent-tree", "resume"]
    after: int = -1


class FollowUp(_PageMessage):
    """A press of a follow-up button; pages do not send this one."""

    type: Literal["follow-up"] = "follow-up"
    question: str


Act = StartAgent | UserResponse | UserIntervention
PageRequest = Act | GetAgentTree


class Deed(BaseModel):
    """One action of one person, as the ledger keeps it until it is done."""

    type: Literal["live_view"] = LIVE
    key: str
    """For dedup: a repeated request has the same key."""
    user: UserId
    session: SessionId
    act: Annotated[Act | FollowUp, Field(discriminator="type")]
    again: bool = Field(default=False, exclude=True)
    """An earlier attempt may have done some of it."""


_PAGE_REQUEST: TypeAdapter[PageRequest] = TypeAdapter(
    Annotated[PageRequest, Field(discriminator="type")]
)
_KINDS: Mapping[str, InterventionKind] = {
    "stopped": "stop",
    "completed": "done",
    "running": "retry",
}
Done = Literal["asked", "wrote", "picked"]


def read_request(text: str | bytes) -> PageRequest:
    """Parse a message of a page. Raises Refused for an invalid one."""
    try:
        return _PAGE_REQUEST.validate_json(text)
    except ValidationError as error:
        raise Refused("live-unreadable") from error


class ActPace:
    """The rate limit of one person's actions, which the bot posts in their name.

    A channel takes some one post a second: many at once would stand before the answers to others.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._debts: LRUCache[UserId, datetime] = LRUCache(MAX_REMEMBERED)
        """By person, when all their actions so far are paid for."""

    def check(self, person: UserId) -> None:
        """Count an action. Raises Refused for one too many."""
        now = self._clock()
        debt = max(self._debts.get(person, now), now)
        if debt - now >= ACTS_AT_ONCE * ACT_INTERVAL:
            raise Refused("live-too-fast")
        self._debts[person] = debt + ACT_INTERVAL


@dataclass(slots=True)
class Acts:
    """Carries out actions, for people who may act in the thread."""

    _runtime: Runtime
    _access: ThreadAccess
    _api: SlackApi
    _ingress: Ingress
    _clock: Callable[[], datetime]

    _pace: ActPace = field(init=False)
    _at_work: Locks[str] = field(init=False, default_factory=Locks[str])
    _done: LRUCache[str, SessionId] = field(
        init=False, default_factory=lambda: LRUCache(MAX_REMEMBERED)
    )
    """The sessions of the newest actions, by key."""

    def __post_init__(self) -> None:
        self._pace = ActPace(self._clock)

    async def do(
        self,
        user: UserId,
        session: SessionId,
        act: Act,
        tree: AgentTree,
    ) -> SessionId:
        """Do an action once, deduplicated by its request id; the session that it was done in.

        A task that was started without a session has a new one. `tree` is the session's, as the
        person sees it. Raises Refused if the action was not done.
        """
        key = act_key(user, session, act)
        deed = Deed(
            key=key,
            user=user,
            session=session,
            act=act,
        )
        ledger = self._runtime.ledger
        try:
            async with self._at_work.of(key):
                if key not in self._done:
                    self._pace.check(user)
                    is_new = await ledger.record(key, "", deed.model_dump(by_alias=True))
                    deed.again = not is_new
                    self._done[key] = await self._finish(deed, tree)
                return self._done[key]
        except InterventionRefused as refused:
            raise Refused("live-not-there") from refused
        except (SlackError, SessionError) as error:
            logger.warning("what %s does in the live view could not be done: %s", user, error)
            await ledger.settle(key)  # the person sees the error and decides on a retry
            raise Refused("live-away") from error

    async def follow_up(self, click: FollowUpClick, gesture: Gesture, person: Person) -> None:
        """Ask the question of a button, in the name of the first to press it; the button goes."""
        sender = gesture.sender
        self._pace.check(gesture.by)
        question = hashlib.sha256(click.question.encode()).hexdigest()[:16]
        key = f"follow:{sender.team}:{sender.channel}:{gesture.message_ts}:{question}"
        deed = Deed(
            key=key,
            user=gesture.by,
            session=gesture.session,
            act=FollowUp(question=click.question),
        )
        if not await self._runtime.ledger.record(key, "", deed.model_dump(by_alias=True)):
            raise Refused("live-picked-before")
        with self._later(deed):
            await self._finish(deed, AgentTree())
        if gesture.post:
            blocks = without_button(gesture.post, click)
            text = text_in(gesture.post, "text")
            try:
                await self._api.update(sender.channel, gesture.message_ts, text, blocks=blocks)
            except SlackError as error:  # then a press on it says that it was used
                logger.warning("a used button stays in its post: %s", error)

    async def replay(self, body: JsonObject) -> None:
        """Complete an action that a dead process had recorded."""
        deed = Deed.model_validate(body)
        deed.again = True
        with self._later(deed):
            try:
                tree = await self._runtime.tree(deed.session)
                await self._finish(deed, tree)
            except (Refused, InterventionRefused) as refused:
                logger.info("%s is not done any more: %s", deed.key, refused)

    @contextmanager
    def _later(self, deed: Deed) -> Generator[None]:
        """An action that fails unexpectedly is replayed later."""
        try:
            yield
        except Refused:
            raise
        except Exception:
            logger.exception("%s is done later", deed.key)
            self._ingress.in_vain.add(deed.key)

    async def _finish(self, deed: Deed, tree: AgentTree) -> SessionId:
        """Authorise and carry out; a refused action leaves nothing in the ledger."""
        try:
            person = await self._access.person(deed.user)
            level = await self._access.level(deed.user, deed.session, max_age_s=FRESH_S)
            if person is None or level != "act":
                raise Refused("live-only-look")  # noqa: TRY301 (as what is refused further down)
            done_in = await self._carry_out(deed, person, tree)
            await self._access.level(deed.user, done_in)
        except (Refused, InterventionRefused):
            await self._runtime.ledger.forget(deed.key, "")
            raise
        about = {"session": done_in, "act": deed.act.type}
        record = AuditRecord(self._clock(), "admin", deed.user, about, key=deed.key)
        await self._runtime.audit.audit(record)
        await self._runtime.ledger.settle(deed.key)
        return done_in

    async def _carry_out(self, deed: Deed, person: Person, tree: AgentTree) -> SessionId:
        act = deed.act
        if isinstance(act, StartAgent):
            return await self._say(deed, person, act.prompt, "asked")
        if isinstance(act, FollowUp):
            return await self._say(deed, person, act.question, "picked")
        agent = tree.agents.get(act.agent_id)
        if isinstance(act, UserResponse):
            await self._check_asked(deed, agent)
            return await self._say(deed, person, act.response, "wrote")
        if agent is None:
            raise Refused("live-not-there")
        wishes = _wishes(act, agent)
        if not wishes and not deed.again:
            raise Refused("live-no-change")
        for kind, text in wishes:
            if kind == "comment" and agent.parent_id is None:
                await self._say(deed, person, text, "wrote")
            else:
                await self._intervene(deed, person, agent, kind, text)
        return deed.session

    async def _check_asked(self, deed: Deed, agent: AgentState | None) -> None:
        """A question is answered by the person it was put to."""
        question = agent.question if agent else None
        if question is None and not deed.again:
            raise Refused("live-not-asked")
        if question is not None and question.asker != deed.user:
            asked = await self._access.person(question.asker)
            raise Refused("live-question-not-yours", who=asked.name if asked else "…")

    async def _intervene(
        self,
        deed: Deed,
        person: Person,
        agent: AgentState,
        kind: InterventionKind,
        text: str,
    ) -> None:
        key = f"{deed.key}:{kind}"
        if kind == "retry" or (kind == "content" and agent.parent_id is None):
            # It may begin a turn, which answers below a post of its own.
            words = text or BOT.say(language_of(person), "live-again")
            thread, ts = await self._post(deed, person, words, "wrote", kind)
            key = post_key(thread.team, thread.channel, ts)
        await self._runtime.intervene(
            deed.session,
            agent.agent_id,
            kind,
            text,
            deed.user,
            person.name,
            key=key,
        )

    async def _say(
        self,
        deed: Deed,
        person: Person,
        text: str,
        done: Done,
    ) -> SessionId:
        """Hand a message over as if the person had written it in the thread."""
        text = _checked_text(text)
        thread, ts = await self._post(deed, person, text, done, "said")
        _, user = parse_user(deed.user)
        is_accepted = await self._ingress.take_words(thread, ts, text, user=user)
        if not is_accepted and not deed.again:
            raise Refused("live-only-look")
        return thread.session

    async def _post(
        self,
        deed: Deed,
        person: Person,
        text: str,
        done: Done,
        part: str,
    ) -> tuple[ThreadRef, str]:
        """Quote the person's words in the thread; the thread, and the post's `ts`.

        For HOME the post begins a thread in the person's conversation with the bot.
        """
        who = foreign_line(person.name, limits.PROGRESS_WORD_CHARS)
        language = detect_language(text, locale=person.locale)
        heading = BOT.say(language, f"live-{done}", who=who)
        post_text = f"{heading}\n{quoted(text)}"
        op = Op(deed.key).part(part)
        if deed.session != HOME:
            thread = parse_session(deed.session)
            post = await self._api.post(thread, post_text, op=op, may_exist=deed.again)
            return thread, post.ts
        team, user = parse_user(deed.user)
        since_s = self._clock().timestamp() - RECENT_S
        thread = await self._api.post_direct(
            team,
            user,
            post_text,
            op=op,
            since=f"{since_s:.6f}",
            may_exist=deed.again,
        )
        return thread, thread.root_ts


def act_key(user: UserId, session: SessionId, act: Act) -> str:
    """The key for dedup: a repeated id counts only in the same session and for the same words.

    An id that a person sends again elsewhere, or with other words, is another action.
    """
    given = act.request_id
    if not isinstance(given, str) or len(given) < MIN_ID_CHARS:
        return f"live:{user}:{secrets.token_hex(8)}"
    content = f"{session}\n{act.model_dump_json(by_alias=True)}"
    digest = hashlib.sha256(content.encode(errors="replace")).hexdigest()[:16]
    return f"live:{user}:{given}:{digest}"


def _wishes(act: UserIntervention, agent: AgentState) -> list[tuple[InterventionKind, str]]:
    """The interventions to apply: those that change something. A status takes the comment along."""
    if not (act.user_comment or act.user_content or act.status):
        raise Refused("live-empty")
    comment = act.user_comment and _checked_text(act.user_comment)
    content = act.user_content and _checked_text(act.user_content)
    kind = _KINDS.get(act.status or "") if act.status != agent.status else None
    wishes: list[tuple[InterventionKind, str]] = []
    if comment and kind is None:
        wishes.append(("comment", comment))
    if content and content != masked_post(agent.run.task).strip():
        wishes.append(("content", content))
    if kind is not None:
        wishes.append((kind, comment or ""))
    return wishes


def _checked_text(text: str) -> str:
    text = text.strip()
    if not text:
        raise Refused("live-empty")
    if len(text) > MAX_TEXT_CHARS:
        raise Refused("live-too-long", max=MAX_TEXT_CHARS)
    return text
