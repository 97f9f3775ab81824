"""What happens when all conditions of a rule hold."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from ludens.engines.relational.ir import Body, Value
from ludens.engines.relational.storage import FluentStore


class Output(ABC):
    """Takes the values that a rule gives. Every function returns 1 when no more answers are wanted."""

    def kept(self, body: Body) -> list[str]:
        """Numbers that the rest of a rule needs in a function of its own."""
        return []

    def restored(self, body: Body, numbers: Sequence[str]) -> Output:
        """The same output in another function."""
        return self

    @abstractmethod
    def succeed(self, body: Body, values: Sequence[Value], further: str) -> None:
        """Code for a success, which then goes on at `further` or returns."""


class PassTest(Output):
    """A test that is passed."""

    def succeed(self, body: Body, values: Sequence[Value], further: str) -> None:
        body.finish(1)


@dataclass(frozen=True, slots=True)
class Jump(Output):
    """Goes somewhere else at the first success."""

    target: str

    def succeed(self, body: Body, values: Sequence[Value], further: str) -> None:
        body.jump(self.target)


@dataclass(frozen=True, slots=True)
class Continue(Output):
    """Calls the function of the caller with each answer."""

    function: str
    environment: str

    def kept(self, body: Body) -> list[str]:
        return [body.op(f"ptrtoint ptr {pointer} to i64") for pointer in (self.function, self.environment)]

    def restored(self, body: Body, numbers: Sequence[str]) -> Output:
        function, environment = (body.op(f"inttoptr i64 {number} to ptr") for number in numbers)
        return Continue(function, environment)

    def succeed(self, body: Body, values: Sequence[Value], further: str) -> None:
        listed = "".join(f", i64 {value}" for value in values)
        enough = body.op(f"call i64 {self.function}(ptr %w, ptr {self.environment}{listed})")
        stop = body.label()
        body.branch(body.op(f"icmp ne i64 {enough}, 0"), stop, further)
        body.start(stop)
        body.finish(1)


@dataclass(frozen=True, slots=True)
class Keep(Output):
    """Adds an answer to a goal."""

    goal: str
    scratch: int

    def kept(self, body: Body) -> list[str]:
        return [self.goal]

    def restored(self, body: Body, numbers: Sequence[str]) -> Output:
        return Keep(numbers[0], self.scratch)

    def succeed(self, body: Body, values: Sequence[Value], further: str) -> None:
        for index, value in enumerate(values):
            body.store(value, self.scratch, index)
        body.line(f"call void @add_answer(ptr %w, i64 {self.goal}, i64 {len(values)})")
        if values:
            body.jump(further)
        else:
            body.finish(1)


@dataclass(frozen=True, slots=True)
class AddNext(Output):
    """Adds a fact to the next state."""

    store: FluentStore

    def succeed(self, body: Body, values: Sequence[Value], further: str) -> None:
        self.store.add_next(body, values, further)


class AddMove(Output):
    """Notes a legal move, or a goal value."""

    def succeed(self, body: Body, values: Sequence[Value], further: str) -> None:
        body.line(f"call void @add_move(ptr %w, i64 {values[0]})")
        body.jump(further)
