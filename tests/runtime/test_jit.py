"""Machine code on disk: damaged, missing or out of date, it is made anew, and the answers are right."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

import ludens
from ludens.runtime.jit import compiled, has_disk, sources_digest, versions_on_disk
from tests.tiers import FULL

KERNEL = """
from ludens.runtime.jit import compiled, inlined, versions_on_disk

@inlined
def doubled(x):
    return 2 * x

@compiled
def kernel(x):
    return doubled(x) + 1

before = versions_on_disk(kernel)
print(kernel(20), before, versions_on_disk(kernel))
"""


def run(folder: Path, **settings: str) -> str:
    script = folder / "kernel.py"
    script.write_text(KERNEL)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), **settings}
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def files(folder: Path, kind: str) -> list[Path]:
    return sorted((folder / "cache").rglob(f"*.{kind}"))


def test_the_second_run_finds_the_code(tmp_path: Path) -> None:
    assert run(tmp_path) == "41 0 1"
    (index,) = files(tmp_path, "nbi")
    os.utime(tmp_path / "kernel.py", ns=(10**18, 10**18))
    index.unlink()
    assert run(tmp_path) == "41 0 1"


@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        ("nbc", b"garbage"),
        *(
            pytest.param(kind, damage, marks=FULL)
            for kind, damage in product(["nbi", "nbc"], [b"", b"garbage", b"\x80\x04garbage"])
            if (kind, damage) != ("nbc", b"garbage")
        ),
    ],
)
def test_damaged_files_are_made_anew(tmp_path: Path, kind: str, damage: bytes) -> None:
    script = tmp_path / "kernel.py"
    run(tmp_path)
    moment = script.stat().st_mtime_ns
    for path in files(tmp_path, kind):
        path.write_bytes(damage)
    script.write_text(KERNEL)
    os.utime(script, ns=(moment, moment))
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for expected in (None, "41 1 1"):
        command = [sys.executable, str(script)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.split()[0] == "41"
        if expected:
            assert done.stdout.strip() == expected


def test_without_the_jit_functions_are_plain(tmp_path: Path) -> None:
    assert run(tmp_path, NUMBA_DISABLE_JIT="1") == "41 0 0"
    assert not files(tmp_path, "nbi")


def test_a_function_without_a_file_is_compiled_all_the_same() -> None:
    names: dict[str, object] = {}
    exec("def tripled(x):\n    return 3 * x", names)
    kernel = compiled(names["tripled"])  # type: ignore[arg-type, var-annotated]
    assert kernel(14) == 42
    assert not has_disk(kernel)
    assert versions_on_disk(kernel) == 0


def digests(root: Path, changed: str | None = None) -> dict[str, str]:
    """What the machine code of each file of kernels depends on, in a copy of the package with one file changed."""
    package, copied = Path(ludens.__file__).parent, root / "ludens"
    for path in [*package.rglob("*_kernel.py"), *package.rglob("vectors.py"), package / "runtime" / "jit.py"]:
        copy = copied / path.relative_to(package)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    if changed:
        (copied / changed).write_bytes((copied / changed).read_bytes() + b"# changed")
    return {path.stem: sources_digest(path, root) for path in copied.rglob("*_kernel.py")}


@pytest.mark.parametrize(
    ("changed", "touched", "untouched"),
    [
        ("search/mcts/tree_kernel.py", {"tree_kernel", "lanes_kernel"}, {"search_kernel", "playout_kernel"}),
        ("engines/sliced/vectors.py", {"playout_kernel", "lanes_kernel"}, {"induction_kernel", "fuzzy_kernel"}),
        ("search/alphabeta/table_kernel.py", {"search_kernel"}, {"lanes_kernel"}),
        ("runtime/jit.py", {"search_kernel", "order_kernel", "fuzzy_kernel"}, set[str]()),
    ],
)
def test_code_is_out_of_date_when_something_it_uses_changes_and_only_then(
    changed: str, touched: set[str], untouched: set[str], tmp_path: Path
) -> None:
    before, after = digests(tmp_path / "before"), digests(tmp_path / "after", changed)
    different = {name for name in before if before[name] != after[name]}
    assert touched <= different
    assert not untouched & different
