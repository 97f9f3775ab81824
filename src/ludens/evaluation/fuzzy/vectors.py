"""Vectors of L single-precision numbers as values in kernels: one number for each of L states, in machine registers.

As with the vectors of words in `engines.sliced.vectors`, an array of vectors has the element type `vector_type(L)`, so
numba knows L when it compiles a kernel. Between vectors there are `+`, `-`, `*` and the functions below. With the JIT
off a vector is a NumPy array of L numbers, and the Python bodies given here are what runs.

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

Vector: TypeAlias = NDArray[np.float32]
"""One number for each state: L numbers."""

Vectors: TypeAlias = NDArray[np.void]
"""An array in memory of the element type `vector_type(L)`."""

LANES = (16, 32, 64)
"""The numbers of states that machine code can be made for; the bits of as many are in one word."""

CACHE_LINE = 64
"""Arrays of vectors start at a multiple of this many bytes, and so does each vector."""


def vector_type(lanes: int) -> np.dtype[np.void]:
    """Return the element type of arrays of vectors of `lanes` numbers."""
    if lanes not in LANES:
        raise ValueError(f"a vector has {', '.join(map(str, LANES))} numbers, not {lanes}")
    return np.dtype([("lanes", np.float32, (lanes,))])


def aligned_vectors(count: int, lanes: int) -> Vectors:
    """Return an array of `count` vectors of zeros that starts at a cache line."""
    element = vector_type(lanes)
    memory = np.zeros(count * element.itemsize + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start : start + count * element.itemsize].view(element)


def numbers_of(vectors: Vectors) -> NDArray[np.float32]:
    """Return the same memory as plain numbers [vectors, L]."""
    return cast(NDArray[np.float32], vectors["lanes"])


# --- what numba has to know about the type ---------------------------------------------------------------------

NUMBER, BIT, INDEX = ir.FloatType(), ir.IntType(1), ir.IntType(32)


class FloatVectorType(types.Type):
    """Numba's type of a vector in registers."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        super().__init__(name=f"FloatVector({lanes})")


@register_model(FloatVectorType)
class _FloatVectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, vector: FloatVectorType) -> None:
        super().__init__(manager, vector, ir.VectorType(NUMBER, vector.lanes))  # type: ignore[no-untyped-call]


def _element(array: Any) -> FloatVectorType:
    return FloatVectorType(array.dtype.size // 4)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any, index_type: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    base = builder.bitcast(data, ir.VectorType(NUMBER, _element(array_type).lanes).as_pointer())
    return builder.gep(base, [context.cast(builder, index, index_type, types.intp)])


def _splat(builder: Any, number: Any, lanes: int) -> Any:
    empty = ir.Constant(ir.VectorType(number.type, lanes), ir.Undefined)
    first = builder.insert_element(empty, number, ir.Constant(INDEX, 0))
    return builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(INDEX, lanes), [0] * lanes))


def _machine_intrinsic(builder: Any, name: str, vectors: Any) -> Any:
    kind = vectors[0].type
    name = f"llvm.{name}.v{kind.count}f32"
    declared = builder.module.globals.get(name)
    declared = declared or ir.Function(builder.module, ir.FunctionType(kind, [kind] * len(vectors)), name)
    return builder.call(declared, vectors)


def _register_operator(function: Callable[..., Any], emit: Callable[..., Any]) -> None:
    @infer_global(function)  # type: ignore[no-untyped-call]
    class _Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            if len(args) == 2 and isinstance(args[0], FloatVectorType) and args[0] == args[1]:
                return signature(args[0], *args)  # type: ignore[no-untyped-call]
            return None

    @lower_builtin(function, FloatVectorType, FloatVectorType)  # type: ignore[no-untyped-call, untyped-decorator]
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit(builder, *args)


_register_operator(operator.add, lambda builder, left, right: builder.fadd(left, right))
_register_operator(operator.sub, lambda builder, left, right: builder.fsub(left, right))
_register_operator(operator.mul, lambda builder, left, right: builder.fmul(left, right))
_register_operator(operator.truediv, lambda builder, left, right: builder.fdiv(left, right))


# --- memory ----------------------------------------------------------------------------------------------------


def _load(typing: Any, vectors: Any, index: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, sig.args[0], args[0], args[1], sig.args[1]), align=CACHE_LINE)

    return _element(vectors)(vectors, index), emit


@instructions(_load)
def load(vectors: Vectors, index: int) -> Vector:
    """Return the vector at an index of an array."""
    return cast(Vector, vectors["lanes"][index].copy())


