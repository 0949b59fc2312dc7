"""A tool server that answers in whatever lines it is told: as a process, and over HTTP.

`$ID` in a line stands for the id of the request, as JSON.
"""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
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


@asynccontextmanager
async def over_http(lines: Mapping[str, Lines], *, events: bool) -> AsyncGenerator[str]:
    """The address where it answers with JSON, or with a stream of events."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next(
                    (
                        int(line[15:])
                        for line in head.lower().split(b"\r\n")
                        if line.startswith(b"content-length:")
                    ),
                    0,
                )
                body = await reader.readexactly(length)
                told = replies(json.loads(body), lines) if body else ()
                await _respond(writer, told, events=events, is_post=head.startswith(b"POST"))
        except asyncio.IncompleteReadError:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/mcp"


async def _respond(
    writer: asyncio.StreamWriter, told: Lines, *, events: bool, is_post: bool
) -> None:
    status = "202 Accepted" if is_post else "405 Method Not Allowed"
    kind, text = "application/json", ""
    if told:
        status = "200 OK"
        kind = "text/event-stream" if events else kind
        text = "".join(f"data: {line}\n\n" for line in told) if events else told[-1]
    body = text.encode("utf-8", "surrogatepass")
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()


def main() -> None:
    lines = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for line in sys.stdin:
        for said in replies(json.loads(line), lines):
            sys.stdout.buffer.write(said.encode("utf-8", "surrogatepass") + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
