"""Records of matches: the match format of ggp.org, strangers' records, and replaying."""

from __future__ import annotations

import copy
import json
import string
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens import load
from ludens.arena.json_fields import MAX_BYTES, MAX_ITEMS, parse_json
from ludens.arena.records import Record, game_of, name_in
from ludens.core import Clocks, Role
from ludens.errors import RecordError
from ludens.game import Game
from tests.arena.played import begun, played
from tests.tiers import examples

KINDS = ("tictactoe", "rockpaperscissors", "hanoi", "threeway", "pig", "highcard")
"""Turns, simultaneous moves, one role, three roles, chance as a role, chance as a relation."""
GUESSING = """
(role guesser) (role random)
(init (step 1))
(<= (legal random (hide ?n)) (true (step 1)) (number ?n))
(<= (legal random noop) (true (step 2)))
(<= (legal guesser noop) (true (step 1)))
(<= (legal guesser (guess ?n)) (true (step 2)) (number ?n))
(<= (next (step 2)) (true (step 1)))
(<= (next (step 3)) (true (step 2)))
(<= (next (hidden ?n)) (does random (hide ?n)))
(<= (next right) (does guesser (guess ?n)) (true (hidden ?n)))
(<= (sees guesser (small ?n)) (does random (hide ?n)) (distinct ?n 3))
(<= terminal (true (step 3)))
(<= (goal guesser 100) (true right))
(<= (goal guesser 0) (not (true right)))
(number 1) (number 2) (number 3)
"""
BASE_RECORD: dict[str, Any] = {
    "matchId": "kiosk.1234567890123",
    "randomToken": "abcdefghijklmnopqrstuvwxyz012345",
    "startTime": 1400000000000,
    "gameMetaURL": "http://games.example/base/games/ticTacToe/v0/",
    "isCompleted": False,
    "isAborted": True,
    "states": [
        "( ( CONTROL X ) ( CELL 1 1 BLANK ) ( CELL 1 2 BLANK ) ( CELL 1 3 BLANK ) ( CELL 2 1 BLANK ) "
        "( CELL 2 2 BLANK ) ( CELL 2 3 BLANK ) ( CELL 3 1 BLANK ) ( CELL 3 2 BLANK ) ( CELL 3 3 BLANK ) )",
        "((CELL 2 2 X) (CONTROL O) (CELL 1 1 BLANK) (CELL 1 2 BLANK) (CELL 1 3 BLANK) (CELL 2 1 BLANK) "
        "(CELL 2 3 BLANK) (CELL 3 1 BLANK) (CELL 3 2 BLANK) (CELL 3 3 BLANK))",
    ],
    "moves": [["( MARK 2 2 )", "NOOP"]],
    "stateTimes": [1400000000000, 1400000005000],
    "previewClock": -1,
    "startClock": 30,
    "playClock": 15,
    "scrambled": True,
    "errors": [["", ""], ["", "TO"]],
    "playerNamesFromHost": ["Sancho", "Alloy"],
    "isPlayerHuman": [False, True],
    "tournamentNameFromHost": "spring",
    "matchHostPK": "0xabc",
    "matchHostSignature": "0xdef",
    "weightOfThePlayers": {"x": [1, 2.5, None, {"deep": True}]},
}
"""As other servers write it: upper case, facts in any order, keys that nobody here knows."""


def guessing() -> Game:
    return load(GUESSING)


def tictactoe_document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(played(load("tictactoe")).to_json()))
    return document


def read(document: object) -> Record:
    return Record.from_json(parse_json(json.dumps(document)))


