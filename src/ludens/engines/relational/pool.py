"""The terms that have numbers: words for ever, compound terms as long as somebody may ask for them.

Whatever is asked makes compound terms. Those that nobody outside gets to see are taken back before the next state, and
the others may take up half of the room: so random games go on whatever was asked before.
"""

from __future__ import annotations

from collections.abc import Sequence

from ludens.core import GroundTerm
from ludens.engines.relational import code, runtime
from ludens.engines.relational.code import CompiledCode
from ludens.engines.relational.program import Terms
from ludens.errors import EvaluationLimitError

TOO_MANY = "a state cannot be evaluated: the game has too many different moves or terms"


class TermPool:
    """Translates between terms and the numbers that they have in the memory of compiled code."""

    def __init__(self, terms: Terms, compiled: CompiledCode) -> None:
        self._code = compiled
        self._control = compiled.memory["control"]
        self._words = terms
        self.first_compound = terms.first_compound
        self._terms: dict[int, GroundTerm] = dict(enumerate(terms.words, start=1))
        for functor, *arguments in terms.compounds:
            self._interned(functor, arguments)
        self._functors = {number: functor for functor, number in terms.functors.items()}
        self._kept = self._now()
        room = [code.POOLS[name][0] for name in ("most_terms", "most_arguments")]
        self._most_kept = [(kept + most) // 2 for kept, most in zip(self._kept, room, strict=True)]

    def _now(self) -> tuple[int, int]:
        """How many terms there are, and how many arguments they have together."""
        return int(self._control[runtime.TERMS]), int(self._control[runtime.ARGUMENTS])

    # -- how long they stay ------------------------------------------------------------------

    def keep(self) -> None:
        """Never take back what is there now; EvaluationLimitError if too little room would be left."""
        now = self._now()
        if any(count > most for count, most in zip(now, self._most_kept, strict=True)):
            raise EvaluationLimitError(TOO_MANY)
        self._kept = now

    def hand_out(self, number: int) -> None:
        """Keep what is there if the term with this number, or the greatest of several, is new outside."""
        if number >= self.first_compound + self._kept[0]:
            self.keep()

    def drop(self) -> None:
        """Take back what was not handed out; a state has to be taken up after that."""
        if self._control[runtime.TERMS] > self._kept[0]:
            self._code.call["forget_terms"](self._code.memory.address, *self._kept)

    def renew_memory(self) -> None:
        """Go on with other memory, in which nothing is but the terms that were handed out."""
        self._code.renew(*self._kept)
        self._control = self._code.memory["control"]

    # -- terms -------------------------------------------------------------------------------

    def term(self, number: int) -> GroundTerm:
        """The term with a number that was handed out, however deep it is."""
        terms, memory, waiting = self._terms, self._code.memory, [number]
        while waiting:
            if waiting[-1] in terms:
                waiting.pop()
                continue
            place = waiting[-1] - self.first_compound + 1
            name, arity = self._functors[int(memory["term_functors"][place])]
            start = int(memory["term_starts"][place])
            parts: list[int] = memory["term_arguments"][start : start + arity].tolist()
            unknown = [part for part in parts if part not in terms]
            if not unknown:
                terms[waiting[-1]] = (name, *(terms[part] for part in parts))
            waiting += unknown
        return terms[number]

    def number(self, term: GroundTerm) -> int:
        """The number of a term, however deep it is; KeyError for a word or function that the rules do not have."""
        waiting, inner_last = [term], list[GroundTerm]()
        while waiting:
            part = waiting.pop()
            inner_last.append(part)
            if not isinstance(part, str):
                waiting += part[1:]
        numbers: list[int] = []
        for part in reversed(inner_last):
            if isinstance(part, str):
                numbers.append(self._words.word(part))
            else:
                first = len(numbers) - len(part) + 1
                functor = self._words.functors[str(part[0]), len(part) - 1]
                numbers[first:] = [self._interned(functor, numbers[first:])]
        return numbers[0]

    def _interned(self, functor: int, arguments: Sequence[int]) -> int:
        self._code.memory["scratch"][: len(arguments)] = arguments
        number: int = self._code.call["intern"](self._code.memory.address, functor, len(arguments))
        if self._control[runtime.FAILED]:
            self._control[runtime.FAILED] = 0
            raise EvaluationLimitError(TOO_MANY)
        return number
