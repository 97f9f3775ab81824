"""Writing one function of LLVM assembly, block by block. Every number has 64 bits; memory holds 32 of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ludens.engines.backend.llvm_writer import Assembly
from ludens.engines.relational.program import Interval


@dataclass(frozen=True, slots=True)
class Value:
    """A number at run time, and between which bounds it is, if that is known."""

    text: str
    interval: Interval | None = None

    def __str__(self) -> str:
        return self.text


def word(number: int) -> Value:
    return Value(str(number), (number, number))


class Body(Assembly):
    """A function that is being written; its first parameter is the memory `%w`."""

    def __init__(
        self,
        name: str,
        parameters: Sequence[str] = (),
        result: str = "i64",
        guard: Callable[[Body, object], None] | None = None,
    ) -> None:
        """`guard` writes what is done before a number of turns of a loop."""
        super().__init__()
        self.name = name
        self._result = result
        self._guard = guard
        self._parameters = ["ptr %w", *parameters]
        self._reserved: list[str] = []
        self._block = "start"

    def text(self, attributes: str = "") -> str:
        heading = f"define internal {self._result} @{self.name}({', '.join(self._parameters)}) nounwind{attributes} {{"
        return "\n".join([heading, "start:", *self._reserved, *self.lines, "}\n"])

    def start(self, label: str) -> None:
        super().start(label)
        self._block = label

    def require(self, condition: str, fail: str) -> None:
        """Go on only if a condition holds."""
        then = self.label()
        self.branch(condition, then, fail)
        self.start(then)

    def finish(self, result: int | str = 0) -> None:
        self.line("ret void" if self._result == "void" else f"ret i64 {result}")

    def reserve(self, numbers: int) -> str:
        """Room for some numbers of 64 bits as long as the function runs."""
        self._count += 1
        self._reserved.append(f"  %room{self._count} = alloca [{max(1, numbers)} x i64]")
        return f"%room{self._count}"

    # -- memory ------------------------------------------------------------------------------

    def _address(self, place: int, index: str) -> str:
        if index.isdecimal():
            return self.op(f"getelementptr i32, ptr %w, i64 {place + int(index)}")
        return self.op(f"getelementptr i32, ptr %w, i64 {self.op(f'add i64 {index}, {place}')}")

    def load(self, place: int, index: object = 0) -> str:
        loaded = self.op(f"load i32, ptr {self._address(place, str(index))}")
        return self.op(f"zext i32 {loaded} to i64")

    def store(self, value: object, place: int, index: object = 0) -> None:
        cut = str(value) if str(value).isdecimal() else self.op(f"trunc i64 {value} to i32")
        self.line(f"store i32 {cut}, ptr {self._address(place, str(index))}")

    # -- loops -------------------------------------------------------------------------------

    def loop(
        self,
        first: object,
        goes_on: Callable[[str], str],
        following: Callable[[str], str],
        inner: Callable[[str, str], None],
        end: str,
    ) -> None:
        """Repeat `inner(number, where to go on)` while a condition holds, then jump to `end`."""
        head, then, latch = self.label("loop"), self.label(), self.label("next")
        number = f"%i{head}"
        before = self._block
        self.jump(head)
        self.start(head)
        self.line(f"{number} = phi i64 [ {first}, %{before} ], [ {number}.next, %{latch} ]")
        self.branch(goes_on(number), then, end)
        self.start(then)
        inner(number, latch)
        self.start(latch)
        self.line(f"{number}.next = add i64 {following(number)}, 0")
        self.jump(head)

    def count_up(self, first: object, end: object, step: int, inner: Callable[[str, str], None], after: str) -> None:
        """A loop over numbers from `first` to below `end`; all its turns are counted before, for that is quick."""
        if self._guard:
            self._guard(self, self.op(f"sub i64 {end}, {first}"))
        self.loop(
            first,
            lambda number: self.op(f"icmp ult i64 {number}, {end}"),
            lambda number: self.op(f"add i64 {number}, {step}"),
            inner,
            after,
        )

    def follow(self, first: object, links: int, inner: Callable[[str, str], None], after: str) -> None:
        """A loop over a chain: each item has the next one in the array at `links`, the last one 0."""

        def counted(item: str, further: str) -> None:
            if self._guard:
                self._guard(self, 1)
            inner(item, further)

        self.loop(
            first, lambda item: self.op(f"icmp ne i64 {item}, 0"), lambda item: self.load(links, item), counted, after
        )
