"""What a client of the WebSocket can do, first with the words of seeds/004 alone."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from aiohttp import WSServerHandshakeError

from agent_core.testing.models import Held, ScriptedModel, call, calls_reply
from bot.console.access import HOME
from bot.console.acts import ACT_INTERVAL, ACTS_AT_ONCE, StartAgent, act_key
from bot.console.live import MAX_SOCKETS
from bot.threads import parse_session, user_id
from tests.bot.console.world import browser, console_world, visitor

ASK = call("ask_user", {"question": "For whom?", "options": ["Ann", "Ben"]}, id="ask")

LONG_STEPS = 6
"""Each says 1 MB: more than the system holds for a connection."""


def statuses(told: list[dict[str, object]]) -> list[str]:
    states = (each["state"] for each in told if each["type"] == "agent-state")
    return [state["status"] for state in states if isinstance(state, dict)]


@pytest.mark.proves("console.seeds")
async def test_a_client_that_speaks_only_the_description_has_a_whole_dialogue(
    tmp_path: Path,
) -> None:
    model = ScriptedModel([ASK, "It is for Ben, and done."])
    async with (
        console_world(tmp_path, model) as world,
        visitor(world) as ann,
        ann.live(world.session) as page,
    ):
        await page.say("start-agent", prompt="Order the cake & the <b>candles</b>")
        begun = await page.until_state(lambda state: state["userContent"] != "")
        assert begun["userContent"] == "Order the cake & the <b>candles</b>"
        assert begun["parentId"] is None
        query = await page.until_a("user-query")
        assert query["agentId"] == begun["agentId"]
        assert (query["prompt"], query["options"]) == ("For whom?", ["Ann", "Ben"])
        async with visitor(world, "ben") as ben, ben.live(world.session) as other:
            await other.until_a("ready")
            await other.say("user-response", agentId=query["agentId"], response="1")
            error = await other.until_a("error")
            assert error["error"] == "I asked Ann Arbor this, so only Ann Arbor can answer it."
        await page.say("user-response", agentId=query["agentId"], response="2")
        await page.until_a("agent-completed")
        await page.say("get-agent-tree")
        state = await page.until_state(lambda state: state["agentId"] == begun["agentId"])
        assert state["status"] == "completed"
        assert state["result"] == "It is for Ben, and done."
        text = "".join(each["delta"] for each in page.told if each["type"] == "text-delta")
        assert text == "It is for Ben, and done."
        assert {"running", "waiting", "completed"} <= set(statuses(page.told))
        asked, answered = world.texts()
        assert asked == (
            "Ann Arbor asked in the live view:\n"
            "&gt; Order the cake &amp; the &lt;b&gt;candles&lt;/b&gt;"
        )
        assert answered == "Ann Arbor wrote in the live view:\n&gt; 2"
        said = model.requests[0].messages[-1]
        assert "Order the cake & the <b>candles</b>" in str(said)
        assert "2 (Ben)" in str(model.requests[1].messages)


@pytest.mark.proves("console.start")
async def test_a_task_without_a_thread_begins_one_with_the_person_directly(tmp_path: Path) -> None:
    async with (
        console_world(tmp_path, ScriptedModel(["Hello Ben."])) as world,
        browser(world.address) as ben,
    ):
        assert await ben.enter(world.link("ben", HOME)) == 200
        async with ben.live() as page:
            ready = await page.until_a("ready")
            assert (ready["session"], ready["canIntervene"]) == (None, True)
            await page.say("start-agent", prompt="Say hello", requestId=7)
            assert (await page.until_a("done"))["requestId"] == 7
            ready = await page.until(lambda told: told["type"] == "ready" and told["session"])
            await page.until_a("agent-completed")
        thread = parse_session(ready["session"])
        assert thread.channel == world.slack.dm_id("ben")
        assert await ben.enter(ready["enter"]) == 200
        async with ben.live(ready["session"]) as page:
            assert (await page.until_a("agent-state"))["state"]["result"] == "Hello Ben."


@pytest.mark.proves("console.bad_input")
async def test_what_cannot_be_read_is_said_in_a_sentence_and_the_connection_stays(
    tmp_path: Path,
) -> None:
    async with (
        console_world(tmp_path, ScriptedModel([])) as world,
        visitor(world) as ann,
        ann.live(world.session) as page,
    ):
        hostile = [
            "",
            "{",
            "[]",
            "null",
            "\x00",
            "9" * 9,
            '{"type":"rm"}',
            '{"type":"start-agent"}',
        ]
        hostile += ['{"type":"start-agent","prompt":7}', '{"type":"resume","after":"x"}']
        hostile += ['{"type":"user-intervention","agentId":"x","status":"launched"}', "[" * 20_000]
        hostile += [f'{{"type":"resume","requestId":{each}}}' for each in (f'"{"x" * 65}"', 2**53)]
        for text in hostile:
            await page.socket.send_str(text)
            error = await page.until_a("error")
            assert error["error"] == "That message cannot be read."
        await page.socket.send_bytes(b"\xff\xfe")
        assert (await page.until_a("error"))["error"] == "That message cannot be read."
        await page.say("start-agent", prompt=" \n", requestId="a")
        error = await page.until_a("error")
        assert (error["error"], error["requestId"]) == ("There is nothing in it.", "a")
        await page.say("start-agent", prompt="x" * 12_001)
        assert "12" in (await page.until_a("error"))["error"]
        await page.say("user-response", agentId="turn:x/root", response="yes")
        assert (await page.until_a("error"))["error"] == "Nobody waits for this answer any more."
        await page.say("user-intervention", agentId="turn:x/root", userComment="hi")
        assert "not there" in (await page.until_a("error"))["error"]
        await page.say("get-agent-tree", requestId="still here")
        assert (await page.until(lambda told: "requestId" in told))["requestId"] == "still here"
        assert world.texts() == []


@pytest.mark.proves("console.seeds", "console.step_in")
async def test_who_fills_in_all_that_they_were_told_steers_and_stops_by_what_is_new_alone(
    tmp_path: Path,
) -> None:
    held = Held(then=call("nothing", id="one"))
    second = Held(then="Never said.")
    model = ScriptedModel([held, second])
    async with (
        console_world(tmp_path, model) as world,
        visitor(world) as ann,
        ann.live(world.session) as page,
    ):
        await world.say("Write about ships")
        root = await page.until_state(lambda state: state["status"] == "running")
        await held.reached.wait()
        agent, same = root["agentId"], {"userContent": root["userContent"], "status": "running"}
        for number, said in enumerate(
            (
                {**same, "userComment": "Only sailing"},
                {"userComment": "Old ones", "userContent": "", "status": "running"},
                {"userComment": "", **same},
                {"userComment": None, "userContent": None, "status": "waiting"},
            )
        ):
            await page.say("user-intervention", agentId=agent, **said, requestId=number)
            await page.until(lambda told, number=number: told.get("requestId") == number)
            assert page.told[-1]["type"] == ("done" if number < 2 else "error")
        told = [each.rpartition("&gt; ")[2] for each in world.texts() if "&gt;" in each]
        assert told == ["Only sailing", "Old ones"]
        await world.ingress.under_way.settle()
        held.release.set()
        await second.reached.wait()
        assert "Only sailing" in str(model.requests[1].messages)
        said = {"userComment": "", "userContent": "", "status": "stopped"}
        await page.say("user-intervention", agentId=agent, **said)
        state = await page.until_state(lambda state: state["status"] == "stopped")
        assert state["agentId"] == agent


@pytest.mark.proves("console.once")
async def test_what_is_said_again_or_was_left_by_a_dead_process_is_done_once(
    tmp_path: Path,
) -> None:
    model = ScriptedModel(["First.", "Second."])
    async with console_world(tmp_path, model) as world, visitor(world) as ann:
        for _ in range(2):  # the answer to the first one was lost
            async with ann.live(world.session) as page:
                await page.say("start-agent", prompt="Say first", requestId="f" * 16)
                assert (await page.until_a("done"))["requestId"] == "f" * 16
                await page.say("get-agent-tree")
                await page.until_state(lambda state: state["result"] == "First.")

        user, own_id = user_id(world.slack.team_id, world.slack.user_id("ann")), "s" * 16
        said = {"type": "start-agent", "prompt": "Say second", "requestId": own_id}
        act = StartAgent.model_validate(said)
        tree = await world.runtime.tree(world.session)
        work = world.acts.do(user, world.session, act, tree)
        await world.outlive(work, act_key(user, world.session, act), "Say second")
        async with ann.live(world.session) as page:
            await page.until_state(lambda state: state["result"] == "Second.")
        assert [each.count("Say") for each in world.texts()] == [1, 1]
        assert await world.runtime.ledger.unsettled() == []


@pytest.mark.proves("console.resume")
async def test_who_comes_back_misses_nothing(tmp_path: Path) -> None:
    held = Held(then="All is well.")
    async with console_world(tmp_path, ScriptedModel([held])) as world, visitor(world) as ann:
        async with ann.live(world.session) as page:
            await world.say("Look at it")
            await page.until_state(lambda state: state["status"] == "running")
            last = page.told[-1]["eventId"]
        async with visitor(world, "ben") as ben, ben.live(world.session) as page:
            await page.until_a("ready")
            held.release.set()
            newest = (await page.until_a("agent-completed"))["eventId"]
        async with ann.live(world.session) as page:
            await page.until_a("ready")
            assert [each["type"] for each in page.told] == ["agent-state", "ready"]
            assert page.told[0]["state"]["result"] == "All is well."
            for after, told in ((last, ["agent-state", "ready"]), (newest, ["ready"])):
                page.told.clear()
                await page.say("resume", after=after, requestId="back")
                await page.until(lambda told: told.get("requestId") == "back")
                assert [each["type"] for each in page.told] == told


@pytest.mark.proves("console.slow_viewer")
async def test_a_viewer_who_reads_nothing_holds_up_nobody_and_gets_whole_states(
    tmp_path: Path,
) -> None:
    long = " ".join(["x" * 20_000] * 50)
    steps = [
        Held(then=calls_reply(call("nothing", id=f"c{number}"), text=long))
        for number in range(LONG_STEPS)
    ]
    async with (
        console_world(tmp_path, ScriptedModel([*steps, "That was all."])) as world,
        visitor(world) as ann,
        visitor(world, "ben", receive_bytes=4_096) as ben,
        ben.live(world.session) as slow,
        ann.live(world.session) as page,
    ):
        await slow.until_a("ready")
        await world.say("Write a lot")
        for number, step in enumerate(steps, start=1):
            step.release.set()
            await page.until_state(lambda state, number=number: len(spoken(state)) >= number)
        await page.until_a("agent-completed")
        state = await slow.until_state(lambda state: state["status"] == "completed")
        assert spoken(state) == [*[long] * LONG_STEPS, "That was all."]
        await slow.until_a("agent-completed")
        written = sum(len(each["delta"]) for each in slow.told if each["type"] == "text-delta")
        assert written < LONG_STEPS * len(long)


@pytest.mark.proves("console.paced")
async def test_one_person_makes_the_bot_post_no_more_than_a_channel_takes(tmp_path: Path) -> None:
    async with (
        console_world(tmp_path, ScriptedModel(["Hello."] * 20)) as world,
        browser(world.address) as ann,
        browser(world.address) as ben,
    ):
        assert await ann.enter(world.link("ann", HOME)) == 200
        assert await ben.enter(world.link("ben", HOME)) == 200
        for _ in range(ACTS_AT_ONCE):
            async with ann.live() as page:
                await page.say("start-agent", prompt="Say hello", requestId=1)
                assert (await page.until_a("done"))["requestId"] == 1
        async with ann.live() as page, ben.live() as others:
            await page.say("start-agent", prompt="Say hello", requestId=1)
            assert "a lot at once" in (await page.until_a("error"))["error"]
            await others.say("start-agent", prompt="Say hello", requestId=1)
            await others.until_a("done")
            world.later(ACT_INTERVAL)
            await page.say("start-agent", prompt="Say hello", requestId=2)
            assert (await page.until_a("done"))["requestId"] == 2


@pytest.mark.proves("console.slow_viewer")
async def test_one_person_fills_no_memory_with_requests_or_connections(tmp_path: Path) -> None:
    async with (
        console_world(tmp_path, ScriptedModel(["x" * 4_000_000])) as world,
        visitor(world) as ann,
        visitor(world, "ben", receive_bytes=4_096) as ben,
        AsyncExitStack() as stack,
    ):
        async with ann.live(world.session) as page:
            await world.say("Write a lot")
            await page.until_a("agent-completed")
        async with ben.live(world.session) as slow:
            for number in range(4):
                await slow.say("get-agent-tree", requestId=number)
            await slow.until(lambda told: told.get("requestId") == 3)
        gathered = 0
        for each in slow.told:
            gathered = gathered + 1 if "requestId" in each else 0
            assert gathered <= 2
        for _ in range(MAX_SOCKETS):
            await stack.enter_async_context(ann.live())
        with pytest.raises(WSServerHandshakeError, match="429"):
            await stack.enter_async_context(ann.live())
        async with ben.live(world.session) as other:
            await other.until_a("ready")


def spoken(state: dict[str, Any]) -> list[str]:
    return [each["content"] for each in state["messages"] if each["role"] == "assistant"]
