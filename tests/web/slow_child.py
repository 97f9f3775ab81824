"""Stands in for a process that works out rules: it answers each request after as many seconds as it is told."""

from __future__ import annotations

import json
import sys
import time


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        time.sleep(request["with"].get("seconds", 0))
        print(json.dumps({"number": request["number"], "result": request["with"]}), flush=True)


if __name__ == "__main__":
    main()
