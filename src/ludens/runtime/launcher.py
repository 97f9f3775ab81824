"""The first code of a child process: sets its limits, ends it with its parent, and runs a module or a script.

Arguments: options as JSON (`processes.python_command` writes them), the module or the path of a script, and the
arguments of that. It imports the standard library only, so that a child may be started without all the rest.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from _thread import start_new_thread
from io import BytesIO, TextIOWrapper
from typing import Any

try:
    import resource
except ImportError:  # there is none on Windows
    resource = None  # type: ignore[assignment]

MEMORY_EXIT = 33
"""The exit code of a child that has used up its memory; clingo has the same."""
GONE_EXIT = 1
"""The exit code of a child whose parent is gone."""
LIMITS = {"address_bytes": "RLIMIT_AS", "data_bytes": "RLIMIT_DATA", "cpu_seconds": "RLIMIT_CPU"}


def limit_resources(options: dict[str, Any]) -> None:
    """Let the system refuse what is too much, where it can; keep to some cores."""
    for option, name in LIMITS.items():
        if resource and hasattr(resource, name) and options.get(option):
            kind, amount = getattr(resource, name), options[option]
            _, hard = resource.getrlimit(kind)
            if hard == resource.RLIM_INFINITY or amount < hard:
                try:
                    resource.setrlimit(kind, (amount, hard))
                except (OSError, ValueError):
                    continue
    if options.get("cores") and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, options["cores"])


def end_with_input() -> None:
    """Wait for the end of the standard input, which the parent holds open, and exit."""
    while os.read(0, 4096):
        pass
    os._exit(GONE_EXIT)


def main(arguments: list[str]) -> None:
    options = json.loads(arguments[0])
    sys.argv = arguments[1:]
    limit_resources(options)
    sys.path[:0] = options.get("path", [])
    try:
        if (size := options.get("input_bytes")) is not None:
            data = sys.stdin.buffer.read(size)
            if len(data) < size:
                os._exit(GONE_EXIT)
            sys.stdin = TextIOWrapper(BytesIO(data), "utf-8")
        if options.get("watch"):
            start_new_thread(end_with_input, ())
        if options.get("script"):
            runpy.run_path(sys.argv[0], run_name="__main__")
        else:
            runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except MemoryError:
        os._exit(MEMORY_EXIT)


if __name__ == "__main__":
    main(sys.argv[1:])
