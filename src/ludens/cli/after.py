"""The state after moves as a person writes them."""

from __future__ import annotations

from ludens.cli.wording import matching, short
from ludens.core import Move, Role
from ludens.errors import GameOverError, IllegalMoveError, MissingMoveError, PlayError
from ludens.game import Game, State


def state_after(game: Game, moves: list[str]) -> State:
    """The state after these moves from the start; PlayError if one of them cannot be made."""
    state = game.initial_state()
    for number, text in enumerate(moves, 1):
        if state.is_terminal:
            raise GameOverError(f"the game is over before move {number}, {text}")
        try:
            state = state.next(_joint(state, text))
        except PlayError as error:
            raise PlayError(f"move {number}: {error}") from error
    return state


def _joint(state: State, text: str) -> dict[Role, Move]:
    """`mark 1 1`, or `red: rock, blue: paper`; roles without a choice are left out."""
    joint: dict[Role, Move] = {}
    for part in _parts(text):
        name, colon, words = part.rpartition(":")
        role = state.game.roles[state.game.role_index(name.strip())] if colon else _chooser(state, text)
        if role in joint:
            raise PlayError(f"{text} has two moves of {role}; repeat --after for one move after the other")
        joint[role] = _meant(state, role, words.strip())
    return joint


def _parts(text: str) -> list[str]:
    """What commas outside parentheses separate."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += sign
    return parts


def _chooser(state: State, text: str) -> Role:
    """Whose move it is, if that is not said."""
    choosing = state.choosers
    if len(choosing) > 1:
        raise MissingMoveError(f"{text} does not say whose move it is; write `{choosing[0]}: {text}, ...`")
    return (choosing or state.game.roles)[0]


def _meant(state: State, role: Role, words: str) -> Move:
    told = state.announced_moves(role)
    if not words:
        example = f"; write one such as `{short(told[0])}`" if told else ""
        raise MissingMoveError(f"no move of {role} is given{example}")
    found = matching(told, words) or matching(state.legal_moves(role), words)
    if len(found) != 1:
        raise IllegalMoveError(role, words, tuple(found) or told)
    return found[0]
