"""Functions of the small part of Python in `language` as C99."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ludens.engines.backend.language import PARAMETER_TYPES, Function, Parameter, untranslatable

OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<",
    ast.RShift: ">>", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.And: "&&", ast.Or: "||",
}  # fmt: skip
WORD = "uint64_t"


def c_type(dtype: np.dtype[Any]) -> str:
    return f"{'u' if dtype.kind == 'u' else ''}int{8 * dtype.itemsize}_t"


class CWriter:
    """Writes functions for one game, given the types of its arrays, its numbers, and the name of its structure."""

    def __init__(self, dtypes: Mapping[str, np.dtype[Any]], scalars: Mapping[str, int], workspace_type: str) -> None:
        self._dtypes, self._scalars, self._workspace_type = dtypes, scalars, workspace_type
        self._parameters: dict[str, Parameter] = {}

    def function(self, function: Function, public_name: str = "") -> str:
        """The definition; with a public name the numbers that are passed in and out have 32 bits."""
        self._parameters = {parameter.name: parameter for parameter in function.parameters}
        self._public = bool(public_name)
        comment = [f"/* {' '.join(function.summary.split())} */"] if function.summary else []
        locals_ = [f"    {WORD} {', '.join(function.local_names)};"] if function.local_names else []
        lines = [*comment, self.heading(function, public_name) + " {", *locals_]
        for statement in function.body:
            lines += self._statement(statement, 1)
        return "\n".join([*lines, "}"]) + "\n"

    def heading(self, function: Function, public_name: str = "") -> str:
        result = ("int32_t" if public_name else WORD) if function.has_result else "void"
        parameters = [
            self._parameter(each, bool(public_name)) for each in function.parameters if each.type != "Constants"
        ]
        linkage = "" if public_name else "static inline " if function.is_inline else "static "
        return f"{linkage}{result} {public_name or function.name}({', '.join(parameters)})"

    def _parameter(self, parameter: Parameter, public: bool) -> str:
        if parameter.type == "Scratch":
            return f"{self._workspace_type} *{parameter.name}"
        if parameter.type == "int":
            return f"{'uint32_t' if public else WORD} {parameter.name}"
        kind = PARAMETER_TYPES[parameter.type]
        return f"{'const ' if kind.constant else ''}{c_type(kind.dtype)} *{parameter.name}"

    # -- statements --------------------------------------------------------------------------

    def _statement(self, statement: ast.stmt, depth: int) -> Iterator[str]:
        indent = "    " * depth
        match statement:
            case ast.Assign(targets=[target], value=value):
                yield f"{indent}{self._target(target)} = {self._stored(target, value)};"
            case ast.AugAssign(target=target, op=op, value=value):
                if isinstance(target, ast.Name) or self._element_type(target).itemsize == 8:
                    yield f"{indent}{self._target(target)} {OPERATORS[type(op)]}= {self._value(value)};"
                else:
                    yield f"{indent}{self._target(target)} = {self._stored(target, ast.BinOp(target, op, value))};"
            case ast.If(test=test, body=body, orelse=orelse):
                yield f"{indent}if ({self._condition(test)}) {{"
                yield from self._block(body, depth)
                if orelse:
                    yield f"{indent}}} else {{"
                    yield from self._block(orelse, depth)
                yield f"{indent}}}"
            case ast.While(test=test, body=body):
                yield f"{indent}while ({self._condition(test)}) {{"
                yield from self._block(body, depth)
                yield f"{indent}}}"
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=[first, end]), body=body):
                before = "!=" if self._is_zero(end) else "<"
                yield f"{indent}for ({name} = {self._value(first)}; {name} {before} {self._value(end)}; {name}++) {{"
                yield from self._block(body, depth)
                yield f"{indent}}}"
            case ast.Return(value=value) if value is not None:
                result = self._value(value)
                yield f"{indent}return {f'(int32_t)({result})' if self._public else result};"
            case ast.Expr(value=ast.Call() as call):
                yield f"{indent}{self._value(call)};"
            case _:
                raise untranslatable(statement)

    def _block(self, body: list[ast.stmt], depth: int) -> Iterator[str]:
        for statement in body:
            yield from self._statement(statement, depth + 1)

    def _is_zero(self, value: ast.expr) -> bool:
        """Compilers complain where a number without sign is compared with zero by `<`."""
        return isinstance(value, ast.Attribute) and self._scalars[value.attr] == 0

    def _target(self, target: ast.expr) -> str:
        return target.id if isinstance(target, ast.Name) else self._element(target)

    def _stored(self, target: ast.expr, value: ast.expr) -> str:
        text = self._value(value)
        if isinstance(target, ast.Subscript):
            dtype = self._element_type(target)
            return text if dtype.itemsize == 8 else f"({c_type(dtype)})({text})"
        return text

    # -- expressions -------------------------------------------------------------------------

    def _condition(self, test: ast.expr) -> str:
        match test:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return f"{self._operand(left)} {OPERATORS[type(op)]} {self._operand(right)}"
            case ast.BoolOp(op=op, values=values):
                return f" {OPERATORS[type(op)]} ".join(f"({self._condition(value)})" for value in values)
        return self._value(test)

    def _value(self, value: ast.expr) -> str:
        match value:
            case ast.Constant(value=int(number)):
                return str(number) if number < 2**31 else f"UINT64_C({number:#x})"
            case ast.Name(id=name):
                return name
            case ast.Attribute(value=ast.Name(id="t"), attr=name):
                return name.upper()
            case ast.Subscript():
                element = self._element(value)
                return element if self._element_type(value).itemsize == 8 else f"({WORD}){element}"
            case ast.Call(func=ast.Name(id=name), args=args):
                passed = [self._value(arg) for arg in args if not (isinstance(arg, ast.Name) and arg.id == "t")]
                return f"{name}({', '.join(passed)})"
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return f"~{self._operand(operand)}"
            case ast.BinOp(left=ast.Constant(value=int(number)), op=ast.LShift(), right=right):
                return f"UINT64_C({number}) << {self._operand(right)}"
            case ast.BinOp(left=left, op=op, right=right):
                return f"{self._operand(left)} {OPERATORS[type(op)]} {self._operand(right)}"
            case ast.Compare():
                return f"({WORD})({self._condition(value)})"
        raise untranslatable(value)

    def _operand(self, value: ast.expr) -> str:
        text = self._value(value)
        return f"({text})" if isinstance(value, ast.BinOp) else text

    def _element(self, value: ast.expr) -> str:
        assert isinstance(value, ast.Subscript)
        match value.value:
            case ast.Attribute(value=ast.Name(id="t"), attr=name):
                array = name
            case ast.Attribute(value=ast.Name(id="w"), attr=name):
                array = f"w->{name}"
            case ast.Name(id=name):
                array = name
            case _:
                raise untranslatable(value)
        return f"{array}[{self._value(value.slice)}]"

    def _element_type(self, value: ast.expr) -> np.dtype[Any]:
        assert isinstance(value, ast.Subscript)
        match value.value:
            case ast.Attribute(attr=name):
                return self._dtypes[name]
            case ast.Name(id=name):
                return PARAMETER_TYPES[self._parameters[name].type].dtype
        raise untranslatable(value)
