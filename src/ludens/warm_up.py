"""Making all machine code at once, on all cores, with a line for each part that is done.

    python -m ludens.warm_up

Nothing is made that lies on disk already.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from ludens.core import available_cores
from ludens.evaluation.fuzzy import warm_up as evaluation
from ludens.search import warm_up as search

SEARCH, EVALUATION = "ludens.search.warm_up", "ludens.evaluation.fuzzy.warm_up"
JOBS: Sequence[tuple[str, str, str | None]] = (
    (SEARCH, "engine", None),
    (SEARCH, "interpreted", None),
    (SEARCH, "narrow", "engine"),
    (EVALUATION, "evaluation", "engine"),
    (SEARCH, "solver", "interpreted"),
    (SEARCH, "wide", "narrow"),
    (SEARCH, "compiled", "wide"),
)
"""Module, part, and the part that has to be there before: either it makes code for this one, or both make versions of
the same kernel, whose index only one process at a time may write.
"""


def is_warm() -> bool:
    """Whether all machine code is on disk."""
    return search.is_warm() and evaluation.is_warm()


def main() -> int:
    if is_warm():
        return 0
    print("preparing machine code (about a minute on two cores from scratch) ...", flush=True)
    began, done = time.monotonic(), {part: Event() for _, part, _ in JOBS}
    codes = list[int]()

    def make(job: tuple[str, str, str | None]) -> None:
        module, part, before = job
        try:
            if before:
                done[before].wait()
            if not any(codes):
                codes.append(subprocess.run([sys.executable, "-P", "-m", module, part], check=False).returncode)
                print(f"  {part} ({len(codes)} of {len(JOBS)}, {time.monotonic() - began:.0f} s)", flush=True)
        finally:
            done[part].set()

    with ThreadPoolExecutor(len(available_cores())) as pool:
        list(pool.map(make, JOBS))
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
