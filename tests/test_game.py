"""Game and State as a user meets them."""

from __future__ import annotations

import copy
import inspect
import pickle
from pathlib import Path
from random import Random
from types import FunctionType

import pytest

import ludens
from ludens import Fact, Game, Move, Role, Rules, State
from ludens.errors import (
    GameNotFoundError,
    GameOverError,
    GdlSyntaxError,
    IllegalMoveError,
    InvalidRulesError,
    MissingMoveError,
    UnknownRoleError,
)

SHOUTED = """(ROLE Robot) (init (Light OFF)) (<= (legal Robot Push) (role Robot))
(<= (next (light ON)) (does ROBOT push)) (<= terminal (true (light on)))
(<= (goal robot 100) (true (LIGHT on))) (<= (goal robot 0) (true (light off)))"""


@pytest.fixture
def game() -> Game:
    return ludens.load("tictactoe")


def random_walk(state: State, rng: Random) -> list[State]:
    states = [state]
    while not state.is_terminal:
        state = state.next({role: rng.choice(state.legal_moves(role)) for role in state.game.roles})
        states.append(state)
    return states


def test_a_game_loads_from_name_path_text_and_rules(tmp_path: Path, game: Game) -> None:
    text = game.rules.to_kif()
    path = tmp_path / "my game.kif"
    path.write_text(text)
    for source in (path, str(path), text, Rules.parse(text), "TicTacToe"):
        assert ludens.load(source) == game
    assert ludens.load(path).name == "my game"
    copy_of_browser = path.rename(tmp_path / "my game (1).kif")
    assert ludens.load(str(copy_of_browser)) == game
    with pytest.raises(GameNotFoundError):
        ludens.load(str(tmp_path / "my game (2).kif"))
    assert ludens.load("tictactoe").name == "tictactoe"


def test_the_infix_syntax_loads_as_well(game: Game) -> None:
    assert ludens.load(game.rules.to_infix()) == game
    assert ludens.load(game.rules.to_infix(), syntax="infix") == game


def test_an_unknown_game_gets_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(GameNotFoundError, match="did you mean tictactoe"):
        ludens.load("tictactoo")
    with pytest.raises(GameNotFoundError, match=r"bundled games: .*connectfour"):
        ludens.load("xyzzy")
    with pytest.raises(GameNotFoundError, match="is a folder"):
        ludens.load(tmp_path)


def test_broken_and_incomplete_rules_are_refused_with_all_that_is_wrong() -> None:
    with pytest.raises(GdlSyntaxError) as syntax:
        ludens.load("(role x\n(legal x go))) ()")
    assert len(syntax.value.findings) >= 2
    with pytest.raises(InvalidRulesError) as invalid:
        ludens.load("(role x) (legal x go)")
    assert {finding.code for finding in invalid.value.findings} >= {"no-goal", "no-terminal"}


@pytest.mark.parametrize(
    ("roles", "code"),
    [
        ("(role x) (<= (role ?r) (n ?r)) (n y)", "role-not-a-fact"),
        ("(role (p 1)) (role x)", "role-not-a-word"),
        ("(role random)", "no-role"),
        ("", "no-role"),
    ],
)
def test_a_game_needs_plain_roles(roles: str, code: str) -> None:
    with pytest.raises(InvalidRulesError) as caught:
        ludens.load(
            f"{roles} (<= (legal ?r go) (role ?r)) (init a) (next a) (<= (goal ?r 0) (role ?r)) (<= terminal (true b))"
        )
    assert code in {finding.code for finding in caught.value.findings}


def test_required_relations_count_with_their_arity() -> None:
    with pytest.raises(InvalidRulesError):
        ludens.load("(role x) (legal x go) (goal x 0) (terminal x) (init a) (next a)")


def test_a_whole_game_by_hand(game: Game) -> None:
    state = game.initial_state()
    for x_move, o_move in (("(mark 1 1)", "(mark 2 1)"), ("(mark 1 2)", "( MARK  2  2 )")):
        state = state.next({"x": x_move}).next({"o": o_move})
    assert not state.is_terminal
    state = state.next(["(mark 1 3)", "noop"])
    assert state.is_terminal
    assert state.goals == {"x": 100, "o": 0}
    assert state.goal_values("x") == ("100",)
    assert state.legal_moves("x") == ()
    with pytest.raises(GameOverError):
        state.next({"x": "noop", "o": "noop"})


def test_moves_and_facts_are_strings_with_parts(game: Game) -> None:
    state = game.initial_state()
    move = state.legal_moves("x")[3]
    assert move == "(mark 2 1)"
    assert (move.name, move.args) == ("mark", ("2", "1"))
    assert repr(move) == "Move('(mark 2 1)')"
    assert "(cell 1 1 blank)" in state.facts
    assert {fact.name for fact in state.facts} == {"cell", "control"}
    noop = state.legal_moves("o")[0]
    assert (noop.name, noop.args) == ("noop", ())


