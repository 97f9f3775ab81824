"""From the values of some arguments to a place in an array: by arithmetic where they are few, else by hashing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

import numpy as np

from ludens.engines.backend.memory import MemoryLayout
from ludens.engines.relational import runtime
from ludens.engines.relational.ir import Body, Value
from ludens.engines.relational.program import Interval, Row

MAX_CODES = 1 << 20
"""Arrays with a place for each combination of values are not longer."""
WORD = (1 << 64) - 1


class Dense:
    """Every combination of values has a place."""

    def __init__(self, intervals: Sequence[Interval]) -> None:
        self._intervals = intervals
        sizes = [high - low + 1 for low, high in intervals]
        self.length = prod(sizes)
        self._strides = [prod(sizes[index + 1 :]) for index in range(len(sizes))]

    def code(self, row: Sequence[int]) -> int:
        return sum(
            (value - low) * stride for value, (low, _), stride in zip(row, self._intervals, self._strides, strict=True)
        )

    def find(self, body: Body, values: Sequence[Value], fail: str) -> str:
        """The place; jumps to `fail` if some value can never stand here."""
        fixed, moving = 0, ""
        for value, (low, high), stride in zip(values, self._intervals, self._strides, strict=True):
            known = value.interval
            if known is None or known[0] < low or known[1] > high:
                above = body.op(f"sub i64 {value}, {low}")
                body.require(body.op(f"icmp ule i64 {above}, {high - low}"), fail)
            if value.text.isdecimal():
                fixed += (int(value.text) - low) * stride
                continue
            fixed -= low * stride
            part = value.text if stride == 1 else body.op(f"mul i64 {value}, {stride}")
            moving = body.op(f"add i64 {moving}, {part}") if moving else part
        if not moving:
            return str(max(fixed, 0))
        return body.op(f"add i64 {moving}, {fixed}") if fixed else moving


class Hashed:
    """Open addressing: each slot has the values it stands for, and a stamp that tells whether it is in use."""

    def __init__(
        self, name: str, layout: MemoryLayout, columns: int, most: int, rows: Iterable[Row] | None = None
    ) -> None:
        self.name = name
        self._columns = columns
        self.length = 1 << max(4, (2 * most - 1).bit_length())
        self._fixed = rows is not None
        stamps, keys = np.zeros(self.length, np.uint32), np.zeros((self.length, columns), np.uint32)
        self._slots: dict[Row, int] = {}
        for row in rows or ():
            place = self._start(row)
            while stamps[place]:
                place = (place + 1) % self.length
            stamps[place], keys[place] = 1, row
            self._slots[row] = place
        self._stamps = layout.add_filled(f"{name}.stamps", stamps)
        self._keys = layout.add_filled(f"{name}.keys", keys)
        self._control = layout.arrays["control"].first

    def code(self, row: Sequence[int]) -> int:
        """The slot of a row that was there from the beginning."""
        return self._slots[tuple(row)]

    def _start(self, row: Sequence[int]) -> int:
        mixed = runtime.MULTIPLIER
        for value in row:
            mixed = (mixed ^ value) * runtime.MULTIPLIER & WORD
            mixed ^= mixed >> 32
        return mixed % self.length

    def find(self, body: Body, values: Sequence[Value], fail: str) -> str:
        """The slot; jumps to `fail` if there is none."""
        found = self.lookup(body, values)
        body.require(body.op(f"icmp ne i64 {found}, 0"), fail)
        return body.op(f"sub i64 {found}, 1")

    def lookup(self, body: Body, values: Sequence[Value]) -> str:
        """The slot and 1, or 0 if there is none."""
        return body.op(f"call i64 @find.{self.name}(ptr %w{''.join(f', i64 {value}' for value in values)})")

    def put(self, body: Body, values: Sequence[Value]) -> str:
        """The slot, a new one if need be."""
        return body.op(f"call i64 @put.{self.name}(ptr %w{''.join(f', i64 {value}' for value in values)})")

    def functions(self) -> list[str]:
        if self._fixed:
            return [self._search("find")]
        return [self._search("find"), self._search("put")]

    def _search(self, kind: str) -> str:
        """`find`: the slot and 1, or 0; `put`: the slot, which is new if there was none."""
        names = [f"%k{index}" for index in range(self._columns)]
        body = Body(f"{kind}.{self.name}", [f"i64 {name}" for name in names])
        mixed = str(runtime.MULTIPLIER - (1 << 64))
        for name in names:
            mixed = body.op(f"mul i64 {body.op(f'xor i64 {mixed}, {name}')}, {runtime.MULTIPLIER - (1 << 64)}")
            mixed = body.op(f"xor i64 {mixed}, {body.op(f'lshr i64 {mixed}, 32')}")
        first = body.op(f"and i64 {mixed}, {self.length - 1}")
        stamp = "1" if self._fixed else body.load(self._control, runtime.EPOCH)

        def compare(slot: str, further: str) -> None:
            used, unused = body.label(), body.label()
            body.branch(body.op(f"icmp eq i64 {body.load(self._stamps, slot)}, {stamp}"), used, unused)
            body.start(unused)
            if kind == "put":
                body.store(stamp, self._stamps, slot)
                for index, name in enumerate(names):
                    body.store(name, self._keys + index, body.op(f"mul i64 {slot}, {self._columns}"))
                body.finish(slot)
            else:
                body.finish(0)
            body.start(used)
            start = body.op(f"mul i64 {slot}, {self._columns}")
            for index, name in enumerate(names):
                body.require(body.op(f"icmp eq i64 {body.load(self._keys + index, start)}, {name}"), further)
            body.finish(slot if kind == "put" else body.op(f"add i64 {slot}, 1"))

        never = body.label("never")
        body.loop(
            first,
            lambda slot: "true",
            lambda slot: body.op(f"and i64 {body.op(f'add i64 {slot}, 1')}, {self.length - 1}"),
            compare,
            never,
        )
        body.start(never)
        body.finish(0)
        return body.text()


def dense_keys(intervals: Sequence[Interval | None]) -> Dense | None:
    """Places for every combination, if these are not too many."""
    known = [interval for interval in intervals if interval is not None]
    if len(known) < len(intervals) or prod(max(0, high - low + 1) for low, high in known) > MAX_CODES:
        return None
    return Dense([(low, max(low, high)) for low, high in known])
