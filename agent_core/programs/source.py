"""The source of a program, prepared for Monty: its last expression as text, awaited calls marked.

Programs may write `wait(i)` and `await wait(i)`. Monty cannot tell one from the other when it calls
its host, but the syntax around the call can.
"""

import ast
import warnings
from collections.abc import Iterator

_AWAITING = ("gather", "create_task", "ensure_future", "wait_for")
_OURS = ("fork", "wait")


def prepared(code: str, max_value_chars: int) -> str:
    """The program as Monty gets it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code  # Monty says what is wrong with it
    edits = {(name.lineno, name.col_offset, "_") for name in _AwaitedCalls(tree).names()}
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        value = last.value
        edits.add((value.lineno, value.col_offset, "repr(("))
        end_line = value.end_lineno or 1
        end_column = value.end_col_offset or 0
        edits.add((end_line, end_column, f"))[:{max_value_chars}]"))
    lines = code.encode().splitlines(keepends=True)
    for number, column, text in sorted(edits, reverse=True):
        line = lines[number - 1]
        lines[number - 1] = line[:column] + text.encode() + line[column:]
    return b"".join(lines).decode()


class _AwaitedCalls:
    """Calls of `fork` and `wait` that are awaited: at once, in a list, or under a name."""

    def __init__(self, tree: ast.Module) -> None:
        self._awaited: list[ast.expr] = []
        self._values: dict[str, list[ast.expr]] = {}
        """By name: what is assigned or appended to it."""
        for node in ast.walk(tree):
            self._collect(node)
        self._ours = set(_OURS) - self._values.keys()

    def names(self) -> Iterator[ast.expr]:
        """The names of the called functions."""
        for value in self._awaited:  # which grows
            self._awaited += self._values.pop(getattr(value, "id", ""), [])
            match value:
                case ast.Starred(value=inner):
                    self._awaited.append(inner)
                case ast.ListComp(elt=inner) | ast.GeneratorExp(elt=inner):
                    self._awaited.append(inner)
                case ast.List(elts=items) | ast.Tuple(elts=items):
                    self._awaited += items
                case ast.Call(func=ast.Name(id=name)) if name in self._ours:
                    yield value.func
                case _:
                    pass

    def _collect(self, node: ast.AST) -> None:
        match node:
            case ast.Await(value=value):
                self._awaited.append(value)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _AWAITING:
                self._awaited += node.args
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._values.setdefault(name, []).append(value)
            case ast.Call(ast.Attribute(ast.Name(id=name), "append"), args=[value]):
                self._values.setdefault(name, []).append(value)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._values.setdefault(node.name, [])
            case _:
                pass
