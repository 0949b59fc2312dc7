"""The source of a program, prepared for Monty: its last expression as text, awaited calls marked.

Programs may write `wait(i)` and `await wait(i)`. Monty cannot tell one from the other when it calls
its host, but the syntax around the call can.
"""

import ast
import warnings
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

_AWAITING = ("gather", "create_task", "ensure_future", "wait_for")
_OURS = ("fork", "wait")


class _Insertion(NamedTuple):
    """Text to insert into the source, at a line from 1 and a byte of it from 0."""

    line: int
    byte: int
    text: str


def prepared(code: str, max_value_chars: int) -> str:
    """The program as Monty gets it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code  # Monty says what is wrong with it
    insertions = {_before(name, "_") for name in _AwaitedCalls(tree).names()}
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        insertions.add(_before(last, "repr(("))
        insertions.add(_behind(last, f"))[:{max_value_chars}]"))
    lines = code.encode().splitlines(keepends=True)
    for line, byte, text in sorted(insertions, reverse=True):
        old = lines[line - 1]
        lines[line - 1] = old[:byte] + text.encode() + old[byte:]
    return b"".join(lines).decode()


def _before(node: ast.expr | ast.stmt, text: str) -> _Insertion:
    return _Insertion(
        line=node.lineno,
        byte=node.col_offset,
        text=text,
    )


def _behind(node: ast.expr | ast.stmt, text: str) -> _Insertion:
    return _Insertion(
        line=node.end_lineno or 1,
        byte=node.end_col_offset or 0,
        text=text,
    )


class _AwaitedCalls:
    """Calls of `fork` and `wait` that are awaited: at once, in a list, or under a name."""

    def __init__(self, tree: ast.Module) -> None:
        self._awaited: list[ast.expr] = []
        self._values = defaultdict[str, list[ast.expr]](list)
        """By name: what is assigned or appended to it."""
        for node in ast.walk(tree):
            self._collect(node)
        self._ours = {name for name in _OURS if name not in self._values}

    def names(self) -> Iterator[ast.expr]:
        """The names of the called functions."""
        for value in self._awaited:  # which grows
            match value:
                case ast.Name(name):
                    self._awaited += self._values.pop(name, [])
                case ast.Starred(inner):
                    self._awaited.append(inner)
                case ast.ListComp(inner) | ast.GeneratorExp(inner):
                    self._awaited.append(inner)
                case ast.List(items) | ast.Tuple(items):
                    self._awaited += items
                case ast.Call(ast.Name(name)) if name in self._ours:
                    yield value.func
                case _:
                    pass

    def _collect(self, node: ast.AST) -> None:
        match node:
            case ast.Await(value):
                self._awaited.append(value)
            case ast.Call(ast.Name(name) | ast.Attribute(attr=name)) if name in _AWAITING:
                self._awaited += node.args
            case ast.Assign([ast.Name(name)], value):
                self._values[name].append(value)
            case ast.Call(ast.Attribute(ast.Name(name), "append"), [value]):
                self._values[name].append(value)
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                self._values[name] += ()
            case _:
                pass
