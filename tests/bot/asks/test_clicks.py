"""Presses on approvals and connections: by whom, where, once; who is refused is told, alone."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agent_core.errors import AskRefused, ToolServerError
from agent_core.events import ArtifactSaved
from agent_core.ids import ROOT_RUN, AskId, SessionId, ToolCallId, TurnId, UserId
from agent_core.runtime import Ask, Asks
from agent_core.runtime.asks import ApprovalChoice
from agent_core.sessions import CallApproval
from bot.asks import AskClicks
from bot.clicks import ApprovalClick, ApprovalForm, ApprovalMenu, ConnectionClick, decode
from bot.ingress import Handler
from bot.presenter import Indicators, Journal, ThreadPresenter
from bot.presenter.journal import Bookmark
from bot.sandbox.slack import Post
from bot.slack_api import People, SlackApi
from bot.threads import ThreadRef, user_id
from tests.bot.gestures import gesture_of, person_of
from tests.bot.ingress.world import World, connected_world, thread_at
from tests.bot.presenter.turns import MemoryState, Turn, action
from tests.faulty_slack import FaultySlack

ONE = AskId("ask1")


class StrictAsks(Asks):
    """Decides as the core does: for one person, once. `trouble` comes instead."""

    def __init__(self) -> None:
        self.asker = UserId("")
        self.asked_in: dict[AskId, SessionId] = {}
        self.decided: list[tuple[AskId, UserId, str, str]] = []
        self.links = 0
        self.opened: list[Callable[[], Awaitable[None]]] = []
        self.skipped = 0
        self.is_connected = False
        self.trouble: Exception | None = None

    async def find(self, ask: AskId) -> Ask | None:
        session = self.asked_in.get(ask)
        return None if session is None else self._ask(ask, session)

    async def decide(
        self, ask_id: AskId, by: UserId, decision: ApprovalChoice, *, reason: str = ""
    ) -> None:
        self._require(by)
        if self.decided:
            raise AskRefused("decided")
        self.decided.append((ask_id, by, decision, reason))

    async def check_may_decide(self, ask_id: AskId, by: UserId) -> Ask:
        self._require(by)
        return self._ask(ask_id, self.asked_in[ask_id])

    check_may_edit = check_may_decide

    async def connect_link(self, ask_id: AskId, by: UserId, toolkit: str) -> str:
        self._require(by)
        self.links += 1
        return f"https://connect.example/{toolkit}/lk_{self.links}"

    async def open_link(
        self, ask_id: AskId, by: UserId, then: Callable[[], Awaitable[None]]
    ) -> None:
        self._require(by)
        self.opened.append(then)

    async def skip_connection(self, ask_id: AskId, by: UserId) -> None:
        self._require(by)
        self.skipped += 1

    async def check_connection(self, ask_id: AskId, by: UserId) -> bool:
        self._require(by)
        return self.is_connected

    def _ask(self, ask: AskId, session: SessionId) -> Ask:
        return Ask(
            id=ask,
            session=session,
            turn=TurnId("turn1"),
            run=ROOT_RUN,
            call_id=ToolCallId("call"),
            asker=self.asker,
            deadline=datetime.now(UTC) + timedelta(minutes=15),
            body=CallApproval(
                tool="mcp__composio__GMAIL_SEND_EMAIL",
                actions=(action(recipient_email="bob@example.com", body="Hello"),),
                digest="",
                grant=(),
                is_tainted=False,
                may_allow_thread=False,
                arguments={},
            ),
        )

    def _require(self, by: UserId) -> None:
        if self.trouble is not None:
            raise self.trouble
        if by != self.asker:
            raise AskRefused("not_yours", deciders=[self.asker])


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Ann's thread with what the bot asks there, and people who press."""

    world: World
    thread: ThreadRef
    asks: StrictAsks
    presenter: ThreadPresenter

    @property
    def slack(self) -> FaultySlack:
        return self.world.slack

    async def ask(self, what: str) -> None:
        """The bot asks Ann for an approval, or to connect Gmail."""
        self.asks.asked_in.setdefault(ONE, self.thread.session)
        turn = Turn(self.thread, asker=self.asks.asker)
        await self.presenter.show(turn.started())
        is_approval = what == "approval"
        asked = (
            turn.requested(may_allow_thread=True) if is_approval else turn.auth_required("gmail")
        )
        await self.presenter.show(asked)

    async def press(self, name: str, user: str = "ann") -> None:
        """Press the newest button of this name in the thread, and wait until it was handled."""
        action_id = f"consent.{name}"
        chosen: str | None = None
        if name in {"details", "approve_thread"}:
            action_id = "consent.more"
            chosen = ApprovalMenu.model_validate({"ask": ONE, "choice": name}).encoded()
        [*_, post] = [each for each in self.posts() if action_id in json.dumps(each.blocks)]
        await self.slack.click(user, "general", post.ts, action_id, chosen)
        await self.settle()

    async def settle(self) -> None:
        await self.world.handled()

    def posts(self) -> list[Post]:
        return self.slack.thread("general", self.thread.root_ts)

    def told(self, user: str) -> list[str]:
        """What only this person sees, newest last."""
        person = self.slack.users[user]
        return [post.text for post in self.posts() if post.ephemeral_to == person]


