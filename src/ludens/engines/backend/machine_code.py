"""LLVM: from assembly to machine code, in memory or as an object file. Nothing else talks to llvmlite's binding."""

from __future__ import annotations

import os
import weakref
from functools import cache
from threading import Thread, current_thread
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import llvmlite.binding as llvm  # type: ignore[import-untyped]
from numba.core.compiler_lock import global_compiler_lock

from ludens.runtime.deadline import Deadline
from ludens.runtime.sealed_cache import SealedCache

SUFFIX = ".object"
MAX_OBJECT_BYTES = 2**26
"""No file of machine code is larger."""


class LoadedCode:
    """Machine code in memory; it lives as long as this object."""

    def __init__(self, assembly: str, level: int, passes: int | None = None, *, keep: bool = False) -> None:
        """`level` of optimisation; `passes` is that of the part that works on the assembly, where it differs.

        `keep` it on disk, for code that is the same for many games.
        """
        machine = _machine(level, jit=True)
        passes = level if passes is None else passes
        if keep:
            self._engine: Any = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(_cached_object(assembly, machine, level, passes)))
        else:
            self._engine = llvm.create_mcjit_compiler(_parsed(assembly, machine, passes), machine)
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Where a function is, as a number; to be called through ctypes, or from compiled code."""
        return int(self._engine.get_function_address(name))


def join_at_exit(owner: object, thread: Thread, deadline: Deadline) -> None:
    """Wait for a thread that uses LLVM when its owner goes, or the program ends.

    LLVM must not be at work while its library is being unloaded.
    """
    weakref.finalize(owner, end_thread, thread, deadline)


def end_thread(thread: Thread, deadline: Deadline) -> None:
    """Cancel the deadline that it looks at, and wait.

    Not if this is done by the thread itself: it may be the last to hold what it is for.

    In a copy of the process it is not there, and nothing is left to do.
    """
    if not thread.is_alive():
        return
    deadline.cancel()
    if thread is not current_thread():
        thread.join()


def object_file(assembly: str, level: int = 2) -> bytes:
    """Position-independent machine code for the processor family of this computer, as an object file."""
    machine = _machine(level, jit=False)
    return bytes(machine.emit_object(_parsed(assembly, machine, level)))


def target_lines() -> str:
    """What a module says about the computer it is for."""
    machine = _machine(0, jit=False)
    return f'target triple = "{machine.triple}"\ntarget datalayout = "{machine.target_data}"\n'


def _cached_object(assembly: str, machine: Any, level: int, passes: int) -> bytes:
    """The object file of an assembly for this very computer, from the disk if it is there."""
    computer = f"{machine.triple} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"
    key = f"{llvmlite.__version__} {llvm.llvm_version_info} {computer} {level} {passes}\n{assembly}"
    cache = SealedCache.from_environment()
    code = cache.load(key, SUFFIX, bytes, max_bytes=MAX_OBJECT_BYTES, own=True)  # it is run as it is
    if code is None:
        code = bytes(machine.emit_object(_parsed(assembly, machine, passes)))
        cache.store(key, SUFFIX, code, own=True)
    return code


def _parsed(assembly: str, machine: Any, passes: int) -> Any:
    module = llvm.parse_assembly(assembly)
    if passes:
        options = llvm.create_pipeline_tuning_options(speed_level=passes)
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
    return module


def _machine(level: int, jit: bool) -> Any:
    _start_llvm()
    target = llvm.Target.from_default_triple()
    if jit:
        cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
        return target.create_target_machine(cpu=cpu, features=features, opt=level, jit=True)
    return target.create_target_machine(opt=level, reloc="pic", codemodel="small")


@cache
def _start_llvm() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _leave_nothing_half_made() -> None:
    """Have the process copied (`os.fork`) only while no thread is at work in numba or LLVM.

    Threads are not in the copy: what they had begun would stay half made there, and locked for ever.
    """
    calls = getattr(llvm.ffi.lib, "_lock", None)  # of all calls of LLVM; llvmlite has no public name for it
    if not hasattr(os, "register_at_fork"):
        return
    if calls is not None:
        os.register_at_fork(before=calls.__enter__, after_in_parent=calls.__exit__, after_in_child=calls.__exit__)
    # What is registered last is done first: numba also takes its own lock before that of LLVM.
    begin, end = global_compiler_lock.acquire, global_compiler_lock.release
    os.register_at_fork(before=begin, after_in_parent=end, after_in_child=end)


_leave_nothing_half_made()
