"""Expressions of the workbench's Python: a subset, walked node by node, without `eval`."""

import ast
import operator
from collections.abc import Callable, Iterator, Sized
from functools import singledispatchmethod
from typing import Any, cast

from bot.sandbox.composio.workbench.values import MAX_ITEMS, list_members

MAX_STEPS = 2_000_000
MAX_BYTES = 64_000_000
MAX_BITS = 4_096
Operation = Callable[..., Any]


def _contains(item: Any, items: Any) -> bool:
    return item in items


def _lacks(item: Any, items: Any) -> bool:
    return item not in items


def _divide(left: Any, right: Any) -> Any:
    return left / right


def _divide_whole(left: Any, right: Any) -> Any:
    return left // right


OPERATORS: dict[type[ast.AST], Operation] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Div: _divide,
    ast.FloorDiv: _divide_whole,
    ast.Mod: operator.mod,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: _contains,
    ast.NotIn: _lacks,
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


class NotSupported(Exception):
    """The script uses something of Python that the workbench of this sandbox does not have."""


class Expressions:
    """Evaluates expressions over the names of a script, within a number of steps."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self._steps = 0

    def evaluate(self, node: ast.expr) -> Any:
        """Raises NotSupported, and whatever the script's own operations raise."""
        self._steps += 1
        if self._steps > MAX_STEPS:
            raise TimeoutError("the script took too many steps")
        return self._value(node)

    def assign(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(id=name):
                self.names[name] = value
            case ast.Subscript(value=holder, slice=key):
                self.evaluate(holder)[self.evaluate(key)] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                for part, item in zip(targets, list(value), strict=True):
                    self.assign(part, item)
            case _:
                raise NotSupported(f"assigning to {type(target).__name__}")

    def combine(self, op: ast.operator, left: Any, right: Any) -> Any:
        """A binary operation; what could take all memory is refused."""
        match op:
            case ast.Mult():
                return _multiply(left, right)
            case ast.Add() if isinstance(left, Sized) and len(left) > MAX_BYTES:
                raise MemoryError
            case ast.Pow():
                return _raise_to(left, right)
            case ast.Mod() if isinstance(left, str | bytes):
                raise NotSupported("formatting with %; use an f-string")
            case _ if type(op) in OPERATORS:
                return OPERATORS[type(op)](left, right)
            case _:
                raise NotSupported(f"the operator {type(op).__name__}")

    @singledispatchmethod
    def _value(self, node: ast.expr) -> Any:
        raise NotSupported(type(node).__name__)

    @_value.register
    def _(self, node: ast.Constant) -> Any:
        return node.value

    @_value.register
    def _(self, node: ast.Name) -> Any:
        if node.id not in self.names:
            raise NameError(f"name {node.id!r} is not defined")
        return self.names[node.id]

    @_value.register
    def _(self, node: ast.Attribute) -> Any:
        value = self.evaluate(node.value)
        if node.attr not in list_members(value):
            raise AttributeError(f"{type(value).__name__} has no {node.attr!r} in this workbench")
        return getattr(value, node.attr)

    @_value.register
    def _(self, node: ast.Call) -> Any:
        function = self.evaluate(node.func)
        arguments: list[Any] = []
        for argument in node.args:
            starred = isinstance(argument, ast.Starred)
            value = self.evaluate(argument.value if starred else argument)
            arguments += list(value) if starred else [value]
        named = {key.arg: self.evaluate(key.value) for key in node.keywords if key.arg}
        _check_size(function, arguments)
        return function(*arguments, **named)

    @_value.register
    def _(self, node: ast.BinOp) -> Any:
        return self.combine(node.op, self.evaluate(node.left), self.evaluate(node.right))

    @_value.register
    def _(self, node: ast.UnaryOp) -> Any:
        if type(node.op) not in OPERATORS:
            raise NotSupported(f"the operator {type(node.op).__name__}")
        return OPERATORS[type(node.op)](self.evaluate(node.operand))

    @_value.register
    def _(self, node: ast.BoolOp) -> Any:
        value: Any = None
        for operand in node.values:
            value = self.evaluate(operand)
            if bool(value) is isinstance(node.op, ast.Or):
                return value
        return value

    @_value.register
    def _(self, node: ast.Compare) -> Any:
        left = self.evaluate(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.evaluate(comparator)
            if not OPERATORS[type(op)](left, right):
                return False
            left = right
        return True

    @_value.register
    def _(self, node: ast.IfExp) -> Any:
        return self.evaluate(node.body if self.evaluate(node.test) else node.orelse)

    @_value.register
    def _(self, node: ast.Subscript) -> Any:
        return self.evaluate(node.value)[self.evaluate(node.slice)]

    @_value.register
    def _(self, node: ast.Slice) -> Any:
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if part is None else self.evaluate(part) for part in parts))

    @_value.register
    def _(self, node: ast.Tuple) -> Any:
        return tuple(self.evaluate(item) for item in node.elts)

    @_value.register
    def _(self, node: ast.List) -> Any:
        return [self.evaluate(item) for item in node.elts]

    @_value.register
    def _(self, node: ast.Set) -> Any:
        return {self.evaluate(item) for item in node.elts}

    @_value.register
    def _(self, node: ast.Dict) -> Any:
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            found = self.evaluate(value)
            made |= cast("dict[Any, Any]", found) if key is None else {self.evaluate(key): found}
        return made

    @_value.register
    def _(self, node: ast.JoinedStr) -> Any:
        return "".join(str(self.evaluate(part)) for part in node.values)

    @_value.register
    def _(self, node: ast.FormattedValue) -> Any:
        value = self.evaluate(node.value)
        shown = repr(value) if node.conversion == ord("r") else value
        rule = "" if node.format_spec is None else str(self.evaluate(node.format_spec))
        if any(int(number) > MAX_BITS for number in _numbers(rule)):
            raise MemoryError
        return format(shown, rule)

    @_value.register
    def _(self, node: ast.ListComp) -> Any:
        return [self.evaluate(node.elt) for _ in self._each(node.generators)]

    @_value.register
    def _(self, node: ast.GeneratorExp) -> Any:
        return [self.evaluate(node.elt) for _ in self._each(node.generators)]

    @_value.register
    def _(self, node: ast.SetComp) -> Any:
        return {self.evaluate(node.elt) for _ in self._each(node.generators)}

    @_value.register
    def _(self, node: ast.DictComp) -> Any:
        pairs = self._each(node.generators)
        return {self.evaluate(node.key): self.evaluate(node.value) for _ in pairs}

    def _each(self, generators: list[ast.comprehension]) -> Iterator[None]:
        """Once for each round of a comprehension, its variables set."""
        first, rest = generators[0], generators[1:]
        for item in self.evaluate(first.iter):
            self.assign(first.target, item)
            if all(self.evaluate(test) for test in first.ifs):
                if rest:
                    yield from self._each(rest)
                else:
                    yield None


