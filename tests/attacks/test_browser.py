"""Groups C11 and F-C2: what the scripts of a page reach when a browser runs them, and leave."""

import asyncio
import os
import select
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
from aiohttp import web

from mcp_local.browser import MAX_MEMORY_BYTES, PAGE_S, Browsers
from mcp_local.errors import FetchFailed
from mcp_local.settings import Settings
from tests.browser import chromium_path
from tests.mcp_local.fetch.world import Site, serving

INSIDE = (
    "127.0.0.1",
    "localhost",
    "a.localhost",
    "[::1]",
    "[::]",
    "0.0.0.0",  # noqa: S104
    "2130706433",
    "0x7f000001",
    "017700000001",
    "127.1",
    "[::ffff:127.0.0.1]",
    "169.254.169.254",
    "metadata.google.internal",
    "page.test",
    "public.example",
)
"""Spellings of this machine, of metadata services, and hosts that lead here at the wrong port."""

WAYS = """
const inside = [%(hosts)s].map(host => host + ":" + %(port)d);
const add = (tag, set) => document.body.append(Object.assign(document.createElement(tag), set));
const tries = [
  at => fetch("http://" + at + "/fetch"),
  at => fetch("http://" + at + "/opaque", {mode: "no-cors"}),
  at => fetch("http://" + at + "/post", {method: "POST", mode: "no-cors", body: "secret"}),
  at => fetch("/redirect?to=http://" + at + "/redirected"),
  at => { const x = new XMLHttpRequest(); x.open("GET", "http://" + at + "/xhr"); x.send(); },
  at => { new Image().src = "http://" + at + "/img"; },
  at => navigator.sendBeacon("http://" + at + "/beacon", "secret"),
  at => new WebSocket("ws://" + at + "/socket"),
  at => new EventSource("http://" + at + "/events"),
  at => new WebTransport("https://" + at + "/transport"),
  at => import("http://" + at + "/module.js"),
  at => add("iframe", {src: "http://" + at + "/frame"}),
  at => add("iframe", {src: "/redirect?to=http://" + at + "/frame_redirected"}),
  at => add("iframe", {srcdoc: `<meta http-equiv=refresh content="0;url=http://${at}/meta">`}),
  at => add("iframe", {srcdoc: `<script>new WebSocket("ws://${at}/x")</script>`}),
  at => add("script", {src: "http://" + at + "/script.js"}),
  at => add("object", {data: "http://" + at + "/object"}),
  at => add("video", {src: "http://" + at + "/video", autoplay: true}),
  at => add("link", {rel: "stylesheet", href: "http://" + at + "/style.css"}),
  at => add("link", {rel: "preconnect", href: "http://" + at}),
  at => add("link", {rel: "prefetch", href: "http://" + at + "/prefetch"}),
  at => add("link", {rel: "dns-prefetch", href: "http://" + at}),
  at => add("a", {href: "/page", ping: "http://" + at + "/ping", target: "other"}),
  at => open("http://" + at + "/popup"),
  at => new Worker("http://" + at + "/worker.js"),
  at => new Worker(URL.createObjectURL(new Blob([`
    fetch("http://${at}/from_worker").catch(() => 0); new WebSocket("ws://${at}/from_worker");
    try { importScripts("http://${at}/imported.js"); } catch {}`]))),
  at => new SharedWorker(URL.createObjectURL(new Blob([`
    fetch("http://${at}/from_shared").catch(() => 0); new WebSocket("ws://${at}/from_shared");`]))),
  at => {
    add("iframe", {name: "sink"});
    add("form", {action: "http://" + at + "/form", method: "POST", target: "sink"});
    document.body.lastChild.submit();
  },
  at => {
    const ice = {iceServers: [{urls: ["stun:" + at]},
      {urls: ["turn:" + at + "?transport=tcp"], username: "u", credential: "c"}]};
    const frame = document.createElement("iframe");
    document.body.append(frame);
    for (const here of [window, frame.contentWindow]) {
      const Peer = here.RTCPeerConnection || here.webkitRTCPeerConnection;
      const peer = Peer && new Peer(ice);
      if (!peer) continue;
      peer.createDataChannel("x");
      peer.createOffer().then(offer => peer.setLocalDescription(offer));
    }
  },
];
tries.forEach((attempt, way) => inside.forEach((at, n) => {
  if ((n + way) %% 3) return;
  try { Promise.resolve(attempt(at)).catch(() => 0); } catch {}
}));
try { navigator.serviceWorker.register("/sw.js").catch(() => 0); } catch {}
for (const link of document.querySelectorAll("a")) link.click();
const done = document.createElement("p");
done.textContent = "The script ran to its end.";
document.body.append(done);
"""


