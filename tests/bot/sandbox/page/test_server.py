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
HTML = b"<!doctype html><script>document.title = 'ran'</script><h1>Report</h1>"


async def head_of(page: Visitor, path: str, **headers: str) -> tuple[int, Any]:
    url = page.page.url.rstrip("/") + path
    async with page.http.get(url, headers=headers) as answer:
        return answer.status, answer.headers


async def upload(page: Visitor, name: str, content: bytes, mimetype: str | None = None) -> str:
    """Share a file; gives its address on the page."""
    await page.slack.say("ann", "general", "see", files=[(name, content, mimetype)])
    return (await page.posts("ann"))[-1]["files"][0]["url_private"]


@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1.evil.test", "localhost:x", "", "[::2]"])
async def test_another_host_name_is_refused_everywhere(host: str) -> None:
    async with visit() as page:
        for path in ("/", "/static/js/main.js", f"/events?as={page.id('ann')}", "/nowhere"):
            assert (await head_of(page, path, Host=host))[0] == 403


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost", "LOCALHOST:8899", "[::1]:8899"])
async def test_this_machines_names_are_answered(host: str) -> None:
    async with visit() as page:
        assert (await head_of(page, "/files/F1/x", Host=host))[0] == 404
        fields = {"as": page.id("ann"), "channel": page.general, "text": "hi"}
        headers = {"Host": host, "Origin": f"http://{host}"}
        status, answer = await page.post("say", json=fields, headers=headers)
        assert (status, answer["ok"]) == (200, True)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "null"},
        {"Origin": "http://evil.test"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "http://localhost"},
    ],
)
async def test_an_act_from_elsewhere_is_refused(headers: dict[str, str]) -> None:
    async with visit() as page:
        fields = {"as": page.id("ann"), "channel": page.general, "text": "hi"}
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
    ("body", "sentence"),
    [
        (b"", "That is no JSON that can be read."),
        (b"{", "That is no JSON that can be read."),
        (b"[" * 100_000, "That is no JSON that can be read."),
        (b'{"as": NaN}', "That is no JSON that can be read."),
        (b'{"as": "\xff"}', "That is no JSON that can be read."),
        (b"[]", "An act is a JSON object."),
        (b"{}", "Only Ann Arbor, Ben Nevis and Cleo Lind can be acted as."),
        (b'{"as": ["x"]}', "Only Ann Arbor, Ben Nevis and Cleo Lind can be acted as."),
        (b" " * 70_000_000, "That is too much: at most 64 MB go at once."),
    ],
)
async def test_a_malformed_act_gets_a_sentence(body: bytes, sentence: str) -> None:
    async with visit() as page:
        headers = {"Origin": page.page.url.rstrip("/"), "Content-Type": "application/json"}
        status, answer = await page.post("say", data=io.BytesIO(body), headers=headers)
        assert (status, answer) == (400, {"ok": False, "error": sentence})


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/plain", b"{}"),
        ("multipart/form-data", b"{}"),
        ("multipart/form-data; boundary=x", b"nothing of the kind"),
        ("multipart/form-data; boundary=x", b"--x\r\nContent-Disposition: form-data\r\n"),
        ("multipart/form-data; boundary=" + "x" * 100, b"--x--"),
        ("application/x-www-form-urlencoded", b"as=U1"),
    ],
)
async def test_a_body_of_another_kind_gets_a_sentence(content_type: str, body: bytes) -> None:
    async with visit() as page:
        headers = {"Origin": page.page.url.rstrip("/"), "Content-Type": content_type}
        status, answer = await page.post("say", data=body, headers=headers)
        assert status == 400
        assert answer["error"].endswith(".")


async def test_a_form_may_hold_ten_files() -> None:
    async with visit() as page:
        form = aiohttp.FormData()
        form.add_field("body", json.dumps({"as": page.id("ann"), "channel": page.general}))
        for number in range(11):
            form.add_field("file", b"x", filename=f"{number}.txt")
        status, answer = await page.post("say", data=form)
        assert (status, answer["error"]) == (400, "A message has at most 10 files.")


async def test_a_missing_field_is_named() -> None:
    async with visit() as page:
        assert await page.refusal("ann", "say", text="hi") == "The act needs “channel”."
        assert await page.refusal("ann", "dance") == "There is no such act."


@pytest.mark.parametrize("path", ["/acts/say", "/acts/", "/settings", "/events/", "/files/F1"])
async def test_what_is_not_there_is_not_found(path: str) -> None:
    async with visit() as page:
        assert (await head_of(page, path))[0] in (404, 405)


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
        "/static/__init__.py",
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
    types = {
        ".js": "text/javascript",
        ".css": "text/css",
        ".html": "text/html",
        ".svg": "image/svg+xml",
    }
    files = sorted(path for path in STATIC.rglob("*") if path.is_file())
    assert files
    async with visit() as page:
        for path in files:
            address = f"{page.page.url}static/{path.relative_to(STATIC).as_posix()}"
            async with page.http.get(address) as answer:
                assert (answer.status, answer.content_type) == (200, types[path.suffix])
                assert await answer.read() == path.read_bytes()


async def test_a_foreign_html_file_may_do_nothing() -> None:
    async with visit() as page:
        address = await upload(page, "report.html", HTML, "text/html")
        status, headers = await head_of(page, address)
        assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert headers["Content-Security-Policy"] == (
            "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        )
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Content-Disposition"] == "inline; filename*=UTF-8''report.html"


@pytest.mark.parametrize("mimetype", ["image/svg+xml", "application/xhtml+xml", "text/xml"])
async def test_other_files_that_can_hold_scripts_may_do_nothing_either(mimetype: str) -> None:
    async with visit() as page:
        _, headers = await head_of(page, await upload(page, "x", b"<svg/>", mimetype))
        assert headers["Content-Type"].startswith(mimetype)
        assert headers["Content-Security-Policy"].startswith("sandbox;")


async def test_a_file_is_kept_on_request_under_its_name() -> None:
    async with visit() as page:
        address = await upload(page, 'a "b"\r\nX: y.pdf', b"%PDF", "application/pdf")
        _, headers = await head_of(page, f"{address}?download=1")
        quoted = "a%20%22b%22%0D%0AX%3A%20y.pdf"
        assert headers["Content-Disposition"] == f"attachment; filename*=UTF-8''{quoted}"
        assert "X" not in headers


async def test_a_file_of_no_sensible_type_is_bytes() -> None:
    async with visit() as page:
        _, headers = await head_of(page, await upload(page, "..", b"x", "html\r\nX: y"))
        assert headers["Content-Type"] == "application/octet-stream"


async def test_a_deleted_file_is_gone() -> None:
    async with visit() as page:
        address = await upload(page, "a.txt", b"x")
        page.slack.state.deleted_files.add(page.slack.files[0].id)
        assert (await head_of(page, address))[0] == 404
        [file] = (await page.posts("ann"))[-1]["files"]
        assert file["mode"] == "tombstone"
