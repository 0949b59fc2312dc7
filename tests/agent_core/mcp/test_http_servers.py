"""Faults of HTTP servers, and of the line to them, end the call, not the hub and never our task."""

import asyncio
import gzip
import json
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest

from agent_core.mcp import HttpServer
from tests.agent_core.mcp.conftest import QUICK, Start
from tests.agent_core.mcp.http_world import Answer, Recording, Seen, World
from tests.agent_core.mcp.loopback import serve
from tests.tool_calls import echo_server

BRIEF = replace(QUICK, list_timeout_s=2, retry_after_s=0)
HASTY = replace(BRIEF, connect_timeout_s=0.5)


@pytest.fixture
async def world() -> AsyncGenerator[World, None]:
    async with World().open() as world:
        world.is_held = False
        yield world


@pytest.mark.proves("hub.dead_far")
async def test_a_server_that_dies_during_a_call_ends_the_call_and_is_connected_again(
    world: World, start: Start
) -> None:
    world.is_held = True
    bot = start(world.server())
    running = asyncio.create_task(bot.call("wait"))
    async with asyncio.timeout(10):
        await world.entered.wait()
        world.relay.cut()
        output = await running
    assert output.is_error
    assert "may or may not have run" in output.text
    assert world.entries == 1
    assert (await bot.call("echo", text="back")).text == "back"


async def test_a_forgotten_session_is_told_and_made_anew_once_the_server_takes_one(
    world: World, start: Start
) -> None:
    bot = start(world.server(), limits=replace(QUICK, retry_after_s=0))
    await bot.hub.warm_up()
    world.app.rule = lambda _: Answer(status=404)
    assert "does not know our session" in (await bot.call("echo", text="x")).text
    world.app.rule = lambda _: None
    assert (await bot.call("echo", text="again")).text == "again"


@pytest.mark.parametrize("status", [401, 405, 500, 503])
async def test_a_server_that_refuses_costs_only_its_own_tools(
    world: World, start: Start, status: int
) -> None:
    world.app.rule = lambda _: Answer(status=status)
    bot = start(world.server())
    assert await bot.names() == []
    assert "far" in bot.hub.failures


@pytest.mark.proves("hub.giant")
@pytest.mark.parametrize("reports", [True, False], ids=["as an event", "as a body"])
async def test_a_giant_result_is_cut_while_it_arrives(
    world: World, start: Start, reports: bool
) -> None:
    bot = start(world.server())
    output = await bot.call("giant", reports=reports)
    assert output.is_error
    assert "larger than can be taken" in output.text
    assert (await bot.call("echo", text="next")).text == "next"


@pytest.mark.proves("hub.stall")
async def test_a_line_that_breaks_half_way_ends_the_call_at_our_limit_and_is_made_anew(
    world: World, start: Start
) -> None:
    bot = start(world.server(call_timeout_s=0.3), limits=BRIEF)
    assert (await bot.call("echo", text="x")).text == "x"
    world.relay.freeze()
    async with asyncio.timeout(2.3):
        output = await bot.call("wait")
    assert output.may_have_happened
    assert "did not answer within 0.3 s" in output.text
    world.relay.thaw()
    assert (await bot.call("echo", text="back")).text == "back"


@pytest.mark.proves("hub.stall")
async def test_a_port_that_accepts_and_says_nothing_is_left_at_the_limit(start: Start) -> None:
    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as silent:
        port = silent.sockets[0].getsockname()[1]
        bot = start(HttpServer(name="far", url=f"http://127.0.0.1:{port}/mcp"), limits=HASTY)
        async with asyncio.timeout(2.5):
            output = await bot.call("echo", text="x")
        assert "did not answer within 0.5 s" in output.text


@pytest.mark.proves("hub.stall")
async def test_signs_of_life_for_ever_do_not_outlast_our_limit(world: World, start: Start) -> None:
    """Each keeps the transport's own read limit from passing."""
    bot = start(world.server(call_timeout_s=0.3), limits=BRIEF)
    assert (await bot.call("echo", text="x")).text == "x"
    events = {"content-type": "text/event-stream"}
    world.app.rule = lambda _: Answer(status=200, headers=events, body=b": ping\n", for_ever=True)
    async with asyncio.timeout(2.3):
        assert "did not answer within 0.3 s" in (await bot.call("wait")).text
        await world.app.left.wait()


@pytest.mark.proves("hub.unauthorized")
async def test_a_401_that_stays_is_told_as_what_it_is_and_not_tried_for_ever(
    world: World, start: Start
) -> None:
    bot = start(world.server())
    await bot.hub.warm_up()
    before = len(world.app.seen)
    world.app.rule = lambda _: Answer(status=401)
    output = await bot.call("wait")
    assert "does not take our credentials (HTTP 401)" in output.text
    assert not output.may_have_happened
    assert world.entries == 0
    assert len(world.app.seen) - before < 8


