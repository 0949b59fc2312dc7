"""Accounts that a person connects while a turn waits, and whose account each call uses."""

import asyncio
import json
from pathlib import Path

import pytest

from agent_core.composio import Account
from agent_core.errors import AskRefused
from agent_core.events import AskDecided, AuthRequired, ToolCallProgressed
from agent_core.ids import UserId
from agent_core.runtime import Runtime
from agent_core.testing.accounts import FakeAccounts
from agent_core.testing.models import Held, ScriptedModel, call
from tests.agent_core.runtime.office import BATCH, CONNECT, LINK, Office, requested, sending
from tests.agent_core.runtime.threads import (
    ANN,
    BEN,
    begin,
    end_of,
    events_of,
    from_ben,
    seen,
    told,
    until,
    waiting,
)
from tests.runtimes import inbound


class SlowAccounts(FakeAccounts):
    """Says who is connected as soon as it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def active(self, user: UserId, toolkit: str, *, afresh: bool = False) -> Account | None:
        await self.may_answer.wait()
        return await super().active(user, toolkit, afresh=afresh)


@pytest.fixture
def office(tmp_path: Path) -> Office:
    office = Office(tmp_path)
    office.accounts.connect(ANN, "gmail")
    return office


async def connecting(runtime: Runtime) -> AuthRequired:
    """What a turn for Ann asks, once it waits for an account."""
    turn = await begin(runtime, inbound("mail Bob"))
    auth = await seen(runtime, turn, "auth_required")
    assert isinstance(auth, AuthRequired)
    await until(runtime, turn, "waiting")
    return auth


@pytest.mark.proves("connect.link_private")
async def test_what_a_call_says_while_it_goes_on_holds_no_link(office: Office) -> None:
    model = ScriptedModel([call("mcp__pages__READ_SLOWLY", id="r"), "Read."])
    async with office.runtime(model) as runtime:
        turn = await begin(runtime, inbound("read it"))
        told = await seen(runtime, turn, "tool_call_progressed")
        assert isinstance(told, ToolCallProgressed)
        await end_of(runtime, turn)
    assert "lk_" not in told.text


async def test_after_a_link_was_opened_each_look_is_one_at_the_account(office: Office) -> None:
    office.accounts.connected.clear()
    async with office.runtime(ScriptedModel([sending(), "Sent."])) as runtime:
        auth = await connecting(runtime)
        over = asyncio.Event()

        async def then() -> None:
            over.set()

        with pytest.raises(AskRefused):
            await runtime.asks.open_link(auth.ask, BEN, then)
        now_s = asyncio.get_running_loop().time()
        await runtime.asks.open_link(auth.ask, ANN, then)
        for later_s in (100.0, 100.1):
            await runtime.asks.look((), now_s + later_s)
        assert not over.is_set()
        office.accounts.connect(ANN, "gmail")
        await runtime.asks.look((), now_s + 102.0)
        assert over.is_set()
        await requested(runtime, auth.turn, generation=2)


@pytest.mark.proves("connect.missing")
async def test_a_missing_account_is_asked_of_the_person_and_the_call_goes_on_when_it_is_there(
    office: Office,
) -> None:
    office.accounts.connected.clear()
    async with office.runtime(ScriptedModel([sending(), "Sent."])) as runtime:
        auth = await connecting(runtime)
        assert (auth.asker, auth.toolkits) == (ANN, ("gmail",))
        assert not await runtime.asks.check_connection(auth.ask, ANN)
        office.accounts.connect(ANN, "gmail")
        assert await runtime.asks.check_connection(auth.ask, ANN)
        asked = await requested(runtime, auth.turn, generation=2)
        await runtime.asks.decide(asked.ask, ANN, "approved")
        await end_of(runtime, auth.turn)
    assert office.sent == [(ANN, "bob@example.com")]


@pytest.mark.proves("connect.notices")
async def test_the_wait_ends_by_itself_once_composio_says_that_the_account_is_there(
    office: Office,
) -> None:
    office.accounts.connected.clear()
    reading = {"tools": [{"tool_slug": "GMAIL_FETCH_EMAILS", "arguments": {"recipient_email": ""}}]}
    model = ScriptedModel([call(BATCH, reading, id="read"), "Read."])
    async with office.runtime(model) as runtime:
        turn = await waiting(runtime, inbound("read my mails"))
        office.accounts.connect(ANN, "gmail")
        assert (await end_of(runtime, turn)).answer == "Read."


@pytest.mark.proves("connect.done")
async def test_who_says_done_is_believed_as_far_as_composio_agrees(tmp_path: Path) -> None:
    """Nothing but the word ends the wait: the bot's own look at the accounts comes later."""
    accounts = SlowAccounts()
    office = Office(tmp_path, accounts=accounts)
    model = ScriptedModel([sending(), "Then not."])
    async with office.runtime(model) as runtime:
        turn = await begin(runtime, inbound("mail Bob"))
        await seen(runtime, turn, "auth_required")
        await until(runtime, turn, "waiting")
        accounts.may_answer.clear()
        accounts.connect(ANN, "gmail")
        await begin(runtime, inbound("done", number=2))
        accounts.may_answer.set()
        asked = await requested(runtime, turn, generation=2)
        await runtime.asks.decide(asked.ask, ANN, "rejected")
        await end_of(runtime, turn)
        decided = [e for e in await events_of(runtime, turn) if isinstance(e, AskDecided)]
        assert [e.verdict for e in decided] == ["connected", "rejected"]


