"""The small part of Python that the functions of compiled games are written in, as types and as trees to translate.

Every value is an unsigned number of 64 bits. There are assignments, `if`, `while`, `for` over a range, calls and
`return`; arrays are those of the game (`t`, which never change), of the memory of one thread (`w`), or are passed in.
"""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F")


def _not_run() -> TypeError:
    return TypeError("this code is translated, not run")


def untranslatable(part: ast.AST) -> TypeError:
    """For a part of the runtime that the translators do not know: only what this module tells of is translated."""
    return TypeError(f"there is no translation for {ast.unparse(part)}")


class _Arrays:
    """Something with arrays and numbers as attributes; nothing is known of them here."""

    def __getattr__(self, name: str) -> Any:
        raise _not_run()


class Constants(_Arrays):
    """Arrays and numbers of a game that never change."""


class Scratch(_Arrays):
    """The memory of one thread."""


class Elements:
    """An array that is passed in."""

    dtype: np.dtype[Any]
    constant = False

    def __getitem__(self, place: int) -> int:
        raise _not_run()

    def __setitem__(self, place: int, value: int) -> None:
        raise _not_run()


class Bytes(Elements):
    dtype = np.dtype(np.uint8)


class ConstantBytes(Bytes):
    constant = True


class Numbers(Elements):
    dtype = np.dtype(np.uint32)


class ConstantNumbers(Numbers):
    constant = True


class Words(Elements):
    dtype = np.dtype(np.uint64)


class Results(Elements):
    dtype = np.dtype(np.int32)


PARAMETER_TYPES: dict[str, type[Elements]] = {
    kind.__name__: kind for kind in (Bytes, ConstantBytes, Numbers, ConstantNumbers, Words, Results)
}


def inline(function: F) -> F:
    """Mark a function whose code becomes part of those that call it."""
    return function


def external(function: F) -> F:
    """Mark a function that is written elsewhere, for each game; only its name and parameters are known."""
    return function


def ones(word: int) -> int:
    """How many bits are set."""
    raise _not_run()


def low_bit(word: int) -> int:
    """The place of the lowest bit that is set; some bit must be."""
    raise _not_run()


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: str
    """`Constants`, `Scratch`, `int`, or the name of a kind of elements."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function to translate."""

    name: str
    summary: str
    parameters: tuple[Parameter, ...]
    has_result: bool
    is_inline: bool
    body: tuple[ast.stmt, ...]

    @property
    def local_names(self) -> list[str]:
        """Everything that is assigned to, in order; parameters are not."""
        found: dict[str, None] = {}
        given = {parameter.name for parameter in self.parameters}
        for statement in self.body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in given:
                    found[node.id] = None
        return list(found)

    @property
    def attributes(self) -> list[tuple[str, str]]:
        """What it uses of the tables and the workspace: pairs of `t` or `w` and a name."""
        found: dict[tuple[str, str], None] = {}
        for statement in self.body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    found[node.value.id, node.attr] = None
        return list(found)


def read_functions(module: ModuleType) -> dict[str, Function]:
    """Return the functions of a module that are not external, by their names, with the module's constants put in."""
    constants = {name: value for name, value in vars(module).items() if name.isupper() and isinstance(value, int)}
    tree = _Plain(constants).visit(ast.parse(inspect.getsource(module)))
    nodes = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name: _function(node) for node in nodes if "external" not in _decorators(node)}


def _function(node: ast.FunctionDef) -> Function:
    parameters = tuple(
        Parameter(each.arg, ast.unparse(each.annotation or ast.Constant("int"))) for each in node.args.args
    )
    summary = ast.get_docstring(node) or ""
    body = node.body[1:] if summary else node.body
    has_result = isinstance(node.returns, ast.Name) and node.returns.id == "int"
    return Function(node.name, summary, parameters, has_result, "inline" in _decorators(node), tuple(body))


def _decorators(node: ast.FunctionDef) -> list[str]:
    return [ast.unparse(decorator) for decorator in node.decorator_list]


class _Plain(ast.NodeTransformer):
    """Puts in constants, and the beginning of ranges."""

    def __init__(self, constants: dict[str, int]) -> None:
        self._constants = constants

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Load) and node.id in self._constants:
            return ast.Constant(self._constants[node.id])
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        if isinstance(node.iter, ast.Call) and len(node.iter.args) == 1:
            node.iter.args.insert(0, ast.Constant(0))
        return node
