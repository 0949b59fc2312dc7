"""Remote files, kept in memory: one tree for each person, with the two places one may write in."""

import posixpath
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime

HOME = "/home/user"
MOUNT = "/mnt/files"
WRITABLE = (HOME, MOUNT, "/tmp")  # noqa: S108 - a remote path, nothing on this machine
MAX_TREE_BYTES = 64_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteFile:
    data: bytes
    changed_at: datetime


@dataclass(slots=True)
class RemoteTree:
    """The files of one person. Relative paths start at the home directory."""

    _files: dict[str, RemoteFile] = field(default_factory=dict[str, RemoteFile])
    _folders: set[str] = field(default_factory=lambda: set(WRITABLE))

    def read(self, path: str) -> bytes:
        """Raises FileNotFoundError."""
        return self._find(path).data

    def write(self, path: str, data: bytes, at: datetime) -> str:
        """Keep a file; its folder has to be there. Answers its full path.

        Raises:
            OSError: the place is not writable, the folder is missing, or the tree is full.
        """
        full = resolve(path)
        if not is_writable(full):
            raise PermissionError(13, "Permission denied", full)
        if posixpath.dirname(full) not in self._folders:
            raise FileNotFoundError(2, "No such file or directory", full)
        others = sum(len(file.data) for name, file in self._files.items() if name != full)
        if others + len(data) > MAX_TREE_BYTES:
            raise OSError(28, "No space left on device", full)
        self._files[full] = RemoteFile(data=data, changed_at=at)
        return full

    def put(self, path: str, data: bytes, at: datetime) -> str:
        """Keep a file, making its folders."""
        self.make_folders(posixpath.dirname(resolve(path)), exist_ok=True)
        return self.write(path, data, at)

    def make_folders(self, path: str, *, exist_ok: bool = False) -> None:
        """Raises OSError: the place is not writable, or is there and must not be."""
        full = resolve(path)
        if full in self._folders and not exist_ok:
            raise FileExistsError(17, "File exists", full)
        if not is_writable(full):
            raise PermissionError(13, "Permission denied", full)
        while full not in self._folders:
            self._folders.add(full)
            full = posixpath.dirname(full)

    def remove(self, path: str) -> None:
        """Raises FileNotFoundError."""
        self._find(path)
        del self._files[resolve(path)]

    def is_file(self, path: str) -> bool:
        return resolve(path) in self._files

    def is_folder(self, path: str) -> bool:
        return resolve(path) in self._folders

    def list_names(self, path: str = ".") -> list[str]:
        """What lies directly in a folder.

        Raises:
            FileNotFoundError: there is no such folder.
        """
        full = resolve(path)
        if full not in self._folders:
            raise FileNotFoundError(2, "No such file or directory", full)
        below = [name for name in (*self._files, *self._folders) if name.startswith(f"{full}/")]
        return sorted({name.removeprefix(f"{full}/").partition("/")[0] for name in below})

    def list_files(self, folder: str) -> dict[str, RemoteFile]:
        """All files below a folder, by full path."""
        start = resolve(folder).rstrip("/") + "/"
        return {name: file for name, file in self._files.items() if name.startswith(start)}

    def _find(self, path: str) -> RemoteFile:
        full = resolve(path)
        if full not in self._files:
            raise FileNotFoundError(2, "No such file or directory", full)
        return self._files[full]


@dataclass(slots=True)
class RemoteFiles:
    """Everybody's trees."""

    _trees: defaultdict[str, RemoteTree] = field(default_factory=lambda: defaultdict(RemoteTree))

    def of(self, user_id: str) -> RemoteTree:
        return self._trees[user_id]


def resolve(path: str) -> str:
    """The absolute path without `..` and `.` parts."""
    return posixpath.normpath(posixpath.join(HOME, path))


def is_writable(full: str) -> bool:
    """Whether a script may write there."""
    return any(f"{full}/".startswith(f"{root}/") for root in WRITABLE)