def test_illegal_moves_say_what_was_legal(game: Game) -> None:
    state = game.initial_state()
    with pytest.raises(IllegalMoveError, match=r"\(mark 9 9\) is not legal for x; legal: \(mark 1 1\)") as caught:
        state.next({"x": "(mark 9 9)", "o": "noop"})
    assert caught.value.legal == state.legal_moves("x")
    for nonsense in ("((", "", "?x", "(mark ?x 1)", "mark 1", "(mark 1) (1)", "mark ((", "mark ?x 1"):
        with pytest.raises(IllegalMoveError):
            state.next({"x": nonsense, "o": "noop"})
    for no_text in (None, 5, ("mark", "1", "1")):
        with pytest.raises(IllegalMoveError):
            state.next({"x": no_text, "o": "noop"})  # type: ignore[dict-item]
    later = state.next({"x": "(mark 1 1)"})
    with pytest.raises(IllegalMoveError):
        later.next({"o": "(mark 1 1)"})
    with pytest.raises(IllegalMoveError):
        later.next({"x": "(mark 2 2)", "o": "(mark 2 1)"})


def test_the_first_thing_asked_of_a_game_may_be_a_move() -> None:
    text = "(role r) (init (at 0)) (<= (legal r (go ?x)) (true (at ?x))) (goal r 0) (<= terminal (true (at end)))"
    state = ludens.load(text + "(<= (next (at ?x)) (does r (go ?x)))").state(["(at far)"])
    assert state.next({"r": "(go far)"}).facts == {"(at far)"}


def test_a_move_without_outer_parentheses_and_of_the_only_role_with_a_choice(game: Game) -> None:
    state = game.initial_state()
    after = state.next({"x": "(mark 1 1)", "o": "noop"})
    for text in ("mark 1 1", "(mark 1 1)", " MARK 1  1 ", "mark 1 1 ; the corner"):
        assert state.next(text) == state.next({"x": text}) == state.next([text, "noop"]) == after
    assert after.next("mark 2 2") == after.next({"o": "(mark 2 2)"})
    assert game.state(["cell 1 1 x", "control o"]).facts == {"(cell 1 1 x)", "(control o)"}
    with pytest.raises(IllegalMoveError, match="mark 1 1 is not legal for o"):
        after.next("mark 1 1")


def test_a_single_move_where_several_or_none_have_a_choice() -> None:
    both = ludens.load("rockpaperscissors").initial_state()
    with pytest.raises(MissingMoveError, match=r"left and right choose at the same time; .* \{'left': 'rock', ...\}"):
        both.next("rock")
    waiting = "(role a) (role b) (legal a go) (legal b stay) (goal a 0) (goal b 0) (<= terminal (true over))"
    forced = ludens.load(waiting + "(<= (next over) (does b stay))").initial_state()
    assert forced.choosers == ()
    assert forced.next("stay").is_terminal
    assert forced.next("go").is_terminal
    with pytest.raises(IllegalMoveError):
        forced.next("fly")


def test_missing_moves_and_unknown_roles(game: Game) -> None:
    state = game.initial_state()
    with pytest.raises(MissingMoveError, match="the move of x is missing"):
        state.next({"o": "noop"})
    with pytest.raises(MissingMoveError):
        state.next(["(mark 1 1)"])
    with pytest.raises(MissingMoveError):
        state.next(None)  # type: ignore[arg-type]
    with pytest.raises(UnknownRoleError, match="there is no role 'z'; the roles are x, o"):
        state.legal_moves("z")
    with pytest.raises(UnknownRoleError):
        state.next({"x": "(mark 1 1)", "z": "noop"})


def test_case_does_not_matter_and_the_authors_spelling_is_shown() -> None:
    game = ludens.load(SHOUTED)
    assert game.roles == ("Robot",)
    state = game.initial_state()
    assert state.facts == {"(Light OFF)"}
    assert state.legal_moves("ROBOT") == ("Push",)
    state = state.next({"robot": "pUsH"})
    assert state.facts == {"(Light ON)"}
    assert state.goals == {"Robot": 100}


def test_states_compare_by_facts_and_never_change(game: Game) -> None:
    start = game.initial_state()
    one = start.next({"x": "(mark 1 1)"}).next({"o": "(mark 3 3)"}).next({"x": "(mark 1 2)"})
    other = start.next({"x": "(mark 1 2)"}).next({"o": "(mark 3 3)"}).next({"x": "(mark 1 1)"})
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other, start}) == 2
    assert start == ludens.load("tictactoe").initial_state()
    assert start != ludens.load("connectfour").initial_state()
    assert one == game.state(one.facts)
    assert one == game.state([str(fact) for fact in one.facts])


