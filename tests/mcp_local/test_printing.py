"""Pages are printed where Chromium's own sandbox cannot be had, as in a container of Docker's."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from mcp_local.browser import Browsers
from mcp_local.errors import FetchFailed
from mcp_local.settings import Settings
from tests.browser import chromium_path

pytestmark = pytest.mark.process("Chromium prints")

TIMEOUT_S = 100.0
NO_NAMESPACES = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"'
AS_IN_A_CONTAINER = (
    *("unshare", "--user", "--map-user=10001", "--keep-caps"),
    *("sh", "-c", NO_NAMESPACES, "sh"),
)
"""A process that is not root, and may make no user namespaces."""


async def run(cwd: Path, *command: str) -> tuple[int, bytes]:
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=cwd,
        env={"PYTHONPATH": ":".join(sys.path), "HOME": str(cwd), "CRAWL_BROWSER": chromium_path()},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    out, _ = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
    return process.returncode or 0, out


async def examined(cwd: Path, *within: str) -> dict[str, Any]:
    """What `bot check` learns about the browser."""
    code, out = await run(cwd, *within, sys.executable, "-m", "mcp_local.browser")
    assert code == 0
    return json.loads(out)


@pytest.mark.proves("image.prints")
async def test_without_user_namespaces_pages_are_printed_and_read(tmp_path: Path) -> None:
    code, _ = await run(tmp_path, *AS_IN_A_CONTAINER, "true")
    if code:
        pytest.skip("this machine lets nobody take user namespaces away")
    browser = await examined(tmp_path, *AS_IN_A_CONTAINER)
    assert browser["prints"]
    assert browser["problem"] == ""
    assert not browser["sandboxed"]


def script(directory: Path, body: str) -> Path:
    """A Chromium of this shell script."""
    file = directory / "chromium"
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o700)
    return file


async def test_a_page_that_cannot_be_printed_does_not_turn_the_sandbox_off(tmp_path: Path) -> None:
    """The browser ends on each page that is not empty."""
    last = 'for page; do :; done\n[ -s "${page#file://}" ] && exit 1'
    chromium = script(tmp_path, f'{last}\nexec {chromium_path()} --no-sandbox "$@"')
    browsers = Browsers(Settings(crawl_browser=str(chromium)))
    browsers.is_sandboxed = True
    with pytest.raises(FetchFailed, match="could not be printed"):
        await browsers.print(b"<p>A page</p>", session=tmp_path)
    assert browsers.is_sandboxed


@pytest.mark.proves("report.print_alone")
async def test_reports_are_printed_one_at_a_time_in_turns_by_session(tmp_path: Path) -> None:
    """The browser notes whom it prints for, and that it began and ended alone."""
    order = tmp_path / "order"
    body = (
        'for argument; do case "$argument" in --print-to-pdf=*) pdf="${argument#*=}";; esac; done\n'
        "for page; do :; done\n"
        f'echo "begin $(cat "${{page#file://}}")" >>{order}\n'
        'echo printed >"$pdf"\n'
        f'echo "end $(cat "${{page#file://}}")" >>{order}'
    )
    browsers = Browsers(Settings(crawl_browser=str(script(tmp_path, body))))
    async with asyncio.TaskGroup() as group:
        for number, session in enumerate("aaabb"):
            page = f"{session}{number}".encode()
            group.create_task(browsers.print(page, session=tmp_path / session))
    lines = order.read_text().split()
    pages = ["a0", "b3", "a1", "b4", "a2"]
    assert lines == [word for page in pages for word in ("begin", page, "end", page)]
