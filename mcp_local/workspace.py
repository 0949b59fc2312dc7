"""The session directory: which one a call may use, and its files, and no file outside it."""

import errno
import os
import secrets
import stat
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from mcp.server.mcpserver import Context

from mcp_local.errors import NoSession, PathDenied, ToolkitError
from mcp_local.paths import split_path
from mcp_local.settings import Settings

MAX_FILE_BYTES = 20_000_000
"""The largest file that is read or written whole."""

# O_NONBLOCK keeps a pipe planted in the workspace from blocking the reader; O_NOFOLLOW refuses a
# symlink in the component being opened, so walking one component at a time refuses it everywhere.
_SAFELY = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
_OPEN_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | _SAFELY
_OPEN_FILE = os.O_RDONLY | _SAFELY
_CREATE_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _SAFELY
_TEMPORARY_SUFFIX = ".partial"


class FileMissing(PathDenied):
    """There is no such file in the session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileInfo:
    """One regular file of a session."""

    path: str
    """Relative to the session directory, with '/' between names."""
    bytes: int
    modified_at: datetime


@dataclass(frozen=True, slots=True)
class Workspace:
    """One session directory; every path given to it stays inside, whatever lies on the disk."""

    root: Path
    """The session directory, resolved."""
    spelling: Path | None = None
    """The directory as the caller named it, where that differs (a symlink above it)."""

    def parts(self, path: str) -> tuple[str, ...]:
        """The names of `path` below the session directory. Raises PathDenied."""
        homes = (self.root,) if self.spelling is None else (self.root, self.spelling)
        return split_path(path, *homes)

    def read_bytes(self, path: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        """The whole file. Raises FileMissing, or PathDenied for what is not a plain file here."""
        folder, name = self._file_parts(path)
        with (
            _plain_errors(path),
            self._directory(folder) as directory_fd,
            os.fdopen(os.open(name, _OPEN_FILE, dir_fd=directory_fd), "rb") as file,
        ):
            _check_readable(os.fstat(file.fileno()), path, max_bytes)
            return file.read(max_bytes)

    def read_text(self, path: str) -> str:
        """The whole file as text; bytes that are not UTF-8 become replacement characters."""
        return self.read_bytes(path).decode(errors="replace")

    def write_text(self, path: str, text: str, *, exclusive: bool = False) -> Path:
        """Write the file, replacing it at once; readers see the old or the new, never a half.

        Directories are created. With `exclusive`, an existing name raises FileExistsError and
        is left as it is.
        """
        return self.write_bytes(path, text.encode(errors="replace"), exclusive=exclusive)

    def write_bytes(
        self,
        path: str,
        data: bytes,
        *,
        exclusive: bool = False,
        max_bytes: int = MAX_FILE_BYTES,
    ) -> Path:
        """The same for a file's bytes."""
        folder, name = self._file_parts(path)
        if len(data) > max_bytes:
            raise PathDenied(f"{path} would be larger than {max_bytes} bytes. Write less.")
        with _plain_errors(path), self._directory(folder, create=True) as directory_fd:
            if exclusive:
                os.close(os.open(name, _CREATE_FILE, 0o644, dir_fd=directory_fd))
            _replace_file(directory_fd, name, data)
        return self.root.joinpath(*folder, name)

    def exists(self, path: str) -> bool:
        """Whether `path` is a plain file of this session."""
        folder, name = self._file_parts(path)
        try:
            with self._directory(folder) as directory_fd:
                found = os.stat(name, dir_fd=directory_fd, follow_symlinks=False)
        except OSError:
            return False
        return stat.S_ISREG(found.st_mode)

    def holds(self, path: str, data: bytes) -> bool:
        """Whether `path` is a plain file of this session with exactly these bytes."""
        try:
            return self.read_bytes(path, len(data)) == data
        except PathDenied:
            return False

    def files(self, under: str = "") -> list[FileInfo]:
        """The plain files below `under`, ordered by path; links and unfinished files are left out.

        A directory that does not exist has none.
        """
        parts = self.parts(under)
        with suppress(FileMissing), _plain_errors(under), self._directory(parts) as directory_fd:
            return sorted(_walk(directory_fd, "/".join(parts)), key=lambda file: file.path)
        return []

    def _file_parts(self, path: str) -> tuple[tuple[str, ...], str]:
        parts = self.parts(path)
        if not parts:
            raise PathDenied("The path names the session's directory itself. Name a file in it.")
        return parts[:-1], parts[-1]

    @contextmanager
    def _directory(self, parts: tuple[str, ...], *, create: bool = False) -> Generator[int]:
        """A descriptor of the directory, reached name by name without following a link."""
        directory_fd = os.open(self.root, _OPEN_DIRECTORY)
        try:
            for name in parts:
                if create:
                    with suppress(FileExistsError):
                        os.mkdir(name, 0o755, dir_fd=directory_fd)
                child_fd = os.open(name, _OPEN_DIRECTORY, dir_fd=directory_fd)
                os.close(directory_fd)
                directory_fd = child_fd
            yield directory_fd
        finally:
            os.close(directory_fd)