def test_a_record_is_written_exactly_in_the_match_format() -> None:
    game = load("nim")
    state = game.initial_state()
    record = Record.begin(
        game,
        state,
        ["ann", "bob"],
        Clocks(10.0, 0.5),
        "nim.1",
        7,
        start_time=1000,
        is_player_human=[True, False],
        tournament="spring",
        job="j3",
        scrambled=True,
        errors=["TO", ""],
        notes={"why": "a test"},
    )
    joint = {role: state.legal_moves(role)[0] for role in game.roles}
    record.add_turn(joint, state.next(joint), ["", "IL ( take 9 )"], time_ms=2000)
    record.complete({Role("first"): 100, Role("second"): None})
    document = record.to_json()
    own = document.pop("ludens")
    token = document.pop("randomToken")
    assert len(token) == 32
    assert set(token) <= set(string.ascii_letters + string.digits)
    assert document == {
        "matchId": "nim.1",
        "startTime": 1000,
        "gameMetaURL": "ludens:games/nim/",
        "isCompleted": True,
        "isAborted": False,
        "states": [
            "( ( control first ) ( heap a 3 ) ( heap b 4 ) ( heap c 5 ) )",
            "( ( control second ) ( heap a 2 ) ( heap b 4 ) ( heap c 5 ) )",
        ],
        "moves": [["( take a 1 )", "noop"]],
        "stateTimes": [1000, 2000],
        "previewClock": -1,
        "startClock": 10,
        "playClock": 0.5,
        "scrambled": True,
        "errors": [["TO", ""], ["", "IL ( take 9 )"]],
        "goalValues": [100, -1],
        "playerNamesFromHost": ["ann", "bob"],
        "isPlayerHuman": [True, False],
        "tournamentNameFromHost": "spring",
    }
    assert isinstance(document["startClock"], int), "programs that read whole numbers only can read it"
    assert own == {
        "game": "nim",
        "digest": game.rules.digest,
        "rules": game.rules.to_kif(),
        "roles": ["first", "second"],
        "seed": 7,
        "job": "j3",
        "why": "a test",
    }


def test_the_token_follows_from_seed_and_match() -> None:
    game = load("nim")
    tokens = [begun(game, match_id, seed).random_token for match_id, seed in (("a", 1), ("a", 1), ("b", 1), ("a", 2))]
    assert tokens[0] == tokens[1]
    assert len(set(tokens)) == 3


@pytest.mark.parametrize("name", KINDS)
def test_records_of_every_kind_of_game_can_be_replayed(name: str) -> None:
    game = load(name)
    record = played(game, seed=5)
    again = read(record.to_json())
    assert again == record
    states = list(again.replay(game))
    assert len(states) == record.turns + 1
    assert states[-1].is_terminal
    goals = states[-1].goals
    assert {role: again.goals[role] for role in game.player_roles} == {role: goals[role] for role in game.player_roles}


def test_hidden_information_is_recorded_like_any_other() -> None:
    game = guessing()
    assert game.traits.hidden
    record = played(game)
    assert record.goal_values in ([100, 0], [0, 0]), "chance has no goal of its own here"
    assert record.player_names == ["player0", "random"]
    assert record.moves[0][0] == "noop"
    assert list(read(record.to_json()).replay(game))[-1].is_terminal


def test_outcomes_stand_in_place_of_random_variables() -> None:
    game = load("highcard")
    record = played(game)
    assert record.roles == ["red", "blue"]
    assert record.moves[0][0].startswith("( draw ")
    assert record.moves[0][0].split()[2].isdecimal()


def test_a_record_of_another_server_is_read_and_written_back_unchanged() -> None:
    record = read(BASE_RECORD)
    assert record.to_json() == BASE_RECORD, "the signature would be wrong otherwise"
    assert record.player_names == ["Sancho", "Alloy"]
    game = game_of(record)
    assert game is not None
    assert game.name == "tictactoe"
    first, second = record.replay(game)
    assert second == first.next({"x": "(mark 2 2)"})
    assert record.joint(game, 0) == {"x": "(mark 2 2)", "o": "noop"}


def test_only_what_was_left_out_is_written_back_otherwise() -> None:
    needed = {key: BASE_RECORD[key] for key in ("matchId", "states", "moves")}
    filled_in = {
        "randomToken": "",
        "startTime": 0,
        "gameMetaURL": "",
        "isCompleted": False,
        "isAborted": False,
        "stateTimes": [],
        "previewClock": -1,
        "startClock": 0,
        "playClock": 0,
        "scrambled": False,
    }
    assert read(needed).to_json() == needed | filled_in
    for key in set(BASE_RECORD) - set(needed):
        document = {name: value for name, value in BASE_RECORD.items() if name != key}
        expected = document | {name: value for name, value in filled_in.items() if name == key}
        assert read(document).to_json() == expected
    for key in ("errors", "playerNamesFromHost", "isPlayerHuman", "goalValues", "tournamentNameFromHost", "ludens"):
        without = {name: value for name, value in BASE_RECORD.items() if name != key}
        assert read(changed(key, None)).to_json() == without
        if key != "tournamentNameFromHost":
            assert read(changed(key, [])).to_json() == without


def test_null_in_a_list_of_texts_is_an_empty_text() -> None:
    record = read(changed("errors", [[None, None], [None, "TO"]]))
    assert record.errors == [["", ""], ["", "TO"]]
    assert read(changed("playerNamesFromHost", [None, "Sancho"])).player_names == ["", "Sancho"]


