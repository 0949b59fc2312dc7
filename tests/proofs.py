"""Which tests say that they prove which requirement, read from their source without running it."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

MARK = "proves"
CONDITIONS = frozenset({"live", "skip", "skipif", "xfail"})
"""Marks of tests that may not run, or may fail unseen."""

TestFunction = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A test that names a requirement."""

    requirement: str
    test: str
    """As pytest writes it: `tests/a/test_b.py::test_c`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proofs:
    proofs: tuple[Proof, ...]
    faults: tuple[str, ...]
    """Marks that say nothing that can be relied upon, each with its place and what is wrong."""

    def of(self, requirement: str) -> tuple[str, ...]:
        """The tests that prove a requirement."""
        return tuple(proof.test for proof in self.proofs if proof.requirement == requirement)


def read_proofs(root: Path) -> Proofs:
    """All proofs in the Python files below `root`/tests."""
    read = [
        proofs_in(path.read_text(encoding="utf-8"), path.relative_to(root).as_posix())
        for path in sorted((root / "tests").rglob("*.py"))
    ]
    return Proofs(
        proofs=tuple(proof for each in read for proof in each.proofs),
        faults=tuple(fault for each in read for fault in each.faults),
    )


def proofs_in(source: str, name: str) -> Proofs:
    """The proofs in one file; `name` is its path as pytest writes it."""
    tree = ast.parse(source, name)
    proofs: list[Proof] = []
    faults: list[str] = []
    placed: set[ast.expr] = set()
    for test in _tests(tree, name):
        for mark in _marks(test):
            placed.add(mark.func if isinstance(mark, ast.Call) else mark)
            where = f"{name}::{test.name}"
            if reason := _fault(mark, test, tree):
                faults.append(f"{where}: {reason}")
            else:
                proofs += [Proof(requirement=each, test=where) for each in _ids(mark)]
    faults += [
        f"{name}:{node.lineno}: the mark belongs on a test function of a test file"
        for node in ast.walk(tree)
        if _is_mark(node) and node not in placed
    ]
    return Proofs(proofs=tuple(proofs), faults=tuple(faults))


def _tests(tree: ast.Module, name: str) -> Iterator[TestFunction]:
    """The functions that pytest takes for tests."""
    if not name.rpartition("/")[2].startswith("test_"):
        return
    for node in tree.body:
        if isinstance(node, TestFunction) and node.name.startswith("test"):
            yield node


def _marks(test: TestFunction) -> Iterator[ast.expr]:
    for decorator in test.decorator_list:
        if _is_mark(decorator.func if isinstance(decorator, ast.Call) else decorator):
            yield decorator


def _is_mark(node: ast.AST) -> TypeGuard[ast.Attribute]:
    return isinstance(node, ast.Attribute) and node.attr == MARK


def _fault(mark: ast.expr, test: TestFunction, tree: ast.Module) -> str:
    if not isinstance(mark, ast.Call) or not mark.args or mark.keywords:
        return "the mark names no requirement"
    if len(_ids(mark)) < len(mark.args):
        return "the ids are not literal strings"
    if conditions := _conditions(test, tree):
        return f"a test marked {', '.join(conditions)} proves nothing by itself"
    return ""


def _ids(mark: ast.expr) -> list[str]:
    arguments = mark.args if isinstance(mark, ast.Call) else []
    values = [each.value for each in arguments if isinstance(each, ast.Constant)]
    return [value for value in values if isinstance(value, str)]


def _conditions(test: TestFunction, tree: ast.Module) -> Sequence[str]:
    """The marks, of the test itself and of its file, that make it run only sometimes."""
    of_file = [node.value for node in tree.body if _sets_marks(node)]
    found = {
        node.attr
        for expression in (*test.decorator_list, *of_file)
        for node in ast.walk(expression)
        if isinstance(node, ast.Attribute)
    }
    return sorted(found & CONDITIONS)


def _sets_marks(node: ast.stmt) -> TypeGuard[ast.Assign]:
    return isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == "pytestmark" for target in node.targets
    )
