"""LLVM: from assembly to machine code, in memory or as an object file. Nothing else talks to llvmlite's binding."""

from __future__ import annotations

from functools import cache
from typing import Any

import llvmlite.binding as llvm  # type: ignore[import-untyped]


class NativeCode:
    """Machine code in memory; it lives as long as this object."""

    def __init__(self, assembly: str, level: int, passes: int | None = None) -> None:
        """`level` of optimisation; `passes` is that of the part that works on the assembly, where it differs."""
        machine = _machine(level, jit=True)
        module = _parsed(assembly, machine, level if passes is None else passes)
        self._engine: Any = llvm.create_mcjit_compiler(module, machine)
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Where a function is, as a number; to be called through ctypes, or from compiled code."""
        return int(self._engine.get_function_address(name))


def object_file(assembly: str, level: int = 2) -> bytes:
    """Position-independent machine code for the processor family of this computer, as an object file."""
    machine = _machine(level, jit=False)
    return bytes(machine.emit_object(_parsed(assembly, machine, level)))


def target_lines() -> str:
    """What a module says about the computer it is for."""
    machine = _machine(0, jit=False)
    return f'target triple = "{machine.triple}"\ntarget datalayout = "{machine.target_data}"\n'


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
