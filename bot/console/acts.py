"""What people do from the live view: start a task, answer a question, step in at one agent.

What is said to a thread's work goes the way of a post: it is told in the thread, written into the
ledger, judged as any post, and handed over. Whoever may not write in the thread may do none of it.
"""

import logging
import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Annotated, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from agent_core.errors import InterventionRefused, SessionError
from agent_core.events import InterventionKind
from agent_core.ids import ROOT_RUN, AgentId, SessionId, UserId, run_of
from agent_core.messages import JsonObject
from agent_core.runtime import detect_language
from bot.console.access import FRESH_S, Access
from bot.console.feed import Sessions, question_of
from bot.console.passes import HOME
from bot.inbound import post_key
from bot.ingress import Ingress
from bot.render import escape, foreign_line, limits
from bot.slack_api import Identity, Person, SlackApi, SlackError
from bot.threads import ThreadRef, parse_session, parse_user
from bot.words import BOT

MAX_TEXT_CHARS = 12_000
RECENT_S = 60.0
"""So far back a post is looked for of which Slack did not say whether it took it."""

logger = logging.getLogger(__name__)


class _Said(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", alias_generator=to_camel)

    request_id: str | int | None = None


class StartAgent(_Said):
    type: Literal["start-agent"]
    prompt: str


class UserResponse(_Said):
    type: Literal["user-response"]
    agent_id: AgentId
    response: str


class UserIntervention(_Said):
    """Of comment, new task and status, what is given is done, in this order."""

    type: Literal["user-intervention"]
    agent_id: AgentId
    user_comment: str | None = None
    user_content: str | None = None
    status: Literal["stopped", "completed", "running"] | None = None


class GetAgentTree(_Said):
    type: Literal["get-agent-tree"]


class Resume(_Said):
    type: Literal["resume"]
    after: int


Act = StartAgent | UserResponse | UserIntervention
Said = Act | GetAgentTree | Resume

_SAID: TypeAdapter[Said] = TypeAdapter(Annotated[Said, Field(discriminator="type")])
_INTERVENTION = TypeAdapter(UserIntervention)
Shape = TypeVar("Shape")
_KINDS: Mapping[str, InterventionKind] = {
    "stopped": "stop",
    "completed": "done",
    "running": "retry",
}


class Refused(Exception):
    """What a person wants is not done; `key` names the sentence that says why, to them."""

    def __init__(self, key: str, **slots: str | float) -> None:
        super().__init__(key)
        self._key = key
        self._slots = slots

    @property
    def is_forbidden(self) -> bool:
        """It is not theirs to do."""
        return self._key == "only-look"

    def sentence(self, person: Person | None) -> str:
        """In the person's language."""
        language = detect_language(locale=person.locale if person else "")
        return BOT.say(language, f"live-{self._key}", **self._slots)


def read_said(text: str | bytes) -> Said:
    """A message of a page. Raises Refused where it is none."""
    return _read(_SAID, text)


def read_intervention(text: str) -> UserIntervention:
    """The same for one kind of them."""
    return _read(_INTERVENTION, text)


def _read(shape: TypeAdapter[Shape], text: str | bytes) -> Shape:
    try:
        return shape.validate_json(text)
    except ValidationError as error:
        raise Refused("unreadable") from error


class Steps(Protocol):
    """How the core is told that somebody steps in."""

    async def __call__(
        self,
        session: SessionId,
        agent: AgentId,
        kind: InterventionKind,
        text: str,
        by: UserId,
        by_name: str,
        *,
        key: str = "",
    ) -> None: ...


class Acts:
    """Carries them out for whoever may act in the thread."""

    def __init__(
        self,
        sessions: Sessions,
        step_in: Steps,
        access: Access,
        api: SlackApi,
        ingress: Ingress,
        identity: Identity,
        clock: Callable[[], datetime],
    ) -> None:
        self._clock = clock
        self._sessions = sessions
        self._step_in = step_in
        self._access = access
        self._api = api
        self._ingress = ingress
        self._identity = identity

    async def do(self, user: UserId, session: SessionId, act: Act) -> SessionId:
        """Gives the session that it was done in: the new one of a task without any.

        Raises:
            Refused: it was not done.
        """
        try:
            person = await self._access.person(user)
            if session != HOME:
                level = await self._access.level(user, session, max_age_s=FRESH_S)
                if person is None or level != "act":
                    raise Refused("only-look")
            if person is None:
                raise Refused("only-look")
            return await self._do(user, person, session, act)
        except InterventionRefused as refused:
            logger.info("%s may not step in: %s", user, refused)
            raise Refused("not-there") from refused
        except (SlackError, SessionError) as error:
            logger.warning("what %s does in the live view could not be told: %s", user, error)
            raise Refused("away") from error

    async def _do(self, user: UserId, person: Person, session: SessionId, act: Act) -> SessionId:
        match act:
            case StartAgent():
                return await self._say(user, person, session, _text(act.prompt), "asked")
            case UserResponse():
                await self._answer(user, person, session, act)
            case UserIntervention():
                await self._intervene(user, person, session, act)
        return session

    async def _answer(
        self, user: UserId, person: Person, session: SessionId, act: UserResponse
    ) -> None:
        tree = await self._sessions.tree(session)
        state = tree.agents.get(act.agent_id)
        if state is None or question_of(state) is None:
            raise Refused("not-asked")
        await self._say(user, person, session, _text(act.response), "wrote")

    async def _intervene(
        self, user: UserId, person: Person, session: SessionId, act: UserIntervention
    ) -> None:
        wishes: list[tuple[InterventionKind, str]] = []
        if act.user_comment is not None and act.status is None:
            wishes.append(("comment", _text(act.user_comment)))
        if act.user_content is not None:
            wishes.append(("content", _text(act.user_content)))
        if act.status is not None:
            wishes.append((_KINDS[act.status], act.user_comment or ""))
        if not wishes:
            raise Refused("empty")
        is_root = run_of(act.agent_id)[1] == ROOT_RUN
        for kind, text in wishes:
            if is_root and kind == "comment":
                await self._check_agent(session, act.agent_id)
                await self._say(user, person, session, text, "wrote")
                continue
            key = ""
            if kind == "retry" or (is_root and kind == "content"):
                # It may begin a turn, which answers below a post of its own.
                await self._check_agent(session, act.agent_id)
                said = text or BOT.say(detect_language(locale=person.locale), "live-again")
                key = await self._post(person, parse_session(session), said, "wrote")
            await self._step_in(session, act.agent_id, kind, text, user, person.name, key=key)

    async def _check_agent(self, session: SessionId, agent: AgentId) -> None:
        if agent not in (await self._sessions.tree(session)).agents:
            raise Refused("not-there")

    async def _say(
        self,
        user: UserId,
        person: Person,
        session: SessionId,
        text: str,
        deed: Literal["asked", "wrote"],
    ) -> SessionId:
        """A message of the thread, as if the person had written it there."""
        if session == HOME:
            thread = await self._open_direct(user, person, text)
            ts = thread.root_ts
        else:
            thread = parse_session(session)
            ts = (await self._post(person, thread, text, deed)).rpartition(":")[2]
        body = self._as_payload(thread, ts, parse_user(user)[1], person, text)
        told = await self._ingress.receive(body)
        if told is None:
            raise Refused("only-look")
        self._ingress.under_way.start(self._ingress.hand_over(told), name="from the live view")
        return thread.session

    async def _open_direct(self, user: UserId, person: Person, text: str) -> ThreadRef:
        """The task begins a thread in the person's own conversation with the bot."""
        team, slack_user = parse_user(user)
        since = f"{self._clock().timestamp() - RECENT_S:.6f}"
        told, op = _told(person, text, "asked"), _op()
        return await self._api.post_direct(team, slack_user, told, op_id=op, since=since)

    async def _post(
        self, person: Person, thread: ThreadRef, text: str, deed: Literal["asked", "wrote"]
    ) -> str:
        """Tell in the thread what somebody says here; the key of that post."""
        ts = await self._api.post(thread, _told(person, text, deed), op_id=_op())
        return post_key(thread.team, thread.channel, ts)

    def _as_payload(
        self, thread: ThreadRef, ts: str, user: str, person: Person, text: str
    ) -> JsonObject:
        """What Slack would have said of the post, had its author written it in Slack."""
        mention = "" if thread.channel.startswith("D") else f"<@{self._identity.bot_user}> "
        event = {
            "type": "app_mention",
            "channel": thread.channel,
            "user": user,
            "team": person.team,
            "text": f"{mention}{escape(text)}",
            "ts": ts,
            "thread_ts": thread.root_ts,
        }
        own = {"team_id": thread.team, "api_app_id": self._identity.app_id}
        return {"type": "event_callback", **own, "event": event}


def _told(person: Person, text: str, deed: Literal["asked", "wrote"]) -> str:
    who = foreign_line(person.name, limits.PROGRESS_WORD_CHARS)
    language = detect_language(text, locale=person.locale)
    quoted = "\n".join(f"&gt; {line}" for line in escape(text).splitlines())
    return f"{BOT.say(language, f'live-{deed}', who=who)}\n{quoted}"


def _op() -> str:
    return f"live:{secrets.token_hex(8)}"


def _text(said: str) -> str:
    text = said.strip()
    if not text:
        raise Refused("empty")
    if len(text) > MAX_TEXT_CHARS:
        raise Refused("too-long", max=MAX_TEXT_CHARS)
    return text
