"""The placement of relations in heads and bodies, and their dependencies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ludens.errors import Finding
from ludens.gdl.formulas import Atom, Signature
from ludens.gdl.keywords import CHANCE
from ludens.gdl.validate.sheet import Sheet

_BODY_ONLY = {
    "true": "say what holds at the start with `init`, and after a move with `next`",
    "does": "say which moves are possible with `legal`; the players choose what they do",
}
_HEAD_ONLY = {
    "init": "use `true` for the present state, or move the condition into a relation that both rules use",
    "next": "move the conditions of the `next` rules into a relation that both rules use",
    "sees": "move the conditions of the `sees` rules into a relation that both rules use",
    CHANCE: "the outcome is known only when the move is announced; look at the move with `does`",
}
_STATE = ("true", "does", "next", "legal", "goal", "terminal")
_MOVES = "the moves are made only after it is asked"
_FIXED = "it is asked before the game begins"
_FORBIDDEN = {
    "init": (_STATE, _FIXED),
    "base": (_STATE, _FIXED),
    "input": (_STATE, _FIXED),
    "legal": (("does",), _MOVES),
    "goal": (("does",), _MOVES),
    "terminal": (("does",), _MOVES),
    CHANCE: (("does",), "the outcome is drawn while the moves are made"),
}


def check_heads(sheet: Sheet) -> Iterator[Finding]:
    """`true` and `does` are given by the play; rules cannot define them."""
    for clause in sheet.clauses:
        if clause.head.name in _BODY_ONLY:
            name = clause.head.name
            yield sheet.finding(
                "only-in-bodies", clause.head.span, f"`{name}` cannot be the head of a rule", _BODY_ONLY[name]
            )


def check_bodies(sheet: Sheet) -> Iterator[Finding]:
    """`init`, `next`, `sees` and the random relation are answers of a sheet, not questions it can ask."""
    for _, atom in sheet.body_atoms:
        if atom.name in _HEAD_ONLY:
            yield sheet.finding(
                "only-in-heads",
                atom.span,
                f"`{atom.name}` cannot be a condition in the body of a rule",
                _HEAD_ONLY[atom.name],
            )


def check_dependencies(sheet: Sheet, relations: Iterable[str] = tuple(_FORBIDDEN)) -> Iterator[Finding]:
    """What is asked before the moves are made cannot look at them, nor the start of the game at the play."""
    edges = _first_uses(sheet)
    for name in relations:
        forbidden, reason = _FORBIDDEN[name]
        for start in [signature for signature in edges if signature[0] == name]:
            path = _path(edges, start, forbidden)
            if path:
                chain = sheet.chain([start[0], *(atom.name for atom in path)])
                yield sheet.finding(
                    "forbidden-dependency",
                    path[0].span,
                    f"`{name}` depends on `{path[-1].name}`, but {reason}: {chain}",
                    f"remove one link of the chain, for example by giving `{name}` a relation of its own",
                )


def _first_uses(sheet: Sheet) -> dict[Signature, dict[Signature, Atom]]:
    """Return for each relation those its clauses use, with the first atom that does so."""
    edges: dict[Signature, dict[Signature, Atom]] = {}
    for clause, atom in sheet.body_atoms:
        edges.setdefault(clause.head.signature, {}).setdefault(atom.signature, atom)
    return edges


def _path(
    edges: dict[Signature, dict[Signature, Atom]], start: Signature, targets: tuple[str, ...]
) -> list[Atom] | None:
    """Return a shortest path from a relation to one of the targets, as the atoms along it."""
    came_from: dict[Signature, tuple[Signature, Atom]] = {}
    queue = [start]
    for relation in queue:
        for target, atom in edges.get(relation, {}).items():
            if target in came_from or target == start:
                continue
            came_from[target] = relation, atom
            if target[0] in targets:
                return _backwards(came_from, start, target)
            queue.append(target)
    return None


def _backwards(came_from: dict[Signature, tuple[Signature, Atom]], start: Signature, target: Signature) -> list[Atom]:
    path: list[Atom] = []
    while target != start:
        target, atom = came_from[target]
        path.append(atom)
    return path[::-1]
