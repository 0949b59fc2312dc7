"""A browser of its own process for each job: pages that scripts make, and reports to be printed."""

import asyncio
import json
import os
import re
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import psutil

from mcp_local.errors import FetchFailed
from mcp_local.fair_semaphore import FairSemaphore
from mcp_local.settings import Settings

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_DOWNLOADED = ("chromium-*/chrome-*/chrome", "chromium_headless_shell-*/*/*headless*shell")
"""Where Playwright keeps the browsers that it downloaded."""

MAX_AT_ONCE = 2
"""Pages that are read; a report is printed beside them, one at a time."""
MAX_MEMORY_BYTES = 512_000_000
"""Of a page's processes together, what they share with others not counted."""
PAGE_S = 45.0
"""From the start of the browser to the page's text; it takes about three seconds."""

PRINT_S = 20.0
"""From the start of the browser to the PDF; it takes about one second."""

LEAN = (
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
    "--js-flags=--max-old-space-size=192",
)
"""As few processes as a page needs, and a bound for its scripts."""
_LEANER = (
    "--enable-features=NetworkServiceInProcess2",
    "--disable-features=SpareRendererForSitePerProcess",
    "--in-process-gpu",
    "--no-unsandboxed-zygote",
    "--disable-software-rasterizer",
)
"""What prints a page of ours has no network and draws nothing in three dimensions, and no second
page follows: four processes fewer, some 50 MB."""
_LOW_PRIORITY = ("nice", "-n", "10")
"""What answers people goes first: a browser takes the processor that is left."""
_ENDED_WITH_US = ("setpriv", "--pdeathsig", "KILL")
"""A browser that prints does not hear of our end; Linux ends it then."""

NETWORK_OFF = (
    # A reserved port of no service; nothing may go around it, loopback neither.
    "--proxy-server=http://127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy",
    "--disable-quic",
    "--disable-background-networking",
    "--dns-prefetch-disable",
    "--no-pings",
    "--block-new-web-contents",
)
"""The browser has no network of its own."""

NO_SANDBOX = "its sandbox cannot be set up here"
_WATCH_S = 0.2
_OWN = re.compile(rb"^Rss(?:Anon|Shmem):\s+(\d+)", re.M)
_BROKEN = "took too long or too much memory in it"


def find_chromium(setting: str) -> str:
    """The path of a Chromium, or "": as the setting says, on the PATH, or in Playwright's cache."""
    if setting:
        return "" if setting == "off" else shutil.which(setting) or ""
    if command := next(filter(None, map(shutil.which, COMMANDS)), ""):
        return command
    with suppress(RuntimeError):  # whoever runs this has no home
        cache = Path.home() / ".cache" / "ms-playwright"
        return next((str(path) for glob in _DOWNLOADED for path in sorted(cache.glob(glob))), "")
    return ""


