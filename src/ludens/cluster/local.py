"""Workers as processes of this computer."""

from __future__ import annotations

from ludens.cluster.link import Reporter
from ludens.cluster.linked import LinkedPool
from ludens.cluster.memory import memory_limit
from ludens.cluster.orders import Gone
from ludens.cluster.piped import PipedProcess

MODULE = "ludens.cluster.child"


class LocalPool(LinkedPool):
    """Processes of this computer, as many as are wanted; none may eat what the others need."""

    def __init__(self, size: int) -> None:
        limit = str(memory_limit(size))

        def open_link(report: Reporter) -> PipedProcess:
            def ended(code: int) -> None:
                report(Gone(f"the process of a worker ended with code {code}"))

            return PipedProcess(MODULE, [limit], report, ended)

        super().__init__(size, open_link)
