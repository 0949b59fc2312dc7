"""Whether the bot butts in: 100 replies among people in its threads, and 100 that are meant for it.

`python -m tests.bench.manners [--json]`. Each reply is put behind its thread in the Slack
stand-in, and the gate that the product has decides on it. The small model is the real one behind
ANTHROPIC_API_KEY; without a key nothing is measured, and that is said.
"""

import argparse
import asyncio
import sys
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from agent_core.ids import SessionId, UserId
from agent_core.models import Model
from agent_core.models.anthropic import AnthropicModel
from agent_core.runtime import ReplyReader
from agent_core.runtime.build import model_connection
from agent_core.settings import CoreSettings
from bot.front import ThreadActivity
from bot.inbound import read_post
from bot.ingress import Ingress, Rules
from bot.ingress.filter import Admitted
from bot.presenter import Indicators
from bot.sandbox.slack import SlackStandIn
from bot.slack_api import Op, People, SkippingClock, SlackApi, web_client
from bot.threads import ThreadRef, user_id
from tests.bench.results import Result, show
from tests.bot.ingress.world import Judge, ListeningFront, MemoryLedger, NamingFiles

TEXTS = Path(__file__).parent / "manners_texts"
AT_ONCE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One reply behind its thread."""

    name: str
    earlier: tuple[str, ...]
    """Lines such as `ann: text`."""
    reply: str
    is_for_bot: bool
    standing: dict[str, tuple[str, ...]]
    """Of `asks` and `works`, by name."""


def cases() -> list[Case]:
    """All that is in the file."""
    found: list[Case] = []
    name, earlier, standing = "", list[str](), dict[str, tuple[str, ...]]()
    for line in (TEXTS / "threads.txt").read_text(encoding="utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        match mark:
            case "" | "#":
                pass
            case "==":
                name, earlier, standing = rest, [], {}
            case "asks:" | "works:":
                standing[mark[:-1]] = tuple(rest.split())
            case "+" | "-":
                found.append(
                    Case(
                        name=name,
                        earlier=tuple(earlier),
                        reply=rest,
                        is_for_bot=mark == "+",
                        standing=dict(standing),
                    )
                )
            case _:
                earlier.append(line)
    return found


@dataclass(slots=True)
class Standings(ListeningFront):
    """Works as the cases say."""

    by_session: dict[SessionId, ThreadActivity] = field(
        default_factory=dict[SessionId, ThreadActivity]
    )

    async def activity(self, session: SessionId) -> ThreadActivity:
        return self.by_session[session]


class Room:
    """The stand-in's team, with the product's gate before it."""

    def __init__(self, slack: SlackStandIn, api: SlackApi, rules: Rules, model: Model) -> None:
        self._slack = slack
        self._api = api
        self._front = Standings()
        reader = ReplyReader(model, patience_s=30.0)
        given = (
            self._front,
            MemoryLedger(),
            NamingFiles(),
            api,
            rules,
            Indicators(api),
            People(api),
        )
        self._filter = Ingress(*given, reader, Judge().follow_ups).filter

    async def answers(self, case: Case) -> bool:
        """Whether the bot would answer the reply."""
        slack, posted = self._slack, list[str]()
        for line in case.earlier:
            who, _, text = line.partition(": ")
            root_ts = posted[0] if posted else None
            words = text.replace("@bot", slack.mention)
            posted.append(await self._say(who, words, root_ts))
        thread = ThreadRef(team=slack.team_id, channel=slack.channels["general"], root_ts=posted[0])
        self._front.by_session[thread.session] = ThreadActivity(
            asks=self._people(case, "asks"), works_for=self._people(case, "works")
        )
        who, _, text = case.reply.partition(": ")
        ts = await self._say(who, text, posted[0])
        raw = await self._api.channels.post_now(thread, ts)
        body = {"team_id": thread.team, "event": {**(raw or {}), "channel": thread.channel}}
        post = read_post(body, bot_user=slack.bot_user_id)
        assert post is not None
        return isinstance(await self._filter.judge(post), Admitted)

    def _people(self, case: Case, what: str) -> tuple[UserId, ...]:
        slack = self._slack
        names = case.standing.get(what, ())
        return tuple(user_id(slack.team_id, slack.people[name]) for name in names)

    async def _say(self, who: str, text: str, root_ts: str | None) -> str:
        slack = self._slack
        if who != "bot":
            return await slack.say(who, "general", text, thread_ts=root_ts)
        place = slack.channels["general"]
        op = Op(f"op{len(slack.calls)}")
        if root_ts is None:
            return (await self._api.announce(place, text, op=op, since="0")).ts
        thread = ThreadRef(team=slack.team_id, channel=place, root_ts=root_ts)
        return (await self._api.post(thread, text, op=op)).ts


async def judge_all(found: list[Case], model: Model) -> list[bool]:
    """What becomes of each."""
    async with AsyncExitStack() as stack:
        slack = await stack.enter_async_context(SlackStandIn(rate_limits=False))
        session = await stack.enter_async_context(aiohttp.ClientSession())
        client = web_client(slack.bot_token, base_url=slack.api_url, session=session)
        api = SlackApi(client, clock=SkippingClock())
        room = Room(slack, api, Rules(identity=await api.identify()), model)
        seats = asyncio.Semaphore(AT_ONCE)

        async def judged(case: Case) -> bool:
            async with seats:
                return await room.answers(case)

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(judged(case)) for case in found]
        return [task.result() for task in tasks]


def measured(found: list[Case], answered: list[bool]) -> list[Result]:
    """The two figures; what went wrong is written beside them."""
    for case, is_answered in zip(found, answered, strict=True):
        if is_answered != case.is_for_bot:
            what = "butted in" if is_answered else "silent"
            sys.stderr.write(f"{what}: [{case.name}] {case.reply}\n")
    right = list(zip(found, answered, strict=True))
    meant = [is_answered for case, is_answered in right if case.is_for_bot]
    among = [is_answered for case, is_answered in right if not case.is_for_bot]
    return [
        Result(name="among people", value=len(among), unit="replies"),
        Result(name="answered among people", value=sum(among), unit="replies", goal=1),
        Result(name="meant for the bot", value=len(meant), unit="replies"),
        Result(name="answered of those", value=sum(meant), unit="replies", goal=97, at_least=True),
    ]


async def live(settings: CoreSettings) -> list[Result]:
    connection = model_connection(settings)
    found = cases()
    try:
        model = AnthropicModel(settings.classifier_model, connection)
        return measured(found, await judge_all(found, model))
    finally:
        await connection.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    settings = CoreSettings()
    if not (settings.anthropic_api_key.get_secret_value() or settings.bearer):
        sys.stderr.write("Not measured: no model key is set.\n")
        return
    show(asyncio.run(live(settings)), as_json=arguments.json)


if __name__ == "__main__":
    main()
