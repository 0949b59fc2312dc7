"""What people do from the live view: start a task, answer a question, step in at one agent.

The buttons below a report that ask a question are of the same kind.

What is said to a thread's work goes the way of a post: it is told in the thread, written into the
ledger, judged as any post, and handed over. Whoever may not write in the thread may do none of it.
It is in the ledger before anything comes of it: a process that dies leaves nothing half done.
"""

import asyncio
import hashlib
import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal
from weakref import WeakValueDictionary

from cachetools import LRUCache
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from agent_core.errors import InterventionRefused, SessionError
from agent_core.events import InterventionKind
from agent_core.ids import AgentId, SessionId, UserId
from agent_core.messages import JsonObject
from agent_core.runtime import Runtime, detect_language
from agent_core.tree import AgentState, AgentStatus, AgentTree
from bot.clicks import FollowUpClick, Refused
from bot.console.access import FRESH_S, ThreadAccess
from bot.console.passes import HOME
from bot.inbound import post_key
from bot.ingress import Gesture, Ingress
from bot.render import escape, foreign_line, limits
from bot.slack_api import Op, Person, SlackApi, SlackError, language_of
from bot.threads import ThreadRef, parse_session, parse_user
from bot.words import BOT

MAX_TEXT_CHARS = 12_000
RECENT_S = 86_400.0
"""So far back a post is looked for of which Slack did not say whether it took it."""
MIN_ID_CHARS = 16
"""A shorter `requestId` counts something, and is no other message's than that of its connection."""
MAX_REMEMBERED = 1_000
LIVE = "live_view"
"""The type of what the ledger keeps of it."""

logger = logging.getLogger(__name__)


