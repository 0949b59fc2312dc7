"""Presses on approvals and connections: by whom, where, once; who is refused is told, alone."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest

from agent_core.errors import ConsentRefused, ToolServerError
from agent_core.ids import ConsentId, TurnId, UserId
from agent_core.sessions import Database
from agent_core.sessions.consents import Consent, ConsentStore
from bot.consent.clicks import Clicks, Verdict
from bot.ingress import Rules, connect_socket, create_app
from bot.ingress.actions import Actions, listen_to_gestures
from bot.presenter import MemoryState
from bot.presenter.presenter import ThreadPresenter
from bot.sandbox.slack import Post, SlackStandIn
from bot.slack_api import People, SkippingClock, SlackApi, web_client
from bot.threads import ThreadRef, user_id
from tests.bot.ingress.world import MemoryLedger
from tests.bot.presenter.turns import Turn

ONE = ConsentId("consent1")


@dataclass(slots=True)
class StrictConsents:
    """Decides as the core does: for one person, once. `trouble` comes instead."""

    asker: UserId
    decided: list[tuple[ConsentId, UserId, str, str]] = field(
        default_factory=list[tuple[ConsentId, UserId, str, str]]
    )
    links: int = 0
    skipped: int = 0
    is_connected: bool = False
    is_over: bool = False
    trouble: Exception | None = None

    async def decide(
        self, consent: ConsentId, by: UserId, *, verdict: Verdict, reason: str = ""
    ) -> None:
        self._require(by)
        if self.decided:
            raise ConsentRefused("This was decided already.", why="decided")
        self.decided.append((consent, by, verdict, reason))

    async def check_may_decide(self, consent: ConsentId, by: UserId) -> None:
        if by != self.asker:
            raise ConsentRefused("Only the person who asked decides this.", why="not_yours")

    async def connect_link(self, consent: ConsentId, by: UserId, toolkit: str) -> str:
        self._require(by)
        self.links += 1
        return f"https://connect.example/{toolkit}/lk_{self.links}"

    async def skip_connection(self, consent: ConsentId, by: UserId) -> None:
        self._require(by)
        self.skipped += 1

    async def check_connection(self, consent: ConsentId, by: UserId) -> bool:
        self._require(by)
        return self.is_connected

    def _require(self, by: UserId) -> None:
        if self.trouble is not None:
            raise self.trouble
        if by != self.asker:
            raise ConsentRefused("Only the person who asked.", why="not_yours")
        if self.is_over:
            raise ConsentRefused("It is too late.", why="over")


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Ann's thread with what the bot asks there, and people who press."""

    slack: SlackStandIn
    api: SlackApi
    thread: ThreadRef
    consents: StrictConsents
    asked: ConsentStore
    ledger: MemoryLedger
    actions: Actions
    presenter: ThreadPresenter

    @property
    def turn(self) -> Turn:
        return Turn(self.thread, asker=self.consents.asker)

    async def request(self) -> None:
        """The bot asks Ann for an approval."""
        await self._remember(self.thread)
        turn = self.turn
        await self.presenter.show(turn.started())
        await self.presenter.show(turn.requested(may_allow_thread=True))

    async def invite(self) -> None:
        """The bot asks Ann to connect Gmail."""
        await self._remember(self.thread)
        turn = self.turn
        await self.presenter.show(turn.started())
        await self.presenter.show(turn.auth_required("gmail"))

    async def press(self, name: str, user: str = "ann") -> None:
        """Press the newest button of this name in the thread, and wait until it was handled."""
        action_id = f"consent.{name}"
        [*_, post] = [each for each in self.posts() if action_id in json.dumps(each.blocks)]
        await self.slack.click(user, "general", post.ts, action_id)
        await self.settle()

    async def settle(self) -> None:
        async with asyncio.timeout(10):
            await self.actions.drain()

    def posts(self) -> list[Post]:
        return self.slack.thread("general", self.thread.root_ts)

    def told(self, user: str) -> list[str]:
        """What only this person sees, newest last."""
        person = self.slack.users[user]
        return [post.text for post in self.posts() if post.ephemeral_to == person]

    async def remember_elsewhere(self) -> None:
        """It was asked in another thread of the channel."""
        other = ThreadRef(team=self.thread.team, channel=self.thread.channel, root_ts="9.000009")
        await self._remember(other)

    async def _remember(self, thread: ThreadRef) -> None:
        await self.asked.ask(
            Consent(
                id=ONE,
                kind="approval",
                session=thread.session,
                turn=TurnId("turn1"),
                asker=self.consents.asker,
                digest="",
                body={},
                deadline=datetime.now(UTC) + timedelta(minutes=15),
            )
        )


@asynccontextmanager
async def open_desk(directory: Path) -> AsyncGenerator[Desk]:
    database = Database(f"sqlite:///{directory}/state.sqlite")
    await database.open()
    async with SlackStandIn(rate_limits=False) as slack, aiohttp.ClientSession() as session:
        client = web_client(slack.bot_token, base_url=slack.api_url, session=session)
        api, ledger = SlackApi(client, clock=SkippingClock()), MemoryLedger()
        ledger.may_go_on.set()
        identity, people = await api.identify(), People(api)
        root_ts = await slack.say("ann", "general", f"{slack.mention} mail it")
        thread = ThreadRef(team=slack.team_id, channel=slack.channels["general"], root_ts=root_ts)
        consents = StrictConsents(user_id(slack.team_id, slack.people["ann"]))
        asked = ConsentStore(database)
        app = create_app(client, identity)
        actions = listen_to_gestures(
            app,
            {"consent.": Clicks(consents, asked, api, people)},
            ledger=ledger,
            rules=Rules(identity=identity),
            people=people,
            api=api,
        )
        socket = await connect_socket(app, slack.app_token)
        await slack.connected()
        presenter = ThreadPresenter(api, thread, MemoryState(), directory, links=consents)
        try:
            yield Desk(
                slack=slack,
                api=api,
                thread=thread,
                consents=consents,
                asked=asked,
                ledger=ledger,
                actions=actions,
                presenter=presenter,
            )
        finally:
            await presenter.close()
            await socket.close()
            await actions.under_way.close()
            await database.close()


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_desk(tmp_path) as desk:
        yield desk


