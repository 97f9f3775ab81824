"""A process that is part of a Ray cluster, and starts workers there for a `Gateway`."""

from __future__ import annotations

import os
import sys
import time
from threading import Thread

from ludens.cluster.child import Answer, serve
from ludens.cluster.gateway import Beat, End, Joined, Letter, Refused, Reply, Start
from ludens.cluster.on_ray import RayLink, connect, cores, disconnect
from ludens.cluster.service import HEARTBEAT_SECONDS
from ludens.errors import ClusterError

END_SECONDS = 3.0
"""So long it may take to leave a cluster, which may be gone."""


class Office:
    """Hands on letters to workers, and their replies."""

    def __init__(self, address: str | None, answer: Answer) -> None:
        self._answer = answer
        self._links: dict[int, RayLink] = {}
        try:
            connect(address)
            answer(Joined(cores()))
        except ClusterError as error:
            answer(Refused(str(error)))
            os._exit(1)
        Thread(target=self._live, name="ludens-live", daemon=True).start()

    def tell(self, letter: Letter) -> None:
        number, what = letter.link, letter.what
        if isinstance(what, Start):
            self._links[number] = RayLink(lambda report: self._answer(Reply(number, report)))
        elif isinstance(what, End):
            self._end(number)
        else:
            self._links[number].tell(what)

    def _end(self, number: int) -> None:
        if link := self._links.pop(number, None):
            link.end()

    def leave(self) -> None:
        """End all workers, so far as the cluster still listens."""
        for link in self._links.values():
            link.end()
        for link in self._links.values():
            link.join(END_SECONDS / len(self._links))
        disconnect()

    def _live(self) -> None:
        while True:
            self._answer(Beat())
            time.sleep(HEARTBEAT_SECONDS)


def main() -> None:
    opened: list[Office] = []

    def open_office(answer: Answer) -> Office:
        opened.append(Office(sys.argv[1] or None, answer))
        return opened[0]

    serve(lambda answer: open_office(answer).tell)
    leaving = Thread(target=opened[0].leave, daemon=True)
    leaving.start()
    leaving.join(END_SECONDS)
    os._exit(0)


if __name__ == "__main__":
    main()
