"""A stdio server without the SDK, so that it can do what no good server does. Starts in a moment.

Arguments: how it misbehaves before any call (`well`, `mute`, `hang_list`, `pages`,
`names`, `noise`, `flood`) or a JSON file of the tools that it lists each
time; a file that collects what it received; a file that gets a line at every start.
"""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]
MANNER = sys.argv[1]
RECEIVED = Path(sys.argv[2] if len(sys.argv) > 2 else os.devnull)
STARTS = Path(sys.argv[3] if len(sys.argv) > 3 else os.devnull)
OBJECT: Json = {"type": "object"}
TEXT: Json = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def tool(name: str, schema: Json = OBJECT, **more: Any) -> Json:
    return {"name": name, "description": f"{name}.", "inputSchema": schema, **more}


WELL = [
    tool("echo", TEXT, outputSchema={"type": "object", "required": ["absent"]}),  # and is shown
    tool("exit"),
    tool("exit_unless", annotations={"readOnlyHint": True}),
    tool("read_unless_new"),
    tool("hang"),
    tool("hang_all"),
    tool("giant"),
    tool("child"),
    tool("grow"),
    tool("storm"),
    tool("ask"),
]
LISTS: dict[str, list[Any]] = {
    "names": [tool("a.b"), tool("a_b"), tool("x" * 200), tool("A.b"), tool("gm\u0430il"), tool("é")]
}
GROWN = tool("grown")


def send(message: Json) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(request: Json, result: Any) -> None:
    send({"id": request["id"], "result": result})


def say(request: Json, text: str) -> None:
    answer(request, {"content": [{"type": "text", "text": text}]})


def pause() -> None:
    while True:
        signal.pause()


def initialize(request: Json) -> None:
    if MANNER == "mute":
        pause()
    if MANNER == "flood":
        for _ in range(100):
            sys.stderr.write("x" * 1_000_000)
        sys.stderr.write(" the end\n")
        sys.stderr.flush()
    answer(
        request,
        {
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "raw", "version": "1"},
        },
    )


def params_of(request: Json) -> Json:
    return request.get("params", {})


def list_tools(request: Json) -> None:
    if MANNER == "hang_list":
        pause()
    cursor: str | None = params_of(request).get("cursor")
    if MANNER == "pages":
        page = int(cursor or 0)
        more = {"nextCursor": str(page + 1)} if page < 2 else {}
        answer(request, {"tools": [tool(f"tool_{page}")], **more})
        return
    if MANNER.endswith(".json"):
        told = Path(MANNER).read_text(encoding="utf-8").replace("<HERE>", str(Path.cwd()))
        answer(request, {"tools": json.loads(told)})
        return
    answer(request, {"tools": LISTS.get(MANNER, WELL)})


def call_tool(request: Json) -> None:
    name: str = params_of(request)["name"]
    arguments: Json = params_of(request).get("arguments", {})
    acts: dict[str, Callable[[], None]] = {
        "echo": lambda: say(request, arguments["text"]),
        "exit": leave,
        "exit_unless": lambda: exit_unless(request, Path(arguments["marker"])),
        "read_unless_new": lambda: exit_unless(request, Path(arguments["marker"])),
        "hang": lambda: begin(request),
        "hang_all": pause,
        "giant": lambda: giant(request, arguments),
        "child": lambda: say(request, str(spawn())),
        "grow": lambda: grow(request),
        "storm": lambda: storm(request),
        "ask": lambda: ask(request, arguments["method"]),
        "where": lambda: where(request),
        "act": lambda: say(request, "act ran"),
    }
    acts[name]()


def where(request: Json) -> None:
    place = {"cwd": str(Path.cwd()), "pid": os.getpid(), "env": dict(os.environ)}  # noqa: TID251
    largest, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    say(request, json.dumps({**place, "largest": largest}))


def leave() -> None:
    sys.stderr.write("about to leave\n")
    sys.stderr.flush()
    os._exit(9)


def grow(request: Json) -> None:
    if GROWN not in WELL:
        WELL.append(GROWN)
    send({"method": "notifications/tools/list_changed"})
    say(request, "grown")


def storm(request: Json) -> None:
    line = json.dumps({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}) + "\n"
    sys.stdout.write(line * 10_000)
    say(request, "calm again")


def ask(request: Json, method: str) -> None:
    """Ask the client for something, and say what it answered."""
    text = {"type": "text", "text": "Your secrets?"}
    params: dict[str, Json] = {
        "sampling/createMessage": {"messages": [{"role": "user", "content": text}], "maxTokens": 9},
        "elicitation/create": {"message": "Your key?", "requestedSchema": OBJECT},
    }
    send({"id": "asked", "method": method, "params": params.get(method, {})})
    for line in sys.stdin:
        answered: Json = json.loads(line)
        if answered.get("id") == "asked":
            say(request, "refused" if "error" in answered else json.dumps(answered))
            return


def exit_unless(request: Json, marker: Path) -> None:
    if not marker.exists():
        marker.touch()
        os._exit(9)
    say(request, "survived")


def begin(request: Json) -> None:
    token = request["params"]["_meta"]["progressToken"]
    params = {"progressToken": token, "progress": 1, "message": "begun"}
    send({"method": "notifications/progress", "params": params})


def spawn() -> int:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]).pid


def giant(request: Json, arguments: Json) -> None:
    """The id comes first or, as from servers in other languages, last."""
    text = '"' + "a" * (arguments["size_mb"] * 1_000_000) + '"'
    result = '"result":{"content":[{"type":"text","text":' + text + "}]}"
    ident = f'"id":{request["id"]}'
    sys.stdout.write('{"jsonrpc":"2.0",' + result + "," + ident + "}\n")
    sys.stdout.flush()


def main() -> None:
    handlers = {"initialize": initialize, "tools/list": list_tools, "tools/call": call_tool}
    with STARTS.open("a", encoding="utf-8") as starts:
        starts.write(f"{os.getpid()}\n")
    for line in sys.stdin:
        with RECEIVED.open("a", encoding="utf-8") as file:
            file.write(line)
        request: Json = json.loads(line)
        if MANNER == "noise":
            sys.stdout.write("Listening...\n{not json\n\n[1]\n")
        if request["method"] in handlers:
            handlers[request["method"]](request)
        elif "id" in request:
            send({"id": request["id"], "error": {"code": -32601, "message": "no such method"}})


main()
