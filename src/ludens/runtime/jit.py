"""How array functions are compiled: without the interpreter's lock, cached on disk, anew when what they use changes.

With the environment variable NUMBA_DISABLE_JIT=1 all of this is the identity, and they run as plain Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar, cast

import numba
from numba import types
from numba.extending import intrinsic

P = ParamSpec("P")
R = TypeVar("R")
Arrays = TypeVar("Arrays")
Function = TypeVar("Function", bound=Callable[..., Any])

JIT_OFF: Final = bool(vars(numba.config)["DISABLE_JIT"])
PACKAGES: Final = Path(__file__).parents[2]


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """A kernel called from Python; its machine code is kept on disk where a place for it can be found."""
    try:
        kernel = _jit(function, cache=True)
    except RuntimeError:  # no directory for the cache can be written
        return cast(Callable[P, R], _jit(function))
    if not JIT_OFF:
        # By itself numba looks only at the file of the kernel, not at those of the helpers compiled into it.
        kernel._cache._cache_file._source_stamp = sources_digest(Path(function.__code__.co_filename))
        _forgive(kernel._cache)
    return cast(Callable[P, R], kernel)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """A helper of kernels; its code becomes part of each kernel that calls it."""
    return cast(Callable[P, R], _jit(function, forceinline=True))


def instructions(typer: Callable[..., Any]) -> Callable[[Function], Function]:
    """A function that is compiled to the instructions that `typer` gives, whose Python body says what they do."""

    def replace(body: Function) -> Function:
        return body if JIT_OFF else cast(Function, intrinsic(typer))

    return replace


def _disown(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.BaseTuple):
        for place, member in enumerate(cast(Any, kind)):
            part = _disown(context, builder, member, builder.extract_value(value, place))
            value = builder.insert_value(value, part, place)
        return value
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = array.meminfo.type(None)
        array.parent = array.parent.type(None)
        return array._getvalue()
    return value


def _borrow(typing: Any, arrays: Any) -> Any:
    return arrays(arrays), lambda context, builder, sig, args: _disown(context, builder, sig.args[0], args[0])


@instructions(_borrow)
def borrowed(arrays: Arrays) -> Arrays:
    """The same arrays, or named tuples of them; whoever passed them in must hold them until the kernel returns.

    Numba counts references to arrays by atomic additions, also where helpers take arrays out of named tuples millions
    of times a second; that took more than half of the time of a search. Borrowed arrays have no owner to be counted.
    """
    return arrays


def has_disk(kernel: Callable[..., Any]) -> bool:
    """Whether machine code of the kernel can be kept on disk."""
    return hasattr(getattr(kernel, "_cache", None), "_cache_file")


def versions_on_disk(kernel: Any) -> int:
    """For how many kinds of arguments the machine code of a kernel for this processor is on disk."""
    try:
        processor = kernel.targetctx.codegen().magic_tuple()
        return sum(key[1] == processor for key in kernel._cache._cache_file._load_index())
    except Exception:
        return 0


def _forgive(disk: Any) -> None:
    """Take damaged files for missing ones, and a disk that cannot be written for one that keeps nothing."""
    load, save = disk.load_overload, disk.save_overload

    def load_or_forget(signature: Any, context: Any) -> Any:
        try:
            return load(signature, context)
        except Exception:
            with suppress(Exception):
                disk.flush()
            return None

    def save_if_possible(signature: Any, code: Any) -> None:
        with suppress(OSError):
            save(signature, code)

    disk.load_overload, disk.save_overload = load_or_forget, save_if_possible


def _jit(function: Callable[P, R], cache: bool = False, forceinline: bool = False) -> Any:
    decorate = numba.njit(nogil=True, boundscheck=False, error_model="numpy", cache=cache, forceinline=forceinline)
    return decorate(function)


@cache
def sources_digest(path: Path, root: Path = PACKAGES) -> str:
    """Return a digest of a file of kernels and of all modules of ludens that it imports, directly or through others.

    Machine code made from other sources is out of date. Kernels import nothing but kernels, vectors and this module,
    so a change reaches only those that use it. `root` is the folder where the package ludens lies.
    """
    digest, pending, seen = sha256(), [path, root / "ludens" / "runtime" / "jit.py"], set[Path]()
    while pending:
        source = pending.pop()
        if source not in seen:
            seen.add(source)
            modules = (root.joinpath(*name.split(".")).with_suffix(".py") for name in _imported_names(source))
            pending.extend(module for module in modules if module.is_file())
    for source in sorted(seen):
        digest.update(source.read_bytes())
    return digest.hexdigest()


@cache
def _imported_names(source: Path) -> tuple[str, ...]:
    """The modules of ludens that may be imported: `from a import b` is `a`, and `a.b` if there is such a module."""
    text, found = source.read_text("utf-8"), list[str]()
    for package, names in re.findall(r"^from (ludens[.\w]*) import (\([^)]*\)|.*)$", text, re.MULTILINE):
        found += [package, *(f"{package}.{name}" for name in re.findall(r"(\w+)(?: as \w+)?", names))]
    return (*found, *re.findall(r"^import (ludens[.\w]*)", text, re.MULTILINE))
