"""The console in front of a scripted core and the Slack stand-in, and browsers that go to it."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
from pydantic import SecretStr

from agent_core.ids import SessionId
from agent_core.models import Model
from agent_core.runtime import Runtime
from agent_core.tools import Toolset
from bot.console.acts import LIVE, Acts
from bot.console.console import Console
from bot.console.server import Look
from bot.front import FrontDoor, WorkspaceFiles
from bot.ingress import Actions, Ingress, Rules, take_up
from bot.presenter import Indicators
from bot.settings import BotSettings
from bot.slack_api import People, SlackApi
from bot.threads import ThreadRef, user_id
from tests.bot.desk import Desk, open_desk
from tests.bot.front_world import digests_of
from tests.bot.ingress.world import Judge
from tests.bot.socket.world import SharedClock
from tests.clocks import ManualClock
from tests.runtimes import scripted_runtime

SECRET = "0123456789abcdef0123456789abcdef"
PATIENCE_S = 30.0
PUBLIC = "http://live.test"


@dataclass(kw_only=True)
class Browser:
    """A person's cookies, and requests with them."""

    http: aiohttp.ClientSession
    address: str

    async def get(self, path: str, **headers: str) -> tuple[int, str, Mapping[str, str]]:
        """Status, text and headers; redirects are not followed."""
        return await self.ask("GET", path, headers)

    async def ask(
        self, method: str, path: str, headers: Mapping[str, str], body: str | None = None
    ) -> tuple[int, str, Mapping[str, str]]:
        url = f"{self.address}{path}"
        async with self.http.request(
            method, url, headers=headers, data=body, allow_redirects=False
        ) as answer:
            return answer.status, await answer.text(), answer.headers

    @property
    def cookie(self) -> tuple[str, str]:
        """Name and value of the newest."""
        [found] = [each for each in self.http.cookie_jar if each.key.startswith("live_")]
        return found.key, found.value

    async def enter(self, link: str) -> int:
        """Follow a link from Slack and say that one wants it; the status of what it leads to."""
        path = link[link.index("/enter") :]
        assert (await self.get(path))[0] in {200, 401, 503}
        status, _, headers = await self.ask("POST", path, {"Origin": self.address})
        return (await self.get(headers["Location"]))[0] if status == 303 else status

    @asynccontextmanager
    async def live(self, session: str = "", **headers: str) -> AsyncGenerator["Page"]:
        """An open WebSocket."""
        url = f"{self.address}/ws" + (f"?session={session}" if session else "")
        async with self.http.ws_connect(url, headers=headers, max_msg_size=0) as opened:
            yield Page(socket=opened)


