"""The page's door: who may knock, what is too much, what files may do."""

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

import bot.sandbox.page
from tests.bot.sandbox.page.visitor import Visitor, visit

STATIC = Path(bot.sandbox.page.__file__).parent / "static"
TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".html": "text/html",
    ".svg": "image/svg+xml",
}
JSON, FORM = "application/json", "multipart/form-data"
NO_JSON = "That is no JSON that can be read."
STRANGER = "Only Ann Arbor, Ben Nevis and Cleo Lind can be acted as."


async def head_of(page: Visitor, path: str, **headers: str) -> tuple[int, Any]:
    url = page.page.url.rstrip("/") + path
    async with page.http.get(url, headers=headers) as answer:
        return answer.status, answer.headers


async def upload(page: Visitor, name: str, mimetype: str | None = None) -> str:
    """Share a file; gives its address on the page."""
    await page.slack.say("ann", "general", "see", files=[(name, b"<svg/>", mimetype)])
    return (await page.posts("ann"))[-1]["files"][0]["url_private"]


async def test_only_this_machines_names_are_answered() -> None:
    async with visit() as page:
        for host in ("evil.test", "127.0.0.1.evil.test", "localhost:x", "", "[::2]"):
            for path in ("/", "/static/js/main.js", f"/events?as={page.id('ann')}", "/nowhere"):
                assert (await head_of(page, path, Host=host))[0] == 403
        for host in ("127.0.0.1:1", "localhost", "LOCALHOST:8899", "[::1]:8899"):
            assert (await head_of(page, "/files/F1/x", Host=host))[0] == 404


async def test_an_act_from_elsewhere_is_refused() -> None:
    origins = ("null", "http://evil.test", "http://127.0.0.1:1", "http://localhost")
    async with visit() as page:
        fields = {"as": page.id("ann"), "channel": page.general, "text": "hi"}
        for headers in ({}, *({"Origin": origin} for origin in origins)):
            status, answer = await page.post("say", json=fields, headers=headers)
            assert (status, answer["ok"]) == (403, False)
        assert page.slack.posts("general") == []


async def test_nothing_is_kept_read_or_framed_by_others() -> None:
    async with visit() as page:
        for path in ("/", "/files/F1/x", "/nowhere", f"/events?as={page.id('ann')}"):
            _, headers = await head_of(page, path)
            assert headers["Cache-Control"] == "no-store"
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["X-Frame-Options"] == "SAMEORIGIN"
            assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
            assert "default-src 'self'" in headers["Content-Security-Policy"]
            assert "unsafe" not in headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("content_type", "body", "sentence"),
    [
        (JSON, b"", NO_JSON),
        (JSON, b"[" * 100_000, NO_JSON),
        (JSON, b'{"as": NaN}', NO_JSON),
        (JSON, b'{"as": "\xff"}', NO_JSON),
        (JSON, b"[]", "An act is a JSON object."),
        (JSON, b"{}", STRANGER),
        (JSON, b'{"as": ["x"]}', STRANGER),
        (JSON, b" " * 70_000_000, "That is too much: at most 64 MB go at once."),
        ("text/plain", b"{}", "An act is sent as JSON, or as a form with files."),
        (FORM, b"{}", "That is no form that can be read."),
        (f"{FORM}; boundary=x", b"nothing of the kind", "That is no form that can be read."),
        (f"{FORM}; boundary={'x' * 100}", b"--x--", "That is no form that can be read."),
    ],
)
async def test_a_malformed_act_gets_a_sentence(
    content_type: str, body: bytes, sentence: str
) -> None:
    async with visit() as page:
        headers = {"Origin": page.page.url.rstrip("/"), "Content-Type": content_type}
        status, answer = await page.post("say", data=io.BytesIO(body), headers=headers)
        assert (status, answer) == (400, {"ok": False, "error": sentence})


async def test_a_form_may_hold_ten_files() -> None:
    async with visit() as page:
        form = aiohttp.FormData()
        form.add_field("body", json.dumps({"as": page.id("ann"), "channel": page.general}))
        for number in range(11):
            form.add_field("file", b"x", filename=f"{number}.txt")
        status, answer = await page.post("say", data=form)
        assert (status, answer["error"]) == (400, "A message has at most 10 files.")


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static/..%2fserver.py",
        "/static/js/%2e%2e/%2e%2e/server.py",
        "/static//etc/passwd",
        "/static/%00.js",
        "/static/" + "x" * 5_000 + ".js",
        "/static/js",
        "/settings",
    ],
)
async def test_nothing_but_the_pages_own_files_is_served(path: str) -> None:
    async with visit() as page:
        host, port = page.page.url.removeprefix("http://").rstrip("/").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        writer.write(request.encode())
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        assert answer.startswith(b"HTTP/1.1 404")


async def test_each_of_the_pages_files_has_its_type() -> None:
    files = sorted(path for path in STATIC.rglob("*") if path.is_file())
    assert files
    async with visit() as page:
        for path in files:
            address = f"{page.page.url}static/{path.relative_to(STATIC).as_posix()}"
            async with page.http.get(address) as answer:
                assert (answer.status, answer.content_type) == (200, TYPES[path.suffix])


@pytest.mark.parametrize("mimetype", ["text/html", "image/svg+xml", "application/xhtml+xml"])
async def test_a_file_that_can_hold_scripts_may_do_nothing(mimetype: str) -> None:
    async with visit() as page:
        _, headers = await head_of(page, await upload(page, "report", mimetype))
        assert headers["Content-Type"].startswith(mimetype)
        assert headers["Content-Security-Policy"] == (
            "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        )


async def test_a_file_is_kept_under_its_name_and_one_of_no_sensible_type_is_bytes() -> None:
    async with visit() as page:
        address = await upload(page, 'a "b"\r\nX: y.pdf', "html\r\nX: y")
        _, headers = await head_of(page, f"{address}?download=1")
        quoted = "a%20%22b%22%0D%0AX%3A%20y.pdf"
        assert headers["Content-Disposition"] == f"attachment; filename*=UTF-8''{quoted}"
        assert headers["Content-Type"] == "application/octet-stream"
        assert "X" not in headers
        page.slack.state.deleted_files.add(page.slack.files[0].id)
        assert (await head_of(page, address))[0] == 404