async def no_prints(_report: ArtifactSaved) -> tuple[ArtifactSaved, ...]:
    return ()


@pytest.fixture
async def asking(tmp_path: Path) -> AsyncIterator[Asking]:
    asks = StrictAsks()

    def handlers(api: SlackApi, _people: People) -> Mapping[type, Handler]:
        presses = AskClicks(asks, api, lambda: datetime.now(UTC))
        return {
            ApprovalClick: presses.decide,
            ApprovalMenu: presses.decide,
            ApprovalForm: presses.submit,
            ConnectionClick: presses.connect,
        }

    async with connected_world(bot_events=(), handlers=handlers) as world:
        thread = thread_at(world, await world.say("ann", "general", f"{world.mention} mail it"))
        asks.asker = user_id(thread.team, world.slack.people["ann"])
        presenter = ThreadPresenter(
            world.api,
            thread,
            Journal(Bookmark(), MemoryState().save),
            tmp_path,
            asked_ts=thread.root_ts,
            indicators=Indicators(world.api),
            connect_link=asks.connect_link,
            is_plain=False,
            offers_live_view=lambda: False,
            print_report=no_prints,
            now=lambda: datetime.now(UTC),
        )
        yield Asking(world=world, thread=thread, asks=asks, presenter=presenter)
        await presenter.close()


@pytest.mark.parametrize(
    ("name", "decision"), [("approve", "approved"), ("approve_thread", "approved_thread")]
)
async def test_the_asker_approves_once_with_one_press(
    asking: Asking, name: str, decision: str
) -> None:
    await asking.ask("approval")
    await asking.press(name)
    assert asking.told("ann") == []
    await asking.press(name)
    assert asking.asks.decided == [(ONE, asking.asks.asker, decision, "")]
    assert asking.told("ann") == ["This has been decided already."]


@pytest.mark.parametrize("name", ["approve", "approve_thread", "reject", "link", "skip"])
async def test_another_member_is_told_why_not_and_nobody_else_is(asking: Asking, name: str) -> None:
    await asking.ask("connection" if name in {"link", "skip"} else "approval")
    before = asking.told("ann")
    await asking.press(name, "ben")
    [why] = asking.told("ben")
    assert why.startswith(f"Only <@{asking.slack.users['ann']}> can ")
    assert asking.told("ann") == before
    assert (asking.asks.decided, asking.asks.skipped) == ([], 0)
    assert not asking.slack.state.views