@dataclass(kw_only=True)
class Page:
    """What a client of the WebSocket was told, and can say."""

    socket: aiohttp.ClientWebSocketResponse
    told: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    async def say(self, kind: str, **fields: object) -> None:
        await self.socket.send_str(json.dumps({"type": kind, **fields}))

    async def until(self, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message that is so."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                message = await self.socket.receive()
                assert message.type is aiohttp.WSMsgType.TEXT, f"{message} after {self.told}"
                self.told.append(json.loads(message.data))
                if is_so(self.told[-1]):
                    return self.told[-1]

    async def until_a(self, kind: str) -> dict[str, Any]:
        return await self.until(lambda message: message["type"] == kind)

    async def until_state(self, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first state of an agent that is so."""
        found = await self.until(
            lambda told: told["type"] == "agent-state" and is_so(told["state"])
        )
        return found["state"]

    async def closed(self) -> int | None:
        """Wait until the other side has closed it; the code."""
        async with asyncio.timeout(PATIENCE_S):
            async for message in self.socket:
                self.told.append(json.loads(message.data))
        return self.socket.close_code


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleWorld(Desk):
    """A bot with a console, in front of a thread that Ann began."""

    runtime: Runtime
    ingress: Ingress
    console: Console
    acts: Acts
    time: list[datetime]
    """What time it is: its only entry, which a test may change."""
    ticking: ManualClock

    @property
    def session(self) -> SessionId:
        return self.thread.session

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.console.port}"

    def link(self, user: str = "ann", session: SessionId | None = None) -> str:
        """What the button in the thread would give to a person."""
        person = user_id(self.slack.team_id, self.slack.user_id(user))
        url = self.console.link(person, self.session if session is None else session)
        assert url is not None
        return url.replace(PUBLIC, self.address)

    def later(self, passes: timedelta) -> None:
        self.time[0] += passes

    async def say(self, text: str) -> None:
        """Ann mentions the bot in the thread; its turn has begun when this returns."""
        place, text = self.thread, f"{self.slack.mention} {text}"
        about = {"channel": place.channel, "thread_ts": place.root_ts, "text": text}
        ts = await self.slack.say("ann", place.channel, text, thread_ts=place.root_ts)
        event = {"type": "app_mention", "user": self.slack.user_id("ann"), "ts": ts, **about}
        told = await self.ingress.receive(
            {"type": "event_callback", "team_id": place.team, "event": event}
        )
        assert told is not None
        await self.ingress.hand_over(told)

    async def outlive(self, work: Coroutine[Any, Any, object], key: str, words: str) -> None:
        """A process dies at this work once Slack has these words; what it left is taken up."""
        ledger = self.runtime.ledger
        self.slack.fail("chat.postMessage", drop_after_accept=True)
        self.slack.fail("conversations.replies", hang_s=1)  # it comes no further
        dying = asyncio.create_task(work)
        await self.slack.wait_for(lambda _: words in str(self.texts()))
        dying.cancel()
        await asyncio.wait({dying})
        await ledger.release(key)
        rules = Rules(identity=await self.api.identify())
        nobody = Actions({}, ledger, rules, People(self.api), self.api)
        await take_up(ledger, self.ingress, nobody, {LIVE: self.acts.replay})
        while self.ingress.under_way:
            self.ticking.advance(0.5)
            await asyncio.sleep(0)


@asynccontextmanager
async def browser(address: str, *, receive_bytes: int = 0) -> AsyncGenerator[Browser]:
    """A fresh one, without cookies; its system keeps `receive_bytes` for it, 0 for many."""

    def small(about: Any) -> socket.socket:
        made = socket.socket(*about[:3])
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        return made

    connector = aiohttp.TCPConnector(socket_factory=small if receive_bytes else None)
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar, connector=connector) as http:
        yield Browser(http=http, address=address)


@asynccontextmanager
async def visitor(
    world: ConsoleWorld, user: str = "ann", *, receive_bytes: int = 0
) -> AsyncGenerator[Browser]:
    """A person who has followed a link to the thread's live view."""
    async with browser(world.address, receive_bytes=receive_bytes) as browsing:
        assert await browsing.enter(world.link(user)) == 200
        yield browsing


@asynccontextmanager
async def console_world(
    root: Path,
    model: Model,
    *,
    tools: Toolset | None = None,
    channel: str = "general",
    public_url: str = PUBLIC,
    looks: Mapping[str, Look] | None = None,
    metrics_token: str = "",
) -> AsyncGenerator[ConsoleWorld]:
    """A thread in a channel."""
    time, ticking = [datetime.now(UTC)], ManualClock()
    async with open_desk(Desk) as desk:
        ts = await desk.slack.say("ann", channel, f"{desk.slack.mention} what is new?")
        place = desk.slack.channel_id(channel)
        thread = ThreadRef(team=desk.slack.team_id, channel=place, root_ts=ts)
        api = SlackApi(desk.client, clock=SharedClock(ticking))
        rules = Rules(identity=await api.identify())
        async with scripted_runtime(root, model=model, tools=tools) as runtime:
            front = FrontDoor(runtime, api.clock, digests_of(runtime, api))
            files = WorkspaceFiles(runtime, api, lambda: time[0])
            told = (runtime.reply_reader, Judge().follow_ups)
            signs = Indicators(api, on_sign=lambda post_ts: console.note_sign(post_ts))
            ingress = Ingress(
                *(front, runtime.ledger, files, api, rules, signs, People(api)), *told
            )
            settings = BotSettings(
                console_port=0,
                console_secret=SecretStr(SECRET),
                console_url=public_url,
                metrics_token=SecretStr(metrics_token),
            )
            console = Console(settings, runtime, api, rules, lambda: time[0])
            acts = console.acts(ingress)
            async with console.serve(looks or {}, acts):
                yield ConsoleWorld(
                    slack=desk.slack,
                    client=desk.client,
                    clock=desk.clock,
                    api=api,
                    thread=thread,
                    runtime=runtime,
                    ingress=ingress,
                    console=console,
                    acts=acts,
                    time=time,
                    ticking=ticking,
                )
            await ingress.under_way.close()
