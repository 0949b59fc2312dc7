"""Classifier and fast answer side by side, with one outcome: an answer, or COMPLEX.

Nothing of the fast answer leaves before the verdict; on COMPLEX it is cancelled at once.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal, get_args

from pydantic import TypeAdapter

from agent_core.context.history import repaired, spoken
from agent_core.context.wishes import with_wishes
from agent_core.errors import (
    ModelError,
    ModelUnavailable,
    ReplyTruncated,
    RequestTooLarge,
)
from agent_core.events import Route, Usage
from agent_core.messages import AttachedFile, InboundMessage, Message, Payer, user_message
from agent_core.models import (
    CUT,
    CallDelta,
    Delta,
    Model,
    ModelRequest,
    Picture,
    Reply,
    Retried,
    RetryingModel,
    ToolSpec,
    whole_reply,
)
from agent_core.models.metered import CapReached
from agent_core.prompts import prompt
from agent_core.scoped_settings import NOTHING_SET, EffectiveSettings
from agent_core.words import short_form

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

Verdict = Literal["SIMPLE", "COMPLEX", "ORDER", "STOP", "AGREE", "ASIDE"]

_VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
_WORD = re.compile(rf"\b(?:{'|'.join(_VERDICTS)})\b")
LONG_TEXT_CHARS = 12_000
"""A longer message is a document: it is saved as a file, and the full agent gets it."""
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
    request: str = ""
    """The open request for a decision that it was written beside; empty without one."""
    history: tuple[Message, ...]
    """The session's earlier turns."""
    today: date
    files: tuple[AttachedFile, ...] = ()
    """What came with the message, and below the pictures among it."""
    pictures: Mapping[str, Picture] = field(default_factory=dict[str, Picture])
    payer: Payer | None = None
    settings: EffectiveSettings = NOTHING_SET
    """Of the channel: where it wants sources, no fast answer is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Routed:
    """The recorded outcome."""

    route: Route
    reason: str
    verdict: Verdict = "COMPLEX"
    """What the classifier says of the message; a STOP or an ORDER is answered without the loop, and
    an AGREE where it is a click that is waited for."""
    raw: str = ""
    fallback: str = ""
    """Why the fast answer gave up after a SIMPLE verdict; empty if it did not."""
    answer: Message | None = None
    """There exactly when the route is SIMPLE."""
    usage: Usage = Usage()
    model_calls: int = 0


ROUTED: TypeAdapter[Routed] = TypeAdapter(Routed)

NamedModels = Callable[[str], RetryingModel | None]
"""Another model by the name that settings give it; None where the usual one is meant."""
AnswerListener = Callable[[Delta | Retried], Awaitable[None]]
"""Hears the answer's text; a Retried voids what came before it."""