class Canary(asyncio.DatagramProtocol):
    """Listens on every address of this machine, over TCP and UDP, and counts who comes."""

    def __init__(self) -> None:
        self.hits: list[str] = []
        self.came = asyncio.Event()
        self.port = 0

    def datagram_received(self, data: bytes, addr: object) -> None:
        self.hits.append(f"UDP {data[:20]!r} from {addr}")

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.hits.append("TCP")
        self.came.set()
        self.hits[-1] = f"TCP {(await reader.read(80))!r}"
        writer.close()


@asynccontextmanager
async def canary() -> AsyncGenerator[Canary]:
    bird, loop = Canary(), asyncio.get_running_loop()
    v4 = await asyncio.start_server(bird.accept, "0.0.0.0", 0)  # noqa: S104
    bird.port = v4.sockets[0].getsockname()[1]
    v6 = await asyncio.start_server(bird.accept, "::", bird.port)
    udp, _ = await loop.create_datagram_endpoint(lambda: bird, ("::", bird.port))
    try:
        async with v4, v6:
            yield bird
    finally:
        udp.close()


def browsers(
    site: Site, *, limit_s: float = PAGE_S, max_bytes: int = MAX_MEMORY_BYTES, chromium: str = ""
) -> Browsers:
    """Skips the test where no Chromium is."""
    return Browsers(
        Settings(
            crawl_allow="page.test",
            crawl_connect=f"page.test=127.0.0.1:{site.port}",
            crawl_browser=chromium or chromium_path(),
        ),
        limit_s=limit_s,
        max_bytes=max_bytes,
    )


@pytest.mark.proves("attacks.browser_cost")
async def test_no_page_turns_the_sandbox_off(tmp_path: Path) -> None:
    unsandboxed = tmp_path / "chromium"  # starts for root as well, whatever it is told
    unsandboxed.write_text(f'#!/bin/sh\nexec {chromium_path()} --no-sandbox "$@"\n')
    unsandboxed.chmod(0o700)
    async with serving() as site:
        rendering = browsers(site, chromium=str(unsandboxed))
        rendering.is_sandboxed = True
        site.answer("/zygote_host", lambda: web.Response(status=204))  # no page to go to
        url = "http://page.test/zygote_host?No usable sandbox"
        with pytest.raises(FetchFailed, match="could not be opened in it"):
            await rendering.render(url, session=tmp_path)
    assert rendering.is_sandboxed


async def redirect(request: web.Request) -> web.StreamResponse:
    raise web.HTTPFound(request.query["to"])


@pytest.mark.proves("attacks.browser_ssrf")
async def test_no_script_reaches_this_machine_or_any_address_that_is_not_public(
    tmp_path: Path,
) -> None:
    """Each way is tried with five spellings, and each spelling in ten ways."""
    async with serving() as site, canary() as bird:
        rendering = browsers(site, limit_s=90.0, max_bytes=2_000_000_000)
        hosts = ", ".join(f'"{host}"' for host in INSIDE)
        script = WAYS % {"hosts": hosts, "port": bird.port}
        site.html("/page", "<html><body><script src=/attack.js></script></body></html>")
        site.html("/attack.js", script, content_type="text/javascript")
        worker = f'fetch("http://127.0.0.1:{bird.port}/from_service_worker")'
        site.html("/sw.js", worker, content_type="text/javascript")
        site.pages["/redirect"] = redirect
        html = await rendering.render("http://page.test/page", session=tmp_path)
        assert bird.hits == []
        assert "The script ran to its end." in html
        assert "/sw.js" not in site.hits
        _, writer = await asyncio.open_connection("127.0.0.1", bird.port)
        writer.write(b"it does listen")
        writer.write_eof()
        await writer.drain()
        writer.close()
        await asyncio.wait_for(bird.came.wait(), 30)  # it does listen


