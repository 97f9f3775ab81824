"""Experiments by their names: `python -m experiments NAME`; without a name, what there is."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ludens.runtime.lazy import load_object

EXPERIMENTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "strength": ("experiments.strength:STRENGTH.main", "which player is stronger at equal time"),
        "fluxplayer": ("experiments.strength:FLUXPLAYER.main", "fuzzy values of the goal against early payoff"),
        "fluxplayer_properties": (
            "experiments.fluxplayer_properties:EXPERIMENT.main",
            "fluxplayer at games with certain properties, Figure 2 of its paper",
        ),
        "clune_table2": (
            "experiments.clune_table2:BY_NODES.main",
            "a model of the game against early payoff, Table 2 of the paper on Cluneplayer",
        ),
        "clune_table2_timed": ("experiments.clune_table2:BY_CLOCK.main", "the same by the clock"),
        "kuhlmann_table2": (
            "experiments.kuhlmann_table2:BY_NODES.main",
            "one simple heuristic against none, Table 2 of the paper on the UT Austin player",
        ),
        "kuhlmann_table2_timed": ("experiments.kuhlmann_table2:BY_CLOCK.main", "the same by the clock"),
        "worker_scaling": ("experiments.worker_scaling:SIMULATED.main", "many workers against one, in simulated time"),
        "worker_processes": ("experiments.worker_scaling:PROCESSES.main", "many processes against one, by the clock"),
        "gdlcc_tables": ("experiments.gdlcc_tables:main", "states and simulations, the tables of the paper on gdlcc"),
        "scaling": ("benchmarks.scaling:main", "the cost of a state against the number of gates"),
        "corpus": ("tests.corpus_runner:main", "recorded play of a corpus of rule sheets, replayed on every engine"),
    }
)
"""For each name the function that runs it, and a description."""


def main(arguments: Sequence[str] | None = None) -> int:
    name, *options = [*(sys.argv[1:] if arguments is None else arguments)] or [""]
    if name in EXPERIMENTS:
        return int(load_object(EXPERIMENTS[name][0])(options))
    width = max(map(len, EXPERIMENTS))
    for known, (_, description) in EXPERIMENTS.items():
        print(f"{known:<{width}}  {description}")
    print('\nmake experiment NAME=... runs one of them, ARGS="--help" shows its options')
    if name in ("", "-h", "--help"):
        return 0
    print(f"error: there is no experiment {name!r}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
