"""`ground`: from rules to a `GroundProgram`, from one phase to the next."""

from __future__ import annotations

from ludens.errors import CompileError
from ludens.gdl.rules import Rules
from ludens.ground.asp import needed_rules, translate
from ludens.ground.aspif import read_aspif
from ludens.ground.cache import least_size, load_program, store_least_size, store_program
from ludens.ground.decompose import split_rules
from ludens.ground.limits import GroundingLimits, GroundingWatch, Progress
from ludens.ground.process import run_grounder
from ludens.ground.program import GroundProgram
from ludens.ground.simplify import to_program
from ludens.runtime.deadline import Deadline
from ludens.runtime.sealed_cache import SealedCache


def ground(
    rules: Rules,
    limits: GroundingLimits | None = None,
    *,
    deadline: Deadline | None = None,
    progress: Progress | None = None,
    cache: SealedCache | None = None,
) -> GroundProgram:
    """Return the ground program of the rules.

    Raise CompileError if it exceeds the limits, or the deadline passes or is cancelled. `progress` gets the name of a
    phase and the number of rules. The cache, by default that of the environment, holds programs, and lower bounds on
    the sizes of those that were too large.

    >>> rules = Rules.parse("(role me) (legal me go) (<= terminal (true done)) (<= (next done) (does me go))")
    >>> program = ground(rules, cache=SealedCache(None))
    >>> program.fluents, program.moves
    (('done',), (('go',),))
    """
    limits = limits or GroundingLimits()
    most = 0

    def report(phase: str, done: int) -> None:
        nonlocal most
        most = max(most, done)
        if progress:
            progress(phase, done)

    watch = GroundingWatch.start(limits, deadline, report)
    cache = cache or SealedCache.from_environment()
    watch.check("load", 0)
    program = load_program(cache, rules)
    if program is None:
        watch.check("load", least_size(cache, rules))
        try:
            program = _ground(rules, watch)
        except CompileError:
            if most > limits.rules:
                store_least_size(cache, rules, most)
            raise
        store_program(cache, rules, program)
    return program


def _ground(rules: Rules, watch: GroundingWatch) -> GroundProgram:
    watch.check("translate", 0)
    plain = needed_rules(rules)
    asp = translate(split_rules(plain, lambda done: watch.check("split", done)), rules.roles)
    data = run_grounder(asp.text, watch)
    watch.check("read", 0)
    ground_rules = read_aspif(data, asp)
    watch.check("simplify", len(ground_rules.heads))
    return to_program(ground_rules, rules.roles)
