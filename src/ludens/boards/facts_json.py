"""Facts about a game as plain values for JSON, as far as they are drawn; and back.

Static facts are left out: computing them again is faster than reading them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from itertools import product
from typing import Any

from ludens.analysis.boards import Axis, Board, Content
from ludens.analysis.facts import GameFacts
from ludens.analysis.kind import GameKind
from ludens.analysis.modes import FluentModes, Key
from ludens.analysis.orders import Order
from ludens.analysis.quantities import Counter, Quantity
from ludens.analysis.states import signature_of
from ludens.analysis.symmetry import Symmetries
from ludens.analysis.turns import Control
from ludens.boards.first_look import StaticFacts
from ludens.core import GroundTerm
from ludens.game import Game
from ludens.gdl.formulas import Signature

VERSION = 1

Values = Mapping[str, Any]


def to_values(facts: GameFacts) -> dict[str, Any]:
    """Return plain values, without proofs and symmetries, which no drawing needs."""
    control = facts.control
    return {
        "version": VERSION,
        "rules": facts.rules.digest,
        "kind": asdict(facts.kind),
        "fluents": list(_packed(facts.fluents)),
        "modes": [asdict(mode) for mode in facts.modes.values()],
        "boards": [asdict(board) for board in facts.boards],
        "quantities": [asdict(quantity) for quantity in facts.quantities],
        "counter": asdict(facts.counter) if facts.counter else None,
        "control": asdict(control) | {"turns": list(control.turns.items())} if control else None,
        "states": facts.states,
        "left_out": facts.left_out,
    }


def from_values(game: Game, values: Values) -> GameFacts:
    """Return the facts about a game; raise ValueError, or another of `UNREADABLE`, for other or damaged values."""
    rules = game.reference_engine.rules
    if values["version"] != VERSION or values["rules"] != rules.digest:
        raise ValueError("these are facts about other rules")
    found: Values = _with_tuples(values)
    static = StaticFacts.of(game)
    modes = [FluentModes(each["signature"], tuple(Key(**key) for key in each["keys"])) for each in found["modes"]]
    return GameFacts(
        rules=rules,
        spelling=game.rules.spelling,
        roles=game.roles,
        graph=static.graph,
        relations=static.relations,
        orders=static.orders,
        modes={mode.signature: mode for mode in modes},
        boards=tuple(map(_board, found["boards"])),
        quantities=tuple(map(_quantity, found["quantities"])),
        counter=Counter(**found["counter"]) if found["counter"] else None,
        control=Control(**found["control"] | {"turns": dict(found["control"]["turns"])}) if found["control"] else None,
        kind=GameKind(**found["kind"]),
        symmetries=Symmetries(),
        fluents=tuple(_unpacked(found["fluents"])),
        states=found["states"],
        left_out=found["left_out"],
        seconds=0.0,
    )


def _with_tuples(value: Any) -> Any:
    """Return the value with tuples in place of the lists of JSON."""
    if isinstance(value, Mapping):
        return {key: _with_tuples(each) for key, each in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list | tuple) else value


def _board(values: Values) -> Board:
    return Board(
        **dict(values)
        | {
            "key": Key(**values["key"]),
            "axes": tuple(map(_axis, values["axes"])),
            "selectors": tuple(map(_axis, values["selectors"])),
            "content_order": _order(values["content_order"]),
            "contents": tuple(Content(**content) for content in values["contents"]),
        }
    )


def _axis(values: Values) -> Axis:
    return Axis(**dict(values) | {"order": _order(values["order"])})


def _order(values: Values | None) -> Order | None:
    return Order(**values) if values else None


def _quantity(values: Values) -> Quantity:
    return Quantity(**dict(values) | {"key": Key(**values["key"]), "order": Order(**values["order"])})


def _packed(fluents: Iterable[GroundTerm]) -> Iterable[dict[str, Any]]:
    """Yield facts by their names: the words of each argument, and the rows if not all combinations occur."""
    rows: dict[Signature, list[tuple[GroundTerm, ...]]] = {}
    for fluent in fluents:
        rows.setdefault(signature_of(fluent), []).append(fluent[1:] if isinstance(fluent, tuple) else ())
    for (name, arity), facts in rows.items():
        words = [list(dict.fromkeys(column)) for column in zip(*facts, strict=True)]
        places = [{word: number for number, word in enumerate(column)} for column in words]
        chosen = [place[word] for fact in facts for place, word in zip(places, fact, strict=True)]
        everything = facts == list(product(*words))
        yield {"name": name, "arity": arity, "words": words, "rows": None if everything else chosen}


def _unpacked(packed: Iterable[Values]) -> Iterable[GroundTerm]:
    for each in packed:
        name, arity, words, rows = each["name"], each["arity"], each["words"], each["rows"]
        if rows is None:
            facts: Iterable[tuple[GroundTerm, ...]] = product(*words)
        else:
            facts = (
                tuple(column[place] for column, place in zip(words, rows[start : start + arity], strict=True))
                for start in range(0, len(rows), arity)
            )
        yield from ((name, *fact) if arity else name for fact in facts)
