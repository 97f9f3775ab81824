"""A process that searches for a pool: orders come in, reports go out, both pickled one after the other.

It ends with its input, that is with whoever runs it, also in the middle of a search.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Lock
from typing import Any, BinaryIO, TypeAlias

from ludens.cluster.service import Service

Answer: TypeAlias = Callable[[object], None]


def serve(open_service: Callable[[Answer], Callable[[Any], None]]) -> None:
    """Give all that comes in to a service, whose answers go out, until the input ends.

    Whatever prints something prints it to nobody.
    """
    answers, lock = os.fdopen(os.dup(sys.stdout.fileno()), "wb"), Lock()
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    tell = open_service(lambda what: _answer(what, answers, lock))
    with suppress(EOFError, OSError, pickle.UnpicklingError):
        while True:
            tell(pickle.load(sys.stdin.buffer))


def _answer(what: object, answers: BinaryIO, lock: Lock) -> None:
    try:
        with lock:
            pickle.dump(what, answers)
            answers.flush()
    except OSError:  # nobody listens any more
        os._exit(0)


def limit_memory(most: int) -> None:
    """Whoever eats more bytes than this gets no more, and fails or ends; other programs need theirs."""
    try:
        import resource
    except ImportError:  # there is none on Windows
        return
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def main() -> None:
    limit_memory(int(sys.argv[1]))
    serve(lambda answer: Service(answer).tell)
    os._exit(0)


if __name__ == "__main__":
    main()
