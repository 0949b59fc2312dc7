"""Python processes of tests that need not load the libraries again: a process that has forks them.

Within `warm_processes` a known command, such as `python -m bot start`, is a fork of a process in
which everything is loaded, and no new interpreter. It is a child of its starter all the same, with
its own command line, environment, directory, streams and session, and whatever it starts is made in
the same way. Run as a program, this file is the process that is forked. Without it the tests that
start the bot take more than twice as long (41 tests on two busy cores: 140 to 200 s, and 350 to 480
s without). multiprocessing's forkserver would not do: its processes are nobody's children here.
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
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from agent_core.words import CORE
from bot.words import BOT

LOADED = (
    "bot.start",
    "bot.sandbox.command",
    "bot.operator.check",
    "bot.evals.command",
    "tests.runtimes",
    "anthropic.resources.messages",
    "httpcore2",
    "composio.core.models.base",
    "mcp_local.server",
    "mcp_local.extract.html",
)
"""What the known commands need between them. None of it may start a thread when it is loaded."""

MODULES = {
    ("bot", "start"),
    ("bot", "sandbox"),
    ("bot", "check"),
    ("bot", "eval"),
    ("mcp_local",),
    ("mcp_local.composio_worker",),
}
PROGRAMS = {"turn_process.py", "shared_process.py", "trace_process.py", "growing.py"}
FORKED = "# forked\n"
"""Code of a `-c` begins so that does not ask what a new interpreter has loaded."""
MESSAGE_BYTES = 200_000
PADDING = "." * 1_000
"""Room for the command line of a fork, in place of the program's own."""

_SET_CHILD_SUBREAPER = 36
_SYSTEM = ctypes.CDLL(None)


class WarmPopen(subprocess.Popen[Any]):
    """`subprocess.Popen`, with known commands forked."""

    line: socket.socket | None = None
    """To the process that forks."""
    _turn = threading.Lock()

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
        line = WarmPopen.line
        if line is None or pass_fds or not is_known(command):
            cold: Any = super()
            cold._execute_child(args, executable, preexec_fn, close_fds, pass_fds, cwd, env, *more)
            return
        arguments: list[str] = [os.fspath(part) for part in command[1:]]
        environment = dict(os.environ if env is None else env)  # noqa: TID251 (as Popen does)
        job: list[Any] = [arguments, environment, os.fspath(cwd or Path.cwd()), own_session]
        given = (ends[0], ends[3], ends[5])
        with self._turn:
            streams = [own if end == -1 else end for own, end in enumerate(given)]
            self.pid = fork(line, job, streams)
        self._child_created = True
        ours: Any = self
        ours._close_pipe_fds(*ends)


def is_known(command: Sequence[Any]) -> bool:
    """Whether a fork may stand for this command."""
    match command:
        case [sys.executable, "-m", str(module), *rest]:
            return (module, *rest[:1]) in MODULES
        case [sys.executable, "-c", str(code), *_]:
            return code.startswith(FORKED)
        case [sys.executable, str(program), *_]:
            return Path(program).name in PROGRAMS
        case _:
            return False


def fork(line: socket.socket, job: list[Any], streams: Sequence[int]) -> int:
    """The process id of a new child of this process."""
    told, tell = os.pipe()
    with _as_heir(), os.fdopen(told, encoding="ascii") as answer:
        try:
            socket.send_fds(line, [json.dumps(job).encode()], [*streams, tell])
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


@contextmanager
def warm_processes() -> Generator[None]:
    """Known commands are forked, once all is loaded. Elsewhere than on Linux nothing changes.

    It is loaded here, not behind the first command: whoever starts that has a limit.
    """
    if sys.platform != "linux":
        yield
        return
    cold = subprocess.Popen
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    program = [sys.executable, __file__, str(theirs.fileno()), PADDING]
    handles = [theirs.fileno()]
    with ours, cold(program, stdin=subprocess.DEVNULL, pass_fds=handles) as running:
        theirs.close()
        ours.recv(1)
        WarmPopen.line, subprocess.Popen = ours, WarmPopen
        try:
            yield
        finally:
            WarmPopen.line, subprocess.Popen = None, cold
            running.kill()


def main(line: socket.socket) -> None:
    """Load everything, then become each process that is asked for, in a fork."""
    gc.disable()
    for module in LOADED:
        import_module(module)
    for catalogue in (CORE, BOT):
        for language in catalogue.languages:
            catalogue.of(language)
    gc.freeze()  # so that no fork touches, and thereby copies, what they share
    gc.enable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    subprocess.Popen = WarmPopen
    line.send(b".")
    _become(*_next_job(line))


def _next_job(line: socket.socket) -> tuple[list[str], dict[str, str], str]:
    """Returns in forks alone; each one leaves another process behind, for its own children."""
    while True:
        message, handles, _, _ = socket.recv_fds(line, MESSAGE_BYTES, 4)
        if not message:
            os._exit(0)
        if _fork_orphan():
            _close(*handles)
            continue
        line.close()
        arguments, environment, directory, own_session = json.loads(message)
        *streams, tell = handles
        _take_streams(streams)
        if own_session:
            os.setsid()
        os.chdir(directory)
        _set_title("\0".join((sys.executable, *arguments)))
        os.write(tell, str(os.getpid()).encode())
        os.close(tell)
        ours, line = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        if os.fork():
            line.close()
            WarmPopen.line = ours
            return arguments, environment, directory
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


def _set_title(title: str) -> None:
    """Make this the command line that the system shows."""
    fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    begin, end = int(fields[45]), int(fields[46])
    shown = title.encode()[: end - begin - 1]
    ctypes.memmove(begin, shown.ljust(end - begin, b"\0"), end - begin)


def _become(arguments: list[str], environment: dict[str, str], directory: str) -> None:
    os.environ.clear()  # noqa: TID251 (what an exec does)
    os.environ.update(environment)  # noqa: TID251
    time.tzset()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    first, *rest = arguments
    given = environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:1] = [path for path in given if path]
    if first == "-m":
        sys.path.insert(0, directory)
        sys.argv[:] = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif first == "-c":
        sys.path.insert(0, directory)
        sys.argv[:] = ["-c", *rest[1:]]
        exec(rest[0], {"__name__": "__main__"})  # noqa: S102 (as Python does)
    else:
        sys.path.insert(0, str(Path(first).resolve().parent))
        sys.argv[:] = arguments
        runpy.run_path(first, run_name="__main__")


def _close(*handles: int) -> None:
    for handle in handles:
        os.close(handle)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
