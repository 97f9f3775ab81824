"""Vectors of W 64-bit words as values in kernels: 64 * W lanes, one bit each, in one or a few machine registers.

An array of vectors has the element type `vector_type(W)`, so numba knows W when it compiles a kernel, and one
source serves all widths. `load` and `store` move a vector between such an array and registers; between vectors
there are `&`, `|`, `^`, `~` and the functions below. With the JIT off a vector is a NumPy array of W words, and
the Python bodies given here are what runs; with the JIT on they say what the instructions do.

A vector is a value: there are no operators that change one in place. No index is checked, none may be negative.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model
from numpy.typing import NDArray

from ludens.runtime.jit import instructions

Vector: TypeAlias = NDArray[np.uint64]
"""The value of one wire in all lanes: W words."""

Vectors: TypeAlias = NDArray[np.void]
"""An array in memory of the element type `vector_type(W)`."""

WIDTHS = (1, 2, 4, 8, 16, 32)
"""The numbers of words per vector that machine code can be made for."""

CACHE_LINE = 64
"""Arrays of vectors start at a multiple of this many bytes."""


def vector_type(width: int) -> np.dtype[np.void]:
    """The element type of arrays of vectors of `width` words."""
    if width not in WIDTHS:
        raise ValueError(f"a vector has {', '.join(map(str, WIDTHS))} words, not {width}")
    return np.dtype([("words", np.uint64, (width,))])


def aligned_vectors(count: int, width: int) -> Vectors:
    """An array of `count` vectors of zeros that starts at a cache line."""
    element = vector_type(width)
    memory = np.zeros(count * element.itemsize + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start : start + count * element.itemsize].view(element)


def words_of(vectors: Vectors) -> NDArray[np.uint64]:
    """The same memory as plain words [vectors, W]; lane i is bit i % 64 of word i // 64."""
    return cast(NDArray[np.uint64], vectors["words"])


# --- what numba has to know about the type ---------------------------------------------------------------------

WORD = ir.IntType(64)


