"""Claims to prove about sampled structures, and the structures with the evidence of proofs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from ludens.analysis.boards import Axis, Board, Content, Words
from ludens.analysis.induction import Claim, Determined, Follows, OnlyChooser, Present, Stacked
from ludens.analysis.modes import FluentModes, FluentTable, with_evidence
from ludens.analysis.turns import Control
from ludens.gdl.formulas import Signature
from ludens.gdl.rules import Rules


def claims(
    rules: Rules, modes: Mapping[Signature, FluentModes], boards: Sequence[Board], control: Control | None
) -> list[Claim]:
    """Return the claims, each once, including those that help to prove others."""
    every = [*_mode_claims(modes), *_piece_claims(boards), *_turn_claims(control, rules)]
    return list(dict.fromkeys(every))


def _mode_claims(modes: Mapping[Signature, FluentModes]) -> list[Claim]:
    """Return all keys that were seen, and larger ones, which may be proved where these cannot."""
    claims: list[Claim] = []
    for signature, mode in modes.items():
        for key in mode.keys:
            claims.append(Determined(signature, key.inputs))
            if key.full:
                claims.append(Present(signature, key.inputs))
            larger = [tuple(sorted({*key.inputs, more})) for more in range(signature[1]) if more not in key.inputs]
            claims += [Determined(signature, inputs) for inputs in larger if len(inputs) < signature[1]]
    return claims


def _piece_claims(boards: Sequence[Board]) -> list[Claim]:
    return [_once(board, content) for board in boards for content in board.contents if content.unique]


def _once(board: Board, content: Content) -> Determined:
    """Return the claim that a content is on one place of a board only."""
    fixed = tuple(zip(board.content_arguments, content.words, strict=True))
    return Determined(board.signature, tuple(axis.argument for axis in board.selectors), fixed)


def _turn_claims(control: Control | None, rules: Rules) -> list[Claim]:
    if not control:
        return []
    choosers = [OnlyChooser(fact, rules.roles[role]) for fact, role in control.turns.items()]
    return [*choosers, *(OnlyChooser(fact, None) for fact in control.idle), *_order_claims(control)]


def _order_claims(control: Control) -> list[Claim]:
    """Return the claims that the turns follow each other; only for a fluent with one fact for each role."""
    fact_of = {role: fact for fact, role in control.turns.items()}
    if len(fact_of) < len(control.turns) or not control.order:
        return []
    following = zip(control.order, (*control.order[1:], control.order[0]), strict=True)
    return [Follows(fact_of[role], fact_of[after]) for role, after in following]


def stacked_claims(boards: Sequence[Board], tables: Mapping[Signature, FluentTable]) -> Iterator[Stacked]:
    """Yield the claims that nothing lies above an empty place, along coordinates of boards where the sample agrees.

    They help to prove others: only the top disc of a peg can be moved.
    """
    for board in boards:
        if board.blank and len(board.content_arguments) == 1:
            for axis in board.axes:
                for words in (axis.words, axis.words[::-1]) if axis.order else ():
                    if _is_stack(board, axis, words, tables[board.signature]):
                        yield Stacked(board.signature, axis.argument, words, board.content_arguments[0], board.blank[0])


def _is_stack(board: Board, axis: Axis, words: Words, table: FluentTable) -> bool:
    """Return whether no place was empty while the next one was not."""
    columns = {fact: number for number, fact in enumerate(table.facts)}
    content = board.content_arguments[0]
    above = dict(pairwise(words))
    for fact, column in columns.items():
        if (fact[content],) == board.blank and fact[axis.argument] in above:
            other = tuple(above[fact[index]] if index == axis.argument else word for index, word in enumerate(fact))
            if other in columns and (table.bits[:, column] & ~table.bits[:, columns[other]]).any():
                return False
    return True


def proved_modes(modes: FluentModes, proved: set[Claim], table: FluentTable) -> FluentModes:
    own = [claim for claim in proved if isinstance(claim, Determined | Present) and claim.signature == modes.signature]
    keys = {claim.inputs for claim in own if isinstance(claim, Determined) and not claim.fixed}
    return with_evidence(modes, keys, {claim.inputs for claim in own if isinstance(claim, Present)}, table)


def proved_board(board: Board, modes: Mapping[Signature, FluentModes], proved: set[Claim]) -> Board:
    key = next((key for key in modes[board.signature].keys if key.inputs == board.key.inputs), board.key)
    contents = (
        replace(content, unique_evidence="proved") if content.unique and _once(board, content) in proved else content
        for content in board.contents
    )
    return replace(board, key=key, contents=tuple(contents))


def proved_control(control: Control, proved: set[Claim]) -> Control:
    """Return the control with its evidence: proved if one fact holds at a time, and then only one role has a choice.

    Facts that were seen with no choice of anybody must allow none, unless the order of turns leaves them out.
    """
    alone = {Determined(control.signature, ()), Present(control.signature, ())} <= proved
    one_at_a_time = alone and control.other is None
    chooser = {claim.fact for claim in proved if isinstance(claim, OnlyChooser)}
    order = _order_claims(control)
    in_order = one_at_a_time and bool(order) and proved.issuperset(order)
    facts = {*control.turns, *(() if in_order else control.idle)}
    return replace(
        control,
        evidence="proved" if one_at_a_time and chooser >= facts else "sampled",
        order_evidence="proved" if in_order else "sampled",
    )
