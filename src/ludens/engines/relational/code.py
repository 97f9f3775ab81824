"""What the code of all games has in common: the memory of the runtime, its functions, and how they are called."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ludens.engines.backend.language import read_functions
from ludens.engines.backend.llvm_writer import Fixed, LlvmWriter
from ludens.engines.backend.machine_code import LoadedCode
from ludens.engines.backend.memory import MemoryLayout
from ludens.engines.relational import runtime
from ludens.engines.relational.program import GameProgram

OFFERED: Mapping[str, tuple[Any, ...]] = {
    "begin_state": (None, ctypes.c_void_p),
    "ask_terminal": (ctypes.c_uint32, ctypes.c_void_p),
    "ask_legal": (ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32),
    "ask_goals": (ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32),
    "ask_next": (None, ctypes.c_void_p),
    "intern": (ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32),
    "forget_terms": (None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32),
    "play": (ctypes.c_uint32, ctypes.c_void_p, ctypes.c_uint32),
}
"""Of the functions that Python calls: the result, then the parameters."""
POOLS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    "most_terms": (1 << 21, ("term_functors", "term_starts", "term_places", "move_stamps")),
    "most_arguments": (1 << 23, ("term_arguments",)),
    "most_goals": (
        1 << 20,
        ("goal_variants", "goal_keys", "goal_states", "goal_answers", "goal_lasts", "goal_consumers"),
    ),
    "most_keys": (1 << 23, ("keys",)),
    "most_answers": (1 << 20, ("answer_goals", "answer_values", "answer_nexts", "answer_events")),
    "most_values": (1 << 22, ("values",)),
    "most_consumers": (
        1 << 20,
        ("consumer_functions", "consumer_environments", "consumer_goals", "consumer_nexts", "consumer_events"),
    ),
    "most_environments": (1 << 22, ("environments",)),
    "most_events": (1 << 21, ("event_kinds", "event_items")),
    "most_moves": (1 << 18, ("moves",)),
}
"""How many things there can be in a state (terms: in all that were handed out), and the arrays that hold them."""
SLOTS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    "term_mask": (1 << 22, ("term_slots",)),
    "goal_mask": (1 << 21, ("goal_slots", "goal_stamps")),
    "answer_mask": (1 << 21, ("answer_slots", "answer_stamps")),
}


class CompiledCode:
    """The functions of a game, and the memory they work on; for one thread at a time."""

    def __init__(self, code: LoadedCode, layout: MemoryLayout) -> None:
        self._code = code
        self._layout = layout
        self.memory = layout.allocate()
        self.call: dict[str, Callable[..., Any]] = {
            name: ctypes.CFUNCTYPE(*types)(code.address(f"offered_{name}")) for name, types in OFFERED.items()
        }

    def renew(self, terms: int, arguments: int) -> None:
        """Begin with other memory; the first terms and their arguments are taken along."""
        before, self.memory = self.memory, self._layout.allocate()
        for name in ("term_functors", "term_starts", "term_places", "term_contents"):
            self.memory[name][: terms + 1] = before[name][: terms + 1]
        self.memory["term_arguments"][:arguments] = before["term_arguments"][:arguments]
        self.memory["term_slots"][before["term_places"][1 : terms + 1]] = np.arange(1, terms + 1)
        self.memory["control"][[runtime.TERMS, runtime.ARGUMENTS]] = terms, arguments


def add_runtime_arrays(layout: MemoryLayout, program: GameProgram) -> dict[str, int]:
    """Give the arrays of the runtime their places; the numbers that it needs to know."""
    words, numbers = program.terms.first_compound, dict[str, int]()
    widest = _most_passed(program)
    layout.add("control", runtime.CONTROLS)
    layout.add("scratch", widest)
    layout.add("seed", 1, np.uint64)
    roles = [program.terms.word(role) for role in program.roles]
    role_numbers = np.zeros(words, np.uint32)
    role_numbers[roles] = range(1, len(roles) + 1)
    layout.add_filled("role_words", roles)
    layout.add_filled("role_numbers", role_numbers)
    layout.add("joint", len(roles))
    layout.add("term_contents", POOLS["most_terms"][0] + 1, np.uint64)
    for name, (length, arrays) in POOLS.items():
        numbers[name] = length
        for array in arrays:
            layout.add(array, length + widest + words)
    for name, (length, arrays) in SLOTS.items():
        numbers[name] = length - 1
        for array in arrays:
            layout.add(array, length)
    return numbers | {"roles": len(roles), "first_compound": words}


def _most_passed(program: GameProgram) -> int:
    """How many numbers at once come into `scratch`: the parts of a term, or all that a rule knows and its goal."""
    arities = (arity for _, arity in program.terms.functors)
    known = (len(set(rule.variables())) + len(rule.head.args) for rule in program.flat.rules)
    return 2 + max((*arities, *known), default=0)


def runtime_text(layout: MemoryLayout, numbers: Mapping[str, int]) -> str:
    """The functions that all games share as assembly."""
    writer = LlvmWriter(layout.dtypes, Fixed(numbers, layout))
    texts = []
    for name, function in read_functions(runtime).items():
        texts.append(writer.function(function))
        if name in OFFERED:
            texts.append(writer.function(function, f"offered_{name}"))
    return "\n".join([*texts, writer.metadata()])