def test_a_record_needs_little() -> None:
    record = read({"matchId": "m", "states": BASE_RECORD["states"], "moves": BASE_RECORD["moves"], "errors": None})
    assert (record.player_names, record.goal_values, record.errors, record.seed) == (None, None, [], None)
    assert record.goals == {}
    assert len(list(record.replay(load("tictactoe")))) == 2


def changed(key: str, value: object) -> dict[str, Any]:
    document = copy.deepcopy(BASE_RECORD)
    document[key] = value
    return document


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([], "a record is a JSON object, not a list"),
        ("match", "not the text 'match'"),
        ({}, "the key matchId is missing"),
        ({"matchId": "m", "moves": []}, "the key states is missing"),
        ({"matchId": "m", "moves": [], "states": []}, "at least one state"),
        (changed("matchId", 7), "matchId should be a text, not a number"),
        (changed("matchId", ""), "a record has a matchId"),
        (changed("states", "()"), "states should be a list, not the text"),
        (changed("states", [None, "( )"]), r"states\[0\] should be a text, not null"),
        (changed("states", BASE_RECORD["states"][:1]), "1 states and 1 moves; a record has one state more than moves"),
        (changed("moves", []), "2 states and 0 moves"),
        (changed("moves", [["noop", 3]]), r"moves\[0\]\[1\] should be a text"),
        (changed("moves", [["noop"]]), r"moves\[0\] has 1 items and playerNamesFromHost 2"),
        (changed("errors", [["", ""]] * 3), "errors has 3 items; there are only 2 states"),
        (changed("errors", [["", ""], [""]]), r"errors\[1\] has 1 items"),
        (changed("stateTimes", [1, 2, 3]), "stateTimes has 3 items"),
        (changed("stateTimes", [1, 2.5]), r"stateTimes\[1\] should be a whole number"),
        (changed("startTime", True), "startTime should be a whole number, not true"),
        (changed("startTime", 10**30), "startTime is too large"),
        (changed("startClock", "thirty"), "startClock should be a number"),
        (changed("isCompleted", 1), "isCompleted should be true or false, not a number"),
        (changed("goalValues", [100]), "goalValues has 1 items"),
        (changed("goalValues", {"x": 100}), "goalValues should be a list, not an object"),
        (changed("playerNamesFromHost", ["\ud800", "b"]), "a lone surrogate"),
        (changed("ludens", 3), "the value of ludens is a JSON object"),
        (changed("ludens", {"seed": []}), "seed should be a whole number"),
        (changed("ludens", {"seed": 2**1024}), "seed is too large a number"),
        (changed("ludens", {"roles": ["x", "o", "z"]}), "playerNamesFromHost has 2 items and ludens.roles 3"),
        (changed("unknown", nested(60)), "nested more than 50 deep"),
        (changed("moves", [["noop", "noop"]] * (MAX_ITEMS + 1)), "moves has more than 100,000 items"),
        (changed("matchId", "m" * 2**21), "matchId is longer than"),
    ],
)
def test_wrong_records_are_refused_with_the_place(document: object, words: str) -> None:
    with pytest.raises(RecordError, match=words):
        read(document)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "line 1, column 1: this is not JSON"),
        (json.dumps(BASE_RECORD)[:300].encode(), "this is not JSON"),
        (b'{"matchId": NaN}', "NaN is no JSON number"),
        (b"[" * 200_000, "nested more than"),
        (b'{"a": ' * 200_000, "nested more than"),
        (b"\xff\xfe\x00", "not text in UTF-8|this is not JSON"),
        (b'"\xff"', "not text in UTF-8"),
        (b'{"startTime": ' + b"9" * 5000 + b"}", "this is not JSON"),
        (b" " * (MAX_BYTES + 1), "at most"),
    ],
)
def test_what_is_no_json_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(RecordError, match=words):
        parse_json(data)


def test_an_illegal_move_in_the_middle_is_named_with_turn_and_role() -> None:
    game = load("tictactoe")
    document = tictactoe_document()
    document["moves"][3][1] = document["moves"][1][1]
    replayed = read(document).replay(game)
    assert len([next(replayed) for _ in range(4)]) == 4
    with pytest.raises(RecordError, match=r"^turn 4: \( ?mark \d \d ?\) is not legal for o; legal: "):
        next(replayed)


@pytest.mark.parametrize(
    ("move", "words"),
    [("( mark", "turn 1, move of x: .*never closed"), ("?x", "has variables"), ("", "turn 1, move of x")],
)
def test_a_move_that_is_no_term_is_named(move: str, words: str) -> None:
    document = tictactoe_document()
    document["moves"][0][0] = move
    with pytest.raises(RecordError, match=words):
        list(read(document).replay(load("tictactoe")))


