"""What to try to prove about the structures that were seen, and what they are after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ludens.analysis.boards import Board, Content
from ludens.analysis.induction import Claim, Determined, Follows, OnlyChooser, Present
from ludens.analysis.modes import FluentModes, FluentTable, with_evidence
from ludens.analysis.turns import Control
from ludens.gdl.formulas import Signature
from ludens.gdl.rules import Rules


def claims(
    rules: Rules, modes: Mapping[Signature, FluentModes], boards: Sequence[Board], control: Control | None
) -> list[Claim]:
    """Each once; those that help to prove others are among them."""
    every = [*_mode_claims(modes), *_piece_claims(boards), *_turn_claims(control, rules)]
    return list(dict.fromkeys(every))


def _mode_claims(modes: Mapping[Signature, FluentModes]) -> list[Claim]:
    """All keys that were seen, and larger ones, which may be proved where these cannot."""
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
    """The content is on one place of a board only."""
    fixed = tuple(zip(board.content_arguments, content.words, strict=True))
    return Determined(board.signature, tuple(axis.argument for axis in board.selectors), fixed)


def _turn_claims(control: Control | None, rules: Rules) -> list[Claim]:
    if not control:
        return []
    choosers = [OnlyChooser(fact, rules.roles[role]) for fact, role in control.turns.items()]
    return [*choosers, *(OnlyChooser(fact, None) for fact in control.idle), *_order_claims(control)]


def _order_claims(control: Control) -> list[Claim]:
    """That the turns follow each other; only for a fluent with one fact for each role."""
    fact_of = {role: fact for fact, role in control.turns.items()}
    if len(fact_of) < len(control.turns) or not control.order:
        return []
    following = zip(control.order, (*control.order[1:], control.order[0]), strict=True)
    return [Follows(fact_of[role], fact_of[after]) for role, after in following]


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
    """The turns are proved if one fact holds at a time, and then only one role has a choice.

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
