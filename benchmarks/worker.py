"""One contender with one game in a process of its own: `python -m benchmarks.worker CONTENDER GAME`.

It plays its first game, says how long that took from reading the rules, and then plays for as many CPU seconds
as each line of its input asks. It answers in lines of JSON. A crash or a game without end stays in here.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from benchmarks.catalogue import CATALOGUE
from benchmarks.contenders import CONTENDERS, CannotPlayError


def cpu_seconds() -> float:
    """CPU time of this process and of the children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def work(contender: str, game: str) -> None:
    prepare = CONTENDERS[contender].load()
    begin, begin_cpu = time.monotonic(), cpu_seconds()
    runner = prepare(CATALOGUE[game])
    runner.play(0)
    _say({"first_playout_seconds": time.monotonic() - begin, "first_playout_cpu_seconds": cpu_seconds() - begin_cpu})
    runner.settle()
    for line in sys.stdin:
        _say(asdict(runner.play(float(line))))


def _say(answer: Mapping[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


def main(arguments: Sequence[str]) -> int:
    contender, game = arguments
    try:
        work(contender, game)
    except CannotPlayError as error:
        _say({"error": str(error)})
    except Exception as error:
        _say({"error": f"{type(error).__name__}: {error}".splitlines()[0]})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
