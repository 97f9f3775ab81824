"""What a page's process tells: never what a person must not know, and always something that can be played."""

from __future__ import annotations

from pathlib import Path
from threading import Thread, enumerate
from typing import Any

import pytest

from ludens.arena.store import Store
from ludens.errors import PlayError
from ludens.game import load_bundled
from ludens.web import page_service as desk_module
from ludens.web.page_service import PageService
from tests.web.browsing import begin_match
from tests.web.sheets import COIN, SUBMARINE, many_moves

PATIENT = 120.0


def opened(*seats: str, name: str = "", text: str = "", seed: int = 5) -> tuple[PageService, dict[str, Any]]:
    service = PageService()
    return service, service.open(seats, 30.0, seed, name, text, nodes=50)


def test_what_is_hidden_is_told_by_no_task_before_the_end() -> None:
    service, _ = opened("person", "random", text=COIN)
    view = service.think()
    assert view["hidden"]
    assert view["thoughts"] == []
    assert "heads" not in view["svg"]
    assert "tails" not in view["svg"]
    assert all("toss" not in row["words"] for row in view["history"])
    questions: dict[str, dict[str, Any]] = {
        "explain": {"role": "guesser"},
        "hint": {"role": "guesser"},
        "line": {"turn": 0, "step": 0},
    }
    for task, arguments in {**questions, "assess": {"turn": 0}}.items():
        with pytest.raises(PlayError, match="hidden from you"):
            service.do(task, arguments)
    assert service.show(0)["svg"] == view["svg"]
    view = service.choose("guesser", 0, 1)
    assert view["over"]
    assert not view["hidden"]


def test_what_can_be_clicked_does_not_tell_where_something_is_hidden() -> None:
    seen = []
    for seed in (0, 1):
        service, _ = opened("person", "random", text=SUBMARINE, seed=seed)
        service.think()
        assert service.artist.facts
        view = service.view()
        assert view["hidden"]
        seen.append((view["choices"], view["svg"], view["moves"][0][1]))
    (choices, svg, laid), (others, other_svg, laid_elsewhere) = seen
    assert laid != laid_elsewhere
    assert choices == others
    assert svg == other_svg
    steps = {choice["label"]: choice["steps"] for choice in choices}
    assert steps["dig"] == steps["shoot submarine"] == ()
    assert [len(step) for step in steps["bomb 1 2"]] == [1]


def test_two_people_see_only_their_own_moves_of_a_hidden_game() -> None:
    sheet = """
    (role a) (role b) (init (round 1)) (succ 1 2) (succ 2 3) (pick red) (pick blue)
    (<= (legal ?r (take ?c)) (role ?r) (pick ?c))
    (<= (next (has ?r ?c)) (does ?r (take ?c)) (true (round 1))) (<= (next (has ?r ?c)) (true (has ?r ?c)))
    (<= (next (round ?m)) (true (round ?n)) (succ ?n ?m)) (<= (sees ?r ?c) (does ?r (take ?c)))
    (<= terminal (true (round 3))) (<= (goal ?r 50) (role ?r))
    """
    service, view = opened("person", "person", text=sheet)
    service.choose("a", 0, 0)
    view = service.choose("b", 1, 0)
    assert view["asked"] == "a"
    assert [row["words"] for row in view["history"]] == ["a take blue"]
    view = service.choose("a", 0, 1)
    assert view["asked"] == "b"
    assert [row["words"] for row in view["history"]] == ["b take red"]


def test_a_game_in_which_everything_is_seen_has_hints() -> None:
    service, view = opened("person", "random", name="dicerace")
    while not view["asked"]:
        view = service.think()
    assert not view["hidden"]
    assert service.hint(view["asked"])["move"] in [choice["label"] for choice in view["choices"]]


def test_too_many_moves_are_cut_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk_module, "MAX_CHOICES", 10)
    service, view = opened("person", text=many_moves(6))
    assert len(view["choices"]) == 10
    assert view["unlisted"] == 26
    assert service.choose("one", 9, 0)["over"]


