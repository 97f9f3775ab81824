"""The machine of a run: what is installed on it."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping
from importlib import metadata
from types import MappingProxyType

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