@pytest.mark.parametrize("reason", ["Use the other address", ""])
async def test_a_rejection_asks_for_a_reason_where_a_form_can_be_opened(
    asking: Asking, reason: str
) -> None:
    await asking.ask("approval")
    if not reason:
        asking.slack.fail("views.open", error="expired_trigger_id")
    await asking.press("reject")
    if reason:
        assert asking.asks.decided == []
        [view_id] = asking.slack.state.views
        await asking.slack.submit_view("ann", view_id, {"reason": reason})
        await asking.settle()
    assert asking.asks.decided == [(ONE, asking.asks.asker, "rejected", reason)]
    assert not asking.slack.state.views


@pytest.mark.parametrize(
    ("trouble", "told"),
    [
        (AskRefused("over"), "It is too late for that: this is over."),
        (ToolServerError("away"), "That did not work just now. Please press the button again."),
    ],
)
async def test_what_stands_against_it_is_told(
    asking: Asking, trouble: Exception, told: str
) -> None:
    await asking.ask("approval")
    asking.asks.trouble = trouble
    await asking.press("approve")
    assert asking.told("ann") == [told]


@pytest.mark.parametrize("asked_in", ["elsewhere", ""])
async def test_what_was_not_asked_in_this_thread_is_not_decided_here(
    asking: Asking, asked_in: str
) -> None:
    await asking.ask("approval")
    asking.asks.asked_in.clear()
    if asked_in:
        asking.asks.asked_in[ONE] = SessionId("T1:C1:9.000009")
    await asking.press("approve")
    assert asking.asks.decided == []
    assert asking.told("ann") == ["I know nothing of this here, so I have done nothing."]


async def test_all_details_open_beside_the_card(asking: Asking) -> None:
    await asking.ask("approval")
    await asking.press("details")
    [view] = asking.slack.state.views.values()
    assert "recipient_email: bob@example.com" in json.dumps(view.body)


async def test_the_asker_gets_a_fresh_link_as_often_as_they_ask(asking: Asking) -> None:
    await asking.ask("connection")
    await asking.press("link")
    ann = asking.slack.people["ann"]
    whispers = [post for post in asking.posts() if post.ephemeral_to == ann]
    links = [block["elements"][0]["url"] for post in whispers for block in post.blocks[-1:]]
    assert links == ["https://connect.example/gmail/lk_1", "https://connect.example/gmail/lk_2"]
    await asking.press("open.1")
    [connected], links = asking.asks.opened, asking.asks.links
    assert links == 2
    await connected()
    assert [post for post in asking.posts() if post.ephemeral_to == ann] == whispers[:1]
    assert "consent.open.1" in json.dumps(asking.world.ledger.bodies)
    assert "lk_1" not in json.dumps(asking.world.ledger.bodies)


async def test_an_expired_link_renews_itself_when_it_is_opened(asking: Asking) -> None:
    await asking.ask("connection")
    [*_, old] = [post for post in asking.posts() if post.ephemeral_to]
    value = old.blocks[-1]["elements"][0]["value"]
    click = decode("consent.open.1", value)
    assert isinstance(click, ConnectionClick)
    gesture = gesture_of(
        asking.slack,
        "ann",
        click,
        asking.thread,
        message_ts=old.ts,
        pressed_ts=f"{float(old.ts) + 601:.6f}",
    )
    presses = AskClicks(asking.asks, asking.world.api, lambda: datetime.now(UTC))
    await presses.connect(click, gesture, person_of(asking.slack, "ann"))
    [*_, new] = [post for post in asking.posts() if post.ephemeral_to]
    assert new.blocks[-1]["elements"][0]["url"] == "https://connect.example/gmail/lk_2"
    assert len(asking.asks.opened) == 1


@pytest.mark.parametrize(
    ("name", "is_connected", "told"), [("check", True, 0), ("check", False, 2), ("skip", False, 1)]
)
async def test_the_asker_says_that_it_is_connected_or_skips_it(
    asking: Asking, name: str, is_connected: bool, told: int
) -> None:
    await asking.ask("connection")
    asking.asks.is_connected = is_connected
    await asking.press(name)
    assert len(asking.told("ann")) == told
    assert asking.asks.skipped == (name == "skip")
