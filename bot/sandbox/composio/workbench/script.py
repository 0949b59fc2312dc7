"""Statements of the workbench's Python, and how a whole script is run."""

import ast
from functools import singledispatchmethod
from types import SimpleNamespace
from typing import Any

from bot.sandbox.composio.workbench.expressions import Expressions, NotSupported


class Break(Exception):
    """A loop ends."""


class Continue(Exception):
    """A round of a loop ends."""


class Script:
    """Runs scripts over one set of names, which outlives each of them, as in a notebook."""

    def __init__(self, names: dict[str, Any], modules: dict[str, SimpleNamespace]) -> None:
        self._modules = modules
        self._names = names
        self._expressions = Expressions(names)

    def define(self, name: str, value: Any) -> None:
        """Give the scripts a name, or another value for it."""
        self._names[name] = value

    def run(self, code: str) -> Any:
        """The value of the last line if it is an expression, else None.

        Raises:
            Exception: what the script raised, or NotSupported.
        """
        self._expressions = Expressions(self._names)
        tree = ast.parse(code)
        last = tree.body[-1] if tree.body else None
        self._run_all(tree.body[:-1] if isinstance(last, ast.Expr) else tree.body)
        return self._expressions.evaluate(last.value) if isinstance(last, ast.Expr) else None

    def _run_all(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self._run(statement)

    @singledispatchmethod
    def _run(self, node: ast.stmt) -> None:
        raise NotSupported(type(node).__name__)

    @_run.register
    def _(self, node: ast.Pass) -> None:
        return

    @_run.register
    def _(self, node: ast.Break) -> None:
        raise Break

    @_run.register
    def _(self, node: ast.Continue) -> None:
        raise Continue

    @_run.register
    def _(self, node: ast.Expr) -> None:
        self._expressions.evaluate(node.value)

    @_run.register
    def _(self, node: ast.Import) -> None:
        for alias in node.names:
            module = self._find_module(alias.name)
            if alias.asname:
                self._names[alias.asname] = module
            else:
                root = alias.name.partition(".")[0]
                self._names[root] = self._find_module(root)

    @_run.register
    def _(self, node: ast.ImportFrom) -> None:
        module = self._find_module(node.module or "")
        for alias in node.names:
            if not hasattr(module, alias.name):
                raise ImportError(f"cannot import name {alias.name!r} from {node.module!r}")
            self._names[alias.asname or alias.name] = getattr(module, alias.name)

    @_run.register
    def _(self, node: ast.Assign) -> None:
        value = self._expressions.evaluate(node.value)
        for target in node.targets:
            self._expressions.assign(target, value)

    @_run.register
    def _(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._expressions.assign(node.target, self._expressions.evaluate(node.value))

    @_run.register
    def _(self, node: ast.AugAssign) -> None:
        old = self._expressions.evaluate(_as_value(node.target))
        added = self._expressions.evaluate(node.value)
        self._expressions.assign(node.target, self._expressions.combine(node.op, old, added))

    @_run.register
    def _(self, node: ast.If) -> None:
        self._run_all(node.body if self._expressions.evaluate(node.test) else node.orelse)

    @_run.register
    def _(self, node: ast.For) -> None:
        for item in self._expressions.evaluate(node.iter):
            self._expressions.assign(node.target, item)
            if not self._run_round(node.body):
                return
        self._run_all(node.orelse)

    @_run.register
    def _(self, node: ast.While) -> None:
        while self._expressions.evaluate(node.test):
            if not self._run_round(node.body):
                return
        self._run_all(node.orelse)

    @_run.register
    def _(self, node: ast.With) -> None:
        for item in node.items:
            value = self._expressions.evaluate(item.context_expr)
            if item.optional_vars is not None:
                self._expressions.assign(item.optional_vars, value)
        self._run_all(node.body)

    @_run.register
    def _(self, node: ast.Raise) -> None:
        error = self._expressions.evaluate(node.exc) if node.exc else None
        raise error if isinstance(error, Exception) else RuntimeError(str(error))

    @_run.register
    def _(self, node: ast.Assert) -> None:
        if not self._expressions.evaluate(node.test):
            raise AssertionError(self._expressions.evaluate(node.msg) if node.msg else "")

    @_run.register
    def _(self, node: ast.Try) -> None:
        try:
            self._run_all(node.body)
        except (Break, Continue, NotSupported, TimeoutError):
            raise
        except Exception as error:
            if not self._handle(node.handlers, error):
                raise
        else:
            self._run_all(node.orelse)
        finally:
            self._run_all(node.finalbody)

    def _handle(self, handlers: list[ast.ExceptHandler], error: Exception) -> bool:
        for handler in handlers:
            kinds = self._expressions.evaluate(handler.type) if handler.type else Exception
            if isinstance(error, kinds):
                if handler.name:
                    self._names[handler.name] = error
                self._run_all(handler.body)
                return True
        return False

    def _run_round(self, body: list[ast.stmt]) -> bool:
        """One round of a loop; False when the loop is to end."""
        try:
            self._run_all(body)
        except Break:
            return False
        except Continue:
            pass
        return True

    def _find_module(self, name: str) -> SimpleNamespace:
        if name not in self._modules:
            raise ModuleNotFoundError(f"No module named {name!r} in the workbench of this sandbox")
        return self._modules[name]


def _as_value(target: ast.expr) -> ast.expr:
    """The target of an augmented assignment, read instead of written."""
    match target:
        case ast.Name(id=name):
            return ast.Name(id=name, ctx=ast.Load())
        case ast.Subscript(value=value, slice=key):
            return ast.Subscript(value=value, slice=key, ctx=ast.Load())
        case _:
            raise NotSupported(f"assigning to {type(target).__name__}")
