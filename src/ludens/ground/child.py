"""The grounder's own process: a script that runs clingo within limits and imports nothing else of ludens.

Arguments: the limits in bytes and in CPU seconds (0 for none), then the folders to import clingo from. The
standard input has the length of the program in bytes, a line end, and the program; it stays open after that, and
when it ends, since whoever started this process is gone, the process ends too.
"""

from __future__ import annotations

import os
import signal
import sys
from _thread import start_new_thread

MEMORY_EXIT = 33
"""The exit code of clingo when memory is used up."""


def limit_resources(memory_bytes: int, cpu_seconds: int) -> None:
    """Let the system refuse what is too much, where it can."""
    try:
        import resource
    except ImportError:
        return
    for kind, amount in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_CPU, cpu_seconds)):
        _, hard = resource.getrlimit(kind)
        if amount and (hard == resource.RLIM_INFINITY or amount < hard):
            try:
                resource.setrlimit(kind, (amount, hard))
            except (OSError, ValueError):
                continue


def end_with_input() -> None:
    """Wait until the standard input is closed."""
    while os.read(0, 4096):
        pass
    os._exit(1)


def main(arguments: list[str]) -> int:
    memory_bytes, cpu_seconds, *folders = arguments
    limit_resources(int(memory_bytes), int(cpu_seconds))
    sys.path[:0] = folders
    try:
        from clingo.application import Application, clingo_main

        class Grounder(Application):
            def main(self, control, files):  # type: ignore[no-untyped-def]
                # clingo's own handlers can wait for ever for a lock that the interrupted code holds.
                for kind in (signal.SIGTERM, signal.SIGINT):
                    signal.signal(kind, signal.SIG_DFL)
                control.add("base", [], program)
                control.ground([("base", [])])
                control.solve()

        size = int(sys.stdin.buffer.readline())
        program = sys.stdin.buffer.read(size).decode("ascii")
        if len(program) < size:
            return 1
        start_new_thread(end_with_input, ())
        return clingo_main(Grounder(), ["--mode=gringo", "--output=intermediate", "-Wnone"])
    except MemoryError:
        return MEMORY_EXIT


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
