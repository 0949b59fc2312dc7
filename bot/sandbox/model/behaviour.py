"""Which behaviour answers a request; the first that fits, judged from the request alone."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.sandbox.model import delegated, demo_orders, research, routing
from bot.sandbox.model.conversation import Conversation, read_conversation
from bot.sandbox.model.offline import OfflineModel
from bot.sandbox.model.replies import Kind, Reply, say
from bot.sandbox.model.wire import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What kind of reply a request gets, and the reply when it is wanted."""

    kind: Kind
    reply: Callable[[], Awaitable[Reply]]


class Behaviour:
    """Chooses by rules. Scripted replies, where there are any, come before every rule."""

    def __init__(self, offline: OfflineModel) -> None:
        self._offline = offline
        self._scripted: list[Reply] = []

    def play(self, reply: Reply, *, times: int) -> None:
        """Answer the next requests with this reply, whatever they ask."""
        self._scripted.extend([reply] * times)

    def plan(self, body: Json) -> Plan:  # noqa: PLR0911 (goes with the old stand-in)
        """Choose for one validated request."""
        if self._scripted:
            return _fixed(self._scripted.pop(0))
        if demo_orders.asks_for_order(body):
            return _fixed(demo_orders.read(body))
        if demo_orders.has_published(body):
            return _fixed(say("Published.", "research"))
        if routing.asks_for_route(body):
            return _fixed(routing.classify(body))
        conversation = read_conversation(body)
        if escape := routing.escape_tool(conversation):
            leaving = routing.hand_over(escape, conversation)
            return _fixed(leaving) if leaving else self._plain(conversation)
        if not (conversation.tools or conversation.now.calls):
            return self._plain(conversation)
        return _plan_work(conversation)

    def _plain(self, conversation: Conversation) -> Plan:
        async def answer() -> Reply:
            return say(await self._offline.answer(conversation.asked), "answer")

        return Plan(kind="answer", reply=answer)


def _plan_work(conversation: Conversation) -> Plan:
    """Work on pages takes a moment: it is done in a thread, so that the server stays awake."""
    is_main = conversation.tool("delegate") or conversation.now.attachments
    writes = conversation.tool("write_report") and not is_main
    decide, kind = (delegated.decide, "delegated") if writes else (research.decide, "research")
    return Plan(kind=kind, reply=lambda: asyncio.to_thread(decide, conversation))


def _fixed(reply: Reply) -> Plan:
    async def give() -> Reply:
        return reply

    return Plan(kind=reply.kind, reply=give)
