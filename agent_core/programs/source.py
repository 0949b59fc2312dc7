"""The source of a program, prepared for Monty: its last expression as text, awaited calls marked.

Programs may write `wait(i)` and `await wait(i)`. Monty cannot tell one from the other when it calls
its host, but the syntax around the call can.
"""

import ast
import warnings
from collections import defaultdict
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
    insertions: set[tuple[int, int, str]] = set()
    """Line from 1, byte of it from 0, and what is inserted there."""
    for name in _awaited_calls(tree):
        insertions.add((name.lineno, name.col_offset, "_"))
    for last in tree.body[-1:]:
        if isinstance(last, ast.Expr):
            insertions.add((last.lineno, last.col_offset, "repr(("))
            line = last.end_lineno or 1
            byte = last.end_col_offset or 0
            insertions.add((line, byte, f"))[:{max_value_chars}]"))
    lines = code.encode().splitlines(keepends=True)
    for line, byte, text in sorted(insertions, reverse=True):
        index = line - 1
        head = lines[index][:byte]
        tail = lines[index][byte:]
        lines[index] = head + text.encode() + tail
    return b"".join(lines).decode()


def _awaited_calls(tree: ast.Module) -> Iterator[ast.expr]:
    """The names of `fork` and `wait` where the call is awaited: at once, in a list, by a name."""
    awaited, values = _awaited_values(tree)
    ours = {name for name in _OURS if name not in values}
    for value in awaited:  # which grows
        match value:
            case ast.Name(name):
                awaited += values.pop(name, [])
            case ast.Starred(inner) | ast.ListComp(inner) | ast.GeneratorExp(inner):
                awaited.append(inner)
            case ast.List(items) | ast.Tuple(items):
                awaited += items
            case ast.Call(ast.Name(name)) if name in ours:
                yield value.func
            case _:
                pass


def _awaited_values(tree: ast.Module) -> tuple[list[ast.expr], dict[str, list[ast.expr]]]:
    """What is awaited, and by name what is assigned or appended to it."""
    awaited: list[ast.expr] = []
    values = defaultdict[str, list[ast.expr]](list)
    for node in ast.walk(tree):
        match node:
            case ast.Await(value):
                awaited.append(value)
            case ast.Call(
                ast.Name(name) | ast.Attribute(attr=name),
                arguments,
            ) if name in _AWAITING:
                awaited += arguments
            case ast.Assign([ast.Name(name)], value):
                values[name].append(value)
            case ast.Call(
                ast.Attribute(ast.Name(name), "append"),
                [value],
            ):
                values[name].append(value)
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name):
                values[name] += ()
            case _:
                pass
    return awaited, values
