"""What a page's process does with requests that come while it is busy."""

from __future__ import annotations

import json
from queue import SimpleQueue
from typing import Any

from ludens.web.child import Answerer
from ludens.web.page_service import PageService

SECONDS = 30.0


def test_who_interrupts_a_thought_that_is_not_begun_does_not_wait_for_it() -> None:
    answers: SimpleQueue[dict[str, Any]] = SimpleQueue()
    answerer = Answerer(PageService(), answers.put)

    def take(task: str, **arguments: Any) -> None:
        answerer.take(json.dumps({"number": 1, "task": task, "with": arguments}).encode())

    take("open", name="connectfour", seats=["uct", "person"], seconds=SECONDS, seed=1)
    assert answers.get()["result"]["thinkers"] == ["red"]
    take("interrupt")
    take("prepare")
    take("think")
    take("interrupt")
    assert answers.get()["result"] is None
    (thought,) = answers.get()["result"]["thoughts"]
    assert thought["seconds"] < SECONDS / 2
