"""Lazy packages of the Anthropic SDK: a package imports a name's module when the name is asked for.

The SDK's `__init__` files import 2,900 modules, most of them types of interfaces that are not used
here: 40 MB. Its packages are the same this way, name for name, and take a third of that.
"""

import ast
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

SDK = "anthropic"


class LazyPackage(ModuleType):
    """A package whose `__init__` is read for what it exports, and not run."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # the import machinery looks for these
            raise AttributeError(name)
        module, original = _exports(str(self.__file__)).get(name, ("", ""))
        if not module:
            raise AttributeError(name)
        value = getattr(import_module(f".{module}", self.__name__), original)
        setattr(self, name, value)
        return value


@cache
def _exports(path: str) -> dict[str, tuple[str, str]]:
    """The module of each name that a package imports from its own, and the name there."""
    source = Path(path).read_text(encoding="utf-8")
    exports: dict[str, tuple[str, str]] = {}
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.ImportFrom) and statement.level == 1 and statement.module:
            for each in statement.names:
                exports[each.asname or each.name] = (statement.module, each.name)
    return exports


class _LazyLoader(Loader):
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return LazyPackage(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is run."""


class _SdkFinder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != SDK:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.submodule_search_locations is not None:
            spec.loader = _LazyLoader()
        return spec


def load_sdk() -> None:
    """Import what a call of the SDK's client needs; where the SDK is loaded already, nothing."""
    if SDK in sys.modules:
        return
    sys.meta_path.insert(0, _SdkFinder())
    sdk = import_module(SDK)
    for name in ("AsyncAnthropic", "AsyncStream", "BadRequestError", "Timeout"):
        getattr(sdk, name)