class Router:
    """Decides the route of a message that no rule decides.

    Args:
        classifier: The small model that says one of the verdicts.
        answerer: The model of the fast answer.
        named: Another model for the answer, by the name that settings give it.
        patience_s: How long a verdict is waited for; later means COMPLEX. Verdicts of 2 s are
            usual, and a plain question is not to become work for a hiccup.
    """

    def __init__(
        self,
        *,
        classifier: Model,
        answerer: RetryingModel,
        named: NamedModels = lambda _: None,
        patience_s: float = 6.0,
    ) -> None:
        self.classifier = classifier
        self._answerer = answerer
        self._named = named
        self._patience_s = patience_s

    async def route(self, routing: Routing, tell: AnswerListener) -> Routed:
        """Classify and answer at once. `tell` hears the answer, from the verdict on.

        Raises:
            ModelError: the verdict was SIMPLE and the fast answer failed for good.
        """
        pieces = asyncio.Queue[Delta | Retried | None]()
        answering = asyncio.create_task(self._answer(routing, pieces), name="fast-answer")
        try:
            judged = await self.classify(routing)
            if judged.verdict != "SIMPLE" or routing.settings.values.cite_or_stay_silent:
                return replace(judged, usage=judged.usage + _usage_of(answering))
            while (piece := await pieces.get()) is not None:
                await tell(piece)
            try:
                reply = await answering
            except (ReplyTruncated, RequestTooLarge):
                return replace(judged, fallback="answer_cut")
            except CapReached:
                return replace(judged, fallback="cap")
            judged = replace(judged, usage=judged.usage + reply.usage)
            if fallback := _why_no_answer(reply):
                return replace(judged, fallback=fallback)
            return replace(judged, route="SIMPLE", answer=reply.message)
        finally:
            answering.cancel()
            await asyncio.wait({answering})
            if not answering.cancelled():
                answering.exception()  # looked at, so that asyncio does not warn of it

    async def classify(self, routing: Routing) -> Routed:
        """The classifier's verdict, COMPLEX when it is unclear, late or failing; no answer yet."""
        history = "\n".join(f"{each.role}: {each.text}" for each in spoken(routing.history))
        context = history[-_CONTEXT_CHARS:] or "(nothing)"
        if routing.request:
            question = prompt(
                "classify_beside",
                query=routing.text,
                history=context,
                request=routing.request,
            )
        else:
            question = prompt("classify", query=routing.text, history=context)
        request = ModelRequest(
            system="You route queries. You answer with one word.",
            messages=(user_message(question),),
            max_tokens=_CLASSIFY_MAX_TOKENS,
            effort="low",
            payer=routing.payer,
        )
        judged = Routed(route="COMPLEX", reason="unclear", model_calls=2)
        try:
            async with asyncio.timeout(self._patience_s):
                reply = await whole_reply(self.classifier, request)
        except TimeoutError:
            return replace(judged, reason="late")
        except ModelError:
            return replace(judged, reason="failed")
        judged = replace(judged, raw=reply.message.text[:200], usage=reply.usage)
        words = set(_WORD.findall(reply.message.text.upper()))
        verdicts = [verdict for verdict in _VERDICTS if verdict in words]
        if len(verdicts) != 1:
            return judged
        return replace(
            judged,
            route="SIMPLE" if verdicts[0] == "STOP" else "COMPLEX",
            reason="classifier",
            verdict=verdicts[0],
        )

    async def answer_beside(self, routing: Routing) -> Message | None:
        """The fast answer to what was written beside an open request; None where there is none."""
        try:
            reply = await self._answer(routing, asyncio.Queue())
        except ModelError:
            return None
        return None if _why_no_answer(reply) else reply.message

    async def _answer(
        self, routing: Routing, pieces: asyncio.Queue[Delta | Retried | None]
    ) -> Reply:
        """The fast answer; its text waits in `pieces`, of which None is the end."""
        try:
            answerer = self._named(routing.settings.values.model) or self._answerer
            async with aclosing(answerer.stream(_fast_request(routing))) as stream:
                async for item in stream:
                    if isinstance(item, Reply):
                        return item
                    if not isinstance(item, CallDelta):
                        pieces.put_nowait(item)
        finally:
            pieces.put_nowait(None)
        raise ModelUnavailable("The model ended its stream without a reply.")


def _fast_request(routing: Routing) -> ModelRequest:
    system = prompt("fast", today=routing.today.strftime("%A, %d %B %Y"))
    if routing.request:
        beside = prompt("beside", request=routing.request)
        system = f"{system}\n\n{beside}"
    opening = user_message(routing.opening, routing.files)
    return ModelRequest(
        system=with_wishes(system, routing.settings),
        messages=repaired((*spoken(routing.history), opening)),
        pictures=routing.pictures,
        tools=(USE_TOOLS,),
        max_tokens=_FAST_MAX_TOKENS,
        effort="low",
        payer=routing.payer,
    )


def _usage_of(answering: asyncio.Task[Reply]) -> Usage:
    """What a fast answer that nobody will hear has cost, as far as that is known."""
    if not answering.done() or answering.cancelled() or answering.exception() is not None:
        return Usage()
    return answering.result().usage


def _why_no_answer(reply: Reply) -> str:
    """Why the fast answer is none; empty where it is one."""
    if reply.message.tool_calls:
        reason = reply.message.tool_calls[0].arguments.get("reason", "")
        return f"tool_use_detected: {reason}"
    if reply.stop_reason in CUT:
        return "answer_cut"
    return "" if reply.message.text else "empty_answer"


WRAP_UP = "wrap_up"
"""The rule of whoever wants an answer with what unfinished work has found; it calls no tools."""


def rule_for(
    message: InboundMessage, *, has_unfinished_work: bool, is_whole: bool = True
) -> str | None:
    """The rule that makes this message COMPLEX without asking a model, by name; None without.

    Args:
        message: What came.
        has_unfinished_work: The work before it did not end well.
        is_whole: All that its files hold is before the model at once.
    """
    if message.scheduled:
        return "scheduled"
    if message.attachments and not is_whole:
        return "attachment"
    if short_form(message.text, "continue") or short_form(message.text, "yes"):
        return "continue"
    if has_unfinished_work and short_form(message.text, "wrap-up"):
        return WRAP_UP
    if len(message.text) > LONG_TEXT_CHARS:
        return "long_text"
    return "unfinished_work" if has_unfinished_work else None