def test_the_whole_column_stands_for_the_move_that_fills_it() -> None:
    _, view = opened("person", "person", name="connectfour")
    assert [len(choice["steps"][0]) for choice in view["choices"]] == [1] * 7
    assert [len(choice["near"]) for choice in view["choices"]] == [5] * 7
    near = [cell for choice in view["choices"] for cell in choice["near"]]
    assert len(set(near)) == len(near) == 35
    _, squares = opened("person", "person", name="tictactoe")
    assert all(choice["near"] == () for choice in squares["choices"])


def test_a_file_is_never_taken_for_a_bundled_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record, _ = begin_match("one", "ann", "bob")
    (tmp_path / "tictactoe").write_bytes(b"\xff no rules")
    monkeypatch.chdir(tmp_path)
    service, view = opened(name="tictactoe")
    assert view["asked"] == "x"
    assert "<svg" in view["svg"]
    assert service.replay(record.to_json())["frame"]["svg"].startswith("<svg")


def test_a_desk_is_there_whatever_becomes_of_its_first_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk_module, "SMALL_GAME", "nosuchgame")
    service = PageService()
    service.warm_up()
    assert service.open([], 1.0, 1, "nim")["asked"]


def test_a_game_that_is_put_away_is_not_looked_at_any_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDENS_CACHE", "off")
    changed = load_bundled("connectfour").rules.to_kif() + "(init new)"
    others = layout_threads()
    service, _ = opened(text=changed)
    artist = service.artist
    (looking,) = layout_threads() - others
    service.open([], 1.0, 1, "nim")
    looking.join(PATIENT)
    assert not looking.is_alive()
    assert not artist.refresh()


def layout_threads() -> set[Thread]:
    return {thread for thread in enumerate() if thread.name == "ludens-layout"}


# -- keeping games -----------------------------------------------------------------------------------


def test_games_on_a_page_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "matches.sqlite"
    service = PageService(keep=True, store=str(path))
    view = service.open(["person", "legal"], 30.0, 5, "nim")
    while not view["over"]:
        view = service.choose(view["asked"], 0, view["turn"]) if view["asked"] else service.think()
    first = view["match"]
    view = service.restart()
    assert view["match"] != first
    service.choose("first", 0, 0)
    service.open(["person", "legal"], 30.0, 5, "tictactoe")
    service.close()
    with Store(path) as store:
        assert [(match.game, match.status, match.turns) for match in store.matches()] == [
            ("nim", "completed", len(store.record(first).moves)),
            ("nim", "aborted", 1),
        ]
        record = store.record(first)
    assert record.player_names == ["person", "legal"]
    assert record.is_player_human == [True, False]


def test_a_game_goes_on_under_its_name_in_another_process(tmp_path: Path) -> None:
    path = tmp_path / "matches.sqlite"
    service = PageService(keep=True, store=str(path))
    view = service.open(["person", "person"], 30.0, 5, "nim")
    view = service.choose("first", 0, 0)
    service.close()
    other = PageService(keep=True, store=str(path))
    again = other.open(["person", "person"], 30.0, 5, "nim", moves=view["moves"], match=view["match"])
    assert again["match"] == view["match"]
    other.choose("second", 0, 1)
    other.close()
    with Store(path) as store:
        assert [(match.match_id, match.turns) for match in store.matches()] == [(view["match"], 2)]


def test_a_store_that_cannot_be_written_is_told_once_and_the_game_goes_on(tmp_path: Path) -> None:
    service = PageService(keep=True, store=str(tmp_path))
    service.open(["person", "person"], 30.0, 5, "nim")
    service.choose("first", 0, 0)
    view = service.restart()
    assert view["diagnostics"][0].startswith("matches are not kept: ")
    view = service.choose("first", 0, 0)
    assert view["diagnostics"] == []
    assert view["asked"] == "second"