@pytest.mark.proves("attacks.browser_ssrf")
async def test_a_script_with_the_sites_own_port_goes_only_where_the_guard_lets_it(
    tmp_path: Path,
) -> None:
    """Its loopback port is open to the guard alone: no spelling of the address leads there."""
    async with serving() as site:
        spelled = [f"http://{host}:{site.port}/inner" for host in INSIDE if host != "page.test"]
        script = "".join(f'fetch("{url}", {{mode: "no-cors"}}).catch(() => 0);' for url in spelled)
        script += 'fetch("/data").then(r => r.text()).then(t => document.body.innerHTML = t)'
        site.html("/page", "<html><body><script src=/attack.js></script></body></html>")
        site.html("/attack.js", script, content_type="text/javascript")
        site.html("/data", "<p>What the site says.</p>")
        html = await browsers(site).render("http://page.test/page", session=tmp_path)
    assert "What the site says." in html
    assert set(site.hits) <= {"/page", "/attack.js", "/data", "/favicon.ico"}


HEAVY = {
    "an endless loop": "fetch('/started').finally(() => { for (;;); })",
    "endless memory": (
        "fetch('/started').finally(() => { const kept = [];"
        " for (;;) kept.push(new Uint8Array(20e6).fill(7)); })"
    ),
    "endless windows": "fetch('/started'); for (;;) { open('/page'); alert(1); }",
}


@pytest.mark.proves("attacks.browser_cost")
@pytest.mark.parametrize("script", HEAVY.values(), ids=HEAVY)
async def test_a_page_that_never_ends_is_ended_with_all_its_processes(
    script: str, tmp_path: Path
) -> None:
    async with serving() as site:
        rendering = browsers(site, limit_s=6.0)
        site.html("/page", f"<html><body><script>{script}</script></body></html>")
        before = set(below(os.getpid()))
        with suppress(FetchFailed):
            await rendering.render("http://page.test/page", session=tmp_path)
        assert set(below(os.getpid())) <= before


@pytest.mark.proves("attacks.browser_cost")
async def test_a_process_whose_name_is_cut_costs_no_page_its_limits(tmp_path: Path) -> None:
    named = tmp_path / "Hintergrund-prüfung"  # the system keeps 15 bytes
    named.symlink_to("/bin/sleep")
    process = await asyncio.create_subprocess_exec(named, "60")
    try:
        async with serving() as site:
            site.html("/page", f"<body><script>{HEAVY['an endless loop']}</script></body>")
            before = set(below(os.getpid()))
            with pytest.raises(FetchFailed, match="too much memory"):
                await browsers(site, max_bytes=1).render("http://page.test/page", session=tmp_path)
            assert set(below(os.getpid())) <= before
    finally:
        process.kill()
        await process.wait()


@pytest.mark.proves("attacks.browser_cost")
@pytest.mark.parametrize("end", ["cancelled", "killed"])
async def test_no_browser_outlives_its_toolkit(end: str, tmp_path: Path) -> None:
    started = asyncio.Event()

    async def note(_: web.Request) -> web.StreamResponse:
        started.set()
        return web.Response(text="ok")

    async with serving() as site:
        site.html("/page", f"<html><body><script>{HEAVY['an endless loop']}</script></body></html>")
        site.pages["/started"] = note
        code = (
            "# forked\n"
            "import asyncio; from pathlib import Path; from mcp_local.browser import Browsers; "
            "from mcp_local.settings import Settings; "
            "asyncio.run(Browsers(Settings()).render('http://page.test/page', session=Path('x')))"
        )
        toolkit = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            code,
            env={
                "PATH": os.defpath,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                "CRAWL_ALLOW": "page.test",
                "CRAWL_CONNECT": f"page.test=127.0.0.1:{site.port}",
                "CRAWL_BROWSER": chromium_path(),
            },
            stderr=asyncio.subprocess.DEVNULL,
        )
        async with asyncio.timeout(60):
            await started.wait()
        processes = below(toolkit.pid)
        assert len(processes) > 3
        toolkit.kill() if end == "killed" else toolkit.terminate()
        await toolkit.wait()
        assert await asyncio.to_thread(all_end, processes, 60.0)


def below(pid: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = path.read_bytes().rpartition(b")")[2].split()[:2]
            if state != b"Z":
                parents.setdefault(int(parent), []).append(int(path.parent.name))
    found = [pid]
    for each in found:
        found += parents.get(each, [])
    return found[1:]


def all_end(processes: list[int], patience_s: float) -> bool:
    """Whether all of them end within some seconds."""
    latest = time.monotonic() + patience_s
    for pid in processes:
        with suppress(ProcessLookupError):
            watched = os.pidfd_open(pid)
            ended, _, _ = select.select([watched], [], [], max(0.0, latest - time.monotonic()))
            os.close(watched)
            if not ended:
                return False
    return True
