"""A core with scripted models, the Slack stand-in, and what people do around their threads."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agent_core.ids import TurnId, UserId
from agent_core.messages import InboundMessage
from agent_core.runtime import Runtime
from agent_core.testing.models import ScriptedModel
from agent_core.testing.runtimes import scripted_runtime
from bot.home.feedback import FeedbackClicks
from bot.ingress.gestures import Gestures
from bot.slack_api import People, SlackApi
from bot.threads import ThreadRef, user_id
from tests.bot.ingress.world import World, connected_world, thread_at

NOW = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """The bot, its core, and people by name."""

    world: World
    runtime: Runtime

    def person(self, user: str) -> UserId:
        return user_id(self.world.slack.team_id, self.world.slack.people[user])

    async def thread(self, user: str = "ann", channel: str = "general") -> ThreadRef:
        place = self.world.slack.dm_id(user) if channel == "dm" else ""
        place = place or self.world.slack.channels[channel]
        return thread_at(self.world, await self.world.slack.say(user, place, "a root"), place)

    async def ask(self, thread: ThreadRef, user: str, text: str) -> TurnId:
        """A person's turn in a thread."""
        message = InboundMessage(
            session=thread.session,
            key=f"{thread.session}:{text}",
            asker=self.person(user),
            author_name=user,
            text=text,
            received_at=NOW,
        )
        turn = await self.runtime.handle(message)
        assert turn is not None
        return turn

    async def ended(self, turn: TurnId) -> TurnId:
        """Wait until the turn has its end."""
        async for _, event in self.runtime.events(turn):
            if event.kind == "turn_finished":
                break
        return turn


@asynccontextmanager
async def around(root: Path, says: Sequence[Any] = (), **more: Any) -> AsyncGenerator[Around]:
    """`says` are the model's answers, `more` is for the runtime."""

    def gestures(api: SlackApi, people: People) -> Mapping[str, Gestures]:
        return {"feedback.": FeedbackClicks(runtime, api, people, lambda: NOW)}

    async with (
        scripted_runtime(root, model=ScriptedModel(list(says)), **more) as runtime,
        connected_world(gestures=gestures) as world,
    ):
        yield Around(world=world, runtime=runtime)
