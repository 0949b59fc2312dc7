"""Classifier and fast answer side by side, with one outcome: an answer, or COMPLEX.

Nothing of the fast answer leaves before the verdict; on COMPLEX it is cancelled at once.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import date
from typing import Literal

from pydantic import TypeAdapter

from agent_core.context.history import repaired, spoken
from agent_core.errors import (
    ModelError,
    ModelUnavailable,
    ReplyTruncated,
    RequestTooLarge,
)
from agent_core.events import Route, Usage
from agent_core.messages import Message, user_message
from agent_core.models import Delta, Model, ModelRequest, Reply, ToolSpec, whole_reply
from agent_core.models.retry import Retried, RetryingModel
from agent_core.prompts import prompt

USE_TOOLS = ToolSpec(
    name="use_tools",
    description=prompt("use_tools"),
    input_schema={
        "type": "object",
        "properties": {"reason": {"type": "string", "description": "What is needed, briefly."}},
        "required": ["reason"],
        "additionalProperties": False,
    },
)

Verdict = Literal["SIMPLE", "COMPLEX", "ORDER", "STOP"]

_WORD = re.compile(r"\b(?:SIMPLE|COMPLEX|ORDER|STOP)\b")
_VERDICTS: tuple[Verdict, ...] = ("SIMPLE", "COMPLEX", "ORDER", "STOP")
_CONTEXT_CHARS = 2_000
_FAST_MAX_TOKENS = 4_000
_CLASSIFY_MAX_TOKENS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """What is to be routed."""

    text: str
    """What the person wrote."""
    opening: str
    """The same with what belongs to it, such as earlier posts of the thread."""
    history: tuple[Message, ...]
    """The session's earlier turns."""
    today: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """The recorded outcome. `answer` is there exactly when the route is SIMPLE."""

    route: Route
    reason: str
    raw: str = ""
    fallback: str = ""
    """Why the fast answer gave up after a SIMPLE verdict; empty if it did not."""
    answer: Message | None = None
    is_order: bool = False
    """It orders something about schedules, as far as the classifier sees."""
    is_stop: bool = False
    """It asks to end the work that goes on."""
    usage: Usage = Usage()
    model_calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the classifier says."""

    word: Verdict
    reason: str
    raw: str = ""
    usage: Usage = Usage()


_CUT_SHORT = {"max_tokens", "model_context_window_exceeded", "pause_turn"}
"""Stop reasons of a text that is not whole."""

ROUTED: TypeAdapter[Routed] = TypeAdapter(Routed)

Tell = Callable[[Delta | Retried], Awaitable[None]]
"""Hears the answer's text; a Retried voids what came before it."""


