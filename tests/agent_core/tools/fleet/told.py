"""A stdio server without the SDK whose tools stand in a file, which is read at every listing.

Arguments: that file, and one that gets a line at every start.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def send(message: Json) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def result_of(request: Json) -> Json | None:
    match request["method"]:
        case "initialize":
            return {
                "protocolVersion": request["params"]["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "told", "version": "1"},
            }
        case "tools/list":
            text = Path(sys.argv[1]).read_text(encoding="utf-8")
            return {"tools": json.loads(text.replace("<HERE>", str(Path.cwd())))}
        case "tools/call":
            return {"content": [{"type": "text", "text": called(request["params"]["name"])}]}
        case _:
            return None


def called(name: str) -> str:
    if name == "leave":
        os._exit(9)
    if name == "announce":
        send({"method": "notifications/tools/list_changed"})
    if name == "where":
        place = {"cwd": str(Path.cwd()), "pid": os.getpid(), "env": dict(os.environ)}  # noqa: TID251
        return json.dumps(place)
    return f"{name} ran"


def main() -> None:
    with Path(sys.argv[2]).open("a", encoding="utf-8") as starts:
        starts.write(f"{os.getpid()}\n")
    for line in sys.stdin:
        request = json.loads(line)
        if "id" not in request:
            continue
        result = result_of(request)
        if result is None:
            send({"id": request["id"], "error": {"code": -32601, "message": "Method not found"}})
        else:
            send({"id": request["id"], "result": result})


if __name__ == "__main__":
    main()
