"""A core with scripted models, the Slack stand-in, and what people do around their threads."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from agent_core.ids import TurnId, UserId
from agent_core.messages import InboundMessage, JsonObject
from agent_core.runtime import Runtime
from agent_core.testing.models import ScriptedModel, ScriptLine, call
from bot import clicks
from bot.clicks import HomeClick
from bot.digests import DigestClicks
from bot.home.feedback import FeedbackClicks
from bot.home.home import Home
from bot.ingress import Handler, Rules
from bot.setting_orders import SettingOrders
from bot.slack_api import Identity, People, SlackApi
from bot.threads import ThreadRef, user_id
from tests.bot.front_world import NOW, orders_of
from tests.bot.gestures import gesture_of, person_of
from tests.bot.ingress.world import Outside, World, bot_in, thread_at
from tests.faulty_slack import FaultySlack
from tests.runtimes import scripted_runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """The bot, its core, and people by name."""

    world: World
    runtime: Runtime
    home: Home
    script: list[ScriptLine]
    """What the model says next."""

    def person(self, user: str) -> UserId:
        return user_id(self.world.slack.team_id, self.world.slack.users[user])

    async def thread(self, user: str = "ann", channel: str = "general") -> ThreadRef:
        place = self.world.slack.dm_id(user) if channel == "dm" else ""
        place = place or self.world.slack.channels[channel]
        return thread_at(self.world, await self.world.slack.say(user, place, "a root"), place)

    async def ask(self, thread: ThreadRef, user: str, text: str) -> TurnId:
        """A person's turn in a thread; the bot finds something, or asks back where it is asked."""
        question = {"question": "Which one?"}
        self.script.append(call("ask_user", question, id="q") if "?" in text else "Found.")
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

    async def ask_and_wait(self, thread: ThreadRef, user: str, text: str) -> TurnId:
        """A turn that comes to a question, which nobody answers."""
        turn = await self.ask(thread, user, text)
        async for _, event in self.runtime.events(turn):
            if event.kind == "question_asked":
                break
        return turn

    async def open_home(self, user: str) -> list[JsonObject]:
        """The blocks that the person then sees."""
        published = self.calls("views.publish")
        await self.world.slack.open_home(user)
        await self.world.slack.wait_for(lambda _: self.calls("views.publish") > published)
        await self.world.handled()
        return self.home_of(user)

    async def press(
        self, user: str, name: str, chosen: object = None, block: str | None = None
    ) -> list[JsonObject]:
        """Use something on a person's Home, whose blocks are then as they are given here."""
        view = self.world.slack.state.homes[self.world.slack.users[user]]
        await self.world.slack.click_view(user, view.id, name, chosen, block_id=block)
        await self.world.handled()
        return self.home_of(user)

    def home_of(self, user: str) -> list[JsonObject]:
        return self.world.slack.state.homes[self.world.slack.users[user]].body["blocks"]

    async def forge(self, user: str, click: HomeClick) -> str:
        """A person sends what their Home does not offer; what it then says of that."""
        slack = self.world.slack
        await self.home.press(click, gesture_of(slack, user, click), person_of(slack, user))
        return str(self.home_of(user)[0])

    async def command(self, user: str, text: str, channel: str = "general") -> str:
        """What a slash command is answered with."""
        delivery = await self.world.slack.slash(user, channel, "/agent", text)
        await self.world.handled()
        return str((delivery.answer or {}).get("text", ""))

    def calls(self, method: str) -> int:
        return sum(call.method == method for call in self.world.slack.calls)

    async def ended(self, turn: TurnId) -> TurnId:
        """Wait until the turn has its end."""
        async for _, event in self.runtime.events(turn):
            if event.kind == "turn_finished":
                break
        return turn


@asynccontextmanager
async def around(
    root: Path, *, answer_within_s: float = 2.5, **more: Any
) -> AsyncGenerator[Around]:
    """`more` is for the runtime."""
    script: list[ScriptLine] = []
    homes: list[Home] = []
    model = ScriptedModel(iter(lambda: script.pop(0), None))
    async with (
        scripted_runtime(root, model=model, **more) as runtime,
        FaultySlack(rate_limits=False) as slack,
    ):
        team = {"team": slack.team_id, "bot_user": slack.bot_user_id, "bot_id": "B1"}
        rules = Rules(identity=Identity(**team))

        def handlers(api: SlackApi, _: People) -> Mapping[type, Handler]:
            people = People(api, runtime.preferences)
            orders = orders_of(runtime, api, people)
            digests = DigestClicks(orders)
            settings = SettingOrders(runtime, orders)
            home = Home(runtime, api, people, rules, orders, digests, settings, lambda: NOW)
            homes.append(home)
            feedback = FeedbackClicks(runtime, api)
            presses = dict.fromkeys((*get_args(HomeClick), clicks.HomeScheduleClick), home.press)
            return {
                **presses,
                clicks.HomeOpened: home.open,
                clicks.Command: home.command,
                clicks.EraseClick: home.erase,
                clicks.DigestForm: digests.submit,
                clicks.FeedbackClick: feedback.give,
            }

        outside = Outside(slack=slack)
        async with bot_in(
            outside,
            listens=True,
            handlers=handlers,
            for_everybody=(clicks.HomeOpened,),
            answer_within_s=answer_within_s,
        ) as world:
            yield Around(world=world, runtime=runtime, home=homes[0], script=script)