class _PageMessage(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", alias_generator=to_camel)

    request_id: Annotated[str, Field(max_length=64)] | Annotated[int, Field(lt=2**53)] | None = None


class StartAgent(_PageMessage):
    type: Literal["start-agent"]
    prompt: str


class UserResponse(_PageMessage):
    type: Literal["user-response"]
    agent_id: AgentId
    response: str


class UserIntervention(_PageMessage):
    """Of comment, new task and status, what is given and new is done, in this order."""

    type: Literal["user-intervention"]
    agent_id: AgentId
    user_comment: str | None = None
    user_content: str | None = None
    status: AgentStatus | Literal[""] | None = None


class GetAgentTree(_PageMessage):
    """The whole tree, or what of it changed behind a place in the log."""

    type: Literal["get-agent-tree", "resume"]
    after: int = -1


class FollowUp(_PageMessage):
    """A question from below a report; no page says so."""

    type: Literal["follow-up"] = "follow-up"
    question: str


Act = StartAgent | UserResponse | UserIntervention
PageRequest = Act | GetAgentTree


class Deed(BaseModel):
    """What somebody does, as it is kept until it is done."""

    type: Literal["live_view"] = LIVE
    key: str
    """The gesture's identity: said again it has the same."""
    user: UserId
    session: SessionId
    act: Annotated[Act | FollowUp, Field(discriminator="type")]


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
    """A message of a page. Raises Refused where it is none."""
    try:
        return _PAGE_REQUEST.validate_json(text)
    except ValidationError as error:
        raise Refused("live-unreadable") from error


@dataclass(slots=True)
class Acts:
    """Carries them out for whoever may act in the thread."""

    _runtime: Runtime
    _access: ThreadAccess
    _api: SlackApi
    _ingress: Ingress
    _clock: Callable[[], datetime]

    _at_work: WeakValueDictionary[str, asyncio.Lock] = field(
        init=False, default_factory=WeakValueDictionary[str, asyncio.Lock]
    )
    _done: LRUCache[str, SessionId] = field(
        init=False, default_factory=lambda: LRUCache(MAX_REMEMBERED)
    )
    """Where the newest were done."""

    async def do(self, user: UserId, session: SessionId, act: Act, tree: AgentTree) -> SessionId:
        """Gives the session that it was done in: the new one of a task without any.

        What comes again with its id is done once. `tree` is the session's, as the person sees it.

        Raises:
            Refused: it was not done.
        """
        given = act.request_id
        has_id = isinstance(given, str) and len(given) >= MIN_ID_CHARS
        key = f"live:{user}:{given if has_id else secrets.token_hex(8)}"
        deed = Deed(key=key, user=user, session=session, act=act)
        ledger = self._runtime.ledger
        try:
            async with self._at_work.setdefault(key, asyncio.Lock()):
                if key not in self._done:
                    is_new = await ledger.record(key, "", deed.model_dump(by_alias=True))
                    self._done[key] = await self._finish(deed, tree, again=not is_new)
                return self._done[key]
        except InterventionRefused as refused:
            raise Refused("live-not-there") from refused
        except (SlackError, SessionError) as error:
            logger.warning("what %s does in the live view could not be done: %s", user, error)
            await ledger.settle(key)  # who was told so decides whether it is to be done
            raise Refused("live-away") from error

    async def follow_up(self, click: FollowUpClick, gesture: Gesture, person: Person) -> None:
        """The first press of a question below a report asks it, in the name of who pressed."""
        sender = gesture.sender
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
        try:
            await self._finish(deed, AgentTree(), again=False)
        except Refused:
            raise
        except Exception:
            logger.exception("%s is asked later", key)
            self._ingress.in_vain.add(key)

    async def replay(self, body: JsonObject) -> None:
        """Go on with what a process that is gone had begun."""
        deed = Deed.model_validate(body)
        try:
            tree = await self._runtime.tree(deed.session)
            await self._finish(deed, tree, again=True)
        except (Refused, InterventionRefused) as refused:
            logger.info("%s is not done any more: %s", deed.key, refused)
        except Exception:
            logger.exception("%s is done later", deed.key)
            self._ingress.in_vain.add(deed.key)

    async def _finish(self, deed: Deed, tree: AgentTree, *, again: bool) -> SessionId:
        """With `again` some of it may have been done before. What is refused was never said."""
        user = deed.user
        try:
            person = await self._access.person(user)
            level = await self._access.level(user, deed.session, max_age_s=FRESH_S)
            if person is None or level != "act":
                raise Refused("live-only-look")  # noqa: TRY301 (as what is refused further down)
            done_in = await self._carry_out(deed, person, tree, again=again)
            await self._access.level(user, done_in)
        except (Refused, InterventionRefused):
            await self._runtime.ledger.forget(deed.key, "")
            raise
        await self._runtime.ledger.settle(deed.key)
        return done_in

    async def _carry_out(
        self, deed: Deed, person: Person, tree: AgentTree, *, again: bool
    ) -> SessionId:
        act = deed.act
        if isinstance(act, StartAgent):
            return await self._say(deed, person, act.prompt, "asked", again=again)
        if isinstance(act, FollowUp):
            return await self._say(deed, person, act.question, "picked", again=again)
        agent = tree.agents.get(act.agent_id)
        if isinstance(act, UserResponse):
            if not again and (agent is None or agent.question is None):
                raise Refused("live-not-asked")
            return await self._say(deed, person, act.response, "wrote", again=again)
        if agent is None:
            raise Refused("live-not-there")
        for kind, text in _wishes(act, agent):
            if kind == "comment" and agent.parent_id is None:
                await self._say(deed, person, text, "wrote", again=again)
            else:
                await self._intervene(deed, person, agent, kind, text, again=again)
        return deed.session

    async def _intervene(
        self,
        deed: Deed,
        person: Person,
        agent: AgentState,
        kind: InterventionKind,
        text: str,
        *,
        again: bool,
    ) -> None:
        key = f"{deed.key}:{kind}"
        if kind == "retry" or (kind == "content" and agent.parent_id is None):
            # It may begin a turn, which answers below a post of its own.
            words = text or BOT.say(language_of(person), "live-again")
            thread, ts = await self._post(deed, person, words, "wrote", kind, again=again)
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
        self, deed: Deed, person: Person, text: str, done: Done, *, again: bool
    ) -> SessionId:
        """A message of the thread, as if the person had written it there."""
        text = _checked_text(text)
        thread, ts = await self._post(deed, person, text, done, "said", again=again)
        _, user = parse_user(deed.user)
        is_taken = await self._ingress.take_words(thread, ts, text, user=user)
        if not is_taken and not again:
            raise Refused("live-only-look")
        return thread.session

    async def _post(
        self, deed: Deed, person: Person, text: str, done: Done, what: str, *, again: bool
    ) -> tuple[ThreadRef, str]:
        """Tell in the thread what somebody says here; the post's `ts`.

        For HOME that begins a thread in the person's own conversation with the bot.
        """
        who = foreign_line(person.name, limits.PROGRESS_WORD_CHARS)
        language = detect_language(text, locale=person.locale)
        lines = [BOT.say(language, f"live-{done}", who=who)]
        lines += [f"&gt; {line}" for line in escape(text).splitlines()]
        post_text = "\n".join(lines)
        op = Op(deed.key).part(what)
        if deed.session != HOME:
            thread = parse_session(deed.session)
            post = await self._api.post(thread, post_text, op=op, may_exist=again)
            return thread, post.ts
        team, user = parse_user(deed.user)
        since_s = self._clock().timestamp() - RECENT_S
        thread = await self._api.post_direct(
            team,
            user,
            post_text,
            op=op,
            since=f"{since_s:.6f}",
            may_exist=again,
        )
        return thread, thread.root_ts


def _wishes(act: UserIntervention, agent: AgentState) -> list[tuple[InterventionKind, str]]:
    """A comment beside a status is the reason or the result. What is so already is no wish."""
    if not (act.user_comment or act.user_content or act.status):
        raise Refused("live-empty")
    comment = act.user_comment and _checked_text(act.user_comment)
    content = act.user_content and _checked_text(act.user_content)
    kind = None
    if act.status != agent.status:
        kind = _KINDS.get(act.status or "")
    wishes: list[tuple[InterventionKind, str]] = []
    if comment and kind is None:
        wishes.append(("comment", comment))
    if content and content != agent.run.task.strip():
        wishes.append(("content", content))
    if kind is not None:
        wishes.append((kind, comment or ""))
    return wishes


def _checked_text(said: str) -> str:
    text = said.strip()
    if not text:
        raise Refused("live-empty")
    if len(text) > MAX_TEXT_CHARS:
        raise Refused("live-too-long", max=MAX_TEXT_CHARS)
    return text