def open_workspace(settings: Settings, ctx: Context, argument: str = "") -> Workspace:
    """The session of this call: the directory in the call's meta, else the one `argument` names.

    The directory is created if it is missing. A session in the meta wins; an argument that names
    another one is refused.

    Raises:
        NoSession: Neither the meta nor the argument names a session.
        PathDenied: The directory is not below the workspaces root, or not this call's session.
    """
    named = _session_in_meta(ctx)
    if not named:
        if not argument:
            raise NoSession(
                "This call names no session. Give the session's directory as an absolute path."
            )
        return _workspace(settings, argument)
    workspace = _workspace(settings, named)
    if argument and not _names_same(settings, workspace, argument):
        raise PathDenied(
            f"{argument!r} is not this session's directory. Leave the argument empty to use it."
        )
    return workspace


def open_workspace_of(settings: Settings, ctx: Context, path: str) -> Workspace:
    """The session of a call whose only path argument names a file or folder in the session.

    Without a session in the meta, an absolute path below the workspaces root names it: its first
    directory there.

    Raises:
        NoSession: Neither the meta nor the path names a session.
        PathDenied: The directory is not below the workspaces root.
    """
    if _session_in_meta(ctx):
        return open_workspace(settings, ctx)
    for root in (settings.workspaces_root.absolute(), settings.workspaces_root.resolve()):
        with suppress(PathDenied):
            if path.startswith("/") and (parts := split_path(path, root)):
                return _workspace(settings, str(root / parts[0]))
    raise NoSession(
        "This call names no session. Give an absolute path inside a session's directory."
    )


def _session_in_meta(ctx: Context) -> str:
    meta = ctx.request_context.meta or {}
    named = meta.get("session_dir")
    return named if isinstance(named, str) else ""


def _workspace(settings: Settings, directory: str) -> Workspace:
    if not Path(directory).is_absolute():
        raise PathDenied("The session's directory must be an absolute path.")
    root = settings.workspaces_root.resolve()
    try:
        resolved = Path(directory).resolve()
        if resolved == root or not resolved.is_relative_to(root):
            raise PathDenied(f"{directory!r} is not a session's directory.")
        resolved.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise PathDenied(f"{directory!r} cannot be used as a session's directory.") from error
    return Workspace(resolved, Path(os.path.normpath(directory)))


def _names_same(settings: Settings, workspace: Workspace, argument: str) -> bool:
    bases = (workspace.root, settings.workspaces_root, Path.cwd())
    with suppress(OSError, ValueError):
        return any((base / argument).resolve() == workspace.root for base in bases)
    return False


def _check_readable(found: os.stat_result, path: str, max_bytes: int) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise PathDenied(f"{path} is not a plain file. Name a file; list_local_files shows them.")
    if found.st_nlink > 1:
        raise PathDenied(f"{path} is a hard link, which may lead out of the session.")
    if found.st_size > max_bytes:
        raise PathDenied(f"{path} has {found.st_size} bytes, more than the {max_bytes} allowed.")


def _replace_file(directory_fd: int, name: str, data: bytes) -> None:
    temporary = f".{secrets.token_hex(8)}{_TEMPORARY_SUFFIX}"
    try:
        with os.fdopen(os.open(temporary, _CREATE_FILE, 0o644, dir_fd=directory_fd), "wb") as file:
            file.write(data)
        os.rename(temporary, name, src_dir_fd=directory_fd, dst_dir_fd=directory_fd)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=directory_fd)
        raise


def _walk(directory_fd: int, prefix: str) -> Iterator[FileInfo]:
    for folder, _, names, folder_fd in os.fwalk(".", dir_fd=directory_fd, follow_symlinks=False):
        for name in names:
            with suppress(FileNotFoundError):
                found = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
                if stat.S_ISREG(found.st_mode) and not name.endswith(_TEMPORARY_SUFFIX):
                    yield FileInfo(
                        path=os.path.normpath(f"{prefix or '.'}/{folder}/{name}"),
                        bytes=found.st_size,
                        modified_at=datetime.fromtimestamp(found.st_mtime, UTC),
                    )


@contextmanager
def _plain_errors(path: str) -> Generator[None]:
    """Turn what the system says about `path` into a sentence for the model."""
    try:
        yield
    except FileExistsError:
        raise
    except FileNotFoundError as error:
        raise FileMissing(
            f"There is no {path} in this session. list_local_files shows what there is."
        ) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise ToolkitError("The disk is full; nothing was written.") from error
        raise PathDenied(
            f"{path} cannot be opened: links and special files are refused, "
            "and a name may be a file or a directory, not both."
        ) from error
