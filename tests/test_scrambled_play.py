"""Nothing depends on the words a game uses: scrambled rules give the same game."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens import Game, games
from ludens.game import find_rules
from ludens.gdl.rules import Rules
from ludens.gdl.scramble import Scrambling, scramble
from tests.tiers import examples

CORPUS_SAMPLE = ("blocksWorld", "biddingTicTacToe", "chineseCheckers4", "god", "pacman3p", "qyshinsu", "wallmaze")


def play_side_by_side(rules: Rules, scrambling: Scrambling, rng: Random, max_steps: int) -> None:
    """Play the same random moves in both games and compare everything that can be seen."""
    original, scrambled = Game(rules), Game(scrambling.rules)
    assert [scrambling.scramble_term(role.lower()) for role in original.roles] == [r.lower() for r in scrambled.roles]
    here, there = original.initial_state(), scrambled.initial_state()
    for _ in range(max_steps):
        assert {scrambling.scramble_term(fact.term) for fact in here.facts} == {fact.term for fact in there.facts}
        assert here.is_terminal == there.is_terminal
        assert list(here.goals.values()) == list(there.goals.values())
        if here.is_terminal:
            return
        joint = []
        for role, twin in zip(original.roles, scrambled.roles, strict=True):
            moves = {move: scrambling.scramble_term(move.term) for move in here.legal_moves(role)}
            assert {move.term for move in there.legal_moves(twin)} == set(moves.values())
            joint.append(rng.choice(sorted(moves)))
        there = there.next(
            [
                next(move for move in there.legal_moves(twin) if move.term == scrambling.scramble_term(chosen.term))
                for twin, chosen in zip(scrambled.roles, joint, strict=True)
            ]
        )
        here = here.next(joint)


@examples(20)
@given(st.sampled_from(games.names()), st.integers(0, 2**32))
def test_bundled_games_play_the_same_when_scrambled(name: str, seed: int) -> None:
    rules, _ = find_rules(name)
    rng = Random(seed)
    play_side_by_side(rules, scramble(rules, rng), rng, max_steps=30)


@pytest.mark.parametrize("name", CORPUS_SAMPLE)
def test_real_sheets_play_the_same_when_scrambled(corpus: Path, name: str) -> None:
    rules = Rules.read(corpus / "games" / f"{name}.kif")
    play_side_by_side(rules, scramble(rules, Random(name)), Random(1), max_steps=15)
