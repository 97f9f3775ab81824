"""A process that evaluates rules for one page: requests come in, one JSON object on a line, and answers go out.

A request has a number and the name of a task; its answer repeats the number, and has a `result` or an `error` in
words. `interrupt` is answered by nobody: it has the player that thinks move at once. The process ends with its input.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from threading import Lock
from typing import Any, TextIO

from ludens.errors import LudensError, RulesError
from ludens.ground.child import limit_resources
from ludens.players.worker import Worker
from ludens.printable import printable
from ludens.web.desk import Desk

MEGABYTE = 1 << 20
LONGEST_ERROR = 600


class Answerer:
    """Does one task after the other, and writes what comes of it."""

    def __init__(self, desk: Desk, output: TextIO) -> None:
        self._desk, self._output = desk, output
        self._lock = Lock()
        self._worker = Worker("tasks")

    def take(self, line: bytes) -> None:
        request = json.loads(line)
        if request["task"] == "interrupt":
            self._desk.interrupt()
        else:
            self._desk.expect(request["task"])
            self._worker.do(lambda: self._answer(request))

    def _answer(self, request: dict[str, Any]) -> None:
        try:
            answer: dict[str, Any] = {"result": self._desk.do(request["task"], request["with"])}
        except MemoryError:
            os._exit(3)
        except RulesError as error:
            answer = {"error": error.findings[0].message if error.findings else "the rules cannot be used"}
        except RecursionError:
            answer = {"error": "the rules make terms that are nested too deeply; give them a bound"}
        except LudensError as error:
            answer = {"error": printable(str(error))[:LONGEST_ERROR] or type(error).__name__}
        except Exception as error:  # A mistake of ours must not take the page down; it is told as what it is.
            answer = {"error": f"this went wrong: {type(error).__name__}: {error}"[:LONGEST_ERROR]}
        with self._lock:
            self._output.write(json.dumps({"number": request["number"], **answer}) + "\n")
            self._output.flush()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m ludens.web.child", description=__doc__)
    parser.add_argument("--memory", type=int, default=0, help="megabytes; 0 for any number")
    chosen = parser.parse_args()
    limit_resources(chosen.memory * MEGABYTE, 0)
    # What is printed on the way must not get between the answers.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    desk = Desk()
    desk.warm_up()
    answerer = Answerer(desk, output)
    try:
        for line in sys.stdin.buffer:
            answerer.take(line)
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
