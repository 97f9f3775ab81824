"""A Ray cluster of three computers, all of them this one: `python -m tests.cluster.computers`.

It has a process of its own, since a process with the threads of Ray cannot be copied (`os.fork`), as other tests do.
Each line that is read names the computer to kill by its process, or is empty: then one more joins. Answers tell the
address of the cluster, and the processes of all computers but the first.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from ray.cluster_utils import Cluster

from ludens.cluster.connect import LOOPBACK


def main() -> None:
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # Ray prints, too
    head = {"num_cpus": 1, "include_dashboard": False, "node_ip_address": LOOPBACK}
    cluster: Any = Cluster(initialize_head=True, head_node_args=head)
    joined: dict[int, Any] = {}

    def join() -> None:
        node = cluster.add_node(num_cpus=1, node_ip_address=LOOPBACK)
        joined[node.all_processes["raylet"][0].process.pid] = node

    def tell() -> None:
        print(json.dumps({"address": cluster.address, "processes": list(joined)}), file=answers, flush=True)

    join()
    join()
    tell()
    for line in sys.stdin:
        if line.strip():
            cluster.remove_node(joined.pop(int(line)), allow_graceful=False)
        else:
            join()
        tell()
    cluster.shutdown()


if __name__ == "__main__":
    main()