def test_states_copy_and_pickle_and_play_on(game: Game) -> None:
    for state in random_walk(game.initial_state(), Random(5)):
        for twin in (copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
            assert twin == state
            assert hash(twin) == hash(state)
            assert twin.goals == state.goals
            assert twin.legal_moves("x") == state.legal_moves("x")


@pytest.mark.parametrize("thing", [Role("x"), Move("(mark 1 1)", ("mark", "1", "1")), Fact("done", "done")])
def test_roles_moves_and_facts_pickle(thing: str) -> None:
    twin = pickle.loads(pickle.dumps(thing))
    assert (twin, type(twin), repr(twin)) == (thing, type(thing), repr(thing))


def test_errors_pickle(game: Game) -> None:
    for provoke in (
        lambda: ludens.load("(role"),
        lambda: game.initial_state().next({"x": "(mark 9 9)"}),
        lambda: game.initial_state().legal_moves("z"),
    ):
        with pytest.raises(ludens.LudensError) as caught:
            provoke()
        twin = pickle.loads(pickle.dumps(caught.value))
        assert (type(twin), str(twin)) == (type(caught.value), str(caught.value))


def test_traits_tell_roles_and_chance() -> None:
    assert ludens.load("tictactoe").traits == ludens.game.Traits(roles=2, chance=False, hidden=False)
    assert ludens.load("dicerace").traits.chance
    assert "random" in ludens.load("dicerace").roles
    assert ludens.load("eightpuzzle").traits.roles == 1


def test_base_and_input_hold_all_that_happens(game: Game) -> None:
    base, inputs = game.base_facts(), game.input_moves()
    assert base is not None
    assert inputs is not None
    for state in random_walk(game.initial_state(), Random(2)):
        assert state.facts <= base
        assert all(set(state.legal_moves(role)) <= inputs[role] for role in game.roles)
    bare = ludens.load(SHOUTED)
    assert bare.base_facts() is None
    assert bare.input_moves() is None


def test_the_state_shows_as_a_board(game: Game) -> None:
    state = game.initial_state().next({"x": "(mark 2 2)"})
    assert "x" in str(state)
    assert str(state) in repr(state)
    assert "<svg" in state._repr_html_()


def test_playouts_start_where_they_should(game: Game) -> None:
    almost = game.initial_state()
    for move in (
        "(mark 1 1)",
        "(mark 2 1)",
        "(mark 1 2)",
        "(mark 2 2)",
        "(mark 3 1)",
        "(mark 3 2)",
        "(mark 3 3)",
        "(mark 1 3)",
    ):
        role = "x" if "(control x)" in almost.facts else "o"
        almost = almost.next({role: move})
    result = game.playouts(almost, 20, Random(1))
    assert set(result.lengths.tolist()) == {1}
    assert result.goals.tolist() == [[50, 50]] * 20
    with pytest.raises(ValueError, match="belongs to tictactoe"):
        ludens.load("connectfour").playouts(almost, 1, Random(1))


@pytest.mark.parametrize("kind", [ludens.Game, ludens.State, ludens.Rules, ludens.Match, ludens.Deadline, ludens.Limit])
def test_everything_public_has_an_example(kind: type) -> None:
    # Slots have no place for an example.
    slots = {name for name, value in vars(kind).items() if inspect.ismemberdescriptor(value)}
    public = [name for name in vars(kind) if not name.startswith("_") and name not in slots]
    assert [name for name in public if ">>>" not in (inspect.getdoc(getattr(kind, name)) or "")] == []


def test_every_class_and_function_of_the_package_has_an_example() -> None:
    exempt = {"Player", "players", "errors", "LudensError", "__version__"}
    assert exempt <= set(ludens.__all__)
    shown = sorted(set(ludens.__all__) - exempt)
    assert [name for name in shown if ">>>" not in (getattr(ludens, name).__doc__ or "")] == []


def test_games_and_rules_show_themselves_in_notebooks() -> None:
    game = ludens.load(
        "(role <b>) (legal <b> go) (goal <b> 100) (<= terminal (true over)) (<= (next over) (does <b> go))"
    )
    assert "<b>&lt;b&gt;" not in game._repr_html_()
    assert "untitled</b>: &lt;b&gt;</p>" in game._repr_html_()
    shown = game.rules._repr_html_()
    assert shown.startswith("<details><summary>Rules of &lt;b&gt;: 5 clauses</summary><pre>(role &lt;b&gt;)")
    assert "<svg" in ludens.load("tictactoe")._repr_html_()


def test_the_surface_of_the_package_is_small_and_all_there() -> None:
    assert dir(ludens) == sorted(ludens.__all__)
    assert [name for name in dir(ludens) if getattr(ludens, name, None) is None] == []
    assert isinstance(ludens.play_match, FunctionType)
    with pytest.raises(AttributeError, match="module 'ludens' has no attribute 'sentinel'"):
        _ = ludens.sentinel
