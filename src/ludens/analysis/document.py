"""The facts about a game as plain values for JSON, in the author's spelling."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ludens.analysis.boards import Axis, Board
from ludens.analysis.orders import Order
from ludens.analysis.relations import StaticRelation
from ludens.analysis.symmetry import Symmetry
from ludens.analysis.symmetry.effects import board_effect
from ludens.core import GroundTerm
from ludens.gdl.domains import Position
from ludens.gdl.formulas import Signature
from ludens.gdl.terms import term_text

if TYPE_CHECKING:
    from ludens.analysis.facts import GameFacts


def document(facts: GameFacts) -> dict[str, Any]:
    return _Document(facts).whole()


class _Document:
    def __init__(self, facts: GameFacts) -> None:
        self.facts = facts

    def whole(self) -> dict[str, Any]:
        facts = self.facts
        return {
            "digest": facts.rules.digest,
            "roles": list(facts.roles),
            "kind": asdict(facts.kind),
            "domains": [
                {"positions": list(map(self._position, domain.positions)), "words": self._texts(domain.words)}
                for domain in facts.graph.domains
            ],
            "relations": [self._relation(relation) for relation in facts.relations],
            "fluents": [
                {
                    "name": self._text(mode.signature[0]),
                    "arity": mode.signature[1],
                    "keys": [asdict(key) | {"modes": mode.modes(key)} for key in mode.keys],
                }
                for mode in facts.modes.values()
            ],
            "boards": [self._board(board) for board in facts.boards],
            "quantities": [
                self._fluent(quantity.signature)
                | {
                    "inputs": list(quantity.key.inputs),
                    "evidence": quantity.key.evidence,
                    "argument": quantity.argument,
                    "order": self._order(quantity.order),
                }
                for quantity in facts.quantities
            ],
            "step_counter": self._counter(),
            "control": self._control(),
            "symmetries": {
                "complete": facts.symmetries.complete,
                "exact": [self._symmetry(symmetry) for symmetry in facts.symmetries.exact],
                "apart_from_start": [self._symmetry(symmetry) for symmetry in facts.symmetries.apart_from_start],
                "sampled": [self._symmetry(symmetry) for symmetry in facts.symmetries.sampled],
            },
            "states": facts.states,
            "left_out": list(facts.left_out),
            "seconds": facts.seconds,
        }

    def _relation(self, relation: StaticRelation) -> dict[str, Any]:
        names = ("symmetric", "antisymmetric", "functional", "injective", "transitive", "total")
        return {
            "relation": self._text(relation.pattern),
            "successor": relation.is_successor,
            "order": relation.is_order,
            "adjacency": relation.is_adjacency,
            "properties": [name for name in names if getattr(relation, name)],
            "pairs": len(relation.pairs),
            "chains": [self._texts(chain) for chain in relation.chains],
            "cycles": [self._texts(cycle) for cycle in relation.cycles],
        }

    def _board(self, board: Board) -> dict[str, Any]:
        return self._fluent(board.signature) | {
            "inputs": list(board.key.inputs),
            "evidence": board.key.evidence,
            "axes": [self._axis(axis) for axis in board.axes],
            "selectors": [self._axis(axis) for axis in board.selectors],
            "contents_in": list(board.content_arguments),
            "content_order": self._order(board.content_order),
            "exclusive": board.exclusive,
            "places": board.places,
            "contents": [
                {
                    "words": self._texts(content.words),
                    "kind": content.kind,
                    "most": content.most,
                    "unique": content.unique,
                    "unique_evidence": content.unique_evidence,
                    "owner": None if content.owner is None else self.facts.roles[content.owner],
                }
                for content in board.contents
            ],
        }

    def _counter(self) -> dict[str, Any] | None:
        counter = self.facts.counter
        if counter is None:
            return None
        return {
            "facts": self._texts(counter.facts),
            "ends_at": counter.ends_at,
            "evidence": counter.evidence,
        }

    def _control(self) -> dict[str, Any] | None:
        control = self.facts.control
        if control is None:
            return None
        return self._fluent(control.signature) | {
            "other": self._fluent(control.other) if control.other else None,
            "turns": {self._text(fact): self.facts.roles[role] for fact, role in control.turns.items()},
            "evidence": control.evidence,
            "order": [self.facts.roles[role] for role in control.order],
            "order_evidence": control.order_evidence if control.order else None,
        }

    def _symmetry(self, symmetry: Symmetry) -> dict[str, Any]:
        roles = self.facts.roles
        effects = {board.signature: board_effect(symmetry, board) for board in self.facts.boards}
        return {
            "roles": {roles[role]: roles[image] for role, image in enumerate(symmetry.roles)},
            "words": {self._text(word): self._text(image) for word, image in symmetry.changed_words.items()},
            "boards": {self._text(name): effect for (name, _), effect in effects.items() if effect},
        }

    def _axis(self, axis: Axis) -> dict[str, Any]:
        return {"argument": axis.argument, "words": self._texts(axis.words), "order": self._order(axis.order)}

    def _order(self, order: Order | None) -> dict[str, Any] | None:
        if order is None:
            return None
        return {
            "words": self._texts(order.words),
            "relation": self._text(order.relation),
            "wraps": order.wraps,
        }

    def _position(self, position: Position) -> list[Any]:
        kind, name, arity, index = position
        return [kind, self._text(name), arity, index]

    def _fluent(self, signature: Signature) -> dict[str, Any]:
        return {"name": self._text(signature[0]), "arity": signature[1]}

    def _texts(self, terms: Iterable[GroundTerm]) -> list[str]:
        return [self._text(term) for term in terms]

    def _text(self, term: GroundTerm) -> str:
        return term_text(term, self.facts.spelling)
