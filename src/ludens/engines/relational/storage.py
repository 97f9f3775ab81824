"""Where facts are: those that never change, in tables; those of a state, in rows with chains for each lookup."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import TypeAlias

import numpy as np

from ludens.engines.backend.memory import MemoryLayout
from ludens.engines.relational import runtime
from ludens.engines.relational.ir import Body, Value
from ludens.engines.relational.keys import Dense, Hashed, dense_keys
from ludens.engines.relational.program import GameProgram, Interval, Row
from ludens.gdl.formulas import Signature

Match: TypeAlias = Callable[[list[Value], str], None]
"""What to do with the values that were asked for; the second argument is where to go on."""
MAX_ROWS = 1 << 14
"""Facts of one kind in a state, where their number is not limited by what is possible."""


def columns_with(modes: str, wanted: str) -> tuple[int, ...]:
    return tuple(index for index, mode in enumerate(modes) if mode == wanted)


class StaticTable:
    """The facts of a relation that never changes, for one way of asking."""

    def __init__(self, name: str, program: GameProgram, layout: MemoryLayout, signature: Signature, modes: str) -> None:
        self._key, self._asked = columns_with(modes, "b"), columns_with(modes, "f")
        rows = program.statics.get(signature, [])
        self._intervals = [_column_interval(rows, column) for column in self._asked]
        found: dict[Row, dict[Row, None]] = {}
        for row in rows:
            found.setdefault(_picked(row, self._key), {})[_picked(row, self._asked)] = None
        dense = dense_keys([_column_interval(rows, column) for column in self._key])
        self.keys: Dense | Hashed = dense or Hashed(name, layout, len(self._key), len(found) + 1, found)
        self._any = bool(rows)
        codes = {self.keys.code(key): answers for key, answers in found.items()} if rows else {}
        if not self._asked:
            bits = np.zeros(self.keys.length // 32 + 1, np.uint32)
            for code in codes:
                bits[code // 32] |= np.uint32(1 << (code % 32))
            self._bits = layout.add_filled(f"{name}.bits", bits)
            return
        starts, values = np.zeros(self.keys.length + 1, np.uint32), list[Row]()
        for code in range(self.keys.length):
            starts[code] = len(values) * len(self._asked)
            values += codes.get(code, ())
        starts[self.keys.length] = len(values) * len(self._asked)
        self._starts = layout.add_filled(f"{name}.starts", starts)
        self._values = layout.add_filled(f"{name}.values", np.array(values, np.uint32))

    def functions(self) -> list[str]:
        return self.keys.functions() if isinstance(self.keys, Hashed) else []

    def look_up(self, body: Body, known: Sequence[Value], match: Match, fail: str) -> None:
        """Code for each match of the known values; goes to `fail` when there are no more."""
        if not self._any:
            body.jump(fail)
            return
        code = self.keys.find(body, known, fail)
        if not self._asked:
            bits = body.load(self._bits, body.op(f"lshr i64 {code}, 5"))
            place = body.op(f"and i64 {code}, 31")
            bit = body.op(f"trunc i64 {body.op(f'lshr i64 {bits}, {place}')} to i1")
            body.require(bit, fail)
            match([], fail)
            return
        first, end = body.load(self._starts, code), body.load(self._starts + 1, code)

        def inner(place: str, further: str) -> None:
            columns = enumerate(self._intervals, start=self._values)
            match([Value(body.load(column, place), interval) for column, interval in columns], further)

        body.count_up(first, end, len(self._asked), inner, fail)


class FluentIndex:
    """The facts of a state that have the same values in some columns, as chains of rows."""

    def __init__(self, name: str, layout: MemoryLayout, store: FluentStore, columns: tuple[int, ...]) -> None:
        self.columns = columns
        dense = dense_keys([store.intervals[column] for column in columns])
        self.keys: Dense | Hashed = dense or Hashed(name, layout, len(columns), store.capacity)
        self.heads = layout.add(f"{name}.heads", self.keys.length)
        self.links = layout.add(f"{name}.links", store.capacity + 1) if len(columns) < store.arity else 0

    def put(self, body: Body, row: str, values: Sequence[Value]) -> None:
        """Note a row of the new state."""
        if isinstance(self.keys, Hashed):
            self._put_hashed(body, self.keys, row, values)
            return
        code = self.keys.find(body, values, "never")
        if self.links:
            body.store(body.load(self.heads, code), self.links, row)
        body.store(row, self.heads, code)

    def _put_hashed(self, body: Body, keys: Hashed, row: str, values: Sequence[Value]) -> None:
        old, new, done = body.label(), body.label(), body.label()
        body.branch(body.op(f"icmp eq i64 {keys.lookup(body, values)}, 0"), new, old)
        body.start(old)
        slot = body.op(f"sub i64 {keys.lookup(body, values)}, 1")
        if self.links:
            body.store(body.load(self.heads, slot), self.links, row)
        body.store(row, self.heads, slot)
        body.jump(done)
        body.start(new)
        slot = keys.put(body, values)
        if self.links:
            body.store(0, self.links, row)
        body.store(row, self.heads, slot)
        body.jump(done)
        body.start(done)

    def forget(self, body: Body, values: Sequence[Value]) -> None:
        """Take the row of an old state out; hashed keys are forgotten by their stamps."""
        if isinstance(self.keys, Dense):
            body.store(0, self.heads, self.keys.find(body, values, "never"))


class FluentStore:
    """The facts of a state that have the same function, one row each; row 0 is not used."""

    def __init__(self, number: int, program: GameProgram, layout: MemoryLayout, signature: Signature) -> None:
        self.name = f"fluent{number}"
        self.signature = signature
        self.arity = signature[1]
        self.intervals: list[Interval | None] = [program.interval(signature, i) for i in range(self.arity)]
        known = [interval for interval in self.intervals if interval]
        sizes = [max(1, high - low + 1) for low, high in known] if len(known) == self.arity else [MAX_ROWS]
        self.capacity = min(prod(sizes), MAX_ROWS)
        self._layout = layout
        self._control = layout.arrays["control"].first
        self.rows = layout.add(f"{self.name}.rows", (self.capacity + 1) * self.arity + 1)
        self.count = layout.add(f"{self.name}.count", 1)
        self.next_rows = layout.add(f"{self.name}.next_rows", (self.capacity + 1) * self.arity + 1)
        self.next_count = layout.add(f"{self.name}.next_count", 1)
        self.indexes: dict[tuple[int, ...], FluentIndex] = {}
        dense = dense_keys(self.intervals)
        self._next_keys: Dense | Hashed = dense or Hashed(f"{self.name}.next", layout, self.arity, self.capacity)
        if isinstance(self._next_keys, Dense):
            self._next_stamps = layout.add(f"{self.name}.next_stamps", self._next_keys.length)

    def index(self, columns: tuple[int, ...]) -> FluentIndex:
        if columns not in self.indexes:
            name = f"{self.name}.{'.'.join(map(str, columns))}"
            self.indexes[columns] = FluentIndex(name, self._layout, self, columns)
        return self.indexes[columns]

    def can_hold(self, row: Row) -> bool:
        """Whether play can reach a fact with these arguments, as far as the words for each place tell."""
        places = zip(self.intervals, row, strict=True)
        return all(not interval or interval[0] <= value <= interval[1] for interval, value in places)

    def functions(self) -> list[str]:
        keys = [self._next_keys, *(index.keys for index in self.indexes.values())]
        return [text for each in keys if isinstance(each, Hashed) for text in each.functions()]

    # -- asking ------------------------------------------------------------------------------

    def look_up(self, body: Body, modes: str, known: Sequence[Value], match: Match, fail: str) -> None:
        """Code for each match of the known values; goes to `fail` when there are no more."""
        key, asked = columns_with(modes, "b"), columns_with(modes, "f")

        def inner(row: str, further: str) -> None:
            match(self._values(body, self.rows, row, asked), further)

        if not key:
            count = body.load(self.count)
            if not asked:
                body.require(body.op(f"icmp ne i64 {count}, 0"), fail)
                match([], fail)
            else:
                body.count_up(1, body.op(f"add i64 {count}, 1"), 1, inner, fail)
            return
        index = self.index(key)
        head = body.load(index.heads, index.keys.find(body, known, fail))
        if asked:
            body.follow(head, index.links, inner, fail)
        else:
            body.require(body.op(f"icmp ne i64 {head}, 0"), fail)
            match([], fail)

    def _values(self, body: Body, rows: int, row: str, columns: Sequence[int]) -> list[Value]:
        start = row if self.arity == 1 else body.op(f"mul i64 {row}, {self.arity}")
        return [Value(body.load(rows + column, start), self.intervals[column]) for column in columns]

    # -- the next state ----------------------------------------------------------------------

    def add_next(self, body: Body, values: Sequence[Value], then: str) -> None:
        """Add a fact to the next state, unless it is there, and jump."""
        strange, full, fresh = body.label(), body.label(), body.label()
        if self.arity == 0:
            body.store(1, self.next_count)
            body.jump(then)
            return
        if isinstance(self._next_keys, Dense):
            code = self._next_keys.find(body, [Value(value.text) for value in values], strange)
            epoch = body.load(self._control, runtime.EPOCH)
            body.require(body.op(f"icmp ne i64 {body.load(self._next_stamps, code)}, {epoch}"), then)
            body.store(epoch, self._next_stamps, code)
        else:
            body.require(body.op(f"icmp eq i64 {self._next_keys.lookup(body, values)}, 0"), then)
        row = body.op(f"add i64 {body.load(self.next_count)}, 1")
        body.branch(body.op(f"icmp ule i64 {row}, {self.capacity}"), fresh, full)
        body.start(fresh)
        if isinstance(self._next_keys, Hashed):
            self._next_keys.put(body, values)
        body.store(row, self.next_count)
        start = row if self.arity == 1 else body.op(f"mul i64 {row}, {self.arity}")
        for column, value in enumerate(values):
            body.store(value, self.next_rows + column, start)
        body.jump(then)
        for label, why in ((full, runtime.MANY_FACTS), (strange, runtime.STRANGE_FACT)):
            body.start(label)
            body.line(f"call void @fail(ptr %w, i64 {why})")
            body.jump(then)

    def write_next(self, body: Body, state: int, place: str) -> str:
        """Write the rows of the next state to the array `state`; where the next kind of facts begins."""
        count = body.load(self.next_count)
        body.store(count, state, place)
        body.store(0, self.next_count)
        begin, end = body.op(f"add i64 {place}, 1"), body.op(f"mul i64 {count}, {self.arity}")
        if self.arity == 0:
            return begin
        after = body.label()

        def inner(number: str, further: str) -> None:
            value = body.load(self.next_rows + self.arity, number)
            body.store(value, state, body.op(f"add i64 {begin}, {number}"))
            body.jump(further)

        body.count_up(0, end, 1, inner, after)
        body.start(after)
        return body.op(f"add i64 {begin}, {end}")

    # -- taking up a state -------------------------------------------------------------------

    def read(self, body: Body, state: int, place: str) -> str:
        """Replace the old rows by those in the array `state`; where the next kind of facts begins."""
        if any(isinstance(index.keys, Dense) for index in self.indexes.values()):
            self._forget(body)
        count = body.load(state, place)
        body.store(count, self.count)
        begin = body.op(f"add i64 {place}, 1")
        if self.arity == 0:
            return begin
        after, size = body.label(), body.op(f"mul i64 {count}, {self.arity}")

        def inner(row: str, further: str) -> None:
            offset = body.op(f"mul i64 {body.op(f'sub i64 {row}, 1')}, {self.arity}")
            source, target = body.op(f"add i64 {begin}, {offset}"), body.op(f"add i64 {offset}, {self.arity}")
            values = [Value(body.load(state + i, source), self.intervals[i]) for i in range(self.arity)]
            for column, value in enumerate(values):
                body.store(value, self.rows + column, target)
            for index in self.indexes.values():
                index.put(body, row, [values[column] for column in index.columns])
            body.jump(further)

        body.count_up(1, body.op(f"add i64 {count}, 1"), 1, inner, after)
        body.start(after)
        return body.op(f"add i64 {begin}, {size}")

    def _forget(self, body: Body) -> None:
        after = body.label()

        def inner(row: str, further: str) -> None:
            values = self._values(body, self.rows, row, range(self.arity))
            for index in self.indexes.values():
                index.forget(body, [values[column] for column in index.columns])
            body.jump(further)

        body.count_up(1, body.op(f"add i64 {body.load(self.count)}, 1"), 1, inner, after)
        body.start(after)


def _picked(row: Row, columns: Sequence[int]) -> Row:
    return tuple(row[column] for column in columns)


def _column_interval(rows: Sequence[Row], column: int) -> Interval:
    return min((row[column] for row in rows), default=1), max((row[column] for row in rows), default=0)
