"""Work of which only the last matters."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Wanted = TypeVar("Wanted")


class Latest(Generic[Wanted]):
    """Does one thing at a time, and of those that are wanted meanwhile only the last."""

    def __init__(self, do: Callable[[Wanted], Awaitable[None]]) -> None:
        self._do = do
        self._waiting: list[Wanted] = []
        self._is_busy = False

    @property
    def is_outdated(self) -> bool:
        """Whether something else is wanted than what is being done."""
        return bool(self._waiting)

    async def want(self, what: Wanted) -> None:
        self._waiting = [what]
        if self._is_busy:
            return
        self._is_busy = True
        try:
            while self._waiting:
                await self._do(self._waiting.pop())
        finally:
            self._is_busy = False
