"""Making machine code ahead: once, in time, and nothing waits for a part that failed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest

from ludens.runtime import warm_up
from ludens.runtime.deadline import Deadline
from ludens.runtime.processes import Ending
from ludens.runtime.warm_up import MODULES, MachineCode, WarmUpPart, declared, warm_up_all


def kernel() -> None:
    """Stands for one."""


@pytest.fixture
def code(monkeypatch: pytest.MonkeyPatch) -> MachineCode:
    """Of a kernel that is never on disk, although there is one."""
    monkeypatch.setattr(warm_up, "has_disk", lambda _: True)
    monkeypatch.setattr(warm_up, "versions_on_disk", lambda _: 0)
    return MachineCode("ludens.no_such_module", [(kernel, 1)], [WarmUpPart("first", kernel)])


def is_free(code: MachineCode, other: ThreadPoolExecutor) -> bool:
    """Whether another thread gets the lock, which it gives back."""
    is_taken = other.submit(code.lock.acquire, 0).result()
    if is_taken:
        other.submit(code.lock.release).result()
    return is_taken


def test_nobody_waits_beyond_the_deadline_for_another(code: MachineCode, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_up, "run_command", None)
    with ThreadPoolExecutor(1) as other:
        with code.lock:
            other.submit(code.warm_up, Deadline(0.01)).result()
        assert is_free(code, other)


def test_it_is_made_once(code: MachineCode, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def run(command: tuple[str, ...], deadline: Deadline) -> Ending:
        made.append(command[-1])
        return Ending(0, "")

    monkeypatch.setattr(warm_up, "versions_on_disk", lambda _: len(made))
    monkeypatch.setattr(warm_up, "run_command", run)
    for _ in range(2):
        code.warm_up(Deadline.never())
    assert made == ["ludens.no_such_module"]
    with ThreadPoolExecutor(1) as other:
        assert is_free(code, other)


def test_who_plays_goes_on_where_it_cannot_be_made(code: MachineCode, monkeypatch: pytest.MonkeyPatch) -> None:
    code.warm_up(Deadline(60))  # there is no such module
    code.warm_up(Deadline(0))
    monkeypatch.setattr("sys.executable", "/no/such/python")
    code.warm_up(Deadline(60))
    assert not code.is_warm


def declare(monkeypatch: pytest.MonkeyPatch, *parts: WarmUpPart) -> None:
    module = ModuleType("ludens.no_such_module")
    vars(module)["MACHINE_CODE"] = MachineCode("ludens.no_such_module", [(kernel, 1)], parts)
    monkeypatch.setitem(__import__("sys").modules, "ludens.no_such_module", module)
    monkeypatch.setattr(warm_up, "versions_on_disk", lambda _: 0)


def test_a_part_that_fails_ends_it(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    declare(monkeypatch, WarmUpPart("second", kernel, after="first"), WarmUpPart("first", kernel))
    monkeypatch.setattr(warm_up, "available_cores", lambda: [0])
    assert warm_up_all(["ludens.no_such_module"]) == 1
    out, err = capfd.readouterr()
    assert "first (1 of 2" in out
    assert "second" not in out
    assert err.count("No module named 'ludens.no_such_module'") == 1


def test_a_program_that_cannot_be_started_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    declare(monkeypatch, WarmUpPart("first", kernel), WarmUpPart("second", kernel, after="first"))
    monkeypatch.setattr("sys.executable", "/no/such/python")
    with pytest.raises(FileNotFoundError):
        warm_up_all(["ludens.no_such_module"])


def test_every_part_comes_after_one_that_there_is() -> None:
    codes = [declared(module) for module in MODULES]
    names = [part.name for code in codes for part in code.parts]
    assert len(names) == len(set(names))
    assert {part.after for code in codes for part in code.parts} <= {None, *names}
    assert [code.module for code in codes] == list(MODULES)