@pytest.mark.proves("connect.stands")
async def test_a_request_to_connect_stands_while_people_write(tmp_path: Path) -> None:
    office = Office(tmp_path)
    after = Held(then=sending(id="again"))
    model = ScriptedModel([sending(), after, "Sent."])
    async with office.runtime(model) as runtime:
        first = await connecting(runtime)
        await begin(runtime, inbound("and put Cleo in copy", number=2))
        await after.reached.wait()
        with pytest.raises(AskRefused, match=r"^busy$"):
            await runtime.asks.skip_connection(first.ask, ANN)
        assert await runtime.asks.connect_link(first.ask, ANN, "gmail")
        after.release.set()
        await until(runtime, first.turn, "waiting", generation=2)
        office.accounts.connect(ANN, "gmail")
        await runtime.asks.check_connection(first.ask, ANN)
        asked = await requested(runtime, first.turn, generation=3)
        await runtime.asks.decide(asked.ask, ANN, "approved")
        await end_of(runtime, first.turn)
        events = await events_of(runtime, first.turn)
        asks = [e.ask for e in events if isinstance(e, AuthRequired)]
        endings = [e.verdict for e in events if isinstance(e, AskDecided)]
    assert asks == [first.ask, first.ask]
    assert endings == ["connected", "approved"]
    assert "still stands in the thread" in told(model.requests[1])


@pytest.mark.proves("connect.stands")
async def test_a_request_to_connect_that_nothing_needs_any_more_ends_with_the_turn(
    tmp_path: Path,
) -> None:
    office = Office(tmp_path)
    async with office.runtime(ScriptedModel([sending(), "Then not."])) as runtime:
        first = await connecting(runtime)
        await begin(runtime, inbound("leave the mail, what time is it?", number=2))
        await end_of(runtime, first.turn)
        events = await events_of(runtime, first.turn)
    assert [e.verdict for e in events if isinstance(e, AskDecided)] == ["overtaken"]


@pytest.mark.proves(
    "connect.link_private", "trace.iterations.needs_user_input", "trace.iterations.auth_link"
)
async def test_a_link_that_a_tool_names_reaches_nobody_but_its_person(office: Office) -> None:
    office.accounts.connected.clear()
    connect = call(CONNECT, {"toolkits": ["gmail"]}, id="connect")
    model = ScriptedModel([connect, "Connected."])
    async with office.runtime(model) as runtime:
        auth = await connecting(runtime)
        with pytest.raises(AskRefused, match=r"^not_yours$"):
            await runtime.asks.connect_link(auth.ask, BEN, "gmail")
        assert await runtime.asks.connect_link(auth.ask, ANN, "gmail") == LINK
        fresh = await runtime.asks.connect_link(auth.ask, ANN, "gmail")
        assert fresh != LINK
        office.accounts.connect(ANN, "gmail")
        await runtime.asks.check_connection(auth.ask, ANN)
        await end_of(runtime, auth.turn)
        events = await events_of(runtime, auth.turn)
    assert "uthentication completed" in told(model.requests[-1])
    [trace] = office.root.rglob("trace.json")
    first, *_ = json.loads(trace.read_text(encoding="utf-8"))["iterations"]
    assert first["needs_user_input"] is True
    assert first["auth_link"] == "https://connect.composio.dev/link/…"
    assert "lk_" not in str(events) + "".join(told(each) for each in model.requests)
    traces = [p for p in office.root.rglob("*") if p.is_file() and p.suffix != ".sqlite"]
    assert not [p for p in traces if b"lk_of_the_tool" in p.read_bytes()]


@pytest.mark.proves("connect.skip")
async def test_a_person_may_skip_connecting(office: Office) -> None:
    office.accounts.connected.clear()
    model = ScriptedModel([sending(), "Then without."])
    async with office.runtime(model) as runtime:
        auth = await connecting(runtime)
        await runtime.asks.skip_connection(auth.ask, ANN)
        assert (await end_of(runtime, auth.turn)).answer == "Then without."
        (ended,) = [e for e in await events_of(runtime, auth.turn) if isinstance(e, AskDecided)]
        assert ended.verdict == "skipped"
    assert "does not want to connect gmail" in told(model.requests[-1])
    assert office.sent == []


@pytest.mark.proves("accounts.asker")
async def test_whoever_steers_is_asked_for_their_own_account(office: Office) -> None:
    """Ann asked and has an account; Ben's wish must not use it, not even after a restart."""
    model = ScriptedModel([sending(), sending("x@example.com", id="bens"), "Then not."])
    async with office.runtime(model) as runtime:
        turn = await begin(runtime, inbound("mail Bob"))
        asked = await requested(runtime, turn)
        await begin(runtime, from_ben("send it to x@example.com", number=2))
        await runtime.asks.decide(asked.ask, ANN, "rejected")
        auth = await seen(runtime, turn, "auth_required")
        assert isinstance(auth, AuthRequired)
        assert auth.asker == BEN
        await until(runtime, turn, "waiting", generation=2)
    async with office.runtime(ScriptedModel(["Then not."])) as runtime:
        with pytest.raises(AskRefused):
            await runtime.asks.skip_connection(auth.ask, ANN)
        await runtime.asks.skip_connection(auth.ask, BEN)
        await end_of(runtime, turn)
    assert office.sent == []
