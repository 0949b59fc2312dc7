"""Trial of one scenario, in a world of its own that is the same each time."""

import hashlib
import tempfile
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from agent_core.ids import turn_of
from agent_core.messages import JsonObject
from agent_core.runtime.schedules import Schedule
from bot.evals.proxy import ModelProxy
from bot.evals.scenarios import Scenario, Suite
from bot.sandbox import SandboxError
from bot.sandbox.child import BotLives
from bot.sandbox.model import ReplyPace
from bot.sandbox.moments import SharedClock
from bot.sandbox.settings import SandboxSettings
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.watch import Watch
from bot.sandbox.world import open_world

_MOMENT_S = datetime(2026, 3, 27, 8, 0, tzinfo=UTC).timestamp()
"""When people begin to write: a Friday, at nine in Amsterdam."""
_START_S = 45.0
"""The bot starts so long before."""
_BETWEEN_S = 1_800.0
"""People write again so long later, on the bot's clock."""
_MEANWHILE_S = 50.5
"""What people write meanwhile comes so long after each other."""
_THREAD_S = 300.5
"""A thread began so long before, with a post every 20 s. The half keeps whole seconds the same."""
_POST_S = 20.0
_SETTLED_S = 3.0
"""A bot that has wanted nothing of the model for so long has no use for it."""
_STEP_S = 20.0
"""The same before the agent's first step, for which its tools have to start."""
_WORK_S = 1_800.0
_CHANNEL = "general"
_TMP = Path(tempfile.gettempdir()).resolve()
"""The bot resolves its directories, and prompts name them."""


@dataclass(slots=True, kw_only=True)
class Trial:
    """One scenario, and how it went; `faults` are why it was not met, or not measured."""

    suite: str
    kind: Suite
    scenario: Scenario
    verdict: str = "not measured"
    faults: list[str] = field(default_factory=list[str])
    calls: list[JsonObject] = field(default_factory=list[JsonObject])
    """The model's replies, each with `seconds` and `message`."""

    @property
    def name(self) -> str:
        """The same for the same words, wherever they stand."""
        text = "\n".join(self.kind.words(self.scenario))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def as_json(self) -> JsonObject:
        """The scenario's entry in `--json`; the names are an interface."""
        return {
            "suite": self.suite,
            "name": self.name,
            "says": self.scenario.says,
            "verdict": self.verdict,
            "why": self.faults,
        }

    async def run(
        self, upstream: str, settings: SandboxSettings, recorded: dict[str, JsonObject] | None
    ) -> None:
        """Play it with the model of the `upstream` server; without one, as `recorded`."""
        if recorded is None:
            self.faults = ["nothing is recorded"]
            return
        with tempfile.TemporaryDirectory(dir=_TMP, ignore_cleanup_errors=True) as directory:
            proxy = ModelProxy(upstream, Path(directory), self.kind, recorded)
            try:
                async with _opened(proxy, settings) as player:
                    outcome = await player.play(self.kind, self.scenario)
            except (SandboxError, TimeoutError) as error:
                self.faults = [str(error) or "the bot did not start in time"]
                return
        self.calls = proxy.replies
        self.faults = [*dict.fromkeys(proxy.faults)]
        if self.faults and upstream:
            return  # a server that does not reply says nothing about its model
        self.faults = self.faults or self.scenario.faults(outcome)
        self.verdict = "failed" if self.faults else "passed"


@asynccontextmanager
async def _opened(proxy: ModelProxy, settings: SandboxSettings) -> AsyncGenerator["_Player"]:
    """The bot in its world, as it is at the scenarios' moment."""
    directory = proxy.directory
    clock = SharedClock(directory / "clock", start_s=_MOMENT_S - _START_S)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(proxy)
        world = await stack.enter_async_context(
            open_world(
                settings.model_copy(update={"anthropic_base_url": proxy.base_url}),
                workspaces_root=directory,
                web=None,
                pace=ReplyPace(),
                clock=clock,
            )
        )
        environment = {**world.environment, "CLOCK_FILE": str(clock.file)}
        bot = await stack.enter_async_context(BotLives(world, environment, directory, []))
        await bot.connected()
        watch = Watch(directory, bot.check)
        stack.push_async_callback(watch.bot.close)
        yield _Player(world.slack, watch, proxy, clock)


