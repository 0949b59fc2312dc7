"""The core with scripted models, the Slack stand-in, and the real Slack client between them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from agent_core.consent.policy import Policy
from agent_core.messages import InboundMessage
from agent_core.models import Model
from agent_core.runtime import Runtime
from agent_core.testing.models import ScriptedModel
from agent_core.tools import Toolset
from bot.digests import DigestMessages, DigestOrders, DigestPresenter
from bot.front import FrontDoor, WorkspaceFiles
from bot.inbound import SlackFile
from bot.presenter import Indicators, Presenting
from bot.settings import BotSettings
from bot.slack_api import People, SlackApi
from bot.surface import SlackSurface
from bot.threads import user_id
from tests.bot.desk import Desk
from tests.runtimes import ANYTHING_GOES, scripted_runtime

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(Desk):
    """A thread as a process sees it that may come and go."""

    root: Path

    def message(self, text: str, *, ts: str = "") -> InboundMessage:
        """What Ann said in the thread, as the ingress hands it over."""
        return InboundMessage(
            session=self.thread.session,
            key=f"{self.thread.team}:{self.thread.channel}:{ts or self.thread.root_ts}",
            asker=user_id(self.thread.team, self.slack.people["ann"]),
            author_name="Ann",
            text=text,
            received_at=NOW,
        )

    async def attached(self, name: str, content: bytes) -> SlackFile:
        """A file that Ann shared, as a payload describes it."""
        ts = await self.slack.say("ann", "general", "look", files=[(name, content, "text/plain")])
        [file] = self.slack.find("general", ts).files
        return SlackFile(
            id=file.id,
            name=file.name,
            mimetype=file.mimetype,
            size_bytes=len(file.content),
            url_private=file.url_private,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One life of the bot."""

    runtime: Runtime
    presenting: Presenting
    front: FrontDoor
    files: WorkspaceFiles


def presenting_of(runtime: Runtime, api: SlackApi) -> Presenting:
    """What shows turns."""
    return Presenting(runtime, api, Indicators(api), partial(DigestPresenter, runtime, lambda: NOW))


def orders_of(runtime: Runtime, api: SlackApi, people: People) -> DigestOrders:
    known = (runtime.schedules, runtime.timekeeper)
    return DigestOrders(*known, api, people, lambda: NOW, BotSettings(), runtime.scopes)


def digests_of(runtime: Runtime, api: SlackApi) -> DigestMessages:
    return DigestMessages(orders_of(runtime, api, People(api)), runtime.order_reader)


@asynccontextmanager
async def process(
    place: Place,
    model: Model | None = None,
    tools: Toolset | None = None,
    policy: Policy = ANYTHING_GOES,
) -> AsyncGenerator[Process]:
    """Start the bot without its ingress; leaving the block stops it in the order of the app."""
    model = model or ScriptedModel([])
    runtime = scripted_runtime(place.root, model=model, tools=tools, policy=policy)
    async with runtime:
        runtime.talk_on(SlackSurface(runtime, place.api, People(place.api)))
        presenting = presenting_of(runtime, place.api)
        try:
            yield Process(
                runtime=runtime,
                presenting=presenting,
                front=FrontDoor(runtime, place.api.clock, digests_of(runtime, place.api)),
                files=WorkspaceFiles(runtime, place.api, lambda: NOW),
            )
        finally:
            await presenting.close()
