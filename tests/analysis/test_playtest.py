"""Random play against games with one fault each; what it reports must really happen when replayed."""

from __future__ import annotations

import json
from random import Random

import pytest

import ludens
from ludens.analysis.playtest import SEVERITIES, PlayFinding, playtest
from ludens.errors import Finding
from ludens.game import State
from ludens.runtime.deadline import Deadline

COUNTER = """
(role a) (role b)
(init (step 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal a left) (true (step ?n)))
(<= (legal a right) (true (step ?n)))
(<= (legal b wait) (true (step ?n)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next won) (does a left) (true (step 0)))
(<= (next won) (true won))
(<= terminal (true (step 3)))
(<= (goal a 100) (true won))
(<= (goal a 0) (not (true won)))
(<= (goal b 50) (true (step ?n)))
"""
"""Three moves; who begins with `left` wins. No faults."""


def changed(old: str, new: str, text: str = COUNTER) -> str:
    assert old in text
    return text.replace(old, new)


def findings(text: str, plays: int = 30, seed: int = 1, max_steps: int = 50) -> list[Finding]:
    return playtest(ludens.load(text), plays, Random(seed), max_steps)


def only(text: str, code: str) -> PlayFinding:
    (finding,) = [finding for finding in findings(text) if finding.code == code]
    assert isinstance(finding, PlayFinding)
    assert finding.severity == SEVERITIES[code]
    assert finding.remedy
    return finding


def replayed(text: str, finding: PlayFinding) -> State:
    state = ludens.load(text).initial_state()
    for joint in finding.moves:
        assert all(move in state.legal_moves(role) for role, move in zip(state.game.roles, joint, strict=True))
        state = state.next(joint)
    return state


def test_nothing_to_report() -> None:
    assert findings(COUNTER) == []


def test_no_plays_no_findings() -> None:
    assert findings(changed("(legal b wait)", "(legal b2 wait)"), plays=0) == []


def test_no_legal_move() -> None:
    text = changed("(<= (legal b wait) (true (step ?n)))", "(<= (legal b wait) (not (true won)))")
    finding = only(text, "no-legal-move")
    assert finding.moves == (("left", "wait"),)
    assert "after left/wait" in finding.message
    state = replayed(text, finding)
    assert not state.is_terminal
    assert state.legal_moves("b") == ()


def test_plays_are_counted() -> None:
    """About half of the plays go left first; exactly those get stuck."""
    text = changed("(<= (legal b wait) (true (step ?n)))", "(<= (legal b wait) (not (true won)))")
    finding = next(finding for finding in findings(text, plays=200) if finding.code == "no-legal-move")
    number = int(finding.message.split("(in ")[1].split(" of 200")[0])
    assert 70 < number < 130


def test_a_fault_counts_once_in_a_play() -> None:
    """A state without a declared `step` is met four times in each play."""
    assert "in 30 of 30 plays" in only(COUNTER + "(base won)", "fact-not-in-base").message


def test_no_legal_move_at_the_start() -> None:
    finding = only(changed("(legal b wait)", "(legal b2 wait)"), "no-legal-move")
    assert finding.moves == ()
    assert "in 30 of 30 plays), at the start" in finding.message


def test_no_goal_at_the_end() -> None:
    text = changed("(<= (goal a 0) (not (true won)))", "")
    finding = only(text, "no-goal-at-end")
    state = replayed(text, finding)
    assert state.is_terminal
    assert state.goal_values("a") == ()


def test_several_goals_at_the_end() -> None:
    text = changed("(<= (goal a 0) (not (true won)))", "(<= (goal a 0) (true (step ?n)))")
    finding = only(text, "several-goals-at-end")
    assert "a has the goal values 0, 100" in finding.message
    assert set(replayed(text, finding).goal_values("a")) == {"0", "100"}


@pytest.mark.parametrize("value", ["101", "-5", "lots", "(plus 1 2)"])
def test_goal_that_is_no_number_from_0_to_100(value: str) -> None:
    text = changed("(goal a 100) (true won)", "(goal a ?v) (true won) (prize ?v)") + f"(prize {value})"
    finding = only(text, "bad-goal-at-end")
    assert f"the goal value {value}" in finding.message
    assert replayed(text, finding).goal_values("a") == (value,)


def test_chance_needs_no_goal() -> None:
    assert findings(COUNTER + "(role random) (<= (legal random flip) (true (step ?n)))") == []


def test_endless_play() -> None:
    text = changed("(succ 2 3)", "(succ 2 0)")
    finding = only(text, "endless-play")
    assert len(finding.moves) == 50
    assert "not ended after 50 moves" in finding.message
    assert "... 44 more ..." in finding.message
    assert len(json.loads(json.dumps(finding.to_json()))["moves"]) == 50


def test_a_game_of_exactly_the_allowed_length_ends() -> None:
    assert playtest(ludens.load(COUNTER), 20, Random(1), max_steps=3) == []
    assert [finding.code for finding in playtest(ludens.load(COUNTER), 20, Random(1), max_steps=2)] == ["endless-play"]


@pytest.mark.parametrize(("plays", "severity"), [(20, "info"), (99, "info"), (100, "warning")])
def test_goals_that_never_change(plays: int, severity: str) -> None:
    text = changed("(<= (goal a 0) (not (true won)))", "(<= (goal a 100) (not (true won)))")
    (finding,) = findings(text, plays=plays)
    assert (finding.code, finding.severity) == ("goals-never-change", severity)
    assert "a 100, b 50" in finding.message


