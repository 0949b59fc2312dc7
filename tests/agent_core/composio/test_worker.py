"""Composio's package works in a process of its own, which comes at need, goes, and may die."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import psutil
import pytest

from agent_core.composio import ComposioWorker, worker_process
from agent_core.composio.worker import WORKER_LIMITS
from agent_core.errors import ComposioRefusedError, ToolServerError
from tests.agent_core.composio.workers import worker_at
from tests.agent_core.mcp.http_world import Answer, Recording, Seen
from tests.agent_core.mcp.loopback import serve
from tests.e2e.processes import alive, children

KEY = "key-of-the-project"
JSON = {"content-type": "application/json"}
AS_A_PROCESS = pytest.mark.process("the process is what is tried")
USER = {"user_ids": ["T1:U1"]}


class Composio(Recording):
    """Lists no accounts; a question may be kept waiting for its answer for ever."""

    def __init__(self) -> None:
        super().__init__(self)
        self.rule = self._answer
        self.base_url = ""
        self.keeps_waiting = False
        self.asked = asyncio.Event()

    def _answer(self, _: Seen) -> Answer:
        self.asked.set()
        is_kept, self.keeps_waiting = self.keeps_waiting, False
        body = b" " if is_kept else b'{"items": []}'
        return Answer(status=200, headers=JSON, body=body, for_ever=is_kept)


@pytest.fixture
async def service() -> AsyncGenerator[Composio]:
    service = Composio()
    async with serve(service) as port:
        service.base_url = f"http://127.0.0.1:{port}"
        yield service


@asynccontextmanager
async def process_at(
    base_url: str,
    *,
    idle_after_s: float = 600,
    may_start: asyncio.Event | None = None,
    **environment: str,
) -> AsyncGenerator[ComposioWorker]:
    process = worker_process(
        api_key=KEY,
        base_url=base_url,
        environment=environment,
        limits=replace(WORKER_LIMITS, idle_after_s=idle_after_s),
    )
    worker = ComposioWorker(process, api_key=KEY, base_url=base_url, may_start=may_start)
    try:
        yield worker
    finally:
        await worker.close()


def workers(of: int | None = None) -> list[int]:
    return children(b"mcp_local.composio_worker", of)


async def ended(pids: list[int]) -> None:
    """Return once they have ended; the test's own time limit says that they do not."""
    living = [psutil.Process(pid) for pid in alive(pids)]
    await asyncio.to_thread(psutil.wait_procs, living)


async def killed_during(service: Composio, asking: asyncio.Task[object]) -> None:
    """Kill the worker while Composio keeps it waiting for an answer."""
    await service.asked.wait()
    os.kill(workers()[0], signal.SIGKILL)
    await asyncio.wait({asking})


@AS_A_PROCESS
@pytest.mark.proves("composio.worker", "composio.package")
async def test_a_worker_that_is_killed_is_replaced_and_only_what_reads_is_asked_again(
    service: Composio,
) -> None:
    async with process_at(service.base_url) as worker:
        assert workers() == [], "it starts at need"
        service.keeps_waiting = True
        asking = asyncio.create_task(worker.ask("list_accounts", **USER))
        await service.asked.wait()
        [first] = workers()
        assert KEY not in psutil.Process(first).cmdline()
        await killed_during(service, asking)
        assert asking.result() == {"items": [], "next_cursor": None}
        assert [seen.method for seen in service.seen] == ["GET", "GET"]
        assert workers() not in ([], [first])
        service.seen.clear()
        service.asked.clear()
        service.keeps_waiting = True
        asking = asyncio.create_task(worker.ask("create_session", user_id="T1:U1"))
        await killed_during(service, asking)
        with pytest.raises(ToolServerError, match="may or may not have run"):
            asking.result()
        assert [seen.method for seen in service.seen] == ["POST"]
        await worker.ask("list_accounts", **USER)
    assert workers() == []


@AS_A_PROCESS
@pytest.mark.proves("composio.worker")
async def test_an_idle_worker_ends_and_comes_back(service: Composio) -> None:
    async with process_at(service.base_url, idle_after_s=0) as worker:
        for _ in range(2):
            await worker.ask("list_accounts", **USER)
            await ended(workers())