@pytest.mark.parametrize("name", ["approve", "approve_thread"])
async def test_the_asker_approves_with_one_press(desk: Desk, name: str) -> None:
    await desk.request()
    await desk.press(name)
    assert desk.consents.decided == [(ONE, desk.consents.asker, name, "")]
    assert desk.told("ann") == []


@pytest.mark.parametrize("name", ["approve", "approve_thread", "link", "skip"])
async def test_another_member_is_told_why_not_and_nobody_else_is(desk: Desk, name: str) -> None:
    await (desk.invite() if name in {"link", "skip"} else desk.request())
    before = desk.told("ann")
    await desk.press(name, "ben")
    [why] = desk.told("ben")
    assert why.startswith("Only the person who asked for this")
    assert desk.told("ann") == before
    assert desk.consents.decided == []
    assert desk.consents.skipped == 0


@pytest.mark.parametrize("user", ["guest", "stranger", "robot"])
async def test_guests_strangers_and_bots_decide_nothing(desk: Desk, user: str) -> None:
    await desk.request()
    await desk.press("approve", user)
    assert desk.consents.decided == []


async def test_a_second_press_is_told_that_it_was_decided(desk: Desk) -> None:
    await desk.request()
    await desk.press("approve")
    await desk.press("approve")
    assert len(desk.consents.decided) == 1
    assert desk.told("ann") == ["This has been decided already."]


async def test_a_press_after_the_deadline_is_told_that_it_is_over(desk: Desk) -> None:
    await desk.request()
    desk.consents.is_over = True
    await desk.press("approve")
    assert desk.told("ann") == ["It is too late for that: this is over."]


async def test_what_was_asked_in_another_thread_is_not_decided_here(desk: Desk) -> None:
    await desk.remember_elsewhere()
    turn = desk.turn
    await desk.presenter.show(turn.started())
    await desk.presenter.show(turn.requested())
    await desk.press("approve")
    assert desk.consents.decided == []
    assert desk.told("ann") == ["I know nothing of this here, so I have done nothing."]


async def test_a_value_that_nobody_asked_about_decides_nothing(desk: Desk) -> None:
    turn = desk.turn
    await desk.presenter.show(turn.started())
    await desk.presenter.show(turn.requested(consent="forged"))
    await desk.press("approve")
    assert desk.consents.decided == []
    assert desk.told("ann") == ["I know nothing of this here, so I have done nothing."]


async def test_a_rejection_asks_for_a_reason_which_may_be_left_out(desk: Desk) -> None:
    await desk.request()
    await desk.press("reject")
    assert desk.consents.decided == []
    [view_id] = desk.slack.state.views
    await desk.slack.submit_view("ann", view_id, {"reason": "Use the other address"})
    await desk.settle()
    assert desk.consents.decided == [
        (ONE, desk.consents.asker, "reject", "Use the other address"),
    ]
    assert not desk.slack.state.views


async def test_without_a_form_the_press_alone_rejects(desk: Desk) -> None:
    await desk.request()
    desk.slack.fail("views.open", error="expired_trigger_id")
    await desk.press("reject")
    assert desk.consents.decided == [(ONE, desk.consents.asker, "reject", "")]


async def test_another_person_gets_no_form_for_a_reason_and_reads_why(desk: Desk) -> None:
    await desk.request()
    await desk.press("reject", "ben")
    assert not desk.slack.state.views
    ben = desk.slack.people["ben"]
    (told,) = [post for post in desk.posts() if post.ephemeral_to == ben]
    assert told.text.startswith("Only the person who asked")
    assert desk.consents.decided == []


async def test_the_asker_gets_a_fresh_link_as_often_as_they_ask(desk: Desk) -> None:
    await desk.invite()
    await desk.press("link")
    ann = desk.slack.people["ann"]
    whispers = [post for post in desk.posts() if post.ephemeral_to == ann]
    links = [block["elements"][0]["url"] for post in whispers for block in post.blocks[-1:]]
    assert links == ["https://connect.example/gmail/lk_1", "https://connect.example/gmail/lk_2"]


async def test_an_opened_link_is_in_no_record_of_what_was_received(desk: Desk) -> None:
    await desk.invite()
    await desk.press("open.1")
    assert "consent.open.1" in json.dumps(desk.ledger.bodies)
    assert "lk_1" not in json.dumps(desk.ledger.bodies)


@pytest.mark.parametrize(("is_connected", "said"), [(True, 1), (False, 2)])
async def test_the_asker_says_that_it_is_connected_and_is_told_if_it_is_not(
    desk: Desk, is_connected: bool, said: int
) -> None:
    await desk.invite()
    desk.consents.is_connected = is_connected
    await desk.press("check")
    assert len(desk.told("ann")) == said


async def test_skipping_is_the_askers_to_do(desk: Desk) -> None:
    await desk.invite()
    await desk.press("skip")
    assert desk.consents.skipped == 1


async def test_a_server_that_fails_is_told_and_the_button_stays(desk: Desk) -> None:
    await desk.invite()
    desk.consents.trouble = ToolServerError("away")
    await desk.press("skip")
    assert desk.told("ann")[-1] == "That did not work just now. Please press the button again."