class VectorType(types.Type):
    """Numba's type of a vector in registers."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Vector({width})")


@register_model(VectorType)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, vector: VectorType) -> None:
        super().__init__(manager, vector, ir.VectorType(WORD, vector.width))  # type: ignore[no-untyped-call]


def _element(array: Any) -> VectorType:
    return VectorType(array.dtype.size // 8)


def _constant(vector: VectorType, word: int) -> ir.Constant:
    return ir.Constant(ir.VectorType(WORD, vector.width), [word] * vector.width)


def _splat(context: Any, builder: Any, vector: VectorType, number: Any, number_type: Any) -> Any:
    """All words equal to an integer."""
    word = context.cast(builder, number, number_type, types.uint64)
    empty = ir.Constant(ir.VectorType(WORD, vector.width), ir.Undefined)
    first = builder.insert_element(empty, word, ir.Constant(ir.IntType(32), 0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), vector.width), [0] * vector.width)
    return builder.shuffle_vector(first, empty, mask)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any, index_type: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    base = builder.bitcast(data, ir.VectorType(WORD, _element(array_type).width).as_pointer())
    return builder.gep(base, [context.cast(builder, index, index_type, types.intp)])


def _machine_intrinsic(builder: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    function_type = ir.FunctionType(result, [argument.type for argument in arguments])
    declared = builder.module.globals.get(name) or ir.Function(builder.module, function_type, name)
    return builder.call(declared, arguments)


def _register_operator(function: Callable[..., Any], arity: int, emit: Callable[..., Any]) -> None:
    @infer_global(function)  # type: ignore[no-untyped-call]
    class _Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) == arity and isinstance(args[0], VectorType) and all(other == args[0] for other in args):
                return signature(args[0], *args)  # type: ignore[no-untyped-call]
            return None

    @lower_builtin(function, *[VectorType] * arity)  # type: ignore[no-untyped-call, untyped-decorator]
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit(builder, *args)


_register_operator(operator.and_, 2, lambda builder, left, right: builder.and_(left, right))
_register_operator(operator.or_, 2, lambda builder, left, right: builder.or_(left, right))
_register_operator(operator.xor, 2, lambda builder, left, right: builder.xor(left, right))
_register_operator(operator.invert, 1, lambda builder, vector: builder.not_(vector))
_register_operator(operator.add, 2, lambda builder, left, right: builder.add(left, right))
_register_operator(operator.mul, 2, lambda builder, left, right: builder.mul(left, right))


# --- memory ----------------------------------------------------------------------------------------------------


def _load(typing: Any, vectors: Any, index: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        address = _address(context, builder, sig.args[0], args[0], args[1], sig.args[1])
        return builder.load(address, align=min(8 * sig.return_type.width, CACHE_LINE))

    return _element(vectors)(vectors, index), emit


@instructions(_load)
def load(vectors: Vectors, index: int) -> Vector:
    """The vector at an index of an array."""
    return cast(Vector, vectors["words"][index].copy())


def _store(typing: Any, vectors: Any, index: Any, vector: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        address = _address(context, builder, sig.args[0], args[0], args[1], sig.args[1])
        builder.store(args[2], address, align=min(8 * sig.args[2].width, CACHE_LINE))
        return context.get_dummy_value()

    return (types.void(vectors, index, vector), emit) if vector == _element(vectors) else None


@instructions(_store)
def store(vectors: Vectors, index: int, vector: Vector) -> None:
    """Write a vector to an index of an array."""
    vectors["words"][index] = vector


# --- constants -------------------------------------------------------------------------------------------------


def _zeros(typing: Any, vectors: Any) -> Any:
    return _element(vectors)(vectors), lambda context, builder, sig, args: _constant(sig.return_type, 0)


@instructions(_zeros)
def zeros(vectors: Vectors) -> Vector:
    """No lane, in the width of an array."""
    return np.zeros(vectors.dtype.itemsize // 8, np.uint64)


def _ones(typing: Any, vectors: Any) -> Any:
    return _element(vectors)(vectors), lambda context, builder, sig, args: _constant(sig.return_type, 2**64 - 1)


@instructions(_ones)
def ones(vectors: Vectors) -> Vector:
    """All lanes, in the width of an array."""
    return np.full(vectors.dtype.itemsize // 8, 2**64 - 1, np.uint64)


# --- bits ------------------------------------------------------------------------------------------------------


def _any_set(typing: Any, vector: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        width = sig.args[0].width
        flags = builder.icmp_unsigned("!=", args[0], _constant(sig.args[0], 0))
        together = builder.bitcast(flags, ir.IntType(width))
        return builder.icmp_unsigned("!=", together, ir.Constant(ir.IntType(width), 0))

    return types.boolean(vector), emit


@instructions(_any_set)
def any_set(vector: Vector) -> bool:
    """Whether some lane is set."""
    return bool(vector.any())


def _popcount(typing: Any, vector: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        width = sig.args[0].width
        counts = _machine_intrinsic(builder, f"llvm.ctpop.v{width}i64", args[0].type, [args[0]])
        return _machine_intrinsic(builder, f"llvm.vector.reduce.add.v{width}i64", WORD, [counts])

    return types.int64(vector), emit


@instructions(_popcount)
def popcount(vector: Vector) -> int:
    """How many lanes are set."""
    return int(np.bitwise_count(vector).sum())


def _and_not(typing: Any, left: Any, right: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.and_(args[0], builder.not_(args[1]))

    return (left(left, right), emit) if left == right else None


@instructions(_and_not)
def and_not(left: Vector, right: Vector) -> Vector:
    """The lanes of `left` without those of `right`."""
    return left & ~right


def _majority(typing: Any, first: Any, second: Any, third: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        one, two, three = args
        if sig.args[0].width == 8 and "+avx512f" in context.codegen().magic_tuple()[2]:
            table = ir.Constant(ir.IntType(32), 0xE8)
            return _machine_intrinsic(builder, "llvm.x86.avx512.pternlog.q.512", one.type, [one, two, three, table])
        return builder.or_(builder.and_(one, two), builder.and_(three, builder.or_(one, two)))

    return (first(first, second, third), emit) if first == second == third else None


@instructions(_majority)
def majority(first: Vector, second: Vector, third: Vector) -> Vector:
    """The lanes set in at least two of three: the carry of a full adder."""
    return (first & second) | (third & (first | second))


def _select(typing: Any, mask: Any, chosen: Any, other: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        lanes, yes, no = args
        return builder.or_(builder.and_(lanes, yes), builder.and_(builder.not_(lanes), no))

    return (mask(mask, chosen, other), emit) if mask == chosen == other else None


@instructions(_select)
def select(mask: Vector, chosen: Vector, other: Vector) -> Vector:
    """In the lanes of `mask` the first vector, elsewhere the second."""
    return (mask & chosen) | (~mask & other)


# --- words as numbers ------------------------------------------------------------------------------------------


def _shift(method: str) -> Callable[..., Any]:
    def typer(typing: Any, vector: Any, places: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            distance = _splat(context, builder, sig.args[0], args[1], sig.args[1])
            return getattr(builder, method)(args[0], distance)

        return vector(vector, places), emit

    return typer


@instructions(_shift("shl"))
def shift_left(vector: Vector, places: int) -> Vector:
    """Each word shifted up by 0 to 63 bits."""
    return vector << np.uint64(places)


@instructions(_shift("lshr"))
def shift_right(vector: Vector, places: int) -> Vector:
    """Each word shifted down by 0 to 63 bits."""
    return vector >> np.uint64(places)