class Browsers:
    """Renders and prints pages, each with a browser that is started for it and ended behind it.

    One for all tools of a process: what it learns about Chromium's sandbox holds for both.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        limit_s: float = PAGE_S,
        max_bytes: int = MAX_MEMORY_BYTES,
    ) -> None:
        self._settings = settings
        self._limit_s = limit_s
        self._max_bytes = max_bytes
        self._reading = FairSemaphore(MAX_AT_ONCE)
        self._printing = FairSemaphore(1)
        self.is_sandboxed = os.geteuid() != 0
        """Whether Chromium's own sandbox holds: root has none, and some containers allow none."""

    async def render(self, url: str, *, session: Path) -> str:
        """The page's HTML once its scripts have run; FetchFailed says why there is none."""
        chromium = find_chromium(self._settings.crawl_browser)
        if not chromium:
            raise FetchFailed(
                "needs a browser, and none is set up here; `bot check` says how to get one"
            )
        async with self._reading.slot(session):
            answer = await self._ask(chromium, url)
            if self.is_sandboxed and answer.get("error") == NO_SANDBOX:
                self.is_sandboxed = False
                answer = await self._ask(chromium, url)
        if "html" not in answer:
            raise FetchFailed(f"needs a browser; {answer.get('error', _BROKEN)}")
        return answer["html"]

    async def print(self, page: bytes, *, session: Path) -> bytes:
        """A page of ours as PDF, nothing of it fetched; FetchFailed where there is no browser."""
        chromium = find_chromium(self._settings.crawl_browser)
        if not chromium:
            raise FetchFailed("needs a browser, and none is set up here")
        async with self._printing.slot(session):
            pdf = await self._printed(chromium, page)
            if not pdf and self.is_sandboxed and await self._lacks_sandbox(chromium):
                self.is_sandboxed = False
                pdf = await self._printed(chromium, page)
        if not pdf:
            raise FetchFailed("could not be printed")
        return pdf

    async def _lacks_sandbox(self, chromium: str) -> bool:
        """Whether an empty page is printed without Chromium's own sandbox alone.

        A report that cannot be printed must not turn the sandbox off, so it has no part in this.
        """
        if await self._printed(chromium, b"", is_sandboxed=True):
            return False
        return bool(await self._printed(chromium, b"", is_sandboxed=False))

    async def _printed(
        self, chromium: str, page: bytes, *, is_sandboxed: bool | None = None
    ) -> bytes:
        """The page as PDF; empty where the browser made none."""
        with _home() as home:
            source = Path(home) / "page.html"
            printed = Path(home) / "page.pdf"
            await asyncio.to_thread(source.write_bytes, page)
            command = [
                chromium,
                "--headless",
                "--disable-gpu",
                *NETWORK_OFF,
                *LEAN,
                *_LEANER,
                f"--user-data-dir={home}/profile",
                "--no-pdf-header-footer",
                "--generate-pdf-document-outline",
                f"--print-to-pdf={printed}",
                source.as_uri(),
            ]
            if not (self.is_sandboxed if is_sandboxed is None else is_sandboxed):
                command.insert(1, "--no-sandbox")
            await self._run(home, *command, limit_s=PRINT_S)
            if not printed.is_file():
                return b""
            return await asyncio.to_thread(printed.read_bytes)

    async def _ask(self, chromium: str, url: str) -> dict[str, str]:
        with _home() as home:
            command = (sys.executable, "-m", "mcp_local.browser.page", url, chromium)
            answer = await self._run(home, *command, limit_s=self._limit_s)
        try:
            return json.loads(answer or b"{}")
        except ValueError:
            return {}

    async def _run(self, home: str, *command: str, limit_s: float) -> bytes:
        """What a process prints that lives in `home`; nothing of it is left when this returns."""
        process = await asyncio.create_subprocess_exec(
            *(_ENDED_WITH_US if shutil.which("setpriv") else ()),
            *_LOW_PRIORITY,
            *command,
            stdin=asyncio.subprocess.PIPE,  # its end tells the process that we are gone
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=self._environment(home),
            start_new_session=True,
        )
        watch = asyncio.create_task(_watch(home, self._max_bytes))
        try:
            async with asyncio.timeout(limit_s):
                return await process.stdout.read() if process.stdout else b""
        except TimeoutError:
            return b""
        finally:
            watch.cancel()
            with suppress(ProcessLookupError):
                process.kill()
            _end(home)
            await process.wait()
            _end(home)

    def _environment(self, home: str) -> dict[str, str]:
        """All that the browser's process is told: nothing of ours but where it may go."""
        return {
            "PATH": os.defpath,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "HOME": home,
            "TMPDIR": home,
            "CRAWL4_AI_BASE_DIRECTORY": home,
            "CRAWL4AI_NO_CLOUD_NOTICE": "1",
            "CRAWL4AI_CHROMIUM_SANDBOX": str(self.is_sandboxed).lower(),
            "PYDANTIC_DISABLE_PLUGINS": "__all__",
            "CRAWL_ALLOW": self._settings.crawl_allow,
            "CRAWL_CONNECT": self._settings.crawl_connect,
        }


def _home() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="browser_", ignore_cleanup_errors=True)


async def _watch(home: str, max_bytes: int) -> None:
    """End the processes of a page when they hold too much."""
    while True:
        if await asyncio.to_thread(memory_of, home) > max_bytes:
            _end(home)
        await asyncio.sleep(_WATCH_S)


def memory_of(home: str) -> int:
    """Bytes that a page's processes hold for themselves; 0 where /proc does not say."""
    kilobytes = 0
    for process in _processes(home):
        with suppress(OSError):
            status = Path(f"/proc/{process.pid}/status").read_bytes()
            kilobytes += sum(map(int, _OWN.findall(status)))
    return kilobytes * 1024


def _processes(home: str) -> list[psutil.Process]:
    """All that live in the page's directory, and what they started.

    Neither a process group nor parents hold them together: Chromium leaves the group of its
    starter, and outlives it for a moment.
    """
    running = list(psutil.process_iter(["ppid", "environ"]))
    owned: list[psutil.Process] = []
    for process in running:
        environ: dict[str, str] = process.info["environ"] or {}
        if environ.get("HOME") == home:
            owned.append(process)
    for parent in owned:
        children = [each for each in running if each.info["ppid"] == parent.pid]
        owned += [child for child in children if child not in owned]
    return owned


def _end(home: str) -> None:
    for process in _processes(home):
        with suppress(psutil.Error):
            process.kill()
