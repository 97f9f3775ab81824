"""What a page's process does with requests that come while it is busy."""

from __future__ import annotations

import json
import os
from typing import Any

from ludens.web.child import Answerer
from ludens.web.desk import Desk

SECONDS = 30.0


def test_who_interrupts_a_thought_that_is_not_begun_does_not_wait_for_it() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, encoding="utf-8") as answers, os.fdopen(writing, "w", encoding="utf-8") as output:
        answerer = Answerer(Desk(), output)

        def take(task: str, **arguments: Any) -> None:
            answerer.take(json.dumps({"number": 1, "task": task, "with": arguments}).encode())

        take("open", name="connectfour", seats=["uct", "person"], seconds=SECONDS, seed=1)
        assert json.loads(answers.readline())["result"]["thinkers"] == ["red"]
        take("interrupt")
        take("prepare")
        take("think")
        take("interrupt")
        assert json.loads(answers.readline())["result"] is None
        (thought,) = json.loads(answers.readline())["result"]["thoughts"]
        assert thought["seconds"] < SECONDS / 2
