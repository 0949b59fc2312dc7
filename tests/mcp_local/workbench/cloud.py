"""A small Composio on loopback that runs the code it is sent, over a directory of its own.

It does what the real service does with these calls as far as WIRES tells; switches make it fail.
"""

import asyncio
import base64
import contextlib
import io
import re
import socket
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from aiohttp import web

KEY = "ak_secret_of_the_bot"
SESSION = "trs_ada"
Json = dict[str, Any]
_PATHS = re.compile(r"""(['"])(/home/user/|/mnt/files/)""")


@dataclass
class Cloud:
    """What the service has and has seen; tests change its ways in between."""

    root: Path
    """Stands for the workbench's `/`."""
    port: int = 0
    executed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Session and slug of every execution."""
    code: list[str] = field(default_factory=list[str])
    requests: list[Json] = field(default_factory=list[Json])
    """Bodies of upload requests."""
    stored: dict[str, bytes] = field(default_factory=dict[str, bytes])
    seen_headers: list[tuple[str, dict[str, str]]] = field(
        default_factory=list[tuple[str, dict[str, str]]]
    )
    """Path and headers, lower-case, of every request."""
    answer_file: Callable[[bytes], Json | None] | None = None
    """What the file tool answers for a file's bytes; None for its usual way: text or nothing."""
    printed_chars: int = 1_000_000
    """Where what code prints is cut."""
    before_code: Callable[[str], web.Response | None] | None = None
    """May answer in place of the workbench."""
    is_cut_off: bool = False
    """Whether the workbench breaks the connection instead of answering."""
    put_url: str = ""
    """In place of the service's own storage."""
    put_status: int = 200
    backend: str = "s3"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def file(self, remote: str) -> Path:
        """Where a remote path lies on this disk."""
        return self.root / remote.removeprefix("/")

    def put_file(self, remote: str, data: bytes) -> None:
        """Let the workbench have a file."""
        path = self.file(remote)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    async def execute(self, request: web.Request) -> web.Response:
        body = await self._body(request)
        self.executed.append((request.match_info["session"], body["tool_slug"]))
        data = self._get_file(self.file(body["arguments"]["file_path"]))
        return failed("File not found") if data is None else completed(data)

    async def execute_meta(self, request: web.Request) -> web.Response:
        body = await self._body(request)
        self.executed.append((request.match_info["session"], body["slug"]))
        code: str = body["arguments"]["code_to_execute"]
        self.code.append(code)
        if self.is_cut_off and request.transport:
            request.transport.close()
        if self.before_code and (answer := self.before_code(code)):
            return answer
        return completed(await asyncio.to_thread(self._run, code))

    async def request_upload(self, request: web.Request) -> web.Response:
        body = await self._body(request)
        self.requests.append(body)
        key = f"projects/p/{body['tool_slug']}/{body['filename']}"
        url = self.put_url or f"{self.url}/s3/{key}?X-Amz-Signature=a%2Fb%3D"
        return web.json_response(
            {
                "id": "rf_1",
                "key": key,
                "type": "new",
                "new_presigned_url": url,
                "newPresignedUrl": url,
                "metadata": {"storage_backend": self.backend},
            },
            status=201,
        )

    async def storage(self, request: web.Request) -> web.Response:
        self._note(request)
        name = request.match_info["key"]
        if request.method == "GET":
            return web.Response(body=self.stored[name]) if name in self.stored else missing()
        self.stored[name] = await request.read()
        return web.Response(status=self.put_status, headers={"Location": f"{self.url}/s3/else"})

    def _get_file(self, path: Path) -> Json | None:
        if not path.is_file():
            return None
        data = path.read_bytes()
        if self.answer_file:
            return self.answer_file(data)
        try:
            return {"content": data.decode()}
        except UnicodeDecodeError:
            return None

    def _run(self, code: str) -> Json:
        code = _PATHS.sub(rf"\1{self.root}\2", code)
        printed, error = io.StringIO(), None
        with contextlib.redirect_stdout(printed):
            try:
                exec(code, {})  # noqa: S102 - the workbench runs what it is sent
            except OSError as failure:
                error = f"{type(failure).__name__}: {failure.strerror}"
        shown = printed.getvalue()[: self.printed_chars]
        return {"results": "", "stdout": shown, "stderr": "", "error": error}

    async def _body(self, request: web.Request) -> Json:
        self._note(request)
        if request.headers.get("x-api-key") != KEY:
            raise web.HTTPUnauthorized(text='{"error": {"message": "Invalid API key"}}')
        return cast("Json", await request.json())

    def _note(self, request: web.Request) -> None:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.seen_headers.append((request.path_qs, headers))


def completed(data: Json) -> web.Response:
    return web.json_response(
        {"data": data, "error": None, "log_id": "log_1", "result_type": "completed"}
    )


def failed(error: str | None, result_type: str = "failed") -> web.Response:
    return web.json_response(
        {"data": {}, "error": error, "log_id": "log_1", "result_type": result_type}
    )


def missing() -> web.Response:
    return web.Response(status=404)


def as_base64(data: bytes) -> Json:
    """The file tool's content where it says nothing of the encoding."""
    return {"content": base64.b64encode(data).decode()}


@contextlib.asynccontextmanager
async def composio(root: Path) -> AsyncGenerator[Cloud]:
    """The service on a free loopback port."""
    cloud = Cloud(root)
    app = web.Application(client_max_size=100_000_000)
    session = "/api/v3.1/tool_router/session/{session}"
    app.router.add_post(f"{session}/execute", cloud.execute)
    app.router.add_post(f"{session}/execute_meta", cloud.execute_meta)
    app.router.add_post("/api/v3.1/files/upload/request", cloud.request_upload)
    app.router.add_route("*", "/s3/{key:.*}", cloud.storage)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    listener = socket.create_server(("127.0.0.1", 0))
    cloud.port = cast("tuple[str, int]", listener.getsockname())[1]
    await web.SockSite(runner, listener).start()
    try:
        yield cloud
    finally:
        await runner.cleanup()
