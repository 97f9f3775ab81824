"""A process that is part of a Ray cluster, and starts workers there for a `Gateway`."""

from __future__ import annotations

import os
import sys
import time

from ludens.cluster.gateway import BridgeMessage, EndWorker, Heartbeat, Joined, Refused, Reply, StartWorker
from ludens.cluster.on_ray import RayLink, connect, cores, disconnect
from ludens.cluster.service import HEARTBEAT_SECONDS
from ludens.errors import ClusterError
from ludens.runtime.parent_channel import ParentChannel
from ludens.runtime.threads import start_thread

END_SECONDS = 3.0
"""How long it may take to leave a cluster, which may be gone."""


class RayBridge:
    """Hands on messages to workers, and their replies."""

    def __init__(self, address: str | None, channel: ParentChannel) -> None:
        self._channel = channel
        self._links: dict[int, RayLink] = {}
        try:
            connect(address)
            channel.send_object(Joined(cores()))
        except ClusterError as error:
            channel.send_object(Refused(str(error)))
            os._exit(1)
        start_thread(self._show_life, "ludens-heartbeat")

    def handle(self, message: BridgeMessage) -> None:
        number, what = message.link, message.what
        if isinstance(what, StartWorker):
            self._links[number] = RayLink(lambda report: self._channel.send_object(Reply(number, report)))
        elif isinstance(what, EndWorker):
            if link := self._links.pop(number, None):
                link.end()
        else:
            self._links[number].tell(what)

    def leave(self) -> None:
        """End all workers, so far as the cluster still listens."""
        for link in self._links.values():
            link.end()
        for link in self._links.values():
            link.join(END_SECONDS / len(self._links))
        disconnect()

    def _show_life(self) -> None:
        while True:
            self._channel.send_object(Heartbeat())
            time.sleep(HEARTBEAT_SECONDS)


def main() -> None:
    channel = ParentChannel()
    bridge = RayBridge(sys.argv[1] or None, channel)
    for message in channel.objects():
        bridge.handle(message)
    start_thread(bridge.leave).join(END_SECONDS)
    os._exit(0)


if __name__ == "__main__":
    main()