def rpc_error(status: int, code: int, words: str) -> Answer:
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": words}}
    return Answer(
        status=status, headers={"content-type": "application/json"}, body=json.dumps(error).encode()
    )


PAGE = Answer(status=200, headers={"content-type": "text/html"}, body=b"<html>sign in</html>")


@pytest.mark.parametrize(
    ("answer", "words", "is_unclear"),
    [
        *((Answer(status=s), f"call: HTTP {s}", True) for s in (500, 502, 503, 504)),
        *((Answer(status=s), f"call: HTTP {s}", False) for s in (400, 403, 429)),
        # The SDK has the first two codes for itself: they are no lost connection, and not late.
        *((rpc_error(403, code, "closed"), "call: closed", False) for code in (-32_000, -32_001)),
        (rpc_error(403, -32_602, "closed"), "call: closed", False),
        (PAGE, "", True),
    ],
)
async def test_a_refused_call_says_why_is_not_repeated_and_whether_it_may_have_run(
    world: World, start: Start, answer: Answer, words: str, is_unclear: bool
) -> None:
    """Else a mail that was sent, with the gateway failing on the way back, would be sent again."""
    bot = start(world.server())
    await bot.hub.warm_up()
    world.app.rule = lambda seen: answer if seen.rpc == "tools/call" else None
    output = await bot.call("wait")
    assert words in output.text
    assert "sign in" not in output.text
    assert (output.is_error, output.may_have_happened, world.entries) == (True, is_unclear, 0)
    assert ("may or may not have run" in output.text) == is_unclear


@pytest.mark.proves("hub.session_lost", "hub.unauthorized")
@pytest.mark.parametrize(
    "forgotten", [Answer(status=401), rpc_error(404, -32_001, "Session not found")]
)
async def test_a_session_that_is_not_known_any_more_is_made_anew_and_the_call_runs_once(
    world: World, start: Start, forgotten: Answer
) -> None:
    """The TypeScript SDK's servers say it with a body, in a code that others use for lateness."""
    forgetting = [forgotten]
    bot = start(world.server())
    await bot.hub.warm_up()
    world.app.rule = lambda seen: (
        forgetting.pop() if forgetting and seen.rpc == "tools/call" else None
    )
    output = await bot.call("wait")
    assert (output.text, output.is_error, world.entries) == ("done", False, 1)


@pytest.mark.proves("hub.no_get")
async def test_a_server_that_offers_no_stream_of_its_own_works_all_the_same(
    world: World, start: Start
) -> None:
    """Only servers of the older protocol are asked for one; this one knows no `discover`."""

    def old(seen: Seen) -> Answer | None:
        if seen.method == "GET":
            return Answer(status=405)
        return Answer(status=400) if seen.rpc == "server/discover" else None

    world.app.rule = old
    bot = start(world.server())
    assert (await bot.call("echo", text="heard")).text == "heard"
    assert (await bot.call("echo", text="again")).text == "again"
    assert "GET" in {seen.method for seen in world.app.seen}


@pytest.mark.proves("hub.giant")
@pytest.mark.parametrize("encoding", ["gzip", "br"])
async def test_a_small_body_that_unpacks_to_a_giant_one_is_cut_or_refused(
    world: World, start: Start, encoding: str
) -> None:
    """Nobody asked for compression; a server that uses it cannot get round the limit."""
    content = [{"type": "text", "text": "z" * 20_000_000}]
    result = {"content": content, "resultType": "complete"}
    message = json.dumps({"jsonrpc": "2.0", "id": 3, "result": result}).encode()
    body = gzip.compress(message, 1)
    headers = {"content-type": "application/json", "content-encoding": encoding}
    bot = start(world.server())
    await bot.hub.warm_up()
    world.app.rule = lambda _: Answer(status=200, headers=headers, body=body)
    output = await bot.call("wait")
    assert len(output.text) < 1_000
    assert ("larger than can be taken" in output.text) == (encoding == "gzip")
    world.app.rule = lambda _: None
    assert (await bot.call("echo", text="next")).text == "next"


@pytest.mark.proves("hub.redirect")
@pytest.mark.parametrize("status", [301, 307, 308])
@pytest.mark.parametrize("is_connected", [True, False])
async def test_a_redirect_never_carries_the_key_to_another_origin(
    world: World, start: Start, status: int, is_connected: bool
) -> None:
    elsewhere = Recording(echo_server().streamable_http_app())
    async with serve(elsewhere) as port:
        bot = start(world.server())
        if is_connected:
            await bot.hub.warm_up()
        target = {"location": f"http://127.0.0.1:{port}/mcp"}
        world.app.rule = lambda _: Answer(status=status, headers=target)
        output = await bot.call("wait")
        assert output.is_error
        assert "not followed" in output.text
        assert elsewhere.seen == []
