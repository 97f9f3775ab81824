"""Boards, markers, pieces, quantities and teams: hypotheses that the states of random games have not refuted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

from ludens.analysis.extensions import Extensions
from ludens.analysis.kind import teams_of
from ludens.analysis.modes import FluentModes, FluentTable, fluent_tables, sampled_modes
from ludens.analysis.relations import word_order
from ludens.analysis.states import MAX_STATES, SampledStates, sample_states
from ludens.analysis.templates.syntax import Successor, counters, successors
from ludens.core import GroundTerm, Role
from ludens.game import Game
from ludens.gdl.formulas import Signature
from ludens.gdl.keywords import CHANCE
from ludens.gdl.terms import Spelling
from ludens.runtime.deadline import Deadline

MIN_STATES = 50
"""The least number of sampled states, even after the deadline."""
MIN_STATES_SECONDS = 60.0
"""The time limit for these states."""
SIMULATION_SHARE = 0.1
"""The share of the start clock for playouts."""

Words = tuple[GroundTerm, ...]
Place = tuple[GroundTerm, GroundTerm]


@dataclass(frozen=True, slots=True)
class BoardItem:
    """A content of a board: a piece is never on two cells at once, a marker was."""

    word: GroundTerm
    is_piece: bool


@dataclass(frozen=True, slots=True)
class MarkedBoard:
    """A fluent of three arguments of which two, the coordinates, determine the third."""

    signature: Signature
    inputs: tuple[int, int]
    output: int
    orders: tuple[Successor | None, Successor | None]
    """The order of each coordinate, with the words that the board uses."""
    cells: tuple[Place, ...]
    """All possible cells, as far as they are known."""
    things: tuple[BoardItem, ...]
    """Those that were seen."""

    @property
    def is_ordered(self) -> bool:
        return all(self.orders)

    @property
    def pieces(self) -> Words:
        return tuple(thing.word for thing in self.things if thing.is_piece)

    @property
    def markers(self) -> Words:
        return tuple(thing.word for thing in self.things if not thing.is_piece)

    def fact(self, cell: Place, word: GroundTerm) -> GroundTerm:
        """Return the fact that something lies on a cell."""
        arguments = {self.inputs[0]: cell[0], self.inputs[1]: cell[1], self.output: word}
        return (self.signature[0], *(arguments[index] for index in range(3)))


@dataclass(frozen=True, slots=True)
class AmountTemplate:
    """An argument of a fluent that has an order, and is determined by the inputs: so much of something."""

    signature: Signature
    inputs: tuple[int, ...]
    output: int
    order: Successor
    """With the words that occur."""
    facts: tuple[Words, ...]
    """The arguments of all facts of this fluent that can hold, as far as they are known."""


@dataclass(frozen=True)
class Templates:
    """The structures that the templates find in a game. Words are folded to lower case."""

    roles: tuple[Role, ...]
    spelling: Spelling
    successors: tuple[Successor, ...]
    counters: tuple[Signature, ...]
    boards: tuple[MarkedBoard, ...]
    amounts: tuple[AmountTemplate, ...]
    teams: tuple[tuple[int, ...], ...]
    """Roles, by their places, that got the same at every end; ends that are all alike tell nothing. Without chance."""
    modes: Mapping[Signature, FluentModes]
    states: int
    """The number of sampled states."""
    ends: int
    """The number of terminal ones."""


def find_templates(game: Game, deadline: Deadline, rng: Random, states: SampledStates | None = None) -> Templates:
    """Find all structures, from playouts until the deadline, or until there are `MIN_STATES` states.

    The game is not compiled here; compile it first to get many states. `states` takes the place of new playouts.
    """
    rules = game.reference_engine.rules
    rows = successors(rules)
    counting = counters(rules, rows)
    states = states or simulated(game, deadline, rng)
    domains = None if states.exhaustive else Extensions(game.reference_engine, deadline).domains
    tables = fluent_tables(states, word_order(rules), domains)
    modes = sampled_modes(tables)
    finder = _Finder(tables, modes, rows, rules.roles, states.exhaustive)
    boards = tuple(board for signature in modes if (board := finder.board(signature)))
    taken = {board.signature for board in boards} | set(counting)
    return Templates(
        roles=game.roles,
        spelling=game.rules.spelling,
        successors=rows,
        counters=counting,
        boards=boards,
        amounts=tuple(amount for signature in modes if signature not in taken for amount in finder.amounts(signature)),
        teams=teams_of([place for place, role in enumerate(game.roles) if role.lower() != CHANCE], states.ends),
        modes=modes,
        states=len(states),
        ends=int(states.terminal.sum()),
    )


def simulated(game: Game, deadline: Deadline, rng: Random, patience: Deadline | None = None) -> SampledStates:
    """Sample states of playouts until the deadline; up to `MIN_STATES` of them even after it, until `patience` ends."""
    return sample_states(game, rng, deadline, MAX_STATES, MIN_STATES, patience or Deadline(MIN_STATES_SECONDS))


class _Finder:
    """Takes fluents for boards or amounts, by what the states have left possible."""

    def __init__(
        self,
        tables: Mapping[Signature, FluentTable],
        modes: Mapping[Signature, FluentModes],
        rows: Sequence[Successor],
        roles: Collection[str],
        exhaustive: bool,
    ) -> None:
        """`exhaustive`: whether the tables have all facts that can ever hold, and not only those that were seen."""
        self._tables, self._modes, self._exhaustive = tables, modes, exhaustive
        self._rows = sorted(rows, key=lambda row: len(row.words))
        self._roles = set(roles)

    def board(self, signature: Signature) -> MarkedBoard | None:
        """Return a fluent of three arguments as a board; None if no argument is determined by the other two.

        Of several that are, it is the one whose inputs are ordered, then the last one. An
        ordered output whose inputs have no order is rather an amount of each of them.
        """
        table = self._tables[signature]
        if signature[1] != 3:
            return None
        orders = [self._order(table, argument) for argument in range(3)]
        choices = [output for output in range(3) if self._is_determined(signature, output)]
        if not choices:
            return None

        def preference(output: int) -> tuple[int, int]:
            return sum(order is not None for place, order in enumerate(orders) if place != output), output

        output = max(choices, key=preference)
        first, second = (place for place in range(3) if place != output)
        if orders[output] and not (orders[first] and orders[second]):
            return None
        cells = self._cells(table, (first, second), (orders[first], orders[second]))
        things = tuple(_things(table, output))
        return MarkedBoard(signature, (first, second), output, (orders[first], orders[second]), cells, things)

    def amounts(self, signature: Signature) -> Iterator[AmountTemplate]:
        """Yield the ordered arguments of a fluent that the smallest set of inputs determines."""
        table, found = self._tables[signature], set[int]()
        for key in self._modes[signature].keys:
            outputs = [place for place in range(signature[1]) if place not in key.inputs and place not in found]
            for output in outputs if not key.trivial else ():
                if order := self._order(table, output):
                    found.add(output)
                    yield AmountTemplate(signature, key.inputs, output, order, self._amount_facts(table, output, order))

    def _is_determined(self, signature: Signature, output: int) -> bool:
        inputs = {place for place in range(3) if place != output}
        return any(inputs.issuperset(key.inputs) and not key.trivial for key in self._modes[signature].keys)

    def _order(self, table: FluentTable, argument: int) -> Successor | None:
        """Return the shortest row with all words of an argument; roles have an order of turns, but are no amounts."""
        for words in map(set, (table.allowed_words(argument), table.words(argument))):
            row = next((row for row in self._rows if words <= set(row.words)), None)
            if row and len(words) > 1 and not words <= self._roles:
                return Successor(row.name, tuple(word for word in row.words if word in words))
        return None

    def _cells(
        self, table: FluentTable, inputs: tuple[int, int], orders: Iterable[Successor | None]
    ) -> tuple[Place, ...]:
        """Return the cells of the facts; where not all facts are known, all combinations of the words."""
        words = [order.words if order else table.words(place) for place, order in zip(inputs, orders, strict=True)]
        known = {(fact[inputs[0]], fact[inputs[1]]) for fact in table.facts}
        return tuple((x, y) for x, y in product(*words) if not self._exhaustive or (x, y) in known)

    def _amount_facts(self, table: FluentTable, output: int, order: Successor) -> tuple[Words, ...]:
        """Return all facts; where not all are known, those seen, with every amount."""
        if self._exhaustive:
            return table.facts
        return tuple(
            dict.fromkeys((*fact[:output], word, *fact[output + 1 :]) for fact in table.facts for word in order.words)
        )


def _things(table: FluentTable, output: int) -> Iterator[BoardItem]:
    """Yield the contents seen on a board, in the order of the sheet."""
    for word in table.words(output):
        places = [place for place, fact in enumerate(table.facts) if fact[output] == word]
        most = int(table.bits[:, places].sum(axis=1).max())
        if most:
            yield BoardItem(word, most == 1)
