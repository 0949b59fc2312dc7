"""A bot whose buttons and modals are pressed in the Slack stand-in, with a handler that listens."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from slack_bolt.app.async_app import AsyncApp

from agent_core.messages import JsonObject
from bot.ingress import Rules, connect_socket, create_app, leave_to_next_start
from bot.ingress.actions import ANSWER_WITHIN_S, Actions, listen_to_gestures
from bot.ingress.gestures import Press, Submission
from bot.sandbox.slack import SlackStandIn
from bot.sandbox.slack.records import Delivery
from bot.slack_api import People, SkippingClock, SlackApi, web_client
from bot.threads import ThreadRef
from tests.bot.ingress.world import MemoryLedger

NAME: JsonObject = {
    "type": "input",
    "block_id": "name",
    "label": {"type": "plain_text", "text": "Name"},
    "element": {"type": "plain_text_input", "action_id": "name_in"},
}
MODAL: JsonObject = {
    "type": "modal",
    "callback_id": "digest.form",
    "private_metadata": "about",
    "title": {"type": "plain_text", "text": "Digest"},
    "submit": {"type": "plain_text", "text": "Save"},
    "blocks": [NAME],
}


def button(action_id: str, value: str = "") -> JsonObject:
    shown: JsonObject = {"type": "button", "text": {"type": "plain_text", "text": "Go"}}
    return {**shown, "action_id": action_id, **({"value": value} if value else {})}


def row(*elements: JsonObject) -> JsonObject:
    return {"type": "actions", "block_id": "row", "elements": list(elements)}


@dataclass(slots=True)
class ListeningGestures:
    """Keeps what it is given; can fail, find something wrong, and be held up."""

    presses: list[Press] = field(default_factory=list[Press])
    submissions: list[Submission] = field(default_factory=list[Submission])
    calls: int = 0
    failures: int = 0
    errors: list[Mapping[str, str]] = field(default_factory=list[Mapping[str, str]])
    may_go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def press(self, press: Press) -> None:
        await self._work()
        self.presses.append(press)

    async def submit(self, submission: Submission) -> Mapping[str, str] | None:
        await self._work()
        self.submissions.append(submission)
        return self.errors.pop(0) if self.errors else None

    async def _work(self) -> None:
        self.calls += 1
        await self.may_go_on.wait()
        if self.failures:
            self.failures -= 1
            raise OSError("the database is away")


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """Everything of one bot that people press buttons of."""

    slack: SlackStandIn
    api: SlackApi
    app: AsyncApp
    rules: Rules
    ledger: MemoryLedger
    handler: ListeningGestures
    actions: Actions

    async def post(self, *elements: JsonObject, channel: str = "general") -> str:
        """The bot posts a row of elements into a new thread of Ann's; returns the post's `ts`."""
        return await self.api.post(
            await self.thread(channel), "?", op_id="o", blocks=[row(*elements)]
        )

    async def thread(self, channel: str = "general") -> ThreadRef:
        ts = await self.slack.say("ann", channel, "the root")
        return ThreadRef(team=self.slack.team_id, channel=self.slack.channels[channel], root_ts=ts)

    async def open_modal(self, modal: JsonObject = MODAL, *, user: str = "ann") -> str:
        trigger = self.slack.workspace.triggers.issue(self.slack.users[user])
        view_id = await self.api.views.open(trigger, modal)
        assert view_id is not None
        return view_id

    async def press(self, user: str = "ann", action_id: str = "digest.go") -> Press:
        """Press a button of a post of its own, and wait until it was handled."""
        ts = await self.post(button(action_id, "v1"))
        await self.slack.click(user, "general", ts, action_id)
        await self.settle()
        return self.handler.presses[-1]

    async def deliver_again(self, delivery: Delivery) -> Delivery:
        """The same payload in another envelope."""
        return await self.slack.workspace.deliverer.attempt(
            delivery.type, delivery.payload, accepts_answer=True
        )

    async def settle(self) -> None:
        async with asyncio.timeout(10):
            await self.actions.drain()

    def another_process(self, gestures: Mapping[str, ListeningGestures] | None = None) -> Actions:
        """Another bot process on the same ledger; its tries do not wait."""
        return listen_to_gestures(
            create_app(self.app.client, self.rules.identity),
            gestures or {"digest.": self.handler},
            ledger=self.ledger,
            rules=self.rules,
            people=People(self.api),
            api=self.api,
        )

    def told(self, user: str) -> list[tuple[str, Any]]:
        """What only this user sees: the text and its thread."""
        people = self.slack.users
        calls = [call for call in self.slack.calls if call.method == "chat.postEphemeral"]
        return [
            (str(call.args["text"]), call.args.get("thread_ts"))
            for call in calls
            if call.args["user"] == people[user]
        ]

    def open_views(self) -> set[str]:
        return set(self.slack.state.views)


@asynccontextmanager
async def pressed_room(
    answer_within_s: float = ANSWER_WITHIN_S, **lists: Any
) -> AsyncGenerator[Room, None]:
    """`lists` are the ALLOWED_ lists of the rules. Waits between tries end at once."""
    async with SlackStandIn(rate_limits=False) as slack, aiohttp.ClientSession() as session:
        client = web_client(slack.bot_token, base_url=slack.api_url, session=session)
        api = SlackApi(client, clock=SkippingClock())
        identity = await api.identify()
        rules, ledger = Rules(identity=identity, **lists), MemoryLedger()
        handler = ListeningGestures()
        ledger.may_go_on.set()
        handler.may_go_on.set()
        app = create_app(client, identity)
        actions = listen_to_gestures(
            app,
            {"digest.": handler},
            ledger=ledger,
            rules=rules,
            people=People(api),
            api=api,
            answer_within_s=answer_within_s,
        )
        socket = await connect_socket(app, slack.app_token)
        await slack.connected()
        try:
            yield Room(
                slack=slack,
                api=api,
                app=app,
                rules=rules,
                ledger=ledger,
                handler=handler,
                actions=actions,
            )
        finally:
            handler.may_go_on.set()
            ledger.may_go_on.set()
            await socket.close()
            await leave_to_next_start(actions.under_way, patience_s=1.0)
