"""The machine of a run and the program: processor, cores, versions, commit."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).resolve().parent.parent
UNKNOWN = "unknown"
PACKAGES = ("ludens", "numpy", "numba", "clingo", "open_spiel")


def versions() -> Mapping[str, str]:
    """The packages that are installed, Python and SWI-Prolog."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    try:
        told = subprocess.run(["swipl", "--version"], capture_output=True, text=True, check=True).stdout
        found["swi-prolog"] = next(word for word in told.split() if word[0].isdigit())
    except (OSError, subprocess.CalledProcessError, StopIteration):
        pass
    return MappingProxyType(found)


def cpu_name() -> str:
    """What the processor calls itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def commit() -> str:
    """The version of this program: its commit, and whether it was changed since."""
    try:
        found = _git("rev-parse", "HEAD")
        return f"{found} with changes" if _git("status", "--porcelain", "--untracked-files=no") else found
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process and all that it starts meanwhile on one core, where the system can."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
