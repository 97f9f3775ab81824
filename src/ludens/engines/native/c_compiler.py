"""The C compiler of this machine, for the libraries of games."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence

COMPILERS = ("cc", "gcc", "clang")
C_FLAGS = ("-std=c99", "-O2")


def c_compiler() -> list[str] | None:
    """The command that CC names, or the first compiler that there is."""
    if wanted := shlex.split(os.environ.get("CC", "")):
        return wanted
    return next(([name] for name in COMPILERS if shutil.which(name)), None)


def library_command(compiler: Sequence[str], name: str) -> list[str]:
    """Builds libNAME.so from NAME.c.

    >>> " ".join(library_command(["cc"], "nim"))
    'cc -std=c99 -O2 -fPIC -shared nim.c -o libnim.so'
    """
    return [*compiler, *C_FLAGS, "-fPIC", "-shared", f"{name}.c", "-o", f"lib{name}.so"]