def _multiply(left: Any, right: Any) -> Any:
    for sequence, times in ((left, right), (right, left)):
        many = isinstance(sequence, str | bytes | list | tuple) and isinstance(times, int)
        if many and len(cast(Sized, sequence)) * times > MAX_ITEMS:
            raise MemoryError
    if all(isinstance(side, int) and side.bit_length() > MAX_BITS for side in (left, right)):
        raise MemoryError
    return left * right


def _raise_to(base: Any, exponent: Any) -> Any:
    whole = isinstance(base, int) and isinstance(exponent, int)
    if whole and base.bit_length() * max(exponent, 0) > MAX_BITS:
        raise MemoryError
    return base**exponent


def _check_size(function: Any, arguments: list[Any]) -> None:
    """Refuses the few calls by which a short script asks for endless memory."""
    first = arguments[0] if arguments else None
    if function is bytes and isinstance(first, int) and first > MAX_BYTES:
        raise MemoryError
    if getattr(function, "__name__", "") in {"replace", "join", "extend"}:
        own = len(getattr(function, "__self__", ""))
        sizes = [len(item) for item in arguments if isinstance(item, Sized)]
        if own * max(sizes, default=0) > MAX_BYTES:
            raise MemoryError


def _numbers(rule: str) -> list[str]:
    return "".join(letter if letter.isdecimal() else " " for letter in rule).split()
