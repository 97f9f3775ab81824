"""A comparison of the structures found by templates and by the semantic analysis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ludens.analysis.boards import Board
from ludens.analysis.facts import GameFacts
from ludens.analysis.templates.structures import MarkedBoard, Templates
from ludens.core import GroundTerm
from ludens.gdl.formulas import Signature
from ludens.gdl.terms import natural_key, term_text

NOTHING = "-"
SHOWN_WORDS = 6


@dataclass(frozen=True, slots=True)
class Difference:
    """Both views of one structure in words; the same words if they agree."""

    structure: str
    subject: str
    templates: str
    analysis: str

    @property
    def agree(self) -> bool:
        return self.templates == self.analysis


def compare(templates: Templates, facts: GameFacts) -> list[Difference]:
    """Return both views of every structure that one of them finds."""
    view = _View(templates, facts)
    return [*view.successors(), *view.counters(), *view.boards(), *view.amounts(), *view.teams()]


class _View:
    def __init__(self, templates: Templates, facts: GameFacts) -> None:
        self.templates, self.facts = templates, facts

    def successors(self) -> Iterator[Difference]:
        seen = {row.name: self._row(row.words) for row in self.templates.successors}
        known = {
            relation.name: self._row(relation.row)
            for relation in self.facts.relations
            if relation.arity == 2 and relation.is_successor and relation.row and relation.chains
        }
        for name in dict.fromkeys([*seen, *known]):
            yield Difference("successor", self._text(name), seen.get(name, NOTHING), known.get(name, NOTHING))

    def counters(self) -> Iterator[Difference]:
        counter = self.facts.counter
        known = {counter.signature} if counter else set()
        for signature in dict.fromkeys([*self.templates.counters, *known]):
            seen = "counts steps" if signature in self.templates.counters else NOTHING
            yield Difference(
                "counter", self._pattern(signature), seen, "counts steps" if signature in known else NOTHING
            )

    def boards(self) -> Iterator[Difference]:
        boards = {board.signature: board for board in self.templates.boards}
        known = {board.signature: board for board in self.facts.boards}
        for signature in dict.fromkeys([*boards, *known]):
            mine, other = boards.get(signature), known.get(signature)
            pattern = self._pattern(signature)
            yield Difference(
                "board", pattern, _layout(mine) if mine else NOTHING, _known_layout(other) if other else NOTHING
            )
            pieces, markers = _contents(other) if other else ([], [])
            for name, seen, told in (
                ("pieces", mine.pieces if mine else (), pieces),
                ("markers", mine.markers if mine else (), markers),
            ):
                if seen or told:
                    yield Difference(name, pattern, self._words(seen), self._words(told))

    def amounts(self) -> Iterator[Difference]:
        seen = {(amount.signature, amount.output): amount.inputs for amount in self.templates.amounts}
        known = {
            (quantity.signature, quantity.argument): quantity.key.inputs
            for quantity in self.facts.quantities
            if not self.facts.board(quantity.signature)
        }
        for signature, output in dict.fromkeys([*seen, *known]):
            texts = [
                _arrow(found[signature, output], output) if (signature, output) in found else NOTHING
                for found in (seen, known)
            ]
            yield Difference("quantity", self._pattern(signature), *texts)

    def teams(self) -> Iterator[Difference]:
        if sum(map(len, self.templates.teams)) > 1:
            teams = (self.templates.teams, self.facts.kind.teams)
            yield Difference("teams", "roles", *("; ".join(map(self._team, sorted(found))) for found in teams))

    def _team(self, team: Iterable[int]) -> str:
        return " with ".join(str(self.facts.roles[role]) for role in team)

    def _row(self, words: Iterable[GroundTerm]) -> str:
        texts = list(map(self._text, words))
        shown = texts if len(texts) <= SHOWN_WORDS else [*texts[: SHOWN_WORDS - 2], "...", texts[-1]]
        return " ".join(shown)

    def _words(self, words: Iterable[GroundTerm]) -> str:
        return " ".join(map(self._text, sorted(words, key=natural_key))) or NOTHING

    def _pattern(self, signature: Signature) -> str:
        name, arity = signature
        return f"({' '.join([self._text(name), *(f'?{index + 1}' for index in range(arity))])})"

    def _text(self, term: GroundTerm) -> str:
        return term_text(term, self.templates.spelling)


def _arrow(inputs: Iterable[int], *outputs: int) -> str:
    left, right = (" ".join(f"?{index + 1}" for index in side) for side in (inputs, outputs))
    return f"{left} -> {right}" if left else right


def _layout(board: MarkedBoard) -> str:
    ordered = [place for place, order in zip(board.inputs, board.orders, strict=True) if order]
    return _board_words(board.inputs, (board.output,), ordered)


def _known_layout(board: Board) -> str:
    places = [*board.axes, *board.selectors]
    inputs = sorted(axis.argument for axis in places)
    return _board_words(inputs, board.content_arguments, [axis.argument for axis in places if axis.order])


def _board_words(inputs: Iterable[int], outputs: Iterable[int], ordered: Iterable[int]) -> str:
    places = " ".join(f"?{index + 1}" for index in sorted(ordered))
    return f"{_arrow(inputs, *outputs)}, {f'{places} ordered' if places else 'not ordered'}"


def _contents(board: Board) -> tuple[list[GroundTerm], list[GroundTerm]]:
    """Return the unique pieces, and all other contents that were seen."""
    pieces: list[GroundTerm] = []
    others: list[GroundTerm] = []
    for content in board.contents:
        if content.most and content.words:
            word = content.words[0] if len(content.words) == 1 else content.words
            (pieces if content.unique and content.kind == "piece" else others).append(word)
    return pieces, others