class Router:
    """Decides the route of a message that no rule decides.

    Args:
        classifier: The small model that says SIMPLE, COMPLEX, ORDER or STOP.
        answerer: The model of the fast answer.
        patience_s: How long a verdict is waited for; later means COMPLEX. Verdicts of 2 s are
            usual, and a plain question is not to become work for a hiccup.
    """

    def __init__(
        self, *, classifier: Model, answerer: RetryingModel, patience_s: float = 6.0
    ) -> None:
        self.classifier = classifier
        self._answerer = answerer
        self._patience_s = patience_s

    async def route(self, routing: Routing, tell: Tell) -> Routed:
        """Classify and answer at once. `tell` hears the answer, from the verdict on.

        Raises:
            ModelError: the verdict was SIMPLE and the fast answer failed for good.
        """
        gate = _Gate(tell)
        answering = asyncio.create_task(self._answer(routing, gate), name="fast-answer")
        try:
            verdict = await self.classify(routing)
            if verdict.word != "SIMPLE":
                return _complex(verdict, unheard=_usage_of(answering))
            await gate.open()
            try:
                return _outcome(verdict, await answering)
            except (ReplyTruncated, RequestTooLarge):
                return _given_up(verdict, "answer_cut", verdict.usage)
        finally:
            answering.cancel()
            await asyncio.wait({answering})
            if not answering.cancelled():
                answering.exception()  # looked at, so that asyncio does not warn of it

    async def classify(self, routing: Routing) -> Judgement:
        """The classifier's verdict; COMPLEX when it is unclear, late or failing."""
        request = ModelRequest(
            system="You route queries. You answer with one word.",
            messages=(user_message(_question(routing)),),
            max_tokens=_CLASSIFY_MAX_TOKENS,
            effort="low",
        )
        try:
            async with asyncio.timeout(self._patience_s):
                reply = await whole_reply(self.classifier, request)
        except TimeoutError:
            return Judgement(word="COMPLEX", reason="late")
        except ModelError:
            return Judgement(word="COMPLEX", reason="failed")
        raw = reply.message.text
        words: set[str] = set(_WORD.findall(raw.upper()))
        said: list[Verdict] = [verdict for verdict in _VERDICTS if {verdict} & words]
        if len(said) != 1:
            return Judgement(word="COMPLEX", reason="unclear", raw=raw[:200], usage=reply.usage)
        return Judgement(word=said[0], reason="classifier", raw=raw[:200], usage=reply.usage)

    async def _answer(self, routing: Routing, gate: "_Gate") -> Reply:
        request = ModelRequest(
            system=prompt("fast", today=routing.today.strftime("%A, %d %B %Y")),
            messages=repaired((*spoken(routing.history), user_message(routing.opening))),
            tools=(USE_TOOLS,),
            max_tokens=_FAST_MAX_TOKENS,
            effort="low",
        )
        async with aclosing(self._answerer.stream(request)) as stream:
            async for item in stream:
                match item:
                    case Delta() | Retried():
                        await gate.push(item)
                    case Reply():
                        return item
        raise ModelUnavailable("The model ended its stream without a reply.")


class _Gate:
    """Holds the answer's text back until the verdict is there."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._held: list[Delta | Retried] = []
        self._is_open = False

    async def push(self, item: Delta | Retried) -> None:
        if self._is_open:
            await self._tell(item)
        elif isinstance(item, Retried):
            self._held = [item]
        else:
            self._held.append(item)

    async def open(self) -> None:
        while self._held:
            held, self._held = self._held, []
            for item in held:
                await self._tell(item)
        self._is_open = True


def _question(routing: Routing) -> str:
    history = _recent(routing.history) or "(nothing)"
    return prompt("classify", query=routing.text, history=history)


def _recent(history: Sequence[Message]) -> str:
    lines = [f"{message.role}: {message.text}" for message in spoken(history)]
    return "\n".join(lines)[-_CONTEXT_CHARS:]


def _usage_of(answering: asyncio.Task[Reply]) -> Usage:
    """What a fast answer that nobody will hear has cost, as far as that is known."""
    if not answering.done() or answering.cancelled() or answering.exception() is not None:
        return Usage()
    return answering.result().usage


def _complex(verdict: Judgement, *, unheard: Usage) -> Routed:
    return Routed(
        route="SIMPLE" if verdict.word == "STOP" else "COMPLEX",
        is_order=verdict.word == "ORDER",
        is_stop=verdict.word == "STOP",
        reason=verdict.reason,
        raw=verdict.raw,
        usage=verdict.usage + unheard,
        model_calls=2,
    )


def _outcome(verdict: Judgement, reply: Reply) -> Routed:
    usage = verdict.usage + reply.usage
    escape = next(iter(reply.message.tool_calls), None)
    is_whole = reply.stop_reason not in _CUT_SHORT
    if escape is None and reply.message.text and is_whole:
        return Routed(
            route="SIMPLE",
            reason=verdict.reason,
            raw=verdict.raw,
            answer=reply.message,
            usage=usage,
            model_calls=2,
        )
    if escape is None:
        return _given_up(verdict, "empty_answer" if is_whole else "answer_cut", usage)
    return _given_up(verdict, f"tool_use_detected: {escape.arguments.get('reason', '')}", usage)


def _given_up(verdict: Judgement, fallback: str, usage: Usage) -> Routed:
    return Routed(
        route="COMPLEX",
        reason=verdict.reason,
        raw=verdict.raw,
        fallback=fallback,
        usage=usage,
        model_calls=2,
    )
