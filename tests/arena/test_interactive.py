"""Matches with people at this computer: whoever plays, the rules and the seed decide what happens."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from ludens.arena.direct import DirectSeat
from ludens.arena.interactive import PERSON, InteractiveMatch, Observers
from ludens.arena.match import Match
from ludens.arena.result import MatchSettings
from ludens.arena.store import Archive, Store
from ludens.core import Answer, Clocks, Decision, Move, Role
from ludens.errors import GameOverError, LudensError, PlayError
from ludens.game import Game, State, load
from ludens.gdl.rules import Rules
from ludens.players import LegalPlayer, RandomPlayer
from ludens.players.searching import SearchingPlayer
from ludens.runtime.deadline import Deadline
from ludens.search.flat import FlatSearcher
from tests.arena.refereeing import NotedRecords
from tests.tiers import every_game, examples
from tests.web.sheets import COIN

X, Y = Role("x"), Role("o")
PATIENT = Clocks(30.0, 30.0)
"""Players stop before, at their number of nodes."""


def session(name: str, seed: int = 1, **seats: str) -> InteractiveMatch:
    game = load(name)
    return InteractiveMatch(game, {Role(role): seat for role, seat in seats.items()}, PATIENT, seed, nodes=200)


def play_out(playing: InteractiveMatch, rng: Random, most: int = 200) -> None:
    while not playing.is_over and len(playing.turns) < most:
        role = playing.asked
        if role is None:
            playing.think()
        else:
            playing.choose(role, rng.choice(playing.legal(role)))


def move(playing: InteractiveMatch, role: Role, words: str) -> Move:
    return next(each for each in playing.legal(role) if each == words)


def test_people_take_turns_and_the_rules_say_who_wins() -> None:
    playing = session("tictactoe")
    for role, words in ((X, "1 1"), (Y, "2 1"), (X, "1 2"), (Y, "2 2"), (X, "1 3")):
        assert playing.asked == role
        playing.choose(role, move(playing, role, f"(mark {words})"))
    assert playing.is_over
    assert playing.state.goals == {X: 100, Y: 0}
    with pytest.raises(GameOverError):
        playing.choose(Y, playing.turns[0].moves[Y])


def test_a_player_answers_and_says_what_it_thought() -> None:
    playing = session("tictactoe", o="uct")
    playing.choose(X, move(playing, X, "(mark 2 2)"))
    assert playing.asked is None
    assert playing.thinkers == (Y,)
    playing.think()
    assert playing.asked == X
    decision = playing.turns[-1].decisions[Y]
    assert isinstance(decision, Decision)
    assert decision.move == playing.turns[-1].moves[Y]
    playing.close()


def test_the_same_seed_gives_the_same_game() -> None:
    games = []
    for _ in range(2):
        playing = session("pig", seed=3, red="random", blue="random")
        play_out(playing, Random(0), most=60)
        games.append([turn.moves for turn in playing.turns])
        playing.close()
    assert games[0] == games[1]
    assert len(games[0]) > 10


def test_chance_follows_from_the_seed() -> None:
    def rolls(seed: int) -> list[dict[Role, Move]]:
        playing = session("pig", seed=seed)
        for _ in range(20):
            role = playing.asked
            if role is None:
                playing.think()
            else:
                playing.choose(role, playing.legal(role)[-1])
        return [dict(turn.moves) for turn in playing.turns]

    assert rolls(1) == rolls(1)
    assert rolls(1) != rolls(2)


def test_moves_at_the_same_time_stay_hidden_until_all_have_moved() -> None:
    playing = session("rockpaperscissors")
    left, right = playing.game.player_roles
    before = playing.state
    playing.choose(left, playing.legal(left)[0])
    assert playing.state is before
    assert list(playing.turns) == []
    assert playing.asked == right
    playing.choose(right, playing.legal(right)[1])
    assert len(playing.turns) == 1
    assert playing.turns[0].moves[left] == before.legal_moves(left)[0]


def test_undo_goes_back_to_the_last_choice_of_a_person() -> None:
    playing = session("tictactoe", o="random")
    start = playing.state
    playing.choose(X, move(playing, X, "(mark 2 2)"))
    playing.think()
    playing.undo()
    assert playing.state == start
    assert playing.asked == X
    with pytest.raises(PlayError):
        playing.undo()


def test_undo_of_a_hidden_choice_only_forgets_it() -> None:
    playing = session("rockpaperscissors")
    left, _ = playing.game.player_roles
    playing.choose(left, playing.legal(left)[0])
    playing.undo()
    assert playing.match.answers == {}
    assert playing.asked == left


def test_changing_sides_keeps_the_game() -> None:
    playing = session("tictactoe", o="random")
    playing.choose(X, move(playing, X, "(mark 2 2)"))
    state = playing.state
    playing.change_sides()
    assert playing.seats == {X: "random", Y: PERSON}
    assert playing.state == state
    assert playing.asked == Y


def test_restart_begins_anew() -> None:
    playing = session("tictactoe")
    playing.choose(X, move(playing, X, "(mark 2 2)"))
    playing.restart()
    assert list(playing.turns) == []
    assert playing.state == playing.game.initial_state()


def test_a_hint_is_a_good_legal_move() -> None:
    playing = session("tictactoe")
    for role, words in ((X, "1 1"), (Y, "2 1"), (X, "1 2"), (Y, "2 2")):
        playing.choose(role, move(playing, role, f"(mark {words})"))
    advice = playing.advise(X)
    assert advice.move == "(mark 1 3)"
    assert advice.decision
    assert advice.decision.values[X] == 100
    playing.close()


def test_a_game_can_be_looked_through_afterwards() -> None:
    playing = session("tictactoe")
    for role, words in ((X, "1 1"), (Y, "2 1"), (X, "1 2"), (Y, "2 2"), (X, "1 3")):
        playing.choose(role, move(playing, role, f"(mark {words})"))
    last = playing.assess(4, 0.05)
    assert last
    assert last.values == {X: 100, Y: 0}
    playing.close()


def test_a_player_is_hurried_while_it_gets_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = session("connectfour", red="uct", yellow=PERSON)
    playing.nodes = None
    ready = playing._started

    def started(name: str, role: Role) -> DirectSeat:
        playing.interrupt()
        return ready(name, role)

    monkeypatch.setattr(playing, "_started", started)
    playing.think()
    assert playing.turns[0].decisions[Role("red")].seconds < playing.clocks.play


def test_late_people_get_a_legal_move() -> None:
    playing = session("tictactoe")
    playing.choose_for_late()
    assert len(playing.turns) == 1
    assert playing.asked == Y


@pytest.mark.parametrize(
    "name",
    every_game(
        of=[
            "connectfour",
            "dicerace",
            "rockpaperscissors",
            "tron",
            "farmers",
            "eightpuzzle",
            "hanoi",
            "highcard",
            "simultaneousconnectfour",
        ]
    ),
)
def test_games_of_every_kind_are_played_to_their_end_by_the_rules(name: str) -> None:
    game = load(name)
    first = game.player_roles[0]
    playing = InteractiveMatch(
        game, {role: PERSON if role == first else "random" for role in game.player_roles}, PATIENT, 3
    )
    play_out(playing, Random(3), most=400)
    state = game.initial_state()
    for turn in playing.turns:
        assert turn.before == state
        state = state.next(turn.moves)
    assert state == playing.state
    assert playing.is_over
    playing.close()


def test_a_person_is_shown_only_what_it_can_know() -> None:
    game = Game(Rules.parse(COIN))
    guesser, keeper = game.player_roles
    playing = InteractiveMatch(game, {guesser: PERSON, keeper: "random"}, PATIENT, 5)
    playing.think()
    assert playing.asked == guesser
    possible = playing.known_states(guesser)
    assert {fact for state in possible for fact in state.facts} >= {"(coin heads)", "(coin tails)"}
    assert playing.state in possible
    playing.choose(guesser, playing.legal(guesser)[0])
    assert playing.is_over
    playing.undo()
    assert len(playing.known_states(guesser)) == 2
    playing.close()


def test_hidden_means_that_somebody_does_not_know_the_state() -> None:
    game = Game(Rules.parse(COIN))
    guesser, keeper = game.player_roles
    playing = InteractiveMatch(game, {guesser: PERSON, keeper: "random"}, PATIENT, 5)
    assert not playing.is_unclear
    playing.think()
    assert playing.is_unclear
    playing.change_sides()
    assert not playing.is_unclear
    playing.close()
    assert not session("pig", blue="random").is_unclear


def test_undo_brings_back_what_a_restart_gave_up() -> None:
    playing = session("tictactoe")
    assert not playing.can_undo
    playing.choose(X, move(playing, X, "(mark 2 2)"))
    playing.choose(Y, move(playing, Y, "(mark 1 1)"))
    state = playing.state
    playing.restart()
    playing.restart()
    assert playing.can_undo
    playing.undo()
    assert playing.state == state
    assert len(playing.turns) == 2
    playing.restart()
    playing.choose(X, move(playing, X, "(mark 1 1)"))
    playing.undo()
    assert not playing.can_undo


@pytest.mark.parametrize(("role", "words"), [("x", "(mark 9 9)"), ("nobody", "(mark 1 1)"), ("o", "(mark 1 1)")])
def test_moves_that_are_not_possible_change_nothing(role: str, words: str) -> None:
    playing = session("tictactoe")
    with pytest.raises(LudensError):
        playing.choose(Role(role), Move(words, ("mark", *words[6:-1].split())))
    assert list(playing.turns) == []
    assert playing.match.answers == {}


def test_a_player_that_there_is_not_is_refused() -> None:
    with pytest.raises(PlayError, match="there is no player 'deepthought'"):
        session("tictactoe", o="deepthought")


@pytest.mark.parametrize(("role", "possible"), [("keeper", 1), ("guesser", 2)])
def test_each_role_learns_what_it_sees(role: str, possible: int) -> None:
    match = Match(load(COIN), MatchSettings("m", PATIENT, 5))
    person, player = Observers(match.state, [Role(role)], Random(1)), RandomPlayer(Random(1))
    seat = DirectSeat(match, Role(role), player)
    seat.start(Deadline.never())
    assert person.are_certain
    turn = match.step()
    person.follow(turn)
    seat.tell()
    assert person.are_certain == (possible == 1)
    assert len(person.states(Role(role))) == len(player.belief.states) == possible
    assert turn.after in person.states(Role(role))


def test_where_all_is_seen_there_is_no_doubt() -> None:
    match = Match(load("tictactoe"), MatchSettings("m", PATIENT, 5))
    people, player = Observers(match.state, match.game.roles, Random(1)), RandomPlayer(Random(1))
    seat = DirectSeat(match, Y, player)
    seat.start(Deadline.never())
    match.answer(X, "mark 2 2")
    people.follow(match.step())
    seat.tell()
    assert people.are_certain
    assert player.state == match.state


# -- what players are told ------------------------------------------------------------------------


class Listening(FlatSearcher):
    """A searcher that keeps the states which the match has come to."""

    made: ClassVar[list[Listening]] = []

    def __init__(self, game: Game, role: Role) -> None:
        super().__init__(game, role)
        self.states: list[State] = []
        self.made.append(self)

    def advance(self, state: State) -> None:
        self.states.append(state)


def listening(rng: Random, nodes: int | None) -> SearchingPlayer:
    return SearchingPlayer("listening", Listening, rng, nodes)


class Broken(LegalPlayer):
    def move(self, deadline: Deadline) -> Answer:
        raise ZeroDivisionError("oh no")


def test_a_player_is_started_once_and_knows_all_states_of_the_match_also_after_an_undo() -> None:
    Listening.made.clear()
    playing = session("connectfour", yellow=f"{__name__}:listening")
    red = Role("red")

    def go_on(turns: int) -> None:
        for _ in range(turns):
            playing.choose(red, playing.legal(red)[0])
            before = [*(turn.before for turn in playing.turns), playing.state]
            playing.think()
            assert Listening.made[-1].states == before

    go_on(3)
    assert len(Listening.made) == 1
    playing.undo()
    playing.undo()
    go_on(3)
    assert len(Listening.made) == 2
    playing.change_sides()
    playing.think()
    assert len(Listening.made) == 3
    assert Listening.made[-1].states == [turn.before for turn in playing.turns]
    playing.close()


def test_a_player_that_fails_is_replaced_for_that_move_and_that_is_said() -> None:
    playing = session("tictactoe", o=f"{__name__}:Broken")
    playing.choose(X, "mark 2 2")
    playing.think()
    turn = playing.turns[-1]
    assert turn.replaced == (Y,)
    assert [each.text for each in turn.diagnostics] == ["ZeroDivisionError: oh no"]
    assert playing.asked == X


# -- the record --------------------------------------------------------------------------------------


def recorded(name: str, journal: NotedRecords, **seats: str) -> InteractiveMatch:
    return InteractiveMatch(load(name), {Role(role): seat for role, seat in seats.items()}, PATIENT, 1, journal=journal)


def win(playing: InteractiveMatch, *words: str) -> None:
    for word in words:
        role = playing.asked
        assert role
        playing.choose(role, f"mark {word}")


def test_a_finished_match_is_written_down_with_who_played() -> None:
    journal = NotedRecords()
    playing = recorded("nim", journal, second="legal")
    while not playing.is_over:
        if playing.asked:
            playing.choose(playing.asked, playing.legal(playing.asked)[0])
        else:
            playing.think()
    assert journal.calls == [("ended", len(playing.turns))]
    assert journal.last is not None
    assert journal.last.is_completed
    assert journal.last.player_names == ["person", "legal"]
    assert journal.last.is_player_human == [True, False]
    assert list(journal.last.replay(playing.game))[-1] == playing.state
    playing.close()
    assert len(journal.calls) == 1, "it is not written twice"


def test_a_match_that_is_given_up_is_written_down_as_aborted_if_a_move_was_made() -> None:
    journal = NotedRecords()
    playing = recorded("tictactoe", journal)
    playing.restart()
    playing.close()
    assert journal.calls == []
    playing = recorded("tictactoe", journal)
    win(playing, "1 1")
    playing.restart()
    assert journal.calls == [("aborted", 1)]
    first = journal.last
    win(playing, "2 2", "1 1")
    playing.close()
    assert journal.calls == [("aborted", 1), ("aborted", 2)]
    assert first is not None
    assert journal.last is not None
    assert first.match_id != journal.last.match_id


def test_a_match_that_comes_back_after_a_restart_goes_on_under_its_name() -> None:
    journal = NotedRecords()
    playing = recorded("tictactoe", journal)
    win(playing, "1 1")
    name = playing.match.record.match_id
    playing.restart()
    playing.undo()
    assert not playing.match.record.is_aborted
    win(playing, "2 1", "1 2", "2 2", "1 3")
    assert journal.calls == [("aborted", 1), ("ended", 5)]
    assert journal.last is not None
    assert journal.last.match_id == name


def test_looking_back_after_the_end_writes_nothing_and_playing_on_does(tmp_path: Path) -> None:
    path = tmp_path / "matches.sqlite"
    playing = InteractiveMatch(load("tictactoe"), {}, PATIENT, 1, journal=Archive(pytest.fail, path))
    win(playing, "1 1", "2 1", "1 2", "2 2", "1 3")
    playing.undo()
    playing.restart()
    playing.undo()
    with Store(path) as store:
        assert [match.turns for match in store.matches()] == [5]
    win(playing, "3 3")
    playing.close()
    with Store(path) as store:
        assert [(match.turns, match.status) for match in store.matches()] == [(5, "completed"), (5, "aborted")]
        for match in store.matches():
            assert len(list(store.record(match.match_id).replay(playing.game))) == 6


def test_changed_sides_are_in_the_record() -> None:
    playing = recorded("tictactoe", NotedRecords(), o="random")
    win(playing, "2 2")
    playing.change_sides()
    record = playing.match.record
    assert record.player_names == ["random", "person"]
    assert record.is_player_human == [False, True]
    assert record.notes["earlierPlayers"] == [{"players": ["person", "random"], "turns": 1}]
    playing.close()


def test_a_person_whose_time_is_over_is_recorded_as_late() -> None:
    playing = recorded("tictactoe", NotedRecords())
    playing.choose_for_late()
    assert playing.match.record.errors == [["", ""], ["TO", ""]]


@pytest.mark.parametrize("name", ["tictactoe", "dicerace", "highcard", "rockpaperscissors"])
def test_a_match_goes_on_elsewhere_from_its_moves(name: str) -> None:
    game = load(name)
    seats = dict.fromkeys(game.player_roles, "random")
    playing = InteractiveMatch(game, seats, PATIENT, 3)
    play_out(playing, Random(1), most=4)
    moves = [list(map(str, turn.moves.values())) for turn in playing.turns]
    other = InteractiveMatch(load(name), seats, PATIENT, 3, match_id=playing.match.record.match_id)
    other.replay(moves)
    assert other.state == playing.state
    assert other.match.record.moves == playing.match.record.moves
    assert other.match.record.random_token == playing.match.record.random_token
    with pytest.raises(PlayError, match="not the moves of this game"):
        other.replay([["nonsense"]])


def test_a_match_that_is_over_is_kept_once_also_if_it_is_opened_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "matches.sqlite"
    playing = InteractiveMatch(load("tictactoe"), {}, PATIENT, 1, journal=Archive(pytest.fail, path))
    win(playing, "1 1", "2 1", "1 2", "2 2", "1 3")
    moves, name = [list(map(str, turn.moves.values())) for turn in playing.turns], playing.match.record.match_id
    other = InteractiveMatch(load("tictactoe"), {}, PATIENT, 1, journal=Archive(pytest.fail, path), match_id=name)
    other.replay(moves)
    check_consistency(other)
    other.close()
    with Store(path) as store:
        assert [(match.match_id, match.status) for match in store.matches()] == [(name, "completed")]


WISHES = ("choose", "think", "undo", "restart", "swap", "late", "elsewhere")


@examples(60, HealthCheck.function_scoped_fixture)
@given(
    st.sampled_from(["tictactoe", "rockpaperscissors", "dicerace", "highcard", "threeway", COIN]),
    st.integers(0, 1000),
    st.lists(st.sampled_from(WISHES), max_size=25),
)
def test_whatever_people_do_the_record_tells_it_and_all_that_is_kept_can_be_replayed(
    tmp_path_factory: pytest.TempPathFactory, name: str, seed: int, wishes: list[str]
) -> None:
    path, rng = tmp_path_factory.mktemp("kept") / "matches.sqlite", Random(seed)
    game, archive = load(name), Archive(pytest.fail, path)
    seats = {role: rng.choice([PERSON, "random"]) for role in game.player_roles}
    playing = InteractiveMatch(game, seats, PATIENT, seed, journal=archive)
    for wish in wishes:
        before = playing.state, len(playing.turns)
        if wish == "choose" and (role := playing.asked):
            playing.choose(role, rng.choice(playing.legal(role)))
        elif wish == "think":
            playing.think()
        elif wish == "undo" and playing.can_undo:
            playing.undo()
        elif wish == "restart":
            playing.restart()
            assert playing.state == game.initial_state()
        elif wish == "swap":
            playing.change_sides()
            assert (playing.state, len(playing.turns)) == before
        elif wish == "late":
            playing.choose_for_late()
        elif wish == "elsewhere":
            moves, record = [list(map(str, turn.moves.values())) for turn in playing.turns], playing.match.record
            playing.close()
            playing = InteractiveMatch(game, playing.seats, PATIENT, seed, journal=archive, match_id=record.match_id)
            playing.replay(moves)
            assert (playing.state, len(playing.turns)) == before
        check_consistency(playing)
    playing.close()
    if path.exists():
        with Store(path) as store:
            for match in store.matches():
                record = store.record(match.match_id)
                assert match.turns > 0
                assert match.status in ("completed", "aborted")
                assert list(record.replay(game))[-1].is_terminal == record.is_completed


def check_consistency(playing: InteractiveMatch) -> None:
    record = playing.match.record
    states = [playing.game.initial_state(), *(turn.after for turn in playing.turns)]
    assert list(record.replay(playing.game)) == states
    assert states[-1] == playing.state
    assert record.is_completed == playing.is_over
    assert not record.is_aborted
    assert all(playing.state in playing.known_states(role) for role in playing.people)
    assert not (playing.asked and playing.seats[playing.asked] != PERSON)
