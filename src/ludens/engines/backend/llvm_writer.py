"""LLVM assembly as it is written, and functions of the small part of Python in `language` as such."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from ludens.engines.backend.language import PARAMETER_TYPES, Function, Parameter, untranslatable
from ludens.engines.backend.memory import MemoryLayout

ARITHMETIC = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.LShift: "shl", ast.RShift: "lshr",
}  # fmt: skip
COMPARISONS = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "ult", ast.LtE: "ule", ast.Gt: "ugt", ast.GtE: "uge"}
INTRINSICS = {"ones": "call i64 @llvm.ctpop.i64(i64 {})", "low_bit": "call i64 @llvm.cttz.i64(i64 {}, i1 false)"}
DECLARATIONS = "declare i64 @llvm.ctpop.i64(i64)\ndeclare i64 @llvm.cttz.i64(i64, i1)\n"


class Assembly:
    """The instructions of one function so far."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def op(self, instruction: str) -> str:
        """Write an instruction that gives a value; return the name of the value."""
        self._count += 1
        self.lines.append(f"  %v{self._count} = {instruction}")
        return f"%v{self._count}"

    def label(self, prefix: str = "b") -> str:
        """Return the name of a block that is not begun yet."""
        self._count += 1
        return f"{prefix}{self._count}"

    def start(self, label: str) -> None:
        """Begin a block; the one before has ended with a jump."""
        self.lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        self.line(f"br label %{label}")

    def branch(self, condition: str, then: str, other: str) -> None:
        self.line(f"br i1 {condition}, label %{then}, label %{other}")


class _Translation(Assembly):
    """A function that is being translated."""

    def __init__(self, parameters: Mapping[str, Parameter], public: bool) -> None:
        super().__init__()
        self.parameters, self.public = parameters, public
        self.operands: dict[str, str] = {}
        """Where things are, by their names."""


class Places(Protocol):
    """Where the arrays and numbers of a game are; `%w` is the pointer that functions get."""

    def find(self, name: str, is_table: bool, is_scalar: bool) -> tuple[list[str], str]:
        """Instructions for the beginning of a function, and the operand that they lead to."""
        ...


class Fixed:
    """One game: tables are constants of the module, and `%w` is a block of memory with all other arrays."""

    def __init__(self, scalars: Mapping[str, int], memory: MemoryLayout) -> None:
        self._scalars, self._arrays = scalars, memory.arrays

    def find(self, name: str, is_table: bool, is_scalar: bool) -> tuple[list[str], str]:
        if is_scalar:
            return [], str(self._scalars[name])
        if is_table:
            return [], f"@{name}"
        return [f"%{name}.base = getelementptr i8, ptr %w, i64 {self._arrays[name].offset}"], f"%{name}.base"


class Framed:
    """Any game: `%w` is a frame of 64-bit numbers, the scalars and the addresses of all arrays, each in its place."""

    def __init__(self, names: Sequence[str]) -> None:
        self._slots = {name: slot for slot, name in enumerate(names)}

    def find(self, name: str, is_table: bool, is_scalar: bool) -> tuple[list[str], str]:
        kind = "i64" if is_scalar else "ptr"
        slot = f"%{name}.slot = getelementptr i64, ptr %w, i64 {self._slots[name]}"
        return [slot, f"%{name}.base = load {kind}, ptr %{name}.slot, !invariant.load !1"], f"%{name}.base"