def test_few_plays_say_nothing_about_goals() -> None:
    text = changed("(<= (goal a 0) (not (true won)))", "(<= (goal a 100) (not (true won)))")
    assert findings(text, plays=9) == []


def test_unsolved_puzzle_is_a_note() -> None:
    text = changed("(role b)", "", changed("(<= (goal a 100) (true won))", ""))
    text = changed("(<= (goal a 0) (not (true won)))", "(<= (goal a 0) (true (step ?n)))", text)
    assert only(text, "puzzle-unsolved").severity == "info"


def test_fact_that_base_does_not_allow() -> None:
    base = "(<= (base (step ?n)) (succ ?n ?m)) (base won)"
    finding = only(COUNTER + base, "fact-not-in-base")
    assert "(step 3) is true" in finding.message
    assert "(step 3)" in replayed(COUNTER + base, finding).facts
    assert findings(COUNTER + base + "(base (step 3))") == []


def test_move_that_input_does_not_allow() -> None:
    inputs = "(input a left) (input b wait) (input b right)"
    finding = only(COUNTER + inputs, "legal-not-in-input")
    assert "right is legal for a" in finding.message
    assert findings(COUNTER + inputs + "(input a right)") == []


def test_rules_that_cannot_be_evaluated_are_a_finding() -> None:
    text = COUNTER + "(<= (big (s ?n)) (big ?n)) (<= (big ?n) (true (step ?n)) (true won)) (<= terminal (big (s ?n)))"
    (finding,) = findings(text, plays=2)
    assert isinstance(finding, PlayFinding)
    assert finding.code == "play-failed"
    assert finding.severity == "error"
    assert finding.moves[0] == ("left", "wait")


def test_games_with_random_variables_are_played() -> None:
    text = COUNTER + "(random dice 1 1) (random dice 1 2) (legal a (roll dice))"
    assert findings(text) == []
    found = findings(text + "(input a left)")
    assert "legal-not-in-input" in {finding.code for finding in found}
    assert not any("random" in finding.message for finding in found)


def test_same_seed_same_findings() -> None:
    text = changed("(<= (goal a 0) (not (true won)))", "")
    assert findings(text, seed=5) == findings(text, seed=5)
    assert any(findings(text, seed=5) != findings(text, seed=seed) for seed in range(6, 16))


def test_the_shortest_way_is_shown() -> None:
    """`b` gets stuck as soon as `a` goes left, after one to three moves; one is among many plays."""
    text = changed("(<= (legal b wait) (true (step ?n)))", "(<= (legal b wait) (not (true lost)))")
    text += "(<= (next lost) (does a left))"
    assert only(text, "no-legal-move").moves == (("left", "wait"),)


def test_deadline() -> None:
    (finding,) = playtest(ludens.load(COUNTER), 1000, Random(1), deadline=Deadline(0))
    assert finding.code == "plays-cut"
    assert "only 0 of 1000 plays" in finding.message


class PassesAfter(Deadline):
    """A deadline that passes when it has been asked some times."""

    def __init__(self, questions: int) -> None:
        super().__init__(float("inf"))
        self.questions = questions

    @property
    def passed(self) -> bool:
        self.questions -= 1
        return self.questions < 0


def test_deadline_within_a_play() -> None:
    endless = ludens.load(changed("(succ 2 3)", "(succ 2 0)"))
    found = playtest(endless, 5, Random(1), max_steps=200, deadline=PassesAfter(20))
    assert [finding.code for finding in found] == ["plays-cut"]


def test_a_game_that_cannot_start_is_not_tried_again() -> None:
    told: list[int] = []
    text = COUNTER + "(<= (big (s ?n)) (big ?n)) (<= (big ?n) (true (step ?n))) (<= terminal (big (s ?n)))"
    (finding,) = playtest(ludens.load(text), 50, Random(1), progress=told.append)
    assert finding.code == "play-failed"
    assert len(told) <= 1


def test_messages_hold_no_characters_that_change_the_line() -> None:
    text = changed("won", "wo\u202en") + "(base (step 0))"
    assert all(finding.message.isprintable() for finding in findings(text))


def test_progress_is_told() -> None:
    told: list[int] = []
    playtest(ludens.load(COUNTER), 4, Random(1), progress=told.append)
    assert told == [1, 2, 3, 4]


def test_errors_come_first() -> None:
    text = changed("(<= (goal b 50) (true (step ?n)))", "") + "(base won)"
    assert [finding.severity for finding in findings(text)] == ["error", "warning"]


@pytest.mark.parametrize(
    "text",
    [
        COUNTER,
        changed("(<= (legal b wait) (true (step ?n)))", "(<= (legal b wait) (not (true won)))"),
        changed("(<= (goal a 0) (not (true won)))", "(<= (goal a 0) (true (step ?n)))") + "(base won) (input a left)",
        changed("(succ 2 3)", "(succ 2 0)"),
    ],
)
def test_all_engines_find_the_same(text: str) -> None:
    compiled, plain = ludens.load(text), ludens.load(text)
    assert compiled.compile()
    plain._compilation.refuse("this is about the reference engine")
    one, other = (playtest(game, 40, Random(1), 30) for game in (compiled, plain))
    assert one == other


def test_plays_that_the_deadline_cuts_are_not_counted() -> None:
    endless = ludens.load(changed("(succ 2 3)", "(succ 2 0)"))
    assert endless.compile()
    (finding,) = playtest(endless, 50, Random(1), max_steps=200, deadline=PassesAfter(20))
    assert finding.code == "plays-cut"
    assert "only 0 of 50 plays" in finding.message
