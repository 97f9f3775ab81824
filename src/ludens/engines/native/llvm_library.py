"""A compiled game as LLVM assembly with the same interface as the C library, for computers without a C compiler."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from ludens.engines.backend.language import read_functions
from ludens.engines.backend.llvm_writer import DECLARATIONS, Fixed, LlvmWriter, constant
from ludens.engines.backend.machine_code import object_file, target_lines
from ludens.engines.native import runtime
from ludens.engines.native.c_library import ABI_VERSION, filled, header_values, public_name
from ludens.engines.native.plan import CompiledGame

NAME_FUNCTION = """define ptr @{function}(i32 %number) nounwind {{
  %known = icmp ult i32 %number, {count}
  br i1 %known, label %found, label %unknown
found:
  %place = zext i32 %number to i64
  %start.at = getelementptr i32, ptr @{table}_starts, i64 %place
  %start = load i32, ptr %start.at
  %offset = zext i32 %start to i64
  %text = getelementptr i8, ptr @{table}, i64 %offset
  ret ptr %text
unknown:
  ret ptr null
}}
"""
FIRST_MOVE_FUNCTION = """define i32 @{name}_first_move(i32 %role) nounwind {{
  %known = icmp ult i32 %role, {roles}
  %chosen = select i1 %known, i32 %role, i32 {roles}
  %place = zext i32 %chosen to i64
  %move.at = getelementptr i32, ptr @first_moves, i64 %place
  %move = load i32, ptr %move.at
  ret i32 %move
}}
"""


def llvm_library(game: CompiledGame, name: str, title: str) -> dict[str, bytes]:
    """The contents of all files, by their names: assembly, object file, header and example."""
    assembly = llvm_assembly(game, name)
    values = header_values(game, name, title)
    return {
        f"{name}.h": filled("game.h", values).encode(),
        f"{name}.ll": assembly.encode(),
        f"{name}.o": object_file(assembly),
        "example.py": filled("example_llvm.py.txt", values).encode(),
    }


def llvm_assembly(game: CompiledGame, name: str) -> str:
    """The whole library as one module."""
    plan = game.plan
    writer = LlvmWriter(plan.dtypes, Fixed(plan.scalars, plan.workspace))
    parts = [target_lines(), DECLARATIONS]
    parts += [constant(key, table) for key, table in plan.tables.items()]
    for key, function in read_functions(runtime).items():
        if key not in runtime.BATCHED:
            parts.append(writer.function(function, public_name(name, key)))
    counts = {
        "abi_version": ABI_VERSION,
        "role_count": len(game.roles),
        "fluent_count": len(game.fluents),
        "move_count": sum(map(len, game.moves)),
        "state_bytes": plan.scalars["state_bytes"],
        "workspace_bytes": plan.workspace.size,
    }
    parts += [f"define i32 @{name}_{key}() nounwind {{\n  ret i32 {count}\n}}\n" for key, count in counts.items()]
    parts.append(FIRST_MOVE_FUNCTION.format(name=name, roles=len(game.roles)))
    moves = [move for moves in game.moves for move in moves]
    for kind, texts in {"role": game.roles, "fluent": game.fluents, "move": moves}.items():
        parts.append(_names(f"{name}_{kind}_name", f"{kind}_names", texts))
    return "\n".join([*parts, writer.metadata()])


def _names(function: str, table: str, texts: Sequence[str]) -> str:
    encoded = [text.encode() + b"\0" for text in texts]
    starts = np.array([0, *accumulate(map(len, encoded))], np.uint32)
    blob = np.frombuffer(b"".join(encoded) or b"\0", np.uint8)
    code = NAME_FUNCTION.format(function=function, table=table, count=len(texts))
    return constant(table, blob) + constant(f"{table}_starts", starts) + code
