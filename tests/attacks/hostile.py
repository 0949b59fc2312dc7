"""A tool server that answers in whatever lines it is told. Run as a script, it is a process.

`$ID` in a line stands for the id of the request, as JSON.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Lines = tuple[str, ...]
SCHEMA = '{"type": "object", "properties": {"text": {"type": "string"}}}'
ECHO = f'{{"name": "echo", "description": "Well.", "inputSchema": {SCHEMA}}}'


def listing(*tools: str, more: str = "") -> Lines:
    """The answer to `tools/list`: these, as JSON, before one that is well."""
    return (
        f'{{"jsonrpc":"2.0","id":$ID,"result":{{"tools":[{",".join((*tools, ECHO))}]{more}}}}}',
    )


def result(value: str) -> Lines:
    """The answer to `tools/call`."""
    return (f'{{"jsonrpc":"2.0","id":$ID,"result":{value}}}',)


def replies(request: Mapping[str, Any], lines: Mapping[str, Lines]) -> Lines:
    """What is said to a request; nothing to a notification."""
    if "id" not in request:
        return ()
    ident = json.dumps(request["id"])
    method = request["method"]
    params: dict[str, Any] = request.get("params") or {}
    if method == "initialize":
        start: dict[str, Any] = {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "hostile", "version": "1"},
        }
        told = result(json.dumps(start))
    elif method == "tools/call" and params["name"] == "echo":
        told = result('{"content": [{"type": "text", "text": "well"}]}')
    else:
        missing = ('{"jsonrpc":"2.0","id":$ID,"error":{"code":-32601,"message":"no such method"}}',)
        told = lines.get(f"{method} {params.get('name', '')}".strip(), missing)
    return tuple(line.replace("$ID", ident) for line in told)


def main() -> None:
    lines = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for line in sys.stdin:
        for said in replies(json.loads(line), lines):
            sys.stdout.buffer.write(said.encode("utf-8", "surrogatepass") + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
