"""Runs Python that a model wrote, in Monty: a subset of Python without network or processes.

Monty's workers have an empty environment and see no files but those that are mounted here. A
program that waits for a child run holds none of them: it is put away, and taken up again with what
it waited for, be it in another process of the bot and days later.
"""

import ast
import asyncio
import hashlib
import inspect
import re
import shutil
import sysconfig
import warnings
import zlib
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, cast

from agent_core.clock import find_zone
from agent_core.errors import ChildRefused
from agent_core.ids import RunId
from agent_core.tools import Artifact
from agent_core.tools.charts import chart
from agent_core.workspaces.layout import TRACES, WORK_PRODUCTS, write_text

if TYPE_CHECKING:
    from pydantic_monty import AsyncMonty, AsyncMontySession, AsyncSnapshot, MountDir

TYPES = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".tsv": "text/tab-separated-values",
    ".txt": "text/plain",
}
"""What a program may write: nothing that a browser takes for a page or a script."""

_READS = (
    "Path.absolute", "Path.exists", "Path.is_dir", "Path.is_file", "Path.is_symlink",
    "Path.iterdir", "Path.read_bytes", "Path.read_text", "Path.resolve", "Path.scan", "Path.stat",
)  # fmt: skip
_WRITES = (
    "Path.append_bytes", "Path.append_text", "Path.write_bytes", "Path.write_text",
)  # fmt: skip
_FAULTS = (NameError, OSError, PermissionError, RuntimeError, TypeError, ValueError)
_AWAITING = ("gather", "create_task", "ensure_future", "wait_for")
_LISTS = (ast.Starred, ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MAX_NAME_BYTES = 200
_MAX_WORKERS = 4
"""Programs that compute at the same time; others wait for their turn."""


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
    max_kept_bytes: int = 4_000_000
    """Of a program that waits, and of the variables that it leaves; compressed."""


@dataclass(slots=True, kw_only=True)
class Program:
    """How far a program is; it is stored with its state where it waits."""

    printed: str = ""
    printed_chars: int = 0
    calls: int = 0
    written_bytes: int = 0
    files: dict[str, str] = field(default_factory=dict[str, str])
    """What it wrote, folders among it, relative to the workspace, and the titles."""
    forks: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Keys and prompts of the children that it started."""
    waited: list[RunId] = field(default_factory=list[RunId])
    """Children whose results it was given."""
    awaited: dict[int, RunId] = field(default_factory=dict[int, RunId])
    """Children whose results it will await, by Monty's number of the call."""
    given: dict[int, str] = field(default_factory=dict[int, str])
    """Ids of children that it will await, likewise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Where and for whom a program runs."""

    workspace: Path
    zone: str
    fork: Callable[[str, str], Awaitable[RunId]]
    """Starts a child run with a prompt, once for a key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """The program waits for at least one of these children, by Monty's number of the call."""

    awaits: Mapping[int, RunId]
    state: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The program has ended. `value` is of its last expression, `error` says why it failed."""

    value: str = ""
    error: str = ""
    variables: bytes = b""
    """All that is defined now; empty where a limit was reached: then they are as they were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a program gets for a call of `wait`, unless that is refused."""

    run: RunId
    text: str
    is_refused: bool = False


TOO_LARGE = (
    "limit reached: the variables are too large to be kept. Write data to files of work_products/."
)

_Start = Callable[["AsyncMontySession", dict[str, Any]], Awaitable["AsyncSnapshot"]]


class Interpreter:
    """Monty's workers, which are started when the first program comes."""

    def __init__(self, limits: ProgramLimits | None = None, *, fault: str | None = None) -> None:
        self.limits = limits or ProgramLimits()
        self.fault = _missing() if fault is None else fault
        """Why no program can run here; empty where that is not so."""
        self._open = AsyncExitStack()
        self._pool: AsyncMonty | None = None
        self._starting = asyncio.Lock()

    async def begin(
        self, program: Program, code: str, variables: bytes, host: Host
    ) -> Ended | Paused:
        """Run code, with the variables that an earlier program left, until it ends or waits."""
        if len(code) > self.limits.max_code_chars:
            return Ended(error=f"limit reached: {self.limits.max_code_chars} characters of code")
        text = prepared(code, self.limits.max_value_chars)

        async def start(session: "AsyncMontySession", how: dict[str, Any]) -> "AsyncSnapshot":
            if variables:
                await session.load_session(await asyncio.to_thread(zlib.decompress, variables))
            return await session.feed_start(text, cwd=str(host.workspace), **how)

        return await self._run(program, host, start)

    async def resume(
        self, program: Program, state: bytes, answers: Mapping[int, Answer], host: Host
    ) -> Ended | Paused:
        """Go on with a program that waited, whichever process it waited in."""
        replies = {
            number: {"exception": RuntimeError(answer.text)}
            if answer.is_refused
            else {"return_value": answer.text}
            for number, answer in answers.items()
        }

        async def start(session: "AsyncMontySession", how: dict[str, Any]) -> "AsyncSnapshot":
            dump = await asyncio.to_thread(zlib.decompress, state)
            snapshot: Any = await session.load_snapshot(dump, **how)
            for number, answer in answers.items():
                program.awaited.pop(number, None)
                program.waited += [] if answer.is_refused else [answer.run]
            is_one_call = hasattr(snapshot, "call_id")
            return await snapshot.resume(replies[snapshot.call_id] if is_one_call else replies)

        return await self._run(program, host, start)

    async def close(self) -> None:
        """End the workers."""
        await self._open.aclose()

    async def _run(self, program: Program, host: Host, start: _Start) -> Ended | Paused:
        try:
            pool = await self._started()
        except Exception as error:  # noqa: BLE001 - whatever it is, there is no Python here
            self.fault = f"its sandbox does not start: {error}"
            return Ended(error=self.fault)
        import pydantic_monty as monty

        try:
            with ExitStack() as mounted:
                mounts = [mounted.enter_context(mount) for mount in _mounts(host.workspace)]
                how = {"mount": mounts, "print_callback": self._printing(program)}
                async with pool.checkout(**self._conditions(host)) as session:
                    return await self._drive(session, start(session, how), program, host)
        except (monty.MontyError, _Stops, OSError) as error:
            return Ended(error=str(error))

    async def _drive(
        self,
        session: "AsyncMontySession",
        started: Awaitable["AsyncSnapshot"],
        program: Program,
        host: Host,
    ) -> Ended | Paused:
        import pydantic_monty as monty

        value = error = ""
        try:
            snapshot = await started
            while not isinstance(snapshot, monty.MontyComplete):
                snapshot = await self._answered(snapshot, program, host)
            value = str(snapshot.output or "")
        except _Waits as waits:
            state = await self._kept(waits.snapshot.dump)
            return Paused(awaits=waits.awaits, state=state) if state else Ended(error=TOO_LARGE)
        except (monty.MontyRuntimeError, monty.MontySyntaxError) as raised:
            if isinstance(raised.exception(), TimeoutError | MemoryError):
                raise  # in the middle of anything: its variables are in no known state
            error = raised.display()
        dump = await session.dump()
        if not (variables := await self._kept(lambda: dump)):
            error = f"{error}\n{TOO_LARGE}".strip()
        return Ended(value="" if value == "None" else value, error=error, variables=variables)

    async def _started(self) -> "AsyncMonty":
        async with self._starting:
            if self._pool is None:
                monty = await asyncio.to_thread(import_module, "pydantic_monty")
                workers = monty.AsyncMonty(binary_path=_binary(), max_processes=_MAX_WORKERS)
                self._pool = await self._open.enter_async_context(workers)
            return cast("AsyncMonty", self._pool)

    def _conditions(self, host: Host) -> dict[str, Any]:
        limits = {
            "max_feed_duration_secs": self.limits.max_s,
            "max_memory": self.limits.max_memory_bytes,
            "max_suspensions": self.limits.max_suspensions,
        }
        zone = host.zone if host.zone and find_zone(host.zone) else "utc"
        return {"limits": limits, "os_policy": {"timezone": zone, "sleep": "zero"}}

    def _printing(self, program: Program) -> Callable[[str, str], None]:
        def printed(_stream: str, text: str) -> None:
            room = self.limits.max_printed_chars - len(program.printed)
            program.printed += text[:room]
            program.printed_chars += len(text)

        return printed

    async def _kept(self, dump: Callable[[], bytes]) -> bytes:
        """A state to be stored; empty where it is too large."""
        state = await asyncio.to_thread(lambda: zlib.compress(dump(), 1))
        return state if len(state) <= self.limits.max_kept_bytes else b""

    async def _answered(self, snapshot: Any, program: Program, host: Host) -> "AsyncSnapshot":
        """Do what the program asks of its host, and let it go on."""
        calls = _Calls(self.limits, program, host)
        if hasattr(snapshot, "variable_name"):
            known = calls.named.get(str(snapshot.variable_name))
            return await (snapshot.resume(value=known) if known else snapshot.resume())
        if hasattr(snapshot, "pending_call_ids"):
            numbers = cast("list[int]", snapshot.pending_call_ids)
            given = {each: program.given.pop(each) for each in numbers if each in program.given}
            if not given:
                raise _Waits(snapshot, {each: program.awaited[each] for each in numbers})
            return await snapshot.resume(
                {number: {"return_value": value} for number, value in given.items()}
            )
        try:
            if snapshot.is_os_function:
                reply = calls.system(str(snapshot.function_name), snapshot.args)
            else:
                reply = await calls.reply(snapshot)
        except (ChildRefused, *_FAULTS) as error:
            kind = type(error) if type(error) in _FAULTS else RuntimeError
            return await snapshot.resume({"exception": kind(str(error))})
        return await (snapshot.resume_auto() if reply is None else snapshot.resume(reply))


class _Waits(Exception):
    def __init__(self, snapshot: Any, awaits: Mapping[int, RunId]) -> None:
        super().__init__()
        self.snapshot, self.awaits = snapshot, awaits


class _Stops(Exception):
    """A limit after which the program gets no further word."""


class _Calls:
    """What a program may ask of its host. Faults are exceptions that the program gets."""

    def __init__(self, limits: ProgramLimits, program: Program, host: Host) -> None:
        self._limits, self._program, self._host = limits, program, host
        self._root = PurePosixPath(host.workspace)
        self.named: dict[str, Callable[..., Any]] = {
            "fork": self.fork, "wait": self.wait, "plot": self.plot,
        }  # fmt: skip

    async def reply(self, snapshot: Any) -> Mapping[str, Any]:
        """The reply to a call of one of our functions; with `_` before its name it is awaited."""
        name, number = str(snapshot.function_name), int(snapshot.call_id)
        function = self.named.get(name.removeprefix("_"))
        if function is None:
            raise NameError(f"name {name!r} is not defined")
        given = inspect.signature(function).bind(*snapshot.args, **snapshot.kwargs)
        self._program.calls += 1
        if self._program.calls > (most := self._limits.max_calls):
            raise _Stops(f"limit reached: {most} calls of fork, wait and plot in a program")
        value = await function(*given.args, **given.kwargs)
        match name:
            case "wait":
                raise _Waits(snapshot, {number: value})
            case "_wait":
                self._program.awaited[number] = value
            case "_fork":
                self._program.given[number] = value
            case _:
                return {"return_value": value}
        return {"future": ...}

    async def fork(self, prompt: str) -> RunId:
        """A program that is begun again forks the same prompts, and so the same children."""
        text, forks = _text(prompt, "what the child is to do"), self._program.forks
        digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
        times = [prompt for _, prompt in forks].count(text)
        key = f"{digest}-{times}" if times else digest
        run = await self._host.fork(key, text)
        forks.append((key, text))
        return run

    async def wait(self, id: str) -> RunId:
        """For whom the program is to wait."""
        return RunId(_text(id, "the id of a child"))

    async def plot(self, kind: str, data: object, title: str = "", x: str = "", y: str = "") -> str:
        """The path of a chart that was saved."""
        named = str(title)
        svg = await asyncio.to_thread(chart, str(kind), data, title=named, x=str(x), y=str(y))
        name = re.sub(r"\W+", "-", named.casefold())[:50].strip("-") or "chart"
        digest = hashlib.sha256(svg.encode()).hexdigest()[:6]
        path = f"{WORK_PRODUCTS}/{name}-{digest}.svg"
        self._note(path, named or "Chart", len(svg))
        await asyncio.to_thread(write_text, self._host.workspace / path, svg)
        return path

    def system(self, name: str, arguments: tuple[Any, ...]) -> Mapping[str, Any] | None:
        """The reply to a call of the operating system; None leaves it to Monty and the mounts."""
        if name == "Path.iterdir" and arguments[0] == self._root:
            names = [folder.name for folder in _folders(self._host.workspace)]
            return {"return_value": [self._root / each for each in names]}
        if name == "open" and set(arguments[1]) & set("wax+"):
            self._note(self._writable(arguments[0], TYPES))
        elif name in _WRITES:
            data = arguments[1]
            size = len(data.encode("utf-8", "replace") if isinstance(data, str) else data)
            self._note(self._writable(arguments[0], TYPES), size=size)
        elif name == "Path.mkdir":
            self._note(self._writable(arguments[0]))
        elif name.startswith("Path.") and name not in _READS:
            raise PermissionError(f"programs read and write files, but no {name}")
        return None

    def _writable(self, path: PurePosixPath, kinds: Mapping[str, str] | None = None) -> str:
        """The path relative to the workspace; an OSError where nothing may be written."""
        folder = self._root / WORK_PRODUCTS
        if not path.is_relative_to(folder) or path == folder:
            raise PermissionError(f"{path} cannot be written: programs write in {WORK_PRODUCTS}/")
        for name in path.relative_to(folder).parts:
            if not name.isprintable() or name[0] in "-." or len(name.encode()) > _MAX_NAME_BYTES:
                raise PermissionError(f"{name!r} is not a safe name for a file")
        if kinds and path.suffix.lower() not in kinds:
            raise PermissionError(f"{path.name}: programs write {', '.join(kinds)}")
        return str(path.relative_to(self._root))

    def _note(self, path: str, title: str = "", size: int = 0) -> None:
        program, limits = self._program, self._limits
        if path not in program.files and len(program.files) >= limits.max_files:
            raise OSError(f"limit reached: {limits.max_files} files written by a program")
        if program.written_bytes + size > limits.max_written_bytes:
            most = limits.max_written_bytes
            raise OSError(f"limit reached: {most:,} bytes written by a program")
        program.files.setdefault(path, title or path.rpartition("/")[2])
        program.written_bytes += size


def prepared(code: str, max_value_chars: int) -> str:
    """The program as it is fed: its last expression as text, awaited calls of ours marked.

    Programs may write `wait(i)` and `await wait(i)`. Monty cannot tell one from the other when it
    calls its host, but what stands around the call can.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code  # Monty says what is wrong with it
    awaited = _awaited(tree) if "await" in code else ()
    edits = [(name.lineno, name.col_offset, "_") for name in awaited]
    if tree.body and isinstance(last := tree.body[-1], ast.Expr):
        end = last.value.end_lineno or 1, last.value.end_col_offset or 0
        edits.append((last.value.lineno, last.value.col_offset, "repr(("))
        edits.append((*end, f"))[:{max_value_chars}]"))
    lines = code.encode().splitlines(keepends=True)
    for number, column, text in sorted(edits, reverse=True):
        line = lines[number - 1]
        lines[number - 1] = line[:column] + text.encode() + line[column:]
    return b"".join(lines).decode()


def _awaited(tree: ast.Module) -> Iterator[ast.Name]:
    """`fork` and `wait` where their calls are awaited: at once, in a list, or under a name."""
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    names = [node for node in parents if isinstance(node, ast.Name)]
    own = {each.id for each in names if isinstance(each.ctx, ast.Store)}
    own |= {each.name for each in parents if isinstance(each, _FUNCTIONS)}

    def user(node: ast.AST) -> ast.AST | None:
        """What takes the value, or the list that it is in."""
        while isinstance(parent := parents.get(node), _LISTS):
            node = parent
        return parent

    def awaits(node: ast.AST | None) -> bool:
        if not isinstance(node, ast.Call):
            return isinstance(node, ast.Await)
        called = node.func
        named = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        return named in _AWAITING

    kept = {each.id for each in names if awaits(user(each))}
    for name in names:
        call = parents[name]
        is_called = isinstance(call, ast.Call) and call.func is name
        if name.id in own or name.id not in ("fork", "wait") or not is_called:
            continue
        taker = user(call)
        targets = taker.targets if isinstance(taker, ast.Assign) else []
        if awaits(taker) or any(getattr(each, "id", "") in kept for each in targets):
            yield name


def artifacts_of(program: Program, workspace: Path) -> tuple[Artifact, ...]:
    """The files that a program has written and that are there."""
    kinds = {**TYPES, ".svg": "image/svg+xml"}
    return tuple(
        Artifact(
            path=path,
            title=title,
            mimetype=kinds[file.suffix.lower()],
            size_bytes=file.stat().st_size,
        )
        for path, title in program.files.items()
        if (file := workspace / path).is_file() and not file.is_symlink()
    )


def _folders(workspace: Path) -> list[Path]:
    """What programs see of the workspace, under the same paths as everywhere."""
    return sorted(
        each
        for each in workspace.iterdir()
        if each.is_dir() and not each.is_symlink() and each.name != TRACES and each.name[0] != "."
    )


def _mounts(workspace: Path) -> "Iterator[MountDir]":
    from pydantic_monty import MountDir

    for folder in _folders(workspace):
        mode = "read-write" if folder.name == WORK_PRODUCTS else "read-only"
        yield MountDir(host_path=folder, virtual_path=str(folder), mode=mode)


def _text(value: object, meaning: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TypeError(f"{meaning} is a text, not {str(value)[:40]!r}")
    return value


def _missing() -> str:
    if find_spec("pydantic_monty") is None:
        return "pydantic-monty is not installed"
    return "" if _binary() else "the program `monty` of pydantic-monty is not installed"


def _binary() -> str | None:
    return shutil.which("monty", path=sysconfig.get_path("scripts")) or shutil.which("monty")
