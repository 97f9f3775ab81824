"""The three interpretations, on the examples of the paper and by hand."""

from __future__ import annotations

from types import ModuleType

import pytest

from ludens.evaluation.features import candidates, interpretations
from ludens.evaluation.features.candidates import CandidateDomains
from ludens.evaluation.features.interpretations import BestShare, measures
from ludens.evaluation.features.patterns import Pattern
from ludens.runtime.deadline import Deadline
from tests.evaluation.features.modelled import FOUR, RANKS, of_game, of_sheet


def test_distances_to_rank8_are_6_and_3() -> None:
    one = of_sheet(RANKS)
    distance = one.find("distance", Pattern("function", "cell", (0, "rank8", "red_piece")))
    assert one.value(distance, {"(cell a rank2 red_piece)"}) == 6
    assert one.value(distance, {"(cell f rank5 red_piece)"}) == 3
    assert one.value(distance, {"(cell a rank2 red_piece)", "(cell f rank5 red_piece)"}) == 9
    assert one.value(distance, {"(cell b rank8 red_piece)"}) == 0


def test_cardinality_counts_solutions() -> None:
    one = of_sheet(RANKS)
    pieces = one.find("cardinality", Pattern("function", "cell", (0, 1, "red_piece")))
    arrived = one.find("cardinality", Pattern("function", "cell", (0, "rank8", "red_piece")))
    facts = {"(cell a rank8 red_piece)", "(cell b rank8 red_piece)", "(cell f rank6 red_piece)"}
    assert one.value(pieces, facts) == 3
    assert one.value(arrived, facts) == 2
    assert one.value(pieces, set()) == 0


@pytest.mark.parametrize(("marks", "share"), [(0, 0.0), (1, 0.25), (2, 0.5), (3, 0.75), (4, 1.0)])
def test_three_of_four_in_a_row_are_three_quarters(marks: int, share: float) -> None:
    one = of_sheet(FOUR)
    row = one.find("partial", Pattern("relation", "row", ("red",)))
    assert one.value(row, {f"(cell {number + 1} red)" for number in range(marks)}) == pytest.approx(share)


def test_the_best_of_several_conjunctions_counts() -> None:
    one = of_game("tictactoe")
    line = one.find("partial", Pattern("relation", "line", ("x",)))
    assert one.value(line, {"(cell 1 1 x)", "(cell 2 2 x)", "(cell 1 3 o)"}) == pytest.approx(2 / 3)
    assert one.value(line, {"(cell 1 1 x)", "(cell 2 3 x)"}) == pytest.approx(1 / 3)
    assert one.value(line, {"(cell 1 1 x)", "(cell 2 2 x)", "(cell 3 3 x)"}) == pytest.approx(1)


def test_two_of_four_alternatives_are_a_half() -> None:
    one = of_sheet(FOUR)
    some = one.find("partial", Pattern("relation", "begun", ()))
    assert one.value(some, {"(cell 1 red)", "(cell 3 black)"}) == pytest.approx(0.5)
    assert one.value(some, set()) == 0


def test_conditions_that_must_not_hold_count_too() -> None:
    one = of_game("chinesecheckers3")
    share = next(m for m in one.measures if m.interpretation == "partial" and m.pattern.name == "goal")
    assert 0 < one.value(share, {"(control red)"}) < 1


def test_the_nearest_of_several_places_counts() -> None:
    one = of_game("chinesecheckers3")
    distance = one.find("distance", Pattern("relation", "safe", ("red", 1)))
    targets = [one.atoms.names[column][1] for column in distance.targets]
    assert len(targets) == 3
    for target in targets:
        assert one.value(distance, {f"({' '.join(target)})"}) == 0  # type: ignore[arg-type]
    away = one.value(distance, {f"({' '.join(('cell', '7', '5', 'red'))})"})
    assert away > 0


def test_first_and_last_words_of_a_row_are_distinct_but_not_on_a_ring() -> None:
    one = of_game("cylindercheckers", symmetries=False)
    domains = CandidateDomains(one.facts, one.atoms.tables)
    assert domains.distinct_words(("function", "cell", 3, 1)) == ("1", "8")
    assert domains.distinct_words(("function", "cell", 3, 0)) == ()
    assert len(domains.distinct_words(("function", "cell", 3, 2))) == 4


def test_distances_go_round_where_the_board_does() -> None:
    one = of_game("cylindercheckers", symmetries=False)
    domains = CandidateDomains(one.facts, one.atoms.tables)
    across = domains.distances(("function", "cell", 3, 0), "1")
    along = domains.distances(("function", "cell", 3, 1), "1")
    assert across is not None
    assert along is not None
    assert (across["8"], along["8"]) == (1, 7)
    assert domains.distances(("function", "cell", 3, 2), "red_man") is None


def test_every_way_to_compute_a_number_is_there_once() -> None:
    for name in ("tictactoe", "racetrackcorridor"):
        found = of_game(name).measures
        assert len({measure.reading for measure in found}) == len(found)


def test_how_many_alternatives_must_not_hold_counts_too() -> None:
    """Of nine places that may be wrong seven are, if tile 1 and the gap are right."""
    one = of_game("eightpuzzle")
    share = one.find("partial", Pattern("relation", "misplaced", ()))
    assert one.value(share, {"(cell 1 3 1)", "(cell 3 1 gap)"}) == pytest.approx(7 / 9)


def test_what_is_cut_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    one = of_game("tictactoe")
    domains = CandidateDomains(one.facts, one.atoms.tables)

    def cut(module: ModuleType, limit: str, most: int) -> tuple[str, ...]:
        with monkeypatch.context() as changed:
            changed.setattr(module, limit, most)
            return measures(one.facts, one.atoms, domains, Deadline.never())[1]

    assert measures(one.facts, one.atoms, domains, Deadline.never())[1] == ()
    assert "all but the first 7 features" in cut(interpretations, "MAX_FEATURES", 7)
    assert "cell: all but 5 of its expressions" in cut(candidates, "MAX_PATTERNS", 5)
    too_many = "how far the conditions of line are met: they are too many"
    assert too_many in cut(interpretations, "MAX_SHARES", 2)
    assert too_many in cut(interpretations, "MAX_CONJUNCTIONS", 3)
    assert measures(one.facts, one.atoms, domains, Deadline(0)) == ([], ("all but the first 0 features",))


def test_no_side_has_what_another_lacks_wherever_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    one = of_game("tictactoe")
    domains = CandidateDomains(one.facts, one.atoms.tables)
    other: dict[object, str] = {"x": "o", "o": "x"}
    counts = set()
    for most in range(0, 120, 3):
        monkeypatch.setattr(interpretations, "MAX_CONJUNCTIONS", most)
        found, _ = measures(one.facts, one.atoms, domains, Deadline.never())
        shares = {measure.pattern: measure.reading for measure in found if isinstance(measure.reading, BestShare)}
        patterns = {(pattern.name, *pattern.arguments) for pattern in shares}
        assert {(name, *(other.get(word, word) for word in words)) for name, *words in patterns} == patterns
        assert sum(len(reading.conditions) for reading in shares.values()) <= most
        counts.add(len(shares))
    assert len(counts) > 2
