"""Python processes of tests that need not load the libraries again: a process that has forks them.

Within `warm_processes` a known command, such as `python -m bot start`, is a fork of a process in
which everything is loaded, and no new interpreter. It is a child of its starter all the same, with
its own command line, environment, directory, streams and session, and whatever it starts is made in
the same way. Run as a program, this file is the process that is forked.
"""

import ctypes
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

LOADED = (
    "bot.start",
    "bot.sandbox.command",
    "bot.check.command",
    "agent_core.testing.runtimes",
    "anthropic.resources.messages",
    "mcp_local.server",
    "mcp_local.extract.html",
)
"""What the known commands need between them. None of it may start a thread when it is loaded."""

MODULES = {("bot", "start"), ("bot", "sandbox"), ("bot", "check")}
ALONE = {("mcp_local",)}
PROGRAMS = {"turn_process.py", "shared_process.py", "trace_process.py", "tool_span_process.py"}
MESSAGE_BYTES = 200_000
READY = b"ready"
PADDING = "." * 1_000
"""Room for the command line of a fork, in place of the program's own."""

_SET_CHILD_SUBREAPER = 36
_SYSTEM = ctypes.CDLL(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A process that is asked for. Its three streams are sent beside it."""

    arguments: list[str]
    """What follows the interpreter."""
    environment: dict[str, str]
    directory: str
    own_session: bool


class Forker:
    """The line to a process that forks.

    Args:
        line: What connects to it.
        begin: Starts it, when it is wanted for the first time; it sends `READY` when all is loaded.
    """

    def __init__(self, line: socket.socket, *, begin: Callable[[], None] | None = None) -> None:
        self._line = line
        self._begin = begin
        self._is_ready = begin is None
        self._turn = threading.Lock()

    def is_ready(self) -> bool:
        """Whether `fork` answers at once. Whoever cannot wait starts a process as usual."""
        with self._turn, suppress(BlockingIOError):
            if self._begin is not None:
                self._begin()
                self._begin = None
            elif not self._is_ready:
                self._is_ready = self._line.recv(len(READY), socket.MSG_DONTWAIT) == READY
        return self._is_ready

    def fork(self, job: Job, streams: Sequence[int]) -> int:
        """The process id of a new child of this process."""
        message = json.dumps(asdict(job)).encode()
        told, tell = os.pipe()
        with self._turn, _as_heir(), os.fdopen(told, encoding="ascii") as answer:
            try:
                socket.send_fds(self._line, [message], [*streams, tell])
            finally:
                os.close(tell)
            if said := answer.read():
                return int(said)
        raise ChildProcessError("The process that forks cannot do it.")


@contextmanager
def _as_heir() -> Generator[None]:
    """Whatever below this process loses its parent meanwhile becomes its child."""
    _SYSTEM.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        _SYSTEM.prctl(_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


class WarmPopen(subprocess.Popen[Any]):
    """`subprocess.Popen`, with known commands forked."""

    forker: Forker | None = None

    def _execute_child(  # the one place where the standard library makes the process
        self,
        args: Any,
        executable: Any,
        preexec_fn: Any,
        close_fds: Any,
        pass_fds: Any,
        cwd: Any,
        env: Any,
        *more: Any,
    ) -> None:
        ends, own_session = more[3:9], more[-2]
        command: list[Any] = [args] if isinstance(args, str | os.PathLike) else list(args)
        if pass_fds or not is_known(command) or self.forker is None or not self.forker.is_ready():
            cold: Any = super()
            cold._execute_child(args, executable, preexec_fn, close_fds, pass_fds, cwd, env, *more)
            return
        job = Job(
            arguments=[os.fspath(part) for part in command[1:]],
            environment=dict(os.environ if env is None else env),  # noqa: TID251 (as Popen does)
            directory=os.fspath(cwd or Path.cwd()),
            own_session=own_session,
        )
        given = (ends[0], ends[3], ends[5])
        streams = [own if end == -1 else end for own, end in enumerate(given)]
        self.pid = self.forker.fork(job, streams)
        self._child_created = True
        ours: Any = self
        ours._close_pipe_fds(*ends)


def is_known(command: Sequence[Any]) -> bool:
    """Whether a fork may stand for this command."""
    match command:
        case [sys.executable, "-m", str(module), *rest]:
            return (module, *rest[:1]) in MODULES or (module, *rest) in ALONE
        case [sys.executable, str(program), *_]:
            return Path(program).name in PROGRAMS
        case _:
            return False


@contextmanager
def warm_processes() -> Generator[None]:
    """Known commands are forked from now on, as soon as the first of them has had all loaded.

    Elsewhere than on Linux nothing changes.
    """
    if sys.platform != "linux":
        yield
        return
    cold = subprocess.Popen
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs, ExitStack() as stack:

        def begin() -> None:
            program = [sys.executable, __file__, str(theirs.fileno()), PADDING]
            handles = [theirs.fileno()]
            running = stack.enter_context(cold(program, stdin=subprocess.DEVNULL, pass_fds=handles))
            stack.callback(running.kill)
            theirs.close()

        WarmPopen.forker = Forker(ours, begin=begin)
        subprocess.Popen = WarmPopen
        try:
            yield
        finally:
            subprocess.Popen = cold
            WarmPopen.forker = None


def main(line: socket.socket) -> None:
    """Load everything, then become each process that is asked for, in a fork."""
    gc.disable()
    for module in LOADED:
        import_module(module)
    gc.freeze()  # so that no fork touches, and thereby copies, what they share
    gc.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    subprocess.Popen = WarmPopen
    line.send(READY)
    _become(_next_job(line))


def _next_job(line: socket.socket) -> Job:
    """Returns in forks alone; each one leaves another process behind, for its own children."""
    while True:
        message, handles, _, _ = socket.recv_fds(line, MESSAGE_BYTES, 4)
        if not message:
            os._exit(0)
        if _fork_orphan():
            _close(*handles)
            continue
        line.close()
        job = Job(**json.loads(message))
        *streams, tell = handles
        _settle(job, streams)
        os.write(tell, str(os.getpid()).encode())
        os.close(tell)
        ours, line = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if os.fork():
            line.close()
            WarmPopen.forker = Forker(ours)
            return job
        ours.close()
        _take_streams([os.open(os.devnull, os.O_RDWR) for _ in range(3)])
        _set_title("forks")


def _fork_orphan() -> bool:
    """Whether this is still the process that forked; the other one has the heir as its parent."""
    waiting, over = os.pipe()
    if (middle := os.fork()) != 0:
        os.waitpid(middle, 0)
        _close(waiting, over)
        return True
    if os.fork() != 0:
        os._exit(0)
    os.close(over)
    os.read(waiting, 1)  # nothing comes: it is closed when the process in the middle has ended
    os.close(waiting)
    return False


def _take_streams(streams: Sequence[int]) -> None:
    for place, stream in enumerate(streams):
        os.dup2(stream, place)
    _close(*(stream for stream in streams if stream > 2))


def _settle(job: Job, streams: Sequence[int]) -> None:
    """What the starter may rely on when it has the process id."""
    _take_streams(streams)
    if job.own_session:
        os.setsid()
    os.chdir(job.directory)
    _set_title("\0".join((sys.executable, *job.arguments)))


def _set_title(title: str) -> None:
    """Make this the command line that the system shows."""
    fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    begin, end = int(fields[45]), int(fields[46])
    shown = title.encode()[: end - begin - 1]
    ctypes.memmove(begin, shown.ljust(end - begin, b"\0"), end - begin)


def _become(job: Job) -> None:
    os.environ.clear()  # noqa: TID251 (what an exec does)
    os.environ.update(job.environment)  # noqa: TID251
    time.tzset()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    first, *rest = job.arguments
    given = job.environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:1] = [path for path in given if path]
    if first == "-m":
        sys.path.insert(0, job.directory)
        sys.argv[:] = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, str(Path(first).resolve().parent))
        sys.argv[:] = job.arguments
        runpy.run_path(first, run_name="__main__")


def _close(*handles: int) -> None:
    for handle in handles:
        os.close(handle)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
