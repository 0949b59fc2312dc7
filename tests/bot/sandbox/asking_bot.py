"""A bot whose every call needs an approval: real core, presenter and clicks, a scripted model."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp

from agent_core.consent.policy import Policy
from agent_core.consent.rules import Rule
from agent_core.messages import InboundMessage, JsonObject
from agent_core.models import Model
from agent_core.testing.runtimes import scripted_runtime
from agent_core.testing.tools import FakeToolset
from agent_core.tools import ToolContext
from bot.consent.clicks import Clicks
from bot.ingress import Rules, connect_socket, create_app
from bot.ingress.actions import listen_to_gestures
from bot.presenter.journal import READER
from bot.presenting import Presenting
from bot.sandbox.driving import Driver
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.watch import Watch
from bot.slack_api import People, SkippingClock, SlackApi, web_client
from bot.threads import ThreadRef, user_id

ASKS = Policy(rules=(Rule(rule="everything asks", verdict="ask"),))


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingStage:
    """A sandbox with that bot in it, a person who drives it, and what was done."""

    slack: SlackStandIn
    driver: Driver
    sent: list[JsonObject]


@asynccontextmanager
async def asking_stage(
    directory: Path, model: Model, *, button_timeout_s: float = 20.0
) -> AsyncGenerator[AskingStage, None]:
    sent: list[JsonObject] = []

    async def send(arguments: JsonObject, _context: ToolContext, _progress: object) -> str:
        sent.append(arguments)
        return "sent"

    runtime = scripted_runtime(
        directory, model=model, tools=FakeToolset({"mcp__post__SEND": send}), policy=ASKS
    )
    async with (
        SlackStandIn(rate_limits=False) as slack,
        aiohttp.ClientSession() as session,
        runtime,
    ):
        client = web_client(slack.bot_token, base_url=slack.api_url, session=session)
        api = SlackApi(client, clock=SkippingClock())
        identity, people = await api.identify(), People(api)
        presenting = Presenting(runtime, api, links=runtime.consents)
        await runtime.readers.show_with(READER, presenting.attach)
        app = create_app(client, identity)
        clicks = Clicks(runtime.consents, api, people)
        actions = listen_to_gestures(
            app,
            {"consent.": clicks},
            ledger=runtime.ledger,
            rules=Rules(identity=identity),
            people=people,
            api=api,
        )

        async def take(event: JsonObject) -> None:
            await runtime.handle(_message(slack, event))

        listeners: Any = app
        listeners.event("app_mention")(take)
        listeners.event("message")(_overhear)
        socket = await connect_socket(app, slack.app_token)
        watch = Watch(directory, _fine)
        try:
            yield AskingStage(
                slack=slack,
                driver=Driver(slack, watch, be_connected=_fine, button_timeout_s=button_timeout_s),
                sent=sent,
            )
        finally:
            await watch.close()
            await socket.close()
            await actions.close(patience_s=1.0)
            await presenting.close()


async def _fine() -> None:
    """The bot lives and listens."""


async def _overhear(event: JsonObject) -> None:
    """Not for this bot."""


def _message(slack: SlackStandIn, event: JsonObject) -> InboundMessage:
    root_ts = event.get("thread_ts") or event["ts"]
    thread = ThreadRef(team=slack.team_id, channel=event["channel"], root_ts=root_ts)
    return InboundMessage(
        session=thread.session,
        key=f"{thread.team}:{thread.channel}:{event['ts']}",
        asker=user_id(slack.team_id, event["user"]),
        author_name="Ann",
        text=event["text"],
        received_at=datetime.now(UTC),
    )
