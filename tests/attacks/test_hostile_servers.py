"""Whatever bytes a tool server sends, they cost its own tools at most, and nobody waits."""

import json
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from agent_core.mcp import HttpServer, Pins, ServerConfig, StdioServer
from agent_core.mcp.wire import Screen
from tests.agent_core.mcp.conftest import HubMaker, Start
from tests.agent_core.mcp.conftest import context as context
from tests.agent_core.mcp.conftest import make_hub as make_hub
from tests.agent_core.mcp.conftest import start as start
from tests.agent_core.mcp.world import stored_pins
from tests.attacks import hostile
from tests.attacks.hostile import SCHEMA, Lines, listing, replies, result

TRANSPORTS = [
    pytest.param("stdio", marks=pytest.mark.process("a stdio server is a process")),
    "json",
    "events",
]
DEEP = "[" * 5_000 + "]" * 5_000


def tool(name: str, schema: str = SCHEMA, more: str = "") -> str:
    return f'{{"name":{json.dumps(name)},"inputSchema":{schema}{more}}}'


def nested(depth: int) -> str:
    return '{"type":"object","properties":{"a":' * depth + "{}" + "}}" * depth


WELL = {
    "half_told": '{"name":"half_told","description":"x\\ud83d","inputSchema":{"type":"object"}}',
    "bytes_told": '{"name":"bytes_told","description":"x\ud83d","inputSchema":{"type":"object"}}',
    "hints_of_any_kind": tool("hints_of_any_kind", more=',"annotations":{"x":NaN}'),
    "no_end": tool("no_end", '{"type":"object","$ref":"#"}'),
}
BAD = (
    *("null", "7", "[]", '"echo"', '{"inputSchema":{}}', '{"name":null,"inputSchema":{}}'),
    *('{"name":["a"],"inputSchema":{}}', '{"name":"a\\ud83d","inputSchema":{"type":"object"}}'),
    *(tool("deep", nested(90)), tool("odd", "[]"), tool("none", "null"), tool("true", "true")),
    *(tool("word", '{"type":"string"}'), tool("titled", more=',"title":5')),
    *(tool("hinted", more=',"annotations":[]'), tool("iconic", more=',"icons":5')),
    tool("no_number", '{"type":"object","properties":{"n":{"maximum":NaN}}}'),
    tool("endless", '{"type":"object","properties":{"n":{"default":1e999}}}'),
    tool("keys", '{"type":"object","properties":{"x\\ud83d":{}}}'),
    tool("long", json.dumps({"type": "object", "description": "x" * 120_000})),
    tool("task", more=',"execution":{"taskSupport":"required"}'),
    tool("pattern", '{"type":"object","properties":{"x":{"pattern":"("}}}'),
)
TEXT = '{"type":"text","text":"kept"}'
(ANSWER,) = result(f'{{"content":[{TEXT}]}}')
KEPT: dict[str, Lines] = {
    "half": result('{"content":[{"type":"text","text":"kept \\ud83d"}]}'),
    "half_behind_a_backslash": result('{"content":[{"type":"text","text":"kept \\\\\\ud83d"}]}'),
    "half_as_a_key": result(f'{{"content":[{TEXT}],"structuredContent":{{"\\ud83d":1}}}}'),
    "no_text": result('{"content":[{"type":"text","text":"kept \ud83d"}]}'),
    "structured_numbers": result('{"content":[],"structuredContent":{"kept":[NaN,1e999]}}'),
    "many": result(f'{{"content":[{",".join([TEXT] * 30_000)}]}}'),
    "text_id": (ANSWER.replace("$ID", '"$ID"'),),
    "twice": (ANSWER, ANSWER),
    "noise": ("Listening...", '{"log":"x"}', ANSWER),
    "reports": (
        *('{"jsonrpc":"2.0","method":"notifications/progress","params":'
          '{"progressToken":$ID,"progress":1}}',) * 5_000,
        *('{"jsonrpc":"2.0","method":"notifications/whatever"}',) * 5_000,
        ANSWER,
    ),
}  # fmt: skip
LOST: dict[str, Lines] = {
    "null": result("null"),
    "list": result("[]"),
    "number": result("5"),
    "empty": result("{}"),
    "odd_item": result(f'{{"content":[{{"type":"hologram","x":1}},{TEXT}]}}'),
    "many_others": result(f'{{"content":[{",".join([TEXT, *["{}"] * 30_000])}]}}'),
    "a_text_alone": result('{"content":"x"}'),
    "structured_list": result('{"content":[],"structuredContent":["x"]}'),
    "structured_digits": result(f'{{"content":[],"structuredContent":{{"x":{"9" * 6_000}}}}}'),
    "raw_control": result('{"content":[{"type":"text","text":"x \0\t"}]}'),
    "word_as_error": ('{"jsonrpc":"2.0","id":$ID,"error":"x"}',),
    "deep": result(f'{{"content":[{TEXT}],"structuredContent":{DEEP}}}'),
    "deep_meta": result(f'{{"content":[{TEXT}],"_meta":{{"a":{DEEP}}}}}'),
    "broken": result('{"content":[{]}'),
    "id_last": ('{"jsonrpc":"2.0","result":{"content":[{]},"id":$ID}',),
    "begun": ('{"jsonrpc":"2.0","id":$ID,"resu',),
    "neither": ('{"jsonrpc":"2.0","id":$ID}',),
    "no_error": ('{"jsonrpc":"2.0","id":$ID,"error":null}',),
    "asking": result('{"resultType":"input_required","inputRequests":5}'),
}