class LlvmWriter:
    """Writes functions, given the types of the elements of all arrays."""

    def __init__(self, dtypes: Mapping[str, np.dtype[Any]], places: Places) -> None:
        self._dtypes, self._places = dtypes, places
        self._tags: dict[str, int] = {}

    def function(self, function: Function, public_name: str = "") -> str:
        """The definition; with a public name the numbers that are passed in and out have 32 bits."""
        self._body = _Translation({parameter.name: parameter for parameter in function.parameters}, bool(public_name))
        number = "i32" if public_name else "i64"
        passed = [each for each in function.parameters if each.type != "Constants"]
        listed = ", ".join(f"{number if each.type == 'int' else 'ptr'} %{each.name}" for each in passed)
        for name in function.local_names + [each.name for each in passed if each.type == "int"]:
            self._body.line(f"%{name}.at = alloca i64")
        for each in passed:
            if each.type == "int":
                value = self._body.op(f"zext i32 %{each.name} to i64") if public_name else f"%{each.name}"
                self._body.line(f"store i64 {value}, ptr %{each.name}.at")
        self._locate(function)
        self._block(function.body)
        self._body.line(f"ret {number} 0" if function.has_result else "ret void")
        result = number if function.has_result else "void"
        inline = " alwaysinline" if function.is_inline else ""
        linkage = "" if public_name else "internal "
        heading = f"define {linkage}{result} @{public_name or function.name}({listed}) nounwind{inline}"
        return f"{heading} {{\n" + "\n".join(self._body.lines) + "\n}\n"

    def metadata(self) -> str:
        """What the functions say about memory: different arrays do not overlap, tables do not change."""
        lines = ['!0 = !{!"ludens"}', "!1 = !{}"]
        for name, number in self._tags.items():
            lines += [f'!{number} = !{{!"{name}", !0}}', f"!{number + 1} = !{{!{number}, !{number}, i64 0}}"]
        return "\n".join(lines) + "\n"

    def _locate(self, function: Function) -> None:
        """Have everything at hand that the function uses."""
        for owner, name in function.attributes:
            lines, operand = self._places.find(name, owner == "t", name not in self._dtypes)
            self._body.operands[name] = operand
            for line in lines:
                self._body.line(line)

    # -- statements --------------------------------------------------------------------------

    def _block(self, statements: Any) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=[target], value=value):
                self._store(target, self._value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                before = self._load(target)
                self._store(target, self._body.op(f"{ARITHMETIC[type(op)]} i64 {before}, {self._value(value)}"))
            case ast.If(test=test, body=body, orelse=orelse):
                other, after = self._body.label("else"), self._body.label("end")
                self._enter(test, other)
                self._block(body)
                self._body.jump(after)
                self._body.start(other)
                self._block(orelse)
                self._body.jump(after)
                self._body.start(after)
            case ast.While(test=test, body=body):
                head, after = self._body.label("while"), self._body.label("done")
                self._body.jump(head)
                self._body.start(head)
                self._enter(test, after)
                self._block(body)
                self._body.jump(head)
                self._body.start(after)
            case ast.For(target=ast.Name() as target, iter=ast.Call(args=[first, end]), body=body):
                self._statement(ast.Assign([target], first))
                step = ast.AugAssign(target, ast.Add(), ast.Constant(1))
                self._statement(ast.While(ast.Compare(target, [ast.Lt()], [end]), [*body, step], []))
            case ast.Return(value=value) if value is not None:
                result = self._value(value)
                if self._body.public:
                    result = self._body.op(f"trunc i64 {result} to i32")
                self._body.line(f"ret {'i32' if self._body.public else 'i64'} {result}")
                self._body.start(self._body.label("after"))
            case ast.Expr(value=ast.Call() as call):
                self._call(call, "void")
            case _:
                raise untranslatable(statement)

    def _enter(self, test: ast.expr, other: str) -> None:
        """Begin the block for which a condition holds."""
        then = self._body.label("then")
        self._body.branch(self._condition(test), then, other)
        self._body.start(then)

    def _store(self, target: ast.expr, value: str) -> None:
        if isinstance(target, ast.Name):
            self._body.line(f"store i64 {value}, ptr %{target.id}.at")
            return
        address, bits, tag = self._element(target)
        if bits < 64:
            value = self._body.op(f"trunc i64 {value} to i{bits}")
        self._body.line(f"store i{bits} {value}, ptr {address}{tag}")

    def _load(self, source: ast.expr) -> str:
        if isinstance(source, ast.Name):
            return self._body.op(f"load i64, ptr %{source.id}.at")
        address, bits, tag = self._element(source)
        value = self._body.op(f"load i{bits}, ptr {address}{tag}")
        return value if bits == 64 else self._body.op(f"zext i{bits} {value} to i64")

    # -- expressions -------------------------------------------------------------------------

    def _condition(self, test: ast.expr) -> str:
        match test:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._body.op(f"icmp {COMPARISONS[type(op)]} i64 {self._value(left)}, {self._value(right)}")
            case ast.BoolOp(op=op, values=[left, right]):
                kind = "and" if isinstance(op, ast.And) else "or"
                return self._body.op(f"{kind} i1 {self._condition(left)}, {self._condition(right)}")
        return self._body.op(f"icmp ne i64 {self._value(test)}, 0")

    def _value(self, value: ast.expr) -> str:
        match value:
            case ast.Constant(value=int(number)):
                return str(number - 2**64 if number >= 2**63 else number)
            case ast.Name() | ast.Subscript():
                return self._load(value)
            case ast.Attribute(value=ast.Name(id="t"), attr=name):
                return self._body.operands[name]
            case ast.Call():
                return self._call(value, "i64")
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return self._body.op(f"xor i64 {self._value(operand)}, -1")
            case ast.BinOp(left=left, op=op, right=right):
                return self._body.op(f"{ARITHMETIC[type(op)]} i64 {self._value(left)}, {self._value(right)}")
            case ast.Compare():
                return self._body.op(f"zext i1 {self._condition(value)} to i64")
        raise untranslatable(value)

    def _call(self, call: ast.Call, result: str) -> str:
        assert isinstance(call.func, ast.Name)
        if call.func.id in INTRINSICS:
            return self._body.op(INTRINSICS[call.func.id].format(self._value(call.args[0])))
        passed = []
        for argument in call.args:
            kind = self._body.parameters.get(argument.id) if isinstance(argument, ast.Name) else None
            if kind is None or kind.type == "int":
                passed.append(f"i64 {self._value(argument)}")
            elif kind.type != "Constants":
                passed.append(f"ptr %{kind.name}")
        instruction = f"call {result} @{call.func.id}({', '.join(passed)})"
        if result == "void":
            self._body.line(instruction)
            return ""
        return self._body.op(instruction)

    def _element(self, source: ast.expr) -> tuple[str, int, str]:
        """The address of an element, its bits, and what is known about the array."""
        assert isinstance(source, ast.Subscript)
        place = self._value(source.slice)
        match source.value:
            case ast.Attribute(value=ast.Name(id="t"), attr=name):
                base, dtype, tag = self._body.operands[name], self._dtypes[name], ", !invariant.load !1"
            case ast.Attribute(value=ast.Name(id="w"), attr=name):
                base, dtype, tag = self._body.operands[name], self._dtypes[name], self._tag(name)
            case ast.Name(id=name):
                base, dtype = f"%{name}", PARAMETER_TYPES[self._body.parameters[name].type].dtype
                tag = self._tag("passed in")
            case _:
                raise untranslatable(source)
        bits = 8 * dtype.itemsize
        return self._body.op(f"getelementptr i{bits}, ptr {base}, i64 {place}"), bits, tag

    def _tag(self, name: str) -> str:
        number = self._tags.setdefault(name, 2 + 2 * len(self._tags))
        return f", !tbaa !{number + 1}"


def constant(name: str, table: np.ndarray[Any, Any], kind: str = "private unnamed_addr") -> str:
    """A table as a constant of the module."""
    data = table.astype(table.dtype.newbyteorder("<")).tobytes()
    text = "".join(f"\\{byte:02x}" for byte in data)
    return f'@{name} = {kind} constant [{len(data)} x i8] c"{text}", align 8\n'