@AS_A_PROCESS
@pytest.mark.proves("composio.late")
async def test_work_that_goes_on_after_a_crash_starts_no_worker_before_people_are_heard(
    service: Composio,
) -> None:
    is_heard = asyncio.Event()
    async with (
        process_at(service.base_url) as other,
        process_at(service.base_url, may_start=is_heard) as worker,
    ):
        asking = asyncio.create_task(worker.ask("list_accounts", **USER))
        await other.ask("list_accounts", **USER)
        assert len(workers()) == 1
        is_heard.set()
        assert (await asking)["items"] == []
        assert len(workers()) == 2


@AS_A_PROCESS
@pytest.mark.proves("composio.tracking")
async def test_nobody_is_told_what_the_package_is_used_for(service: Composio) -> None:
    heard: list[bytes] = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readline())
        writer.close()

    outside = await asyncio.start_server(listen, "127.0.0.1", 0)
    proxy = f"http://127.0.0.1:{outside.sockets[0].getsockname()[1]}"
    async with outside:
        async with process_at(service.base_url, HTTPS_PROXY=proxy) as worker:
            await worker.ask("describe_tool", slug="GMAIL_SEND_EMAIL")
            service.rule = lambda _: Answer(status=500, headers=JSON, body=b"{}")
            with pytest.raises(ComposioRefusedError):
                await worker.ask("delete_session", session_id="trs_1")
        # The same call with tracking: what is listened to is where it would be sent.
        tracked = (
            "# forked\n"
            "from mcp_local.composio_worker import allow_tracking, open_composio;"
            f"composio = open_composio(api_key='k', base_url={service.base_url!r});"
            "allow_tracking.set(True);"
            "composio.tools.get_raw_composio_tool_by_slug('GMAIL_SEND_EMAIL')"
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            tracked,
            env={"HTTPS_PROXY": proxy, "PATH": os.defpath},
            stderr=asyncio.subprocess.DEVNULL,
        )
        await process.wait()
    assert heard == [b"CONNECT telemetry.composio.dev:443 HTTP/1.1\r\n"]


@AS_A_PROCESS
@pytest.mark.proves("composio.worker")
async def test_a_worker_ends_with_a_bot_that_is_killed(service: Composio) -> None:
    script = (
        "# forked\n"
        "import asyncio, sys\n"
        "from agent_core.composio import ComposioWorker, worker_process\n"
        "async def main():\n"
        f"    there = dict(api_key='k', base_url={service.base_url!r})\n"
        "    worker = ComposioWorker(worker_process(environment={}, **there), **there)\n"
        "    await worker.warm()\n"
        "    print('warm', flush=True)\n"
        "    await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    bot = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE
    )
    assert bot.stdout is not None
    assert await bot.stdout.readline() == b"warm\n"
    pids = workers(bot.pid)
    assert len(pids) == 1
    bot.kill()
    await bot.wait()
    await ended(pids)


@AS_A_PROCESS
@pytest.mark.proves("composio.package")
def test_the_bots_own_process_never_imports_the_package() -> None:
    heavy = {"composio", "composio_client", "openai", "mcp_local"}
    script = f"import sys, bot.start, bot.cli; print(sorted(set(sys.modules) & {heavy!r}))"
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout.strip() == "[]"


async def test_a_refusal_says_when_to_come_back(service: Composio) -> None:
    limited = {**JSON, "retry-after": "7"}
    service.rule = lambda _: Answer(status=429, headers=limited, body=b'{"error": "slowly"}')
    async with worker_at(service.base_url, KEY) as worker:
        with pytest.raises(ComposioRefusedError) as caught:
            await worker.ask("list_accounts", **USER)
    assert str(caught.value) == "Composio refused: 429 slowly (Retry-After: 7)"
    assert caught.value.status == 429
    assert len(service.seen) == 1, "nothing is asked twice"


async def test_a_key_is_not_sent_without_encryption() -> None:
    async with process_at("http://would-read-the-key.test") as worker:
        with pytest.raises(ToolServerError, match="https"):
            await worker.ask("list_accounts", **USER)
    assert workers() == []