@dataclass(slots=True)
class _Player:
    """Writes what people write, and waits for what the bot makes of it."""

    _slack: SlackStandIn
    _watch: Watch
    _proxy: ModelProxy
    _clock: SharedClock
    _root_ts: str | None = None

    async def play(self, suite: Suite, scenario: Scenario) -> JsonObject:
        """Play a scenario to its end; what came of it, for its expectation."""
        self._begin_thread(suite.threads.get(scenario.thread, ()))
        if not suite.only and not scenario.meanwhile:
            self._proxy.gate.set()
        ts = ""
        for number, line in enumerate(scenario.says):
            self._clock.jump_to(_MOMENT_S + number * _BETWEEN_S)
            ts = await self._say(line)
            if scenario.meanwhile and not number:
                await self._interrupt(scenario.meanwhile)
            if suite.only:
                await self._until_idle()
            else:
                await self._watch.ended(turn_of(self._key(ts)), is_answered=self._is_idle)
        return await self._outcome(ts)

    def _begin_thread(self, lines: Sequence[str]) -> None:
        """Keep earlier posts, of which the bot is not told: they are older than its start."""
        state = self._slack.state
        for number, line in enumerate(lines):
            who, _, text = line.partition(": ")
            draft = state.draft(
                state.users[self._slack.user_id(who)],
                self._slack.channel_id(_CHANNEL),
                text=self._slack.typed(text),
                thread_ts=self._root_ts,
            )
            ts = f"{_MOMENT_S - _THREAD_S + number * _POST_S:.6f}"
            state.keep(replace(draft, ts=ts))
            self._root_ts = self._root_ts or ts

    async def _say(self, line: str) -> str:
        who, _, text = line.partition(": ")
        self._proxy.touch()
        text = self._slack.typed(text)
        ts = await self._slack.say(who, _CHANNEL, text, thread_ts=self._root_ts)
        self._root_ts = self._root_ts or ts
        return ts

    async def _interrupt(self, lines: Sequence[str]) -> None:
        """Let people write while the agent's first step is under way."""
        proxy = self._proxy
        await self._watch.found(
            lambda: proxy.held > 0 or proxy.idle_s() >= _STEP_S, timeout_s=_WORK_S
        )
        for number, line in enumerate(lines, 1):
            self._clock.jump_to(_MOMENT_S + number * _MEANWHILE_S)
            await self._say(line)
            await self._until_idle()
        proxy.gate.set()

    def _is_idle(self) -> bool:
        settled_s = _STEP_S if self._proxy.steps else _SETTLED_S
        return self._proxy.idle_s() >= settled_s

    async def _until_idle(self) -> None:
        await self._watch.found(self._is_idle, timeout_s=_WORK_S)

    def _key(self, ts: str) -> str:
        return f"{self._slack.team_id}:{self._slack.channel_id(_CHANNEL)}:{ts}"

    async def _outcome(self, ts: str) -> JsonObject:
        """What came of all words, with the turn of the last ones."""
        turn = await self._watch.turn(turn_of(self._key(ts)))
        blocks = [block for call in self._proxy.replies for block in call["message"]["content"]]
        used = [block for block in blocks if block["type"] == "tool_use"]
        names = {channel: name for name, channel in self._slack.channels.items()}
        orders = [_fields(each, names) for each in await self._watch.bot.proposals()]
        return {
            **(turn.as_json() if turn else {}),
            "answered": turn is not None,
            "forms": {block["name"].rpartition("__")[2]: block["input"] for block in used},
            "orders": len(orders),
            "order": orders[-1] if orders else None,
        }


def _fields(schedule: Schedule, channels: dict[str, str]) -> JsonObject:
    """A proposed digest, with its rule's parts in the order of the alphabet."""
    order = schedule.order
    return {
        "rrule": ";".join(sorted(order.rule.recurrence.split(";"))),
        "zone": order.rule.zone,
        "task": order.task,
        "channel": channels.get(order.place, order.place),
    }
