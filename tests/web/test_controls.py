"""Of things that are wanted one after the other only those are done that are not outdated."""

from __future__ import annotations

import asyncio

import pytest

from ludens.web.pages.controls import Latest


def test_what_is_wanted_meanwhile_is_left_out_but_for_the_last() -> None:
    done: list[tuple[int, bool]] = []

    async def run() -> None:
        async def do(number: int) -> None:
            await asyncio.sleep(0.01)
            done.append((number, latest.is_outdated))

        latest = Latest(do)
        await asyncio.gather(*(latest.want(number) for number in range(10)))
        await latest.want(10)

    asyncio.run(run())
    assert done == [(0, True), (9, False), (10, False)]


def test_a_failure_does_not_block_what_comes_later() -> None:
    done: list[int] = []

    async def do(number: int) -> None:
        if number == 0:
            raise ValueError("zero")
        done.append(number)

    async def run() -> None:
        latest = Latest(do)
        with pytest.raises(ValueError, match="zero"):
            await latest.want(0)
        await latest.want(1)

    asyncio.run(run())
    assert done == [1]
