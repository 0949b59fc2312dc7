"""How dense and how large the code is: `python -m tests.architecture.shape [FOLDER]`.

The unit is the node of Python's syntax tree: formatting and packing do not change it. Nodes a
code line say how much a reader has to unfold on each line. With a folder, its files are listed.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from complexipy import file_complexity

REPOSITORY = Path(__file__).parents[2]
PACKAGES = ("agent_core", "bot", "mcp_local")

PLANNED_NODES = 332_000
"""What the plan wants the product to hold, without what later issues are allowed."""

OVERDRAWN = 21_000
"""What issues M and H took above their parts, some 10,000 each; a debt that has to come back."""

MAX_NODES = PLANNED_NODES + 14_000 + 20_000 + 20_000 + OVERDRAWN
"""What the product may hold: the plan, what issues M, H and I are allowed and what M and H
overdrew. It changes only in a commit of its own."""

MAX_MEAN_DENSITY = 8.1
"""The plan wants 8.0; the claim check (9.9), the evaluations and the report stand above it."""
MAX_FILE_DENSITY = 10.0
MAX_COGNITIVE_COMPLEXITY = 15
SMALL_FILE = 40
"""A file with fewer code lines than this may be dense: a table, a few formulas."""

ANCHORS = {
    "kosong": 5.9,
    "kimi-cli": 6.1,
    "httpx": 6.2,
    "open-swe": 6.3,
    "nanobot": 6.5,
    "mini-swe-agent": 6.8,
}
"""Nodes a code line in code bases that engineers hold up."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Nodes and code lines of one file, or the sum over several."""

    nodes: int
    code_lines: int
    files: int = 1

    @property
    def density(self) -> float:
        """Nodes a code line."""
        return self.nodes / max(1, self.code_lines)


def shape_of(path: Path) -> Shape:
    """The shape of one Python file.

    Code lines are those with code: no blank line, no comment, no docstring.
    """
    source = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(source)))
    documentation: set[int] = set()
    for node in nodes:
        if _is_docstring(node):
            documentation.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    code_lines = 0
    for number, line in enumerate(source.splitlines(), start=1):
        text = line.strip()
        if text and not text.startswith("#") and number not in documentation:
            code_lines += 1
    return Shape(nodes=len(nodes), code_lines=code_lines)


def total(shapes: Iterable[Shape]) -> Shape:
    """The sum of several shapes."""
    listed = list(shapes)
    return Shape(
        nodes=sum(each.nodes for each in listed),
        code_lines=sum(each.code_lines for each in listed),
        files=sum(each.files for each in listed),
    )


def product_shapes() -> dict[Path, Shape]:
    """The shape of each file of the product, by its path below the repository."""
    return {path: shape_of(REPOSITORY / path) for path in product_files()}


def product_files() -> list[Path]:
    """Every Python file of the three packages, relative to the repository."""
    found: list[Path] = []
    for package in PACKAGES:
        found.extend(sorted((REPOSITORY / package).rglob("*.py")))
    return [path.relative_to(REPOSITORY) for path in found]


def test_lines() -> int:
    """Lines of Python below tests/, all of them counted."""
    paths = (REPOSITORY / "tests").rglob("*.py")
    return sum(path.read_bytes().count(b"\n") for path in paths)


def ambiguous_type_names() -> dict[str, list[Path]]:
    """Names of types that two modules of the product define, with those modules.

    A leading underscore makes no other name: a reader who searches finds both.
    """
    defined: dict[str, list[Path]] = defaultdict(list)
    for path in product_files():
        tree = ast.parse((REPOSITORY / path).read_text(encoding="utf-8"))
        for name in sorted(set(_type_names(tree))):
            defined[name.lstrip("_")].append(path)
    return {name: paths for name, paths in sorted(defined.items()) if len(paths) > 1}


