"""Posts of one thread reach the agent in the order in which they came."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from itertools import cycle

import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest

from agent_core.messages import JsonObject
from bot.ingress import Ingress, Rules, create_app, register
from bot.slack_api import People, Person, SlackApi, web_client
from tests.bot.ingress.world import World, connected_world


class HeldPeople(People):
    """Looks one person up only when it may; everybody else at once."""

    def __init__(self, api: SlackApi, held: str) -> None:
        super().__init__(api)
        self._held = held
        self.asked = asyncio.Event()
        self.may_go_on = asyncio.Event()

    async def person(self, user: str) -> Person | None:
        if user == self._held:
            self.asked.set()
            await self.may_go_on.wait()
        return await super().person(user)


@dataclass(frozen=True, slots=True, kw_only=True)
class Doorstep:
    """Payloads are put before Bolt by hand; the look-up of Ben is held up."""

    world: World
    people: HeldPeople
    app: AsyncApp
    ingress: Ingress

    async def post(
        self, user: str, text: str, *, root_ts: str = "", shape: str = "message"
    ) -> JsonObject:
        """The payload of a post that is in the channel and was not delivered."""
        ts = await self.world.say(user, "general", text, thread_ts=root_ts or None)
        event: JsonObject = {
            "type": shape,
            "user": self.world.slack.people[user],
            "channel": self.world.slack.channels["general"],
            "channel_type": "channel",
            "ts": ts,
            "text": text,
        }
        if root_ts:
            event["thread_ts"] = root_ts
        return {"type": "event_callback", "team_id": self.world.slack.team_id, "event": event}

    async def bring(self, body: JsonObject) -> int:
        """The status that Bolt answers with; only 200 is an acknowledgement."""
        answer = await self.app.async_dispatch(AsyncBoltRequest(mode="socket_mode", body=body))
        return answer.status

    async def handled(self) -> None:
        async with asyncio.timeout(10):
            await self.ingress.drain()


@pytest.fixture
async def doorstep() -> AsyncIterator[Doorstep]:
    async with connected_world(bot_events=()) as world:
        people = HeldPeople(world.api, world.slack.people["ben"])
        app = create_app(web_client("xoxb-1", base_url=world.slack.api_url), world.identity)
        ingress = Ingress(
            world.front,
            ledger=world.ledger,
            files=world.files,
            api=world.api,
            signs=world.signs,
            rules=Rules(identity=world.identity),
            people=people,
        )
        register(app, ingress)
        yield Doorstep(world=world, people=people, app=app, ingress=ingress)


@pytest.mark.proves("ledger.order")
async def test_ten_posts_of_people_not_looked_up_yet_stay_in_order(doorstep: Doorstep) -> None:
    root = await doorstep.post("cleo", f"{doorstep.world.mention} research")
    texts = [f"post {number}" for number in range(10)]
    replies = [
        await doorstep.post(user, text, root_ts=root["event"]["ts"])
        for user, text in zip(cycle(["ben", "cleo", "ann"]), texts, strict=False)
    ]
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        brought = [group.create_task(doorstep.bring(body)) for body in [root, *replies]]
        await doorstep.people.asked.wait()
        doorstep.people.may_go_on.set()
    await doorstep.handled()

    assert doorstep.world.front.texts == ["research", *texts]
    assert [body["event"]["text"] for body in doorstep.world.ledger.bodies[1:]] == texts
    assert {task.result() for task in brought} == {200}


async def test_a_slow_look_up_holds_up_no_other_thread(doorstep: Doorstep) -> None:
    world = doorstep.world
    slow = await doorstep.post("ben", f"{world.mention} slow")
    behind = await doorstep.post("ann", "behind", root_ts=slow["event"]["ts"])
    elsewhere = await doorstep.post("ann", f"{world.mention} elsewhere")
    async with asyncio.timeout(10), asyncio.TaskGroup() as group:
        group.create_task(doorstep.bring(slow))
        await doorstep.people.asked.wait()
        group.create_task(doorstep.bring(behind))
        assert await doorstep.bring(elsewhere) == 200
        await world.front.got_one.wait()
        assert world.front.texts == ["elsewhere"]
        doorstep.people.may_go_on.set()
    await doorstep.handled()

    assert world.front.texts == ["elsewhere", "slow", "behind"]