def test_a_wrong_state_is_named_with_what_is_wrong() -> None:
    document = tictactoe_document()
    document["states"][2] = document["states"][2].replace("( control x )", "( control o )")
    with pytest.raises(RecordError, match=r"after turn 2 .*: \(control o\) should not hold, \(control x\) should hold"):
        list(read(document).replay(load("tictactoe")))


@pytest.mark.parametrize("state", ["", "cell", "( cell 1", "( ( cell 1 1 b ) ) )", "( ?x )", "()" * 2])
def test_a_state_that_is_no_list_of_facts_is_named(state: str) -> None:
    document = tictactoe_document()
    document["states"][0] = state
    with pytest.raises(RecordError, match="the state after turn 0 cannot be read"):
        list(read(document).replay(load("tictactoe")))


def test_a_match_that_goes_on_after_the_end_is_refused() -> None:
    document = tictactoe_document()
    for key in ("states", "moves", "errors"):
        document[key].append(document[key][-1])
    with pytest.raises(RecordError, match=r"turn \d+: the game is over"):
        list(read(document).replay(load("tictactoe")))


def test_the_result_has_to_be_that_of_the_rules_unless_it_was_forfeited() -> None:
    game = load("tictactoe")
    record = played(game)
    record.goal_values = [33, 44]
    with pytest.raises(RecordError, match="gives 33 points to x"):
        list(record.replay(game))
    record.notes["forfeited"] = ["x"]
    assert len(list(record.replay(game))) == record.turns + 1
    short = played(game, limit=2)
    short.is_completed = True
    with pytest.raises(RecordError, match="completed, but the game goes on after turn 2"):
        list(short.replay(game))


def test_a_record_of_another_game_is_refused() -> None:
    record = played(load("nim"))
    with pytest.raises(RecordError, match="the first state is not what the rules of tictactoe give"):
        list(record.replay(load("tictactoe")))
    with pytest.raises(RecordError, match="2 items; hanoi is played by solver"):
        list(record.replay(load("hanoi")))


def test_values_by_seat_need_the_right_number() -> None:
    game = load("tictactoe")
    with pytest.raises(ValueError, match="2 seats, for x, o; 3 values"):
        Record.begin(game, game.initial_state(), ["a", "b", "c"], Clocks(1, 1), "m", 1)


def test_the_game_of_a_record_is_found_by_rules_name_or_address() -> None:
    game = guessing()
    assert game_of(played(game)) == game
    named = Record("m", Clocks(1, 1), game_name="Connect-Four")
    assert (found := game_of(named)) is not None
    assert found.name == "connectfour"
    assert game_of(Record("m", Clocks(1, 1), game_name="nim", game_digest="another")) is None
    assert game_of(Record("m", Clocks(1, 1), game_meta_url="http://games.example/unheardOf/")) is None
    with pytest.raises(RecordError, match="the rules in the record cannot be played"):
        game_of(Record("m", Clocks(1, 1), rules="(role x"))


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://games.example/base/games/ticTacToe/", "ticTacToe"),
        ("http://games.example/games/chess/v12/", "chess"),
        ("ludens:games/nim/", "nim"),
        ("sheets/hex.kif", "hex"),
        ("", ""),
    ],
)
def test_names_of_games_in_addresses(url: str, name: str) -> None:
    assert name_in(url) == name


@given(st.sampled_from(KINDS), st.integers(0, 2**63), st.integers(1, 30))
@examples(30)
def test_random_matches_survive_writing_and_reading(name: str, seed: int, limit: int) -> None:
    game = load(name)
    record = played(game, seed=seed, limit=limit)
    again = read(record.to_json())
    assert again == record
    assert sum(1 for _ in again.replay(game)) == record.turns + 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(sorted(BASE_RECORD)), JSON)
@examples(200)
def test_any_value_in_any_place_is_refused_or_kept(key: str, value: object) -> None:
    try:
        record = read(changed(key, value))
    except RecordError:
        return
    assert read(record.to_json()) == record


@given(JSON)
def test_any_json_is_refused_or_a_record(value: object) -> None:
    with pytest.raises(RecordError):
        read(value)


@given(st.integers(0, 2**32))
@examples(50)
def test_damaged_text_is_refused_or_read(seed: int) -> None:
    rng = Random(seed)
    data = bytearray(json.dumps(BASE_RECORD).encode())
    for _ in range(rng.randint(1, 4)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    try:
        record = Record.from_json(parse_json(bytes(data)))
        list(record.replay(load("tictactoe")))
    except RecordError:
        pass
