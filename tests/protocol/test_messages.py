"""Messages of the game protocol: as servers and players in the field send them, and as nobody should."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludens import Rules, load
from ludens.errors import MessageError
from ludens.protocol import (
    MAX_MESSAGE_BYTES,
    Abort,
    Info,
    InfoReply,
    Message,
    Percepts,
    Ping,
    Play,
    Preview,
    Start,
    Stop,
    info_text,
    move_text,
    ping_text,
    read_info,
    read_message,
    read_move,
    write_message,
)
from tests.tiers import FULL

RULES = "(role white) (role black) (<= (legal ?p (move ?x)) (role ?p) (at ?x))"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(INFO)", Info()),
        ("( info )", Info()),
        ("info", Info()),
        ("", Info()),
        (" \r\n", Info()),
        ("(PING)", Ping()),
        (f"(PREVIEW ({RULES}) 30)", Preview(RULES, 30)),
        (f"(START Match.X7 WHITE ({RULES}) 30 10)", Start("Match.X7", "WHITE", RULES, 30, 10)),
        (f"( start Match.X7 white ({RULES}) 600 0.5 extra (more of it) )", Start("Match.X7", "white", RULES, 600, 0.5)),
        ("(PLAY Match.X7 NIL)", Play("Match.X7", None)),
        ("(play m nil)", Play("m", None)),
        ("(PLAY m ((MARK 1 1) NOOP))", Play("m", (("mark", "1", "1"), "noop"))),
        ("( PLAY m ( ( mark\t1  ( f a ) )\n noop ) )", Play("m", (("mark", "1", ("f", "a")), "noop"))),
        ("(PLAY m (noop)) (trailing", None),
        ("(STOP m ((mark 3 3) noop))", Stop("m", (("mark", "3", "3"), "noop"))),
        ("(STOP m nil)", Stop("m", None)),
        ("(ABORT Match.X7)", Abort("Match.X7")),
        ("(PLAY m 0 NIL NIL)", Play("m", Percepts(0, None, ()))),
        ("(PLAY m 4 (bet 5) ((card ace) won))", Play("m", Percepts(4, ("bet", "5"), (("card", "ace"), "won")))),
        ("(STOP m 5 noop ())", Stop("m", Percepts(5, "noop", ()))),
    ],
)
def test_messages_are_understood(text: str, message: Message | None) -> None:
    if message is None:
        with pytest.raises(MessageError):
            read_message(text)
    else:
        assert read_message(text) == message


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("(FOLD m)", "there is no command FOLD; there are INFO, PING"),
        ("hello there", "there is no command hello"),
        ("(((INFO)))", "there is no command"),
        ("()", "there is no command"),
        ("(PLAY m", "never closed"),
        ("(PLAY m))", "never opened"),
        ("(PLAY)", "PLAY lacks an argument; the form is (PLAY MATCH (MOVES))"),
        ("(START m white)", "START lacks an argument"),
        ("(START m white rules 10 10)", "rules stand in one list"),
        ("(START m white (x) ten 10)", "a clock is a number of seconds, not ten"),
        ("(START m white (x) -1 10)", "a clock is a number of seconds"),
        ("(START m white (x) nan 10)", "a clock is a number of seconds"),
        ("(START m (white) (x) 1 10)", "single word"),
        ("(PLAY m noop)", "moves stand in one list, or are NIL"),
        ("(PLAY m (?x))", "has variables"),
        ("(PLAY m (()))", "is no term"),
        ("(PLAY m minus noop ())", "a turn is a number from 0"),
        ("(" * 5000, "nested more than 100 deep"),
        ("(PLAY m " + "(" * 99 + ")" * 99 + ")", "is no term"),
    ],
)
def test_other_texts_get_a_definite_answer(text: str, complaint: str) -> None:
    with pytest.raises(MessageError) as caught:
        read_message(text)
    assert complaint in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_message_has_a_largest_size() -> None:
    with pytest.raises(MessageError, match="at most"):
        read_message("(PLAY m (" + "a " * (MAX_MESSAGE_BYTES // 2) + "))")


FORMS = ("(PLAY m ({}))", "(START m x ({}) 1 1)", "(STOP m 3 a ({}))", "{}", "(ABORT {})")


@pytest.mark.parametrize("items", ["x ", "() ", "(a b) ", "; (\n", ")(", "(" * 99 + ")" * 99])
@pytest.mark.parametrize("form", [pytest.param(form, marks=FULL if form in FORMS[1:] else ()) for form in FORMS])
def test_a_large_message_costs_little(form: str, items: str) -> None:
    """Only so many words are read; where none is too many for the rules, there is still only so much time."""
    text = form.format(items * (8_000_000 // len(items)))
    began = time.process_time()
    with pytest.raises(MessageError):
        read_message(text)
    assert time.process_time() - began < 5


def test_a_long_list_of_percepts_is_read() -> None:
    terms = [("cell", str(number), "b") for number in range(3000)]
    text = " ".join(f"(cell {number} b)" for number in range(3000))
    assert read_message(f"(PLAY m 4 noop ({text} ; and no more\n))") == Play("m", Percepts(4, "noop", tuple(terms)))


@given(st.text(alphabet="() ;ab?\n\t", max_size=60) | st.text(max_size=40))
def test_any_text_is_a_message_or_an_error(text: str) -> None:
    for read in (read_message, read_move, read_info):
        with suppress(MessageError):
            assert read(text) is not None


words = st.from_regex(r"[a-z][a-z0-9_]{0,5}|[0-9]{1,3}", fullmatch=True)
terms = st.recursive(
    words, lambda parts: st.tuples(st.from_regex("[a-z]{1,4}", fullmatch=True), parts, parts), max_leaves=6
)
news = st.none() | st.lists(terms, min_size=1, max_size=4).map(tuple)
percepts = st.builds(Percepts, st.integers(1, 999), terms, st.lists(terms, max_size=3).map(tuple))
clocks = st.integers(1, 10_000).map(float) | st.floats(0.01, 1000)
messages = st.one_of(
    st.just(Info()),
    st.just(Ping()),
    st.builds(Preview, st.just(RULES), clocks),
    st.builds(Start, words, words, st.just(RULES), clocks, clocks),
    st.builds(Play, words, news | percepts),
    st.builds(Stop, words, news | percepts),
    st.builds(Abort, words),
)


@given(messages)
def test_what_is_written_can_be_read(message: Message) -> None:
    text = write_message(message)
    assert "\n" not in text
    assert read_message(text) == message


def test_rules_survive_the_way_with_comments_lines_and_case() -> None:
    game = load("tictactoe")
    assert game.rules.source is not None
    message = read_message(write_message(Start("m", "x", game.rules.source.text, 1, 1)))
    assert isinstance(message, Start)
    assert Rules.parse(message.rules) == game.rules
    assert ";" not in message.rules


def test_moves_are_written_in_the_spelling_of_the_sheet() -> None:
    assert write_message(Play("m", (("mark", "a"),)), {"mark": "MARK"}) == "(PLAY m ((MARK a)))"
    assert move_text(("mark", "a"), {"mark": "Mark"}) == "(Mark a)"
    assert write_message(Play("m", Percepts(0, None, ()))) == "(PLAY m 0 NIL NIL)"


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("noop", "noop"),
        ("  NOOP  ", "noop"),
        ("(mark 1 2)", ("mark", "1", "2")),
        ("( MARK 1 2 )\r\n", ("mark", "1", "2")),
        ("(mark 1 2) (explanation foo", ("mark", "1", "2")),
        ("noop )", "noop"),
        ("; thinking\n(go)", "go"),
    ],
)
def test_only_the_first_term_of_an_answer_counts(text: str, move: object) -> None:
    assert read_move(text) == move


@pytest.mark.parametrize("text", ["", "   ", "(", "(mark 1 ?x)", "?x", ")", "()", "(())", "; only a comment"])
def test_answers_that_are_no_move(text: str) -> None:
    with pytest.raises(MessageError):
        read_move(text)


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("((name X) (status available))", InfoReply("X", True)),
        ("( ( NAME Gamer ) ( STATUS BUSY ) )", InfoReply("Gamer", False)),
        ("((status busy))", InfoReply("", False)),
        ("ready", InfoReply("", True)),
        ("busy", InfoReply("", False)),
        ("", InfoReply("", True)),
        ("((name) (species alien))", InfoReply("", True)),
    ],
)
def test_players_introduce_themselves_in_many_ways(text: str, reply: InfoReply) -> None:
    assert read_info(text) == reply


def test_own_introduction_is_a_list_whatever_the_name() -> None:
    assert read_info(info_text("my (best) player;", available=True)) == InfoReply("my__best__player_", True)
    assert ping_text(True) == "ready"
    assert ping_text(False) == "busy"
