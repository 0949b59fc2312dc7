"""Programs that a model wrote, run in Monty: a subset of Python without network or processes.

Monty's workers have an empty environment and see no files but those that are mounted here. A
program that waits for a child run occupies no worker: its state is stored, and it is resumed with
the child's result, be it in another process of the bot and days later.
"""

import asyncio
import os
import re
import shutil
import sysconfig
import zlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache
from pydantic import BaseModel

from agent_core.clock import find_zone
from agent_core.errors import ChildRefused
from agent_core.ids import RunId, TurnId
from agent_core.json_values import digest_of_json
from agent_core.programs.charts import chart
from agent_core.programs.seats import FairSeats
from agent_core.programs.source import prepared
from agent_core.tools import Artifact, ToolContext, ToolOutput
from agent_core.workspaces.layout import (
    TRACES,
    WORK_PRODUCTS,
    SpaceTaken,
    check_room,
    space_taken,
    write_text,
)
from agent_core.workspaces.tables import make_safe

if TYPE_CHECKING:
    from pydantic_monty import AsyncMontySession, AsyncSnapshot

TYPES = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".tsv": "text/tab-separated-values",
    ".txt": "text/plain",
}
"""What a program may write: nothing that a browser takes for a page or a script."""

WORKER_NICENESS = 10
MAX_PROMPT_CHARS = 20_000
"""Of one child's prompt."""

_MIMETYPES = {**TYPES, ".svg": "image/svg+xml"}
_READS = (
    "Path.absolute", "Path.exists", "Path.is_dir", "Path.is_file", "Path.is_symlink",
    "Path.iterdir", "Path.read_bytes", "Path.read_text", "Path.resolve", "Path.scan", "Path.stat",
)  # fmt: skip
_WRITES = ("Path.append_bytes", "Path.append_text", "Path.write_bytes", "Path.write_text")
_WRITE_MODES = set("wax+")
_WATCH = 'read -r _; kill -9 "$0"'
_FORK = "async def _fork(prompt): return fork(prompt)"
"""Called where a program awaits `fork`."""
_MAX_PATH_BYTES = 200
_MAX_TITLE_CHARS = 200
_TOO_LARGE = "limit reached: the variables are too large to be kept; write data to work_products/"
_AS_BEFORE = "Variables are as they were before this program."

HostReply = dict[str, Any]
"""As Monty takes it: a `return_value`, an `exception`, or a `future` instead of one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramLimits:
    """Of one program, from its start to its end; it is told which one it reached."""

    max_code_chars: int = 20_000
    max_s: float = 20.0
    """Of computing; waiting for children does not count."""
    max_memory_bytes: int = 64_000_000
    max_suspensions: int = 20_000
    """How often it may turn to its host for anything, files among it, between two waits."""
    max_calls: int = 100
    """Of `fork`, `wait` and `plot` together."""
    max_printed_chars: int = 20_000
    max_value_chars: int = 10_000
    max_written_bytes: int = 20_000_000
    max_files: int = 20
    max_turn_bytes: int = 100_000_000
    max_turn_files: int = 60
    """Of all programs of a turn together, those of its children among them."""
    max_kept_bytes: int = 4_000_000
    """Of a program that waits, and of the variables that it leaves; compressed."""


class Program(BaseModel):
    """Progress of a program; it is stored with the state while the program waits."""

    printed: str = ""
    printed_chars: int = 0
    calls: int = 0
    written_bytes: int = 0
    files: dict[str, str] = {}
    """What it wrote, folders among it, relative to the workspace, and the titles."""
    children: list[tuple[str, str]] = []
    """In order: key and prompt of one that it started, "" and id of one whose result it has."""
    futures: dict[int, RunId] = {}
    """Children whose results it will await, by Monty's number of the call."""
    awaits: dict[int, RunId] = {}
    """It waits for at least one of these, likewise."""
    output: ToolOutput | None = None
    """None until it has ended."""


