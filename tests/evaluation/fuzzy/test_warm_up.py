"""Having machine code made ahead."""

from __future__ import annotations

import pytest

from ludens.core import Deadline
from ludens.evaluation.fuzzy import warm_up


def test_nobody_waits_beyond_the_deadline_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "is_warm", lambda: False)
    monkeypatch.setattr(warm_up, "has_disk", lambda _: True)
    monkeypatch.setattr(warm_up, "run_module", None)
    with warm_up.ONE_AT_A_TIME:
        warm_up.warm_up(Deadline(0.01))
    assert warm_up.ONE_AT_A_TIME.acquire(blocking=False)
    warm_up.ONE_AT_A_TIME.release()


def test_it_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(warm_up, "is_warm", lambda: bool(made))
    monkeypatch.setattr(warm_up, "has_disk", lambda _: True)
    monkeypatch.setattr(warm_up, "run_module", lambda name, *_: made.append(name))
    for _ in range(2):
        warm_up.warm_up(Deadline.never())
    assert made == ["ludens.evaluation.fuzzy.warm_up"]
    assert not warm_up.ONE_AT_A_TIME.locked()