def _store(typing: Any, vectors: Any, index: Any, vector: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        address = _address(context, builder, sig.args[0], args[0], args[1], sig.args[1])
        builder.store(args[2], address, align=CACHE_LINE)
        return context.get_dummy_value()

    return (types.void(vectors, index, vector), emit) if vector == _element(vectors) else None


@instructions(_store)
def store(vectors: Vectors, index: int, vector: Vector) -> None:
    """Write a vector to an index of an array."""
    vectors["lanes"][index] = vector


def _spread(typing: Any, vectors: Any, number: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        single = context.cast(builder, args[1], sig.args[1], types.float32)
        return _splat(builder, single, sig.return_type.lanes)

    return _element(vectors)(vectors, number), emit


@instructions(_spread)
def spread(vectors: Vectors, number: float | np.floating[Any]) -> Vector:
    """Return the same number for all states, in the width of an array."""
    return np.full(vectors.dtype.itemsize // 4, number, np.float32)


# --- numbers ---------------------------------------------------------------------------------------------------


def _extreme(order: str) -> Callable[..., Any]:
    def typer(typing: Any, left: Any, right: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.select(builder.fcmp_ordered(order, args[0], args[1]), args[0], args[1])

        return (left(left, right), emit) if left == right else None

    return typer


@instructions(_extreme("<"))
def least(left: Vector, right: Vector) -> Vector:
    return np.minimum(left, right)


@instructions(_extreme(">"))
def greatest(left: Vector, right: Vector) -> Vector:
    return np.maximum(left, right)


def _without_small(typing: Any, vector: Any, bound: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        nothing = ir.Constant(args[0].type, [0.0] * sig.args[0].lanes)
        return builder.select(builder.fcmp_ordered("<", args[0], args[1]), nothing, args[0])

    return (vector(vector, bound), emit) if vector == bound else None


@instructions(_without_small)
def without_small(vector: Vector, bound: Vector) -> Vector:
    """Zero in place of numbers below the bound."""
    return np.where(vector < bound, np.float32(0), vector)


def _plus_product(typing: Any, total: Any, left: Any, right: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _machine_intrinsic(builder, "fmuladd", [args[1], args[2], args[0]])

    return (total(total, left, right), emit) if total == left == right else None


@instructions(_plus_product)
def plus_product(total: Vector, left: Vector, right: Vector) -> Vector:
    """Return the total plus the product of the other two; machine code may round it once only."""
    return total + left * right


def _square_root(typing: Any, vector: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _machine_intrinsic(builder, "sqrt", args)

    return vector(vector), emit


@instructions(_square_root)
def square_root(vector: Vector) -> Vector:
    return np.sqrt(vector)


# --- bits ------------------------------------------------------------------------------------------------------


def _flags(context: Any, builder: Any, word: Any, lanes: int) -> Any:
    """Return the lowest bits of a word of 64 as a vector of bits."""
    if "+avx512f" in context.codegen().magic_tuple()[2]:
        return builder.bitcast(builder.trunc(word, ir.IntType(lanes)) if lanes < 64 else word, _bits(lanes))
    halves = builder.bitcast(word, ir.VectorType(INDEX, 2))
    which = ir.Constant(ir.VectorType(INDEX, lanes), [lane // 32 for lane in range(lanes)])
    spread_out = builder.shuffle_vector(halves, halves, which)
    places = ir.Constant(ir.VectorType(INDEX, lanes), [1 << lane % 32 for lane in range(lanes)])
    return builder.icmp_unsigned("!=", builder.and_(spread_out, places), ir.Constant(places.type, [0] * lanes))


def _bits(lanes: int) -> ir.VectorType:
    return ir.VectorType(BIT, lanes)


def _choose(typing: Any, word: Any, yes: Any, no: Any) -> Any:
    def emit(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        flags = _flags(context, builder, context.cast(builder, args[0], sig.args[0], types.uint64), sig.args[1].lanes)
        return builder.select(flags, args[1], args[2])

    return (yes(word, yes, no), emit) if yes == no else None


@instructions(_choose)
def choose(word: np.uint64, yes: Vector, no: Vector) -> Vector:
    """Return the first vector in the lanes whose bits are set in a word, elsewhere the second."""
    bits = np.unpackbits(np.array([word], "<u8").view(np.uint8), count=len(yes), bitorder="little")
    return np.where(bits, yes, no)