def complex_functions() -> list[tuple[Path, str, int]]:
    """Functions whose cognitive complexity is above the bound: file, function, complexity."""
    measured: list[tuple[Path, str, int]] = []
    for path in product_files():
        functions = file_complexity(str(REPOSITORY / path)).functions
        measured.extend((path, each.name, each.complexity) for each in functions)
    return [each for each in measured if each[2] > MAX_COGNITIVE_COMPLEXITY]


def _is_docstring(node: ast.AST) -> TypeGuard[ast.Expr]:
    """Whether a node is a string that stands alone: the docstring of a module, class or field."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _type_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name
    for node in tree.body:
        if isinstance(node, ast.Assign) and _makes_type(node.value):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def _makes_type(value: ast.expr) -> bool:
    """Whether an assignment makes a type: a `NewType`, a union, an alias of `Literal` and such."""
    if isinstance(value, ast.BinOp):
        return isinstance(value.op, ast.BitOr) and isinstance(value.left, ast.Name)
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id == "NewType"
    return (
        isinstance(value, ast.Subscript)
        and isinstance(value.value, ast.Name)
        and value.value.id in {"Annotated", "Awaitable", "Callable", "Coroutine", "Literal"}
    )


def _room_of(path: Path) -> str:
    parts = path.parts[:-1]
    depth = 3 if parts[:2] == ("bot", "sandbox") else 2
    return "/".join(parts[:depth])


def _row(name: str, shape: Shape) -> str:
    return f"{name:<46}{shape.nodes:>9}{shape.code_lines:>8}{shape.density:>7.1f}{shape.files:>7}"


def _report(shapes: dict[Path, Shape]) -> Iterator[str]:
    yield f"{'room':<46}{'nodes':>9}{'lines':>8}{'a line':>7}{'files':>7}"
    rooms: dict[str, list[Shape]] = defaultdict(list)
    for path, shape in shapes.items():
        rooms[_room_of(path)].append(shape)
    for room, listed in sorted(rooms.items()):
        yield _row(room, total(listed))
    whole = total(shapes.values())
    yield _row("product", whole)
    yield f"{'may be':<46}{MAX_NODES:>9}{'':>8}{MAX_MEAN_DENSITY:>7.1f}"
    yield f"{'planned':<46}{PLANNED_NODES:>9}"
    anchors = ", ".join(f"{name} {density}" for name, density in ANCHORS.items())
    yield f"nodes a line elsewhere: {anchors}"

    yield "\nthe ten densest files of 40 code lines or more"
    large = [item for item in shapes.items() if item[1].code_lines >= SMALL_FILE]
    large.sort(key=lambda item: item[1].density, reverse=True)
    for path, shape in large[:10]:
        yield _row(str(path), shape)
    above = [path for path, shape in large if shape.density > MAX_FILE_DENSITY]
    yield f"files above {MAX_FILE_DENSITY:.0f} nodes a line: {len(above)}"

    ambiguous = ambiguous_type_names()
    yield f"\ntype names with two meanings: {len(ambiguous)}"
    for name, paths in ambiguous.items():
        yield f"  {name}: {', '.join(str(path) for path in paths)}"
    functions = complex_functions()
    yield f"functions of cognitive complexity above {MAX_COGNITIVE_COMPLEXITY}: {len(functions)}"
    for path, name, complexity in functions:
        yield f"  {path} {name}: {complexity}"
    yield f"lines of tests: {test_lines()}"


def _report_folder(folder: str, shapes: dict[Path, Shape]) -> Iterator[str]:
    inside = [item for item in shapes.items() if str(item[0]).startswith(folder)]
    inside.sort(key=lambda item: item[1].density, reverse=True)
    for path, shape in inside:
        yield _row(str(path), shape)
    yield _row(folder, total(shape for _, shape in inside))


def main() -> None:
    """Print the whole table, or the files of the folder that is named."""
    shapes = product_shapes()
    lines = _report_folder(sys.argv[1], shapes) if len(sys.argv) > 1 else _report(shapes)
    for line in lines:
        print(line)  # noqa: T201


if __name__ == "__main__":
    main()