@asynccontextmanager
async def over_http(lines: Mapping[str, Lines], *, events: bool) -> AsyncGenerator[str]:
    """The address where it answers with JSON, or with a stream of events."""

    async def answer(request: web.Request) -> web.Response:
        told = replies(await request.json(), lines)
        if not told:
            return web.Response(status=202)
        text = "".join(f"data: {line}\n\n" for line in told) if events else told[-1]
        kind = "text/event-stream" if events else "application/json"
        return web.Response(body=text.encode("utf-8", "surrogatepass"), content_type=kind)

    app = web.Application()
    app.router.add_post("/mcp", answer)
    async with TestServer(app) as server:
        yield str(server.make_url("/mcp"))


@asynccontextmanager
async def hostile_server(
    transport: str, lines: Mapping[str, Lines], directory: Path
) -> AsyncGenerator[ServerConfig]:
    """The server, as it is configured."""
    if transport == "stdio":
        file = directory / "lines.json"
        file.write_text(json.dumps(lines), encoding="utf-8")
        command = ("-I", hostile.__file__, str(file))
        yield StdioServer(name="evil", command=sys.executable, args=command)
        return
    async with over_http(lines, events=transport == "events") as url:
        yield HttpServer(name="evil", url=url)


@pytest.mark.proves("hub.malformed")
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_bad_tool_in_a_listing_costs_itself_alone(
    transport: str, start: Start, tmp_path: Path
) -> None:
    more = ',"nextCursor":5,"_meta":[],"ttlMs":"x"'
    lines = {"tools/list": listing(*BAD, *WELL.values(), more=more)}
    async with hostile_server(transport, lines, tmp_path) as server:
        bot = start(server)
        specs = await bot.specs()
        json.dumps([[each.description, each.input_schema] for each in specs.values()]).encode()
        # Over HTTP a number that is none is nothing by then.
        assert set(specs) - {"endless"} == {*WELL, "echo"}
        assert (await bot.call("echo")).text == "well"
        await bot.hub.close()


@pytest.mark.proves("hub.answers")
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_an_odd_answer_is_there_or_ends_its_own_call_at_once(
    transport: str, start: Start, tmp_path: Path
) -> None:
    """A call that waited for its limit would say so."""
    answers = {f"tools/call {name}": told for name, told in (KEPT | LOST).items()}
    lines = {"tools/list": listing(*map(tool, KEPT | LOST)), **answers}
    async with hostile_server(transport, lines, tmp_path) as server:
        bot = start(server)
        outputs = {name: await bot.call(name) for name in (*KEPT, *LOST, "echo")}
        await bot.hub.close()
    texts = {name: output.text.encode().decode() for name, output in outputs.items()}
    assert {name for name in KEPT if "kept" not in texts[name]} == set()
    assert {name for name in LOST if "was not valid MCP" not in texts[name]} == set()
    assert all(outputs[name].may_have_happened for name in LOST)
    assert texts["echo"] == "well"


@pytest.mark.proves("hub.answers")
@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("answer", ["null", "[]", '{"tools":{}}', '{"tools":[', DEEP])
async def test_a_listing_that_nobody_can_read_is_told_at_once(
    transport: str, answer: str, start: Start, tmp_path: Path
) -> None:
    async with hostile_server(transport, {"tools/list": result(answer)}, tmp_path) as server:
        bot = start(server)
        assert await bot.names() == []
        assert "did not list its tools: " in bot.hub.failures["evil"]
        await bot.hub.close()


@pytest.mark.proves("hub.answers")
@pytest.mark.parametrize("method", ["ping", "roots/list", "notifications/progress"])
def test_of_what_a_server_sends_without_being_asked_a_little_is_heard(method: str) -> None:
    """An answer to each would wait for ever in front of a server that reads none."""
    screen = Screen("evil", version=lambda: "2025-06-18", on_tools_changed=lambda: None)
    said: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": {}}
    known = {"progressToken": 1, "progress": 1.0}
    lines = [
        json.dumps(said | ({"params": known} if "progress" in method else {"id": number}))
        for number in range(1_000)
    ]
    assert 0 < len(list(filter(None, (screen.read(line.encode()) for line in lines)))) <= 100


@pytest.mark.proves("hub.answers")
async def test_a_listing_without_end_ends(make_hub: HubMaker, start: Start, tmp_path: Path) -> None:
    tools = (tool(f"t{number}") for number in range(3_000))
    lines = {"tools/list": listing(*tools, more=',"nextCursor":"again"')}
    async with hostile_server("json", lines, tmp_path) as server:
        bot = start(server)
        assert len(await bot.names()) == 1_000
        await bot.hub.close()


@pytest.mark.proves("hub.look_alikes")
async def test_tools_that_look_alike_are_refused_and_noted_with_the_reason(
    start: Start, tmp_path: Path
) -> None:
    twins = map(tool, ("mail", "MAIL", "m\u0430il", "mail ", "mail", "mail\u200b"))
    lines = {"tools/list": listing(*twins)}
    async with stored_pins(tmp_path) as store, hostile_server("json", lines, tmp_path) as server:
        bot = start(server, pins=Pins(store))
        assert await bot.names() == ["echo", "mail"]
        assert {(name, reason) for _, name, reason in await store.refused()} == {
            ("'MAIL'", "its name looks like that of mail"),
            ("'mail'", "its name is taken"),
            ("'m\\u0430il'", "its name has signs other than plain letters and digits"),
            ("'mail '", "its name has signs other than plain letters and digits"),
            ("'mail\\u200b'", "its name has signs other than plain letters and digits"),
        }
        assert await store.waiting() == []
        await bot.hub.close()
