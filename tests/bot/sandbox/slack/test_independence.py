"""The stand-in stands for the outside world: it may not borrow from what it is there to test."""

import ast
from pathlib import Path

import pytest

import bot.sandbox.slack

PRODUCT = ("bot", "agent_core", "mcp_local")
PACKAGE = "bot.sandbox.slack"
FILES = sorted(Path(bot.sandbox.slack.__file__).parent.rglob("*.py"))


def imported_modules(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return names


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_module_imports_nothing_of_the_product(path: Path) -> None:
    product = {name for name in imported_modules(path) if name.split(".")[0] in PRODUCT}
    assert {name for name in product if not f"{name}.".startswith(f"{PACKAGE}.")} == set()
    assert not {name for name in imported_modules(path) if name.startswith("slack_")}
