"""A process that evaluates rules for one page: requests come in, one JSON object on a line, and answers go out.

A request has a number and the name of a task; its answer repeats the number, and has a `result` or an `error` in
words. `interrupt` is answered by nobody: it has the player that thinks move at once. The process ends with its input,
and keeps the game that was played until then.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from typing import Any

from ludens.errors import LudensError, RulesError
from ludens.printable import printable
from ludens.runtime.launcher import MEMORY_EXIT
from ludens.runtime.parent_channel import ParentChannel
from ludens.runtime.threads import SerialExecutor
from ludens.web.page_service import PageService

MAX_ERROR = 600
CLOSE_SECONDS = 0.5
"""How long the process waits for a task when its input ends."""


class Answerer:
    """Does one task after the other, and writes what comes of it."""

    def __init__(self, service: PageService, send: Callable[[dict[str, Any]], None]) -> None:
        self._service, self._send = service, send
        self._executor = SerialExecutor("ludens-tasks")

    def take(self, line: bytes) -> None:
        request = json.loads(line)
        if request["task"] == "interrupt":
            self._service.interrupt()
        else:
            self._service.expect(request["task"])
            self._executor.submit(self._answer, request)

    def close(self) -> None:
        """Give up the game: after the task under way if that ends soon, or else in spite of it."""
        self._service.interrupt()
        try:
            self._executor.submit(self._service.close).result(CLOSE_SECONDS)
        except TimeoutError:
            self._service.give_up()

    def _answer(self, request: dict[str, Any]) -> None:
        try:
            answer: dict[str, Any] = {"result": self._service.do(request["task"], request["with"])}
        except MemoryError:
            os._exit(MEMORY_EXIT)
        except RulesError as error:
            answer = {"error": error.findings[0].message if error.findings else "the rules cannot be used"}
        except RecursionError:
            answer = {"error": "the rules make terms that are nested too deeply; give them a bound"}
        except LudensError as error:
            answer = {"error": printable(str(error))[:MAX_ERROR] or type(error).__name__}
        except Exception as error:  # A mistake of ours must not take the page down; it is told as what it is.
            answer = {"error": f"this went wrong: {type(error).__name__}: {error}"[:MAX_ERROR]}
        self._send({"number": request["number"], **answer})


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m ludens.web.child", description=__doc__)
    parser.add_argument("--keep", action="store_true", help="keep games in the store of matches")
    parser.add_argument("--store", help="the file of the store")
    parser.add_argument("--player", action="append", default=[], help="a player that may be chosen, too")
    chosen = parser.parse_args()
    channel, service = ParentChannel(), PageService(chosen.keep, chosen.store, chosen.player)
    service.warm_up()
    answerer = Answerer(service, channel.send_json)
    try:
        for line in channel.lines():
            answerer.take(line)
        answerer.close()
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