def _missing() -> str:
    """Why no program can run on this machine; empty where one can."""
    scripts = sysconfig.get_path("scripts")
    if shutil.which("monty", path=scripts) or shutil.which("monty"):
        return ""
    return "the program `monty` of pydantic-monty is not installed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpreter:
    """The interpreter of a process, and its limits."""

    limits: ProgramLimits = ProgramLimits()
    fault: str = field(default_factory=_missing)
    """Why no program can run here; empty where that is not so."""
    seats: FairSeats = field(default_factory=FairSeats)
    """Of programs that compute at the same time; others wait for their turn."""
    written: LRUCache[TurnId, Program] = field(default_factory=lambda: LRUCache(1_000))
    """What the programs of each turn wrote together, in this process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramExecution:
    """A program at work, and the host functions that it may call, until it ends or waits."""

    interpreter: Interpreter
    program: Program
    context: ToolContext
    start_child: Callable[[str, str], Awaitable[RunId]]
    """Once for a key, with a prompt."""
    session: SpaceTaken = field(default_factory=SpaceTaken)
    """What the session's files took when the program began, and what it wrote since."""

    async def begin(self, code: str, variables: bytes) -> bytes:
        """Run code with the variables that an earlier program left.

        Gives what is to be kept: of a program that waits its state, of one that has ended all that
        is defined, or nothing where that is as it was.
        """
        limits = self.interpreter.limits
        if len(code) > limits.max_code_chars:
            return await self._end(
                error=f"limit reached: {limits.max_code_chars} characters of code"
            )
        text = prepared(code, limits.max_value_chars)

        async def start(session: "AsyncMontySession", **how: Any) -> "AsyncSnapshot":
            if variables:
                await session.load_session(await asyncio.to_thread(zlib.decompress, variables))
            await session.feed_run(_FORK)
            return await session.feed_start(text, cwd=str(self.context.workspace), **how)

        return await self._run(start, is_begun=False)

    async def resume(self, state: bytes, answers: Mapping[int, HostReply]) -> bytes:
        """Go on with a program that waited, whichever process it waited in; as `begin`."""
        program = self.program
        awaited = program.awaits
        program.awaits = {}
        for number, answer in answers.items():
            program.futures.pop(number, None)
            if "return_value" in answer:
                program.children.append(("", awaited[number]))

        async def start(session: "AsyncMontySession", **how: Any) -> "AsyncSnapshot":
            dump = await asyncio.to_thread(zlib.decompress, state)
            snapshot: Any = await session.load_snapshot(dump, **how)
            is_one_call = hasattr(snapshot, "call_id")
            return await snapshot.resume(answers[snapshot.call_id] if is_one_call else answers)

        return await self._run(start, is_begun=True)

    async def _run(self, start: Callable[..., Awaitable[Any]], *, is_begun: bool) -> bytes:
        monty = await asyncio.to_thread(import_module, "pydantic_monty")
        counted = await asyncio.to_thread(space_taken, self.context.workspace)
        self.session.files = counted.files
        self.session.size_bytes = counted.size_bytes
        limits = self.interpreter.limits
        context = self.context
        zone = context.zone
        conditions = {
            "limits": {
                "max_feed_duration_secs": limits.max_s,
                "max_memory": limits.max_memory_bytes,
                "max_suspensions": limits.max_suspensions,
            },
            "os_policy": {
                "timezone": zone if find_zone(zone) else "utc",
                "sleep": "zero",
            },
        }
        try:
            async with (
                self.interpreter.seats.of(context.asker, context.session, is_begun=is_begun),
                monty.AsyncMonty(max_processes=1) as workers,
                workers.checkout(**conditions) as session,
                AsyncExitStack() as ending,
            ):
                _lower_priority(session.worker_pid)
                await ending.enter_async_context(_ended_with_us(session.worker_pid))
                mounts = [
                    monty.MountDir(
                        host_path=folder,
                        virtual_path=str(folder),
                        mode="read-write" if folder.name == WORK_PRODUCTS else "read-only",
                    )
                    for folder in self._folders()
                ]
                started = start(
                    session,
                    external_lookup=self._functions(),
                    mount=mounts,
                    print_callback=self._printed,
                )
                return await self._drive(session, started)
        except (monty.MontyError, OSError, RuntimeError) as error:
            return await self._end(error=str(error))

    async def _drive(self, session: "AsyncMontySession", started: Awaitable[Any]) -> bytes:
        from pydantic_monty import MontyComplete, MontyRuntimeError, MontySyntaxError

        value = ""
        error = ""
        try:
            snapshot = await started
            while not isinstance(snapshot, MontyComplete):
                reply = await self._reply(snapshot)
                if self.program.awaits:
                    dump = await asyncio.to_thread(snapshot.dump)
                    return await self._kept(dump) or await self._end(error=_TOO_LARGE)
                snapshot = await (snapshot.resume(reply) if reply else snapshot.resume_auto())
            value = "" if snapshot.output in (None, "None") else str(snapshot.output)
        except (MontyRuntimeError, MontySyntaxError) as raised:
            if isinstance(raised.exception(), TimeoutError | MemoryError):
                raise  # in the middle of anything: its variables are in no known state
            error = raised.display()
        variables = await self._kept(await session.dump())
        if not variables:
            error = f"{error}\n{_TOO_LARGE}".strip()
        return await self._end(value, error, variables)

    async def _kept(self, dump: bytes) -> bytes:
        """Compressed state of a program; empty above the size limit."""
        state = await asyncio.to_thread(zlib.compress, dump, 1)
        return state if len(state) <= self.interpreter.limits.max_kept_bytes else b""

    async def _end(self, value: str = "", error: str = "", variables: bytes = b"") -> bytes:
        program = self.program
        artifacts = await asyncio.to_thread(self._artifacts)
        printed = program.printed.rstrip("\n")
        left_out = program.printed_chars - len(program.printed)
        if left_out:
            printed += f"\n[limit reached: {left_out:,} more characters were printed and left out]"
        half = self.interpreter.limits.max_value_chars // 2
        if len(error) > 2 * half:
            error = f"{error[:half]}\n[…]\n{error[-half:]}"
        parts = {
            "Printed": printed,
            "Value": value,
            "Error": error if variables else f"{error}\n{_AS_BEFORE}",
            "Files for the person": ", ".join(artifact.path for artifact in artifacts),
        }
        sections = [f"{name}:\n{text}" for name, text in parts.items() if text]
        text = "\n\n".join(sections) or "The program has ended. It printed nothing."
        program.awaits = {}
        program.output = ToolOutput(text=text, is_error=bool(error), artifacts=artifacts)
        return variables

    def _artifacts(self) -> tuple[Artifact, ...]:
        artifacts: list[Artifact] = []
        for path, title in self.program.files.items():
            file = self.context.workspace / path
            if not file.is_file() or file.is_symlink():
                continue
            make_safe(file)
            artifact = Artifact(
                path=path,
                title=title,
                mimetype=_MIMETYPES[file.suffix.lower()],
                size_bytes=file.stat().st_size,
            )
            artifacts.append(artifact)
        return tuple(artifacts)

    def _printed(self, _stream: str, text: str) -> None:
        program = self.program
        room = self.interpreter.limits.max_printed_chars - len(program.printed)
        program.printed += text[:room]
        program.printed_chars += len(text)

    async def _reply(self, snapshot: Any) -> HostReply | None:
        """None leaves it to Monty, or the program has to wait."""
        if hasattr(snapshot, "pending_call_ids"):
            program = self.program
            program.awaits = {each: program.futures[each] for each in snapshot.pending_call_ids}
        if not hasattr(snapshot, "function_name"):
            return None
        try:
            if snapshot.is_os_function:
                return self._system(snapshot.function_name, snapshot.args)
            return await self._called(snapshot)
        except ChildRefused as refused:
            return {"exception": RuntimeError(str(refused))}
        except (OSError, TypeError, ValueError) as error:
            return {"exception": error}
        except (ArithmeticError, LookupError, RuntimeError, StopIteration) as error:
            # Whatever a host function raises is the program's to catch: its variables stay.
            return {"exception": RuntimeError(str(error) or type(error).__name__)}

    async def _called(self, snapshot: Any) -> HostReply | None:
        program = self.program
        number = snapshot.call_id
        function = self._functions().get(snapshot.function_name)
        if function is None:
            return None  # Monty says that the name is not defined
        program.calls += 1
        max_calls = self.interpreter.limits.max_calls
        if program.calls > max_calls:
            raise RuntimeError(
                f"limit reached: {max_calls} calls of fork, wait and plot in a program"
            )
        value = await function(*snapshot.args, **snapshot.kwargs)
        match snapshot.function_name:
            case "wait":
                program.awaits = {number: RunId(value)}
                return None
            case "_wait":
                program.futures[number] = RunId(value)
                return {"future": ...}
            case _:
                return {"return_value": value}

    def _functions(self) -> dict[str, Callable[..., Awaitable[str]]]:
        return {
            "fork": self.fork,
            "wait": self.wait,
            "_wait": self.wait,
            "plot": self.plot,
        }

    async def fork(self, prompt: str) -> str:
        """A program that is begun again forks the same prompts, and so the same children."""
        text = _text(prompt, "what the child is to do")
        children = self.program.children
        key = f"{digest_of_json(text)[:8]}-{len(children)}"
        run = await self.start_child(key, text)
        children.append((key, text))
        return run

    async def wait(self, id: str) -> str:
        """The child for whom the program is to wait."""
        return _text(id, "the id of a child")

    async def plot(
        self,
        kind: str,
        data: object,
        title: str = "",
        x: str = "",
        y: str = "",
    ) -> str:
        """The path of a chart that was saved."""
        title = str(title)[:_MAX_TITLE_CHARS]
        svg = await asyncio.to_thread(
            chart,
            str(kind),
            data,
            title=title,
            x=str(x),
            y=str(y),
        )
        name = re.sub(r"\W+", "-", title.casefold())[:50].strip("-")
        path = f"{WORK_PRODUCTS}/{name or 'chart'}-{digest_of_json(svg)[:6]}.svg"
        self._note(path, title or "Chart", len(svg))
        await asyncio.to_thread(write_text, self.context.workspace / path, svg)
        return path

    def _system(self, name: str, arguments: tuple[Any, ...]) -> HostReply | None:
        """The reply to a call of the operating system; None leaves it to Monty and the mounts."""
        workspace = self.context.workspace
        if name == "Path.iterdir" and arguments[0] == workspace:
            return {"return_value": [workspace / folder.name for folder in self._folders()]}
        if name == "open" and not _WRITE_MODES.isdisjoint(arguments[1]):
            self._writes(arguments[0], TYPES)
        elif name in _WRITES:
            data = arguments[1]
            encoded = data.encode("utf-8", "replace") if isinstance(data, str) else data
            self._writes(arguments[0], TYPES, len(encoded))
        elif name == "Path.mkdir":
            self._writes(arguments[0])
        elif name.startswith("Path.") and name not in _READS:
            raise PermissionError(f"programs read and write files, but no {name}")
        return None

    def _writes(self, path: PurePosixPath, kinds: Iterable[str] = (), size: int = 0) -> None:
        folder = self.context.workspace / WORK_PRODUCTS
        if folder not in path.parents:
            return  # the mounts refuse it
        inside = path.relative_to(folder)
        is_long = len(str(inside).encode("utf-8", "replace")) > _MAX_PATH_BYTES
        for name in inside.parts:
            if is_long or not name.isprintable() or name[0] in "-.":
                raise PermissionError(f"{name[:40]!r} is not a safe name for a file")
        if kinds and path.suffix.lower() not in kinds:
            raise PermissionError(f"{path.name}: programs write {', '.join(kinds)}")
        relative = path.relative_to(self.context.workspace)
        self._note(str(relative), path.name, size)

    def _note(self, path: str, title: str, size: int) -> None:
        program = self.program
        limits = self.interpreter.limits
        turn = self.interpreter.written.setdefault(self.context.turn, Program())
        bounds = (
            (program, limits.max_files, limits.max_written_bytes, "by a program"),
            (turn, limits.max_turn_files, limits.max_turn_bytes, "in a turn"),
        )
        for total, max_files, max_bytes, by in bounds:
            if path not in total.files and len(total.files) >= max_files:
                raise OSError(f"limit reached: {max_files} files written {by}")
            if total.written_bytes + size > max_bytes:
                raise OSError(f"limit reached: {max_bytes:,} bytes written {by}")
        check_room(self.session, size)
        for total in (program, turn):
            total.files.setdefault(path, title)
            total.written_bytes += size
        self.session.add(size)

    def _folders(self) -> list[Path]:
        """The folders of the workspace that programs see, under the same paths as everywhere."""
        return sorted(
            folder
            for folder in self.context.workspace.iterdir()
            if folder.name != TRACES
            and folder.name[0] != "."
            and folder.is_dir()
            and not folder.is_symlink()
        )


def _lower_priority(worker: int | None) -> None:
    """Programs compute with what the bot leaves: its event loop goes first."""
    if worker is not None:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, worker, WORKER_NICENESS)


@asynccontextmanager
async def _ended_with_us(worker: int | None) -> AsyncGenerator[None]:
    """Watch over a worker that computes: it ends with this process, however that ends.

    It would hear of our end only once its program has ended. The watch hears it at once, from a
    pipe whose other end we hold.
    """
    watch = await asyncio.create_subprocess_exec(
        "/bin/sh",
        "-c",
        _WATCH,
        str(worker or ""),
        stdin=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            watch.kill()
        await watch.wait()


def _text(value: object, meaning: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError(f"{meaning} is a text, not {str(value)[:40]!r}")
    if len(value) > MAX_PROMPT_CHARS:
        raise ValueError(f"{meaning} is a text of at most {MAX_PROMPT_CHARS:,} characters")
    return value
