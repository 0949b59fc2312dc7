"""A bot that has worked in several threads, and what its tools of looking back then tell it."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agent_core.consent.policy import Policy
from agent_core.events import REPORT
from agent_core.messages import InboundMessage, JsonObject, ToolResult
from agent_core.models import ModelRequest
from agent_core.testing.models import ScriptedModel, ScriptLine
from agent_core.testing.tools import FakeToolset, tool_call
from agent_core.tools import READ_FILE, Artifact, OnProgress, ToolContext, ToolOutput
from bot.inbound import post_key
from bot.presenter import READER
from bot.threads import ThreadRef, user_id
from tests.agent_core.runtime.threads import TIMEOUT_S
from tests.bot.desk import open_desk
from tests.bot.front_world import Place, Process, process
from tests.runtimes import ANYTHING_GOES

WRITE = "mcp__tests__make_report"
PATH = "work_products/report.html"


async def write_report(
    arguments: JsonObject, context: ToolContext, progress: OnProgress
) -> ToolOutput:
    """A report of these words, for the person."""
    file = context.workspace / PATH
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(str(arguments["text"]))
    made = Artifact(
        path=PATH, title=str(arguments["title"]), mimetype=REPORT, size_bytes=file.stat().st_size
    )
    return ToolOutput(text="Written.", artifacts=(made,), is_ours=True)


async def read_file(arguments: JsonObject, context: ToolContext, progress: OnProgress) -> str:
    """As the toolkit reads a page: its text, in parts."""
    text = (context.workspace / str(arguments["path"])).read_text()
    offset, limit = int(arguments["offset"]), int(arguments["limit"])
    following = offset + limit if offset + limit < len(text) else None
    return json.dumps({"text": text[offset : offset + limit], "next_offset": following})


def report(text: str, title: str = "Batteries") -> ScriptLine:
    """The model has a report written."""
    return tool_call(WRITE, {"title": title, "text": text}, id="r1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Threads:
    """People's threads with one bot, whose model says what each test has it say."""

    place: Place
    bot: Process
    script: list[ScriptLine]
    model: ScriptedModel

    async def ask(
        self, who: str, where: str, *script: ScriptLine, said: str = "continue"
    ) -> ThreadRef:
        """A person's request in a new thread of a channel (or `dm`), to its end."""
        thread = await self.root(who, where)
        await self.ask_in(thread, who, *script, said=said)
        return thread

    async def root(self, who: str, where: str) -> ThreadRef:
        """A new thread."""
        slack, is_direct = self.place.slack, where == "dm"
        channel = slack.dm_id(who) if is_direct else slack.channels[where]
        ts = await slack.say(who, None if is_direct else where, "bot, …", dm=is_direct)
        return ThreadRef(team=slack.team_id, channel=channel, root_ts=ts)

    async def ask_in(
        self, thread: ThreadRef, who: str, *script: ScriptLine, said: str = "continue"
    ) -> None:
        """The same in a thread."""
        self.script[:] = script
        key = await self.write(thread, who, said)
        async with asyncio.timeout(TIMEOUT_S):
            await self.bot.front.ended(key)

    async def write(self, thread: ThreadRef, who: str, said: str) -> str:
        """A person writes in a thread; the key of the message."""
        slack = self.place.slack
        ts = await slack.say(who, thread.channel, "bot, …", thread_ts=thread.root_ts)
        message = InboundMessage(
            session=thread.session,
            key=post_key(thread.team, thread.channel, ts),
            asker=user_id(thread.team, slack.users[who]),
            author_name=who.title(),
            text=said,
            received_at=datetime.now(UTC),
        )
        assert await self.bot.front.handle(message)
        return message.key

    def answers(self, thread: ThreadRef) -> list[str]:
        """What the bot has said there."""
        posts = self.place.slack.thread(thread.channel, thread.root_ts)
        return [post.words for post in posts if post.user == self.place.slack.bot_user_id]

    async def told(self, thread: ThreadRef, who: str, name: str, **arguments: object) -> str:
        """What a tool tells the model, in a turn of its own."""
        await self.ask_in(thread, who, tool_call(name, arguments, id="t1"), "Done.")
        return told_last(self.model)

    async def tainted(self, thread: ThreadRef) -> bool:
        found = await self.bot.runtime.sessions.answers_in(thread.session, limit=1)
        return found[0].tainted_by is not None


def told_last(model: ScriptedModel) -> str:
    results = [
        part.text
        for message in model.requests[-1].messages
        for part in message.parts
        if isinstance(part, ToolResult)
    ]
    return results[-1]


@asynccontextmanager
async def open_threads(root: Path, policy: Policy = ANYTHING_GOES) -> AsyncGenerator[Threads]:
    """With the tools of the surface and two of the toolkit's."""
    script: list[ScriptLine] = []

    def line(_: ModelRequest) -> ScriptLine:
        return script.pop(0)

    model = ScriptedModel(line for _ in range(1_000))
    tools = FakeToolset({WRITE: write_report, READ_FILE: read_file})
    async with open_desk(Place, root=root) as place, process(place, model, tools, policy) as bot:
        await place.api.identify()
        await bot.runtime.show_with(READER, bot.presenting.attach)
        yield Threads(place=place, bot=bot, script=script, model=model)
