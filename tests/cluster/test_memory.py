"""Workers take no more memory than there is."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludens.cluster import memory
from ludens.cluster.memory import MIN_LIMIT, WORKER_BYTES, affordable_workers, free_memory, memory_limit


def told(folder: Path, available: int, most: str, used: int, cached: int) -> None:
    (folder / "meminfo").write_text(f"MemTotal: 99999999 kB\nMemAvailable: {available // 1024} kB\n")
    (folder / "memory.max").write_text(f"{most}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 17\ninactive_file {cached}\n")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(memory, "_MEMORY", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_GROUP", tmp_path)
    return tmp_path


def test_what_is_free_is_the_least_of_what_the_computer_and_the_container_have(folder: Path) -> None:
    told(folder, 8 * 2**30, "max", 2**30, 0)
    assert free_memory() == 8 * 2**30
    told(folder, 8 * 2**30, str(3 * 2**30), 2**30, 2**20)
    assert free_memory() == 2 * 2**30 + 2**20
    told(folder, 2**30, str(3 * 2**30), 0, 0)
    assert free_memory() == 2**30
    told(folder, 2**30, str(2**30), 2**31, 0)
    assert free_memory() == 0


def test_where_nothing_is_told_something_is_assumed(folder: Path) -> None:
    assert free_memory() == memory.UNKNOWN


def test_workers_are_as_many_as_are_wanted_or_as_fit(folder: Path) -> None:
    told(folder, 2 * 3 * WORKER_BYTES, "max", 0, 0)
    assert [affordable_workers(wanted) for wanted in (1, 3, 8)] == [1, 3, 3]
    told(folder, 2**20, "max", 0, 0)
    assert affordable_workers(8) == 1
    assert memory_limit(8) == MIN_LIMIT
    told(folder, 2**36, "max", 0, 0)
    assert memory_limit(3) == 2**34
