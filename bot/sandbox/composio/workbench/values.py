"""What the workbench's Python may touch: plain values, their methods, and a few modules."""

import base64
import binascii
import hashlib
import json
import math
import posixpath
from collections.abc import Callable
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from bot.sandbox.composio.workbench.files import RemoteTree

MAX_ITEMS = 1_000_000
STRING_METHODS = (
    "capitalize casefold count decode encode endswith find hex index isdigit isalpha isalnum join "
    "lower lstrip partition removeprefix removesuffix replace rfind rpartition rsplit rstrip split "
    "splitlines startswith strip title upper"
)
LIST_METHODS = "append clear copy count extend index insert pop remove reverse sort"
DICT_METHODS = "clear copy get items keys pop setdefault update values"
HASH_METHODS = "update digest hexdigest"
HANDLE_METHODS = "read readlines seek tell write close"
METHODS: dict[type, str] = {
    str: STRING_METHODS,
    bytes: STRING_METHODS,
    list: LIST_METHODS,
    dict: DICT_METHODS,
    tuple: "count index",
    set: "add discard union intersection difference update",
}


class RemoteHandle:
    """An open remote file, as `open` gives it to the script."""

    def __init__(self, tree: RemoteTree, path: str, mode: str, now: Callable[[], datetime]) -> None:
        if mode.replace("t", "") not in {"r", "rb", "w", "wb", "a", "ab"}:
            raise ValueError(f"invalid mode: {mode!r}")
        self._tree = tree
        self._path = path
        self._binary = "b" in mode
        self._now = now
        self._position = 0
        self._writes = mode[0] in "wa"
        self._data = b"" if mode[0] == "w" else self._load(missing_is_empty=mode[0] == "a")
        if self._writes:
            self._save()

    def read(self, size: int = -1) -> str | bytes:
        end = len(self._data) if size < 0 else self._position + size
        piece = self._data[self._position : end]
        self._position += len(piece)
        return piece if self._binary else piece.decode()

    def readlines(self) -> list[str | bytes]:
        text = self.read()
        return list(text.splitlines(keepends=True))

    def seek(self, position: int, whence: int = 0) -> int:
        base = {0: 0, 1: self._position, 2: len(self._data)}[whence]
        self._position = base + position
        return self._position

    def tell(self) -> int:
        return self._position

    def write(self, content: str | bytes) -> int:
        if not self._writes:
            raise OSError("not writable")
        if isinstance(content, str) is self._binary:
            raise TypeError("a bytes-like object is required for 'b', a str without it")
        self._data += content.encode() if isinstance(content, str) else content
        self._save()
        return len(content)

    def close(self) -> None:
        """Nothing is left to do: each write is kept at once."""

    def _load(self, *, missing_is_empty: bool) -> bytes:
        if missing_is_empty and not self._tree.is_file(self._path):
            return b""
        return self._tree.read(self._path)

    def _save(self) -> None:
        self._tree.write(self._path, self._data, self._now())


def list_members(value: object) -> frozenset[str]:
    """The names that may be asked of a value."""
    if isinstance(value, SimpleNamespace):
        return frozenset(vars(value))
    if isinstance(value, RemoteHandle):
        return frozenset(HANDLE_METHODS.split())
    methods = HASH_METHODS if hasattr(value, "hexdigest") else METHODS.get(type(value), "")
    return frozenset(methods.split())


def build_modules(tree: RemoteTree) -> dict[str, SimpleNamespace]:
    """The modules that can be imported, each with the functions that are safe here."""

    def exists(name: str) -> bool:
        return tree.is_file(name) or tree.is_folder(name)

    def get_size(name: str) -> int:
        return len(tree.read(name))

    def make_folders(name: str, mode: int = 0o777, exist_ok: bool = False) -> None:
        tree.make_folders(name, exist_ok=exist_ok)

    path = SimpleNamespace(
        basename=posixpath.basename,
        dirname=posixpath.dirname,
        join=posixpath.join,
        splitext=posixpath.splitext,
        abspath=posixpath.normpath,
        exists=exists,
        isfile=tree.is_file,
        isdir=tree.is_folder,
        getsize=get_size,
    )
    return {
        "os": SimpleNamespace(
            makedirs=make_folders,
            listdir=tree.list_names,
            remove=tree.remove,
            path=path,
        ),
        "os.path": path,
        "base64": SimpleNamespace(b64encode=base64.b64encode, b64decode=base64.b64decode),
        "binascii": SimpleNamespace(Error=binascii.Error),
        "hashlib": SimpleNamespace(sha256=hashlib.sha256, md5=_md5, sha1=_sha1),
        "json": SimpleNamespace(dumps=json.dumps, loads=json.loads),
        "math": SimpleNamespace(ceil=math.ceil, floor=math.floor, sqrt=math.sqrt, pi=math.pi),
    }


def build_names(
    tree: RemoteTree, now: Callable[[], datetime], write: Callable[[str], None]
) -> dict[str, Any]:
    """The built-in names of a script."""

    def open_file(
        path: str, mode: str = "r", encoding: str | None = None, newline: str | None = None
    ) -> RemoteHandle:
        return RemoteHandle(tree, path, mode, now)

    def print_line(*values: object, sep: str = " ", end: str = "\n", flush: bool = False) -> None:
        write(sep.join(map(str, values)) + end)

    plain = (abs, all, any, bool, bytes, dict, enumerate, float, int, isinstance, len, list, max)
    plain += (min, repr, reversed, round, set, sorted, str, sum, tuple, zip)
    errors = (Exception, OSError, FileNotFoundError, KeyError, ValueError, TypeError, RuntimeError)
    names = {item.__name__: item for item in (*plain, *errors)}
    return {**names, "open": open_file, "print": print_line, "range": _make_range}


def _make_range(*bounds: int) -> range:
    made = range(*bounds)
    if len(made) > MAX_ITEMS:
        raise MemoryError
    return made


def _md5(data: bytes = b"") -> Any:
    return hashlib.md5(data, usedforsecurity=False)


def _sha1(data: bytes = b"") -> Any:
    return hashlib.sha1(data, usedforsecurity=False)
