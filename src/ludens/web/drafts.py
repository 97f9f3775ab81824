"""What a person who writes a rule sheet wants to know about the draft."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from statistics import fmean
from typing import Any

from ludens.analysis.facts import GameFacts
from ludens.analysis.sampling import Spread, sample
from ludens.errors import Finding, LudensError, RulesError
from ludens.game import Game
from ludens.gdl.rules import Rules
from ludens.gdl.validate import thinned
from ludens.runtime.deadline import Deadline
from ludens.web.dependency_graph import dependency_svg
from ludens.web.pictures import PageArtist

MAX_FINDINGS = 100
SAMPLE_PLAYS, SAMPLE_SECONDS = 200, 4.0
MAX_STEPS = 1_000
SHOWN_BOARDS = 12


def check(text: str) -> dict[str, Any]:
    """The findings of the validator, and what can be said of the rules without playing."""
    try:
        rules = Rules.parse(text, "draft")
        findings = rules.validate()
    except RulesError as error:
        return {"findings": _findings(error.findings), "roles": [], "rules": 0, "relations": 0, "graph": ""}
    return {
        "findings": _findings(findings),
        "roles": [rules.spelling.get(role, role) for role in rules.roles],
        "rules": len(rules.clauses),
        "relations": len(rules.relations),
        "graph": dependency_svg(rules),
    }


def structure(text: str) -> dict[str, Any]:
    """Fluents, boards and what else analysis finds; the picture of the first state."""
    game = Game(Rules.parse(text, "draft"), "draft")
    artist = PageArtist(game)
    facts = artist.facts
    artist.refresh()
    return {
        "svg": artist.svg([game.initial_state()]),
        "roles": [str(role) for role in game.player_roles],
        "chance": game.traits.chance,
        "hidden": game.traits.hidden,
        "lines": _lines(facts) if facts else [],
    }


def _lines(facts: GameFacts) -> list[tuple[str, str]]:
    def spelled(word: object) -> str:
        return facts.spelling.get(str(word), str(word))

    boards = {board.signature for board in facts.boards}
    quantities = {quantity.signature for quantity in facts.quantities}
    others = [spelled(name) for name, arity in facts.modes if (name, arity) not in boards | quantities]
    lines = [("fluents", ", ".join(f"{spelled(name)}/{arity}" for name, arity in facts.modes))]
    for board in facts.boards[:SHOWN_BOARDS]:
        size = " × ".join(str(len(axis.words)) for axis in board.axes)
        order = "ordered" if board.is_ordered else "without order"
        lines.append(("board", f"{spelled(board.signature[0])}: {size}, {order}, {board.places} places"))
    lines += [("quantity", spelled(quantity.signature[0])) for quantity in facts.quantities[:SHOWN_BOARDS]]
    if facts.counter:
        lines.append(("counts steps", spelled(facts.counter.signature[0])))
    if facts.control:
        lines.append(("turns", "told by the state"))
    if others:
        lines.append(("other fluents", ", ".join(others)))
    lines += [("left out", words) for words in facts.left_out]
    return lines


def statistics(text: str, seed: int = 0) -> dict[str, Any]:
    """What random games show: how long, how wide, and who wins."""
    game = Game(Rules.parse(text, "draft"), "draft")
    seen = sample(game, SAMPLE_PLAYS, Random(seed), Deadline(SAMPLE_SECONDS), MAX_STEPS)
    result: dict[str, Any] = {
        "plays": seen.plays,
        "finished": seen.finished,
        "length": _spread(seen.lengths),
        "branching": _spread(seen.joint_moves),
        "choices": {str(role): _spread(spread) for role, spread in seen.choices.items()},
        "simultaneous": seen.simultaneous,
        "constant_sum": seen.constant_sum,
        "balance": {},
        "problem": "",
    }
    try:
        games = game.playouts(game.initial_state(), SAMPLE_PLAYS, Random(seed), MAX_STEPS, wait=False)
    except LudensError as error:
        result["problem"] = str(error)
        return result
    seats = [number for number, role in enumerate(game.roles) if role in game.player_roles]
    result["balance"] = _balance([str(game.roles[number]) for number in seats], games.goals[:, seats].tolist())
    return result


def _balance(roles: Sequence[str], ends: Sequence[Sequence[float]]) -> dict[str, dict[str, Any]]:
    """What each role gets on average, and how often it gets more than all others; None where there are no others."""
    found: dict[str, dict[str, Any]] = {}
    for number, role in enumerate(roles):
        goals = [int(row[number]) for row in ends if row[number] >= 0]
        others = [(row[number], [*row[:number], *row[number + 1 :]]) for row in ends]
        wins = sum(own > max(rest) for own, rest in others) if len(roles) > 1 else None
        if goals:
            found[role] = {"mean": round(fmean(goals), 1), "wins": wins, "games": len(goals)}
    return found


def _spread(spread: Spread) -> dict[str, float]:
    return {"least": spread.least, "mean": round(spread.mean, 1), "most": spread.most}


def _findings(findings: Any) -> list[dict[str, object]]:
    kept: list[Finding] = list(thinned(findings))[:MAX_FINDINGS]
    return [finding.to_json() for finding in kept]
