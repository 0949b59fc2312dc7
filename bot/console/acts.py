"""What people do from the live view: start a task, answer a question, step in at one agent.

What is said to a thread's work goes the way of a post: it is told in the thread, written into the
ledger, judged as any post, and handed over. Whoever may not write in the thread may do none of it.
"""

import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.alias_generators import to_camel

from agent_core.errors import InterventionRefused, SessionError
from agent_core.events import InterventionKind
from agent_core.ids import AgentId, SessionId, UserId
from agent_core.messages import JsonObject
from agent_core.runtime import Runtime, detect_language
from agent_core.tree import AgentState, AgentStatus
from bot.console.access import FRESH_S, Access
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

    request_id: Annotated[str, Field(max_length=64)] | Annotated[int, Field(lt=2**53)] | None = None


class StartAgent(_Said):
    type: Literal["start-agent"]
    prompt: str


class UserResponse(_Said):
    type: Literal["user-response"]
    agent_id: AgentId
    response: str


class UserIntervention(_Said):
    """Of comment, new task and status, what is given and new is done, in this order."""

    type: Literal["user-intervention"]
    agent_id: AgentId
    user_comment: str | None = None
    user_content: str | None = None
    status: AgentStatus | Literal[""] | None = None


class GetAgentTree(_Said):
    """The whole tree, or what of it changed behind a place in the log."""

    type: Literal["get-agent-tree", "resume"]
    after: int = -1


Act = StartAgent | UserResponse | UserIntervention
Said = Act | GetAgentTree

_SAID: TypeAdapter[Said] = TypeAdapter(Annotated[Said, Field(discriminator="type")])
_KINDS: Mapping[str, InterventionKind] = {
    "stopped": "stop",
    "completed": "done",
    "running": "retry",
}
Deed = Literal["asked", "wrote"]


class Refused(Exception):
    """What a person wants is not done; `key` names the sentence that says why, to them."""

    def __init__(self, key: str, **slots: str | float) -> None:
        super().__init__(key)
        self.key = key
        self._slots = slots

    def sentence(self, person: Person | None) -> str:
        """In the person's language."""
        language = detect_language(locale=person.locale if person else "")
        return BOT.say(language, f"live-{self.key}", **self._slots)


def read_said(text: str | bytes) -> Said:
    """A message of a page. Raises Refused where it is none."""
    try:
        return _SAID.validate_json(text)
    except ValidationError as error:
        raise Refused("unreadable") from error


@dataclass(slots=True)
class Acts:
    """Carries them out for whoever may act in the thread."""

    _runtime: Runtime
    _access: Access
    _api: SlackApi
    _ingress: Ingress
    _identity: Identity
    _clock: Callable[[], datetime]

    async def do(self, user: UserId, session: SessionId, act: Act) -> SessionId:
        """Gives the session that it was done in: the new one of a task without any.

        Raises:
            Refused: it was not done.
        """
        try:
            person = await self._access.person(user)
            level = await self._access.level(user, session, max_age_s=FRESH_S)
            if person is None or level != "act":
                raise Refused("only-look")
            done_in = await self._do(user, person, session, act)
            await self._access.level(user, done_in)
        except InterventionRefused as refused:
            raise Refused("not-there") from refused
        except (SlackError, SessionError) as error:
            logger.warning("what %s does in the live view could not be done: %s", user, error)
            raise Refused("away") from error
        return done_in

    async def _do(self, user: UserId, person: Person, session: SessionId, act: Act) -> SessionId:
        if isinstance(act, StartAgent):
            return await self._say(user, person, session, _text(act.prompt), "asked")
        agent = (await self._runtime.tree(session)).agents.get(act.agent_id)
        if isinstance(act, UserResponse):
            if agent is None or question_of(agent) is None:
                raise Refused("not-asked")
            return await self._say(user, person, session, _text(act.response), "wrote")
        if agent is None:
            raise Refused("not-there")
        for kind, text in _wishes(act, agent):
            key, is_root = "", agent.parent_id is None
            if is_root and kind == "comment":
                await self._say(user, person, session, text, "wrote")
                continue
            if kind == "retry" or (is_root and kind == "content"):
                # It may begin a turn, which answers below a post of its own.
                said = text or BOT.say(detect_language(locale=person.locale), "live-again")
                thread, ts = await self._post(user, person, session, said, "wrote")
                key = post_key(thread.team, thread.channel, ts)
            intervene = self._runtime.intervene
            await intervene(session, act.agent_id, kind, text, user, person.name, key=key)
        return session

    async def _say(
        self, user: UserId, person: Person, session: SessionId, text: str, deed: Deed
    ) -> SessionId:
        """A message of the thread, as if the person had written it there."""
        thread, ts = await self._post(user, person, session, text, deed)
        mention = "" if thread.channel.startswith("D") else f"<@{self._identity.bot_user}> "
        event = {
            "type": "app_mention",
            "channel": thread.channel,
            "user": parse_user(user)[1],
            "team": person.team,
            "text": f"{mention}{escape(text)}",
            "ts": ts,
            "thread_ts": thread.root_ts,
        }
        own = {"team_id": thread.team, "api_app_id": self._identity.app_id}
        told = await self._ingress.receive({"type": "event_callback", **own, "event": event})
        if told is None:
            raise Refused("only-look")
        self._ingress.under_way.start(self._ingress.hand_over(told), name="from the live view")
        return thread.session

    async def _post(
        self, user: UserId, person: Person, session: SessionId, text: str, deed: Deed
    ) -> tuple[ThreadRef, str]:
        """Tell in the thread what somebody says here; the post's `ts`.

        For HOME that begins a thread in the person's own conversation with the bot.
        """
        who = foreign_line(person.name, limits.PROGRESS_WORD_CHARS)
        language = detect_language(text, locale=person.locale)
        quoted = "\n".join(f"&gt; {line}" for line in escape(text).splitlines())
        told = f"{BOT.say(language, f'live-{deed}', who=who)}\n{quoted}"
        op_id = f"live:{secrets.token_hex(8)}"
        if session != HOME:
            thread = parse_session(session)
            return thread, await self._api.post(thread, told, op_id=op_id)
        since = f"{self._clock().timestamp() - RECENT_S:.6f}"
        thread = await self._api.post_direct(*parse_user(user), told, op_id=op_id, since=since)
        return thread, thread.root_ts


def question_of(state: AgentState) -> JsonObject | None:
    """What an agent asks a person; None where it does not wait for an answer."""
    wait = state.wait
    return wait if state.status == "waiting" and wait and wait["kind"] == "question" else None


def _wishes(act: UserIntervention, agent: AgentState) -> list[tuple[InterventionKind, str]]:
    """A comment beside a status is the reason or the result. What is so already is no wish."""
    if not (act.user_comment or act.user_content or act.status):
        raise Refused("empty")
    comment, content = (said and _text(said) for said in (act.user_comment, act.user_content))
    kind = None if act.status == agent.status else _KINDS.get(act.status or "")
    wishes: list[tuple[InterventionKind, str]] = []
    if comment and kind is None:
        wishes.append(("comment", comment))
    if content and content != agent.user_content.strip():
        wishes.append(("content", content))
    if kind is not None:
        wishes.append((kind, comment or ""))
    return wishes


def _text(said: str) -> str:
    text = said.strip()
    if not text:
        raise Refused("empty")
    if len(text) > MAX_TEXT_CHARS:
        raise Refused("too-long", max=MAX_TEXT_CHARS)
    return text
