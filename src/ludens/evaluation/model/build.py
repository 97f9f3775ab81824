"""Building a model: better and better ones, from more and more states, until the time is up."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import numpy as np
from numpy.typing import NDArray

from ludens.analysis.counters import step_counter
from ludens.analysis.facts import GameFacts
from ludens.engines.rows import unpack
from ludens.engines.sliced.tables import CircuitTables
from ludens.errors import CompileError
from ludens.evaluation.features.atoms import derive_atoms, influencing
from ludens.evaluation.features.candidates import CandidateDomains
from ludens.evaluation.features.exchange import Permutation, exchange, symmetries_of_roles
from ludens.evaluation.features.feature_set import Feature, FeatureSet, used_columns
from ludens.evaluation.features.interpretations import Measure, Sum, measures
from ludens.evaluation.features.relative import canonical, image_of, images, orbits, relative_features, subsumed
from ludens.evaluation.model.control import Mobility, control_form, control_of, simplicity
from ludens.evaluation.model.forms import FormSet, LinearForm, fluents_of
from ludens.evaluation.model.game_model import GameModel, RoleModel
from ludens.evaluation.model.goals import PayoffRules, goals_at_ends, payoff_rules
from ludens.evaluation.model.outcome_correction import OutcomeCorrection
from ludens.evaluation.model.payoff import MAX_PLACED, changes_of, correlations, payoff_form, solutions, supported
from ludens.evaluation.model.proximity import prefer_proximity, with_replaced
from ludens.evaluation.model.pseudo_states import PseudoStates
from ludens.evaluation.model.sample import (
    STABLE,
    FeatureSample,
    pooled,
    sample_of,
    stabilities,
    with_images,
    without_repetitions,
)
from ludens.evaluation.model.termination import MIN_ENDS, termination_form
from ludens.evaluation.random_play import play_at_random
from ludens.game import Game
from ludens.gdl.formulas import Signature
from ludens.gdl.keywords import CHANCE
from ludens.runtime.deadline import Deadline

FIRST_STATES, MAX_STATES = 25, 51_200
"""More hardly change a model."""
ANALYSIS_SHARE = 0.3
"""The part of the time in which the structure of a game should be found out, before its model is made."""
HOPELESS = STABLE / 3
PRUNED_FROM = 400
"""The states from which on features that are far from stable are dropped."""
SCATTER_GAMES = 4
"""The playouts that show whether there are several of something at a time."""
PAIRS_PER_STATE = 16
"""The pairs of pseudo-states for each state, up to a limit."""
CONTROL_PAIRS_PER_STATE, MAX_CONTROL_PAIRS = 48, 80_000
"""For control there are more: what two kinds of pieces can do may differ by little."""
MAX_RIVALS = 400
MAX_ASIDE = 8
MAX_COUNTED = 4_096
"""The states of a sample in which legal moves are counted."""
NEXT_TAKES = 3
"""The factor by which a model of twice as many states, with its outcome correction, takes longer."""
MIN_CORRECTED_STATES = 800
"""With fewer states it is too soon for a correction."""
FIRST_MODEL_GRACE = 0.5
"""The seconds that the first model gets after the deadline."""
GROUNDING_SHARE, SECOND_SHARE = 0.3, 0.5
"""The part of the time that derived relations may take to be worked out, at first and when they are tried again."""
TRIFLE = 0.05
"""The share of the variance that does not count."""

Bits = NDArray[np.bool_]


def build_model(
    game: Game, facts: GameFacts, deadline: Deadline, rng: Random, most_states: int = MAX_STATES
) -> GameModel:
    """Return the last model that is ready when the deadline comes, or that of `most_states` states.

    CompileError if the rules of the game are no circuit, or if there is no time even for the first model.
    """
    *_, model = ModelBuilder(game, facts, deadline, rng).models(most_states)
    return model


class ModelBuilder:
    """Makes models of one game, each from twice as many states as the one before."""

    def __init__(self, game: Game, facts: GameFacts, deadline: Deadline, rng: Random) -> None:
        self._begun = time.monotonic()
        if not game.compile(deadline) or game.engine.circuit is None:
            reason = game.circuit_error or "there is not enough time to compile the rules"
            raise CompileError(f"a model needs the rules as a circuit: {reason}")
        self._engine, self._tables = game.engine, game.engine.circuit
        self._facts, self._deadline = facts, deadline
        self._rng = np.random.default_rng(rng.getrandbits(64))
        self._players = [place for place, role in enumerate(facts.roles) if role.lower() != CHANCE]
        self._mobility = Mobility(self._tables, facts)
        self._payoff_rules = payoff_rules(game.engine, _middles(facts))
        self._look_for_features(GROUNDING_SHARE)

    def _look_for_features(self, share: float) -> None:
        """Derived relations may take this part of the time to be worked out, and features after them as much."""
        soon = Deadline(share * self._deadline.remaining)
        self._atoms = derive_atoms(self._tables, self._facts, soon)
        self._too_soon = self._atoms.circuit is None and soon.passed
        self._domains = CandidateDomains(self._facts, self._atoms.tables)
        soon = Deadline(max(share * self._deadline.remaining, FIRST_MODEL_GRACE))
        candidates, cut = measures(self._facts, self._atoms, self._domains, soon)
        found = self._without_scattered(candidates, soon)
        self._left_out = (*self._atoms.left_out, *cut)
        self._relative = tuple(self._relative_features(found))
        compared = subsumed(self._relative)
        alone = (Feature(measure) for measure in found if measure not in compared)
        self._candidates = (*self._relative, *alone, *map(Feature, sorted(compared, key=found.index)))
        symmetries = symmetries_of_roles(self._facts, self._atoms)
        exchanges = [] if self._exchange is None else [self._exchange]
        self._orbits = orbits(self._candidates, symmetries)
        self._alike = orbits(self._candidates, [*symmetries, *exchanges])
        self._images = images(self._candidates, self._exchange)
        self._deciding = {
            "goal": self._influence([("goal", 2)], circuit_literals(self._tables, "goal")),
            "legal": self._influence([("legal", 2)], circuit_literals(self._tables, "legal")),
            "terminal": self._influence([("terminal", 0)], circuit_literals(self._tables, "terminal")),
        }

    def models(self, most_states: int = MAX_STATES) -> Iterator[GameModel]:
        """One model after the other, while there is time for the next; the last one has an outcome correction.

        CompileError if there is none for the first, not even a little after the deadline.
        """
        features, wanted, sample = self._candidates, FIRST_STATES, None
        first = Deadline(max(self._deadline.remaining, FIRST_MODEL_GRACE))
        while True:
            begun = time.monotonic()
            larger = self._larger(sample, features, wanted, self._deadline if sample else first)
            if larger is None and sample is None:
                raise CompileError("there is not enough time for a model; allow more seconds")
            if larger is None:
                return
            sample = larger
            if len(sample.states) >= PRUNED_FROM:
                unknown = np.ptp(sample.values, axis=0) == 0
                rivals = np.isin(np.arange(len(features)), self._rivals(sample))
                sample = sample.select((sample.stability >= HOPELESS) | unknown | sample.of_stable_parts() | rivals)
                features = sample.features
            model = self._model(sample)
            while wanted <= len(sample.states):
                wanted *= 2
            if wanted > most_states or self._deadline.remaining < NEXT_TAKES * (time.monotonic() - begun):
                yield self._with_outcome_correction(model, sample)
                return
            yield model
            if self._too_soon:
                self._look_for_features(SECOND_SHARE)
                features = self._candidates
                values = FeatureSet(self._atoms, features).values(sample.states.rows)
                sample = sample_of(sample.states, features, values, self._alike)

    # -- sampling ----------------------------------------------------------------------------

    def _larger(
        self, sample: FeatureSample | None, features: tuple[Feature, ...], wanted: int, deadline: Deadline
    ) -> FeatureSample | None:
        """Return a sample of at least `wanted` states, if there is time."""
        feature_set = FeatureSet(self._atoms, features)
        states = sample.states if sample else None
        blocks = [sample.values] if sample else []
        while states is None or len(states) < wanted:
            length = len(states) / (1 + int(states.games[-1])) if states else wanted
            games = max(1, int((wanted - (len(states) if states else 0)) / length))
            new = play_at_random(self._engine, games, self._rng, deadline)
            if new is None:
                return None
            blocks.append(feature_set.values(new.rows))
            states = states.joined(new) if states else new
        return sample_of(states, features, np.concatenate(blocks), self._alike)

    # -- the parts of a model ----------------------------------------------------------------

    def _model(self, sample: FeatureSample) -> GameModel:
        stable = sample.select(sample.stability >= STABLE)
        payoffs = self._payoffs(sample, stable)
        controls = self._controls(sample, stable)
        if len(self._players) == 1 and not any(payoffs) and not any(controls):
            payoffs = self._payoffs_by_conditions(sample)
        ending = without_repetitions(self._select(stable, "terminal", relative=False))
        plain = simplicity(ending.features, self._domains)
        termination = termination_form(ending.features, ending.values, plain, ending.states.terminal)
        roles = [
            RoleModel(self._facts.roles[role], payoff, control, *self._stabilities(sample, payoff, control))
            for role, payoff, control in zip(self._players, payoffs, controls, strict=True)
        ]
        kind = self._facts.kind
        return GameModel(
            roles=tuple(roles),
            termination=termination,
            worst=tuple(kind.worst[role] for role in self._players),
            best=tuple(kind.best[role] for role in self._players),
            atoms=self._atoms,
            states=len(sample.states),
            candidates=len(self._candidates),
            stable=len(stable.features),
            seconds=time.monotonic() - self._begun,
            left_out=self._left_out,
        )

    def _payoffs(self, sample: FeatureSample, stable: FeatureSample) -> list[LinearForm | None]:
        """By stable features, if there are any that tell; otherwise by differences of stable ones.

        For what a difference tells its parts do not stand, unless nothing else tells at all. Where goals tell nothing
        before the end, states are taken as if they were ends. How far conditions are met counts only where nothing
        else does.
        """
        rivals = sample.select(self._rivals(sample)).features
        second_best: list[LinearForm | None] = [None] * len(self._players)
        differences = sample.select(sample.of_stable_parts() & ~self._tells_the_turn(sample))
        for features, others in ((stable, (*rivals, *differences.features)), (differences, rivals), (stable, rivals)):
            chosen = self._select(features, "goal")
            uneven = np.array([feature.measure not in self._even for feature in chosen.features], np.bool_)
            chosen = without_repetitions(chosen.select(uneven))
            for rules in self._payoff_rules if len(chosen.features) else ():
                forms = self._payoffs_by(rules, chosen, others)
                if any(form and not form.is_partial for form in forms):
                    return forms
                second_best = forms if any(forms) and not any(second_best) else second_best
                if self._deadline.passed:
                    return second_best
            if features is differences and (any(second_best) or self._even):
                break
        return second_best

    def _payoffs_by_conditions(self, sample: FeatureSample) -> list[LinearForm | None]:
        """By how far conditions are met, though it is not stable: at a puzzle where nothing else tells it has to do."""
        partial = np.array([feature.measure.interpretation == "partial" for feature in sample.features], np.bool_)
        chosen = without_repetitions(self._select(sample.select(partial & (sample.stability >= HOPELESS)), "goal"))
        for rules in self._payoff_rules if len(chosen.features) and not self._deadline.passed else ():
            if any(forms := self._payoffs_by(rules, chosen, ())):
                return forms
        return [None] * len(self._players)

    def _payoffs_by(
        self, rules: PayoffRules, chosen: FeatureSample, others: Sequence[Feature]
    ) -> list[LinearForm | None]:
        states = chosen.states
        rows = states.rows[states.terminal] if rules.only_ends else states.rows
        fluents = np.flatnonzero(self._deciding["goal"][: len(self._tables.fluents)])
        if not len(fluents) or len(rows) < (MIN_ENDS if rules.only_ends else 1):
            return []
        pseudo = PseudoStates(self._tables, self._facts, rows, self._rng)
        most = min(MAX_PLACED, PAIRS_PER_STATE * len(states))
        features = tuple(dict.fromkeys((*chosen.features, *others)))
        found = correlations(features, self._atoms, rules.goals, pseudo, fluents, most, self._deadline)
        ends = goals_at_ends(self._engine, states)
        chosen, found, replaced = prefer_proximity(chosen, found, ends, self._atoms, self._orbits)
        orbits, images = (with_replaced(known, replaced) for known in (self._orbits, self._images))
        support = pooled(supported(chosen.values, states, ends), chosen.features, orbits)
        values = with_images(chosen.values, chosen.features, images)
        return [payoff_form(chosen.features, found, role, chosen.stability, values, support) for role in self._players]

    def _rivals(self, sample: FeatureSample) -> list[int]:
        """Unstable counts of fluents: what they explain better has no merit of its own."""
        found = [
            number
            for number in self._numbers(sample, "goal")
            if sample.stability[number] < STABLE
            and sample.features[number].measure.interpretation == "cardinality"
            and sample.features[number].measure.pattern.kind == "function"
        ]
        return found[:MAX_RIVALS]

    def _with_outcome_correction(self, model: GameModel, sample: FeatureSample) -> GameModel:
        """For two who share what is paid or can be exchanged: what is good for one is as bad for the other."""
        alike = self._exchange is not None or self._facts.kind.constant_sum
        if len(model.roles) != 2 or not alike or model.states < MIN_CORRECTED_STATES:
            return model
        one, other = model.roles
        sides = self._players[0], self._players[1]
        corrected = OutcomeCorrection(self._engine, self._atoms, sides, self._rng, model.states)
        stable = sample.select(sample.stability >= STABLE).features
        form = corrected.form(one, stable, self._signs(), self._deadline)
        if form is None:
            return model
        roles = replace(one, outcome_correction=form), replace(other, outcome_correction=form.opposite())
        return replace(model, roles=roles, seconds=time.monotonic() - self._begun)

    def _signs(self) -> list[Feature]:
        """Differences that may tell what will come; not those that count turns, or depend on counted steps."""
        timing, counter = set(np.flatnonzero(self._timing()).tolist()), step_counter(self._tables)
        steps = list(counter.fluents) if counter else []
        return [
            feature
            for feature in self._relative
            if feature.measure.interpretation != "partial"
            and not any(timing.intersection(used_columns(part)) for part in feature.parts)
            and not fluents_of([LinearForm((feature,), (1.0,), 0.0)], self._atoms)[steps].any()
        ]

    def _controls(self, sample: FeatureSample, stable: FeatureSample) -> list[LinearForm | None]:
        """Of two who can be exchanged one has as much more as the other has less: only differences tell it.

        What never changes in play, as the number of queens, is known to be the cause of nothing.
        """
        relative = True if self._relative else None
        chosen = without_repetitions(self._select(stable, "legal", relative))
        fluents = np.flatnonzero(self._deciding["legal"][: len(self._tables.fluents)] & ~self._timing())
        if not len(chosen.features) or not len(fluents):
            return [None] * len(self._players)
        going = PseudoStates(self._tables, self._facts, chosen.states.rows[~chosen.states.terminal], self._rng)
        pairs = going.placed(fluents, min(MAX_CONTROL_PAIRS, CONTROL_PAIRS_PER_STATE * len(chosen.states)))
        constant = self._select(sample.select(np.ptp(sample.values, axis=0) == 0), "legal", relative).features
        plain = np.array(constant, object)[simplicity(constant, self._domains) == 0]
        aside = changes_of(FeatureSet(self._atoms, plain[:MAX_ASIDE]), pairs)
        changes = changes_of(FeatureSet(self._atoms, chosen.features), pairs)
        before, after = (self._mobility.choices(rows)[:, self._players] for rows in (pairs.without, pairs.having))
        played = chosen.states.rows[:: max(1, len(chosen.states) // MAX_COUNTED)]
        most = int(self._mobility.choices(played)[:, self._players].sum(axis=1).max(initial=1))
        levels = simplicity(chosen.features, self._domains)
        gains = (control_of(after, role, most) - control_of(before, role, most) for role in range(len(self._players)))
        return [control_form(chosen.features, changes, levels, gain, chosen.values, aside) for gain in gains]

    def _tells_the_turn(self, sample: FeatureSample) -> Bits:
        """[features]: whether it is the same wherever it is the same one's turn, but for a trifle."""
        turns = list(self._facts.control.turns) if self._facts.control else []
        columns = [self._tables.fluents.index(fact) for fact in turns]
        bits = unpack(sample.states.rows, len(self._tables.fluents))[:, columns]
        left = np.zeros(len(sample.features))
        for turn in np.unique(bits, axis=0):
            values = sample.values[(bits == turn).all(axis=1)]
            left += values.var(axis=0) * len(values)
        told: Bits = left <= TRIFLE * sample.values.var(axis=0) * len(sample.values)
        return told

    def _timing(self) -> Bits:
        """[fluents]: whether it tells whose turn it is, or counts steps."""
        told = set(self._facts.control.turns) if self._facts.control else set()
        told |= set(self._facts.counter.facts) if self._facts.counter else set()
        return np.array([fluent in told for fluent in self._tables.fluents], np.bool_)

    def _stabilities(
        self, sample: FeatureSample, payoff: LinearForm | None, control: LinearForm | None
    ) -> tuple[float, float]:
        """Return the stability of each form; 0 for one that is missing."""
        rows, steps = sample.states.rows, sample.states.steps
        first, second = (
            float(stabilities(FormSet(self._atoms, [form]).values(rows), steps)[0]) if form else 0.0
            for form in (payoff, control)
        )
        return first, second

    # -- features ----------------------------------------------------------------------------

    def _without_scattered(self, found: list[Measure], deadline: Deadline) -> list[Measure]:
        """Without distances of derived things of which there are several at a time; amounts are those of one."""
        derived = [
            measure
            for measure in found
            if measure.interpretation == "distance" and max(_relevant_columns(measure)) >= self._atoms.fluent_count
        ]
        played = play_at_random(self._engine, SCATTER_GAMES, self._rng, deadline)
        if not derived or played is None:
            return found
        counts = FeatureSet(self._atoms, [solutions(measure) for measure in derived]).values(played.rows)
        scattered = {measure for measure, most in zip(derived, counts.max(axis=0), strict=True) if most > 1}
        return [measure for measure in found if measure not in scattered]

    def _relative_features(self, found: list[Measure]) -> list[Feature]:
        """Where two who can be exchanged share what is paid, what is the same for both says nothing of it."""
        self._even: set[Measure] = set()
        self._exchange: Permutation | None = None
        if len(self._players) == 2:
            initial = self._engine.decode(self._engine.initial(1))[0]
            self._exchange = exchange(self._facts, self._atoms, initial, (self._players[0], self._players[1]))
        if self._exchange is None:
            return []
        if self._facts.kind.constant_sum:
            self._even = {one for one in found if image_of(one.reading, self._exchange) == canonical(one.reading)}
        return relative_features(found, self._exchange)

    def _select(self, sample: FeatureSample, what: str, relative: bool | None = None) -> FeatureSample:
        return sample.select(self._numbers(sample, what, relative))

    def _numbers(self, sample: FeatureSample, what: str, relative: bool | None = None) -> list[int]:
        """Return the features that influence something; only relative ones, or only others, if that is said."""
        deciding = self._deciding[what]
        return [
            number
            for number, feature in enumerate(sample.features)
            if relative in (None, feature.is_relative)
            and any(deciding[list(_relevant_columns(part))].any() for part in feature.parts)
        ]

    def _influence(self, relations: list[Signature], literals: NDArray[np.int32]) -> Bits:
        """[atoms]: whether what is asked depends on it."""
        reachable = self._facts.rules.dependencies.reachable(relations)
        fluents = influencing(self._tables, literals)
        derived = [
            (name, 0) in reachable if isinstance(name, str) else (str(name[0]), len(name) - 1) in reachable
            for _, name in self._atoms.names[self._atoms.fluent_count :]
        ]
        return np.concatenate([fluents, np.array(derived, np.bool_)])


def _middles(facts: GameFacts) -> list[int]:
    return [(worst + best) // 2 for worst, best in zip(facts.kind.worst, facts.kind.best, strict=True)]


def circuit_literals(tables: CircuitTables, what: str) -> NDArray[np.int32]:
    circuit = tables.gates
    return {"goal": circuit.goals, "legal": circuit.legal}.get(what, np.array([circuit.terminal], np.int32))


def _relevant_columns(measure: Measure) -> tuple[int, ...]:
    """Return the atoms that decide whether a measure is relevant: of a distance those that it is measured to."""
    if isinstance(measure.reading, Sum):
        return measure.targets or measure.reading.columns
    return tuple(max(column, ~column) for conditions in measure.reading.conditions for column in conditions)
