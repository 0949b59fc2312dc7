"""The session directory: which one a call may use, and its files, and no file outside it."""

import errno
import os
import secrets
import stat
import unicodedata
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from mcp.server.mcpserver import Context

from mcp_local.errors import NoSession, PathDenied, SessionFull, ToolkitError
from mcp_local.settings import Settings

MAX_FILE_BYTES = 20_000_000
"""The largest file that is read or written whole."""

MAX_NAME_BYTES = 200
"""Bytes of one name; file systems end at 255, and a temporary suffix must still fit."""

MAX_PATH_BYTES = 1000

MAX_SESSION_FILES = 5_000
MAX_SESSION_BYTES = 500_000_000
"""What a session's files may take together, those of the bot and of people among them."""

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
        return split_path(path, self.root, self.spelling or self.root)

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
        self._check_room(len(data))
        with _plain_errors(path), self._directory(folder, create=True) as directory_fd:
            if exclusive:
                os.close(
                    os.open(
                        name,
                        _CREATE_FILE,
                        0o644,
                        dir_fd=directory_fd,
                    )
                )
            _replace_file(directory_fd, name, data)
        return self.root.joinpath(*folder, name)

    def exists(self, path: str) -> bool:
        """Whether `path` is a plain file of this session."""
        folder, name = self._file_parts(path)
        try:
            with self._directory(folder) as directory_fd:
                status = os.stat(name, dir_fd=directory_fd, follow_symlinks=False)
        except OSError:
            return False
        return stat.S_ISREG(status.st_mode)

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

    def _check_room(self, size_bytes: int) -> None:
        """Raises SessionFull if the session may not have one more file of this size."""
        count = 0
        total_bytes = size_bytes
        for folder, _, names in os.walk(self.root):
            for name in names:
                with suppress(OSError):  # it has just gone
                    total_bytes += Path(folder, name).lstat().st_size
                    count += 1
        if count >= MAX_SESSION_FILES or total_bytes > MAX_SESSION_BYTES:
            raise SessionFull(
                f"Nothing was written: this thread has used its {MAX_SESSION_FILES:,} files or its "
                f"{MAX_SESSION_BYTES:,} bytes. Say so; a new thread has room."
            )

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


def split_path(text: str, *homes: Path) -> tuple[str, ...]:
    """The parts of `text` below the session directory; empty for the directory itself.

    A relative path counts from the session directory, an absolute one must begin with one of
    `homes`, the spellings of that directory. Purely lexical: symlinks are the opener's business.

    Raises:
        PathDenied: The path leads out, or a name in it is one we do not accept.
    """
    _check_text(text)
    path = PurePosixPath(text)
    if path.is_absolute():
        path = _below_home(path, homes)
    for name in path.parts:
        _check_name(name)
    return path.parts


def fold_name(name: str) -> str:
    """`name` as the most forgiving file system compares it: without case and composed forms."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def is_invisible(letter: str) -> bool:
    """Whether it is a control or formatting character, or half of one."""
    return unicodedata.category(letter) in ("Cc", "Cf", "Cs")


def _check_text(text: str) -> None:
    if any(map(is_invisible, text)):
        raise PathDenied("The path holds control or invisible characters. Use a plain file name.")
    if "\\" in text or text[1:2] == ":":
        raise PathDenied("Windows paths are not accepted. Use names separated by '/'.")
    if len(text.encode()) > MAX_PATH_BYTES:
        raise PathDenied("The path is too long. Use a shorter one.")


def _below_home(path: PurePosixPath, homes: tuple[Path, ...]) -> PurePosixPath:
    for home in homes:
        if path.is_relative_to(home):
            return path.relative_to(home)
    raise PathDenied(
        f"{path} is outside this session's directory. Use a path relative to the session, "
        "for example work_products/notes.md."
    )


def _check_name(name: str) -> None:
    if name == "..":
        raise PathDenied("'..' is not accepted. Paths stay inside the session's directory.")
    if name.startswith("-") or name != name.strip() or name.endswith("."):
        raise PathDenied(
            f"{name!r} is not a safe file name. It may not begin with '-', nor begin or end "
            "with a space, nor end with a dot."
        )
    if len(name.encode()) > MAX_NAME_BYTES:
        raise PathDenied("A name in the path is too long. Use at most 200 bytes a name.")


def open_workspace(settings: Settings, ctx: Context, argument: str = "") -> Workspace:
    """The session of this call: the directory in the call's meta, created if it is missing.

    Raises:
        NoSession: The meta names none.
        PathDenied: It is not below the workspaces root, or `argument` names another one.
    """
    directory = (ctx.request_context.meta or {}).get("session_dir")
    if not isinstance(directory, str) or not directory:
        raise NoSession("This call names no session, so there are no files it may use.")
    workspace = _workspace(settings, directory)
    if argument and not _names_same(settings, workspace, argument):
        raise PathDenied(
            f"{argument!r} is not this session's directory. Leave the argument empty to use it."
        )
    return workspace


def moment_of(ctx: Context) -> datetime:
    """The moment of this call on the asker's clock, as its meta says; else the machine's, UTC."""
    now = (ctx.request_context.meta or {}).get("now")
    moment = datetime.fromisoformat(str(now)) if now else datetime.now(UTC)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _workspace(settings: Settings, directory: str) -> Workspace:
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


def _check_readable(status: os.stat_result, path: str, max_bytes: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise PathDenied(f"{path} is not a plain file. Name a file; list_local_files shows them.")
    if status.st_nlink > 1:
        raise PathDenied(f"{path} is a hard link, which may lead out of the session.")
    if status.st_size > max_bytes:
        raise PathDenied(f"{path} has {status.st_size} bytes, more than the {max_bytes} allowed.")


def _replace_file(directory_fd: int, name: str, data: bytes) -> None:
    temporary = f".{secrets.token_hex(8)}{_TEMPORARY_SUFFIX}"
    try:
        with os.fdopen(
            os.open(
                temporary,
                _CREATE_FILE,
                0o644,
                dir_fd=directory_fd,
            ),
            "wb",
        ) as file:
            file.write(data)
        os.rename(
            temporary,
            name,
            src_dir_fd=directory_fd,
            dst_dir_fd=directory_fd,
        )
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=directory_fd)
        raise


def _walk(directory_fd: int, prefix: str) -> Iterator[FileInfo]:
    for folder, _, names, folder_fd in os.fwalk(".", dir_fd=directory_fd, follow_symlinks=False):
        for name in names:
            with suppress(FileNotFoundError):
                status = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
                if stat.S_ISREG(status.st_mode) and not name.endswith(_TEMPORARY_SUFFIX):
                    yield FileInfo(
                        path=os.path.normpath(f"{prefix or '.'}/{folder}/{name}"),
                        bytes=status.st_size,
                        modified_at=datetime.fromtimestamp(status.st_mtime, UTC),
                    )


@contextmanager
def _plain_errors(path: str) -> Generator[None]:
    """OSErrors about `path` as ToolkitErrors, which are sentences for the model."""
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
