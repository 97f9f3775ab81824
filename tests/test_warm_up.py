"""Making all machine code at once: nothing waits for a part that failed."""

from __future__ import annotations

import pytest

from ludens import warm_up


def test_a_part_that_fails_ends_it(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(warm_up, "is_warm", lambda: False)
    monkeypatch.setattr(warm_up, "available_cores", lambda: [0])
    missing = "ludens.no_such_module"
    monkeypatch.setattr(warm_up, "JOBS", ((missing, "first", None), (missing, "second", "first")))
    assert warm_up.main() == 1
    out, err = capfd.readouterr()
    assert "first (1 of 2" in out
    assert "second" not in out
    assert err.count("No module named ludens.no_such_module") == 1


def test_a_program_that_cannot_be_started_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "is_warm", lambda: False)
    monkeypatch.setattr("sys.executable", "/no/such/python")
    with pytest.raises(FileNotFoundError):
        warm_up.main()
