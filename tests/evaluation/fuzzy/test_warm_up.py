"""Having machine code made ahead."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from ludens.core import Deadline
from ludens.evaluation.fuzzy import warm_up


def test_nobody_waits_beyond_the_deadline_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "is_warm", lambda: False)
    monkeypatch.setattr(warm_up, "has_disk", lambda _: True)
    monkeypatch.setattr(warm_up, "run_module", None)
    with ThreadPoolExecutor(1) as other:
        with warm_up.ONE_AT_A_TIME:
            other.submit(warm_up.warm_up, Deadline(0.01)).result()
        assert is_free(other)


def is_free(other: ThreadPoolExecutor) -> bool:
    """Whether another thread gets the lock, which it gives back."""
    is_taken = other.submit(warm_up.ONE_AT_A_TIME.acquire, 0).result()
    if is_taken:
        other.submit(warm_up.ONE_AT_A_TIME.release).result()
    return is_taken


def test_it_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(warm_up, "is_warm", lambda: bool(made))
    monkeypatch.setattr(warm_up, "has_disk", lambda _: True)
    monkeypatch.setattr(warm_up, "run_module", lambda name, *_: made.append(name))
    for _ in range(2):
        warm_up.warm_up(Deadline.never())
    assert made == ["ludens.evaluation.fuzzy.warm_up"]
    with ThreadPoolExecutor(1) as other:
        assert is_free(other)
