"""The report of a model: sums of features in words with a bar for each weight, as text, chart or plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ludens.analysis.facts import GameFacts
from ludens.drawing import Drawing
from ludens.evaluation.model.forms import LinearForm
from ludens.evaluation.model.game_model import GameModel, RoleModel
from ludens.evaluation.model.words import Wording

BAR = 20
"""The longest bar, in characters."""
PLUS, MINUS = "█", "░"
"""What bars are made of."""
NOT_TOLD = "no stable feature tells it"
TITLES = {
    "Payoff": "from 0 to 100",
    "Outcome correction": "added to the worth",
    "Control": "from -1 to 1",
    "Termination": "from 0 to 1",
}
"""The parts of a model, and their limits."""
WIDTH, MARGIN = 760.0, 16.0
LEFT, RIGHT = 560.0, 680.0
"""Where bars begin in the chart, and where the longest ends."""
HEAD, HEADING, ROW, FOOT = 62.0, 30.0, 22.0, 14.0
BAND = 9.0
MAX_LABEL = 84


@dataclass(frozen=True, slots=True)
class Term:
    """A feature in words and its weight; a difference is turned so that the weight is positive."""

    weight: float
    words: str
    expressions: tuple[str, ...]
    """What the numbers are read off; that of the feature that is taken away comes second."""


def terms_of(form: LinearForm, facts: GameFacts) -> list[Term]:
    """Return the terms of a form, the one with the largest weight first."""
    wording, found = Wording(facts), []
    for weight, feature in zip(form.weights, form.features, strict=True):
        turned = feature.is_relative and weight < 0
        expressions = [wording.expression(part) for part in feature.parts]
        if turned:
            weight, expressions = -weight, expressions[::-1]
        found.append(Term(weight, wording.feature(feature, turned), tuple(expressions)))
    return sorted(found, key=lambda term: -abs(term.weight))


def parts_of(model: GameModel, role: str | None = None) -> Iterator[tuple[str, RoleModel | None, LinearForm | None]]:
    """Yield the parts of a model for one role, by its name, or for all: what each is called, for whom, and the sum."""
    for one in model.roles:
        if role is None or one.role.lower() == role.lower():
            yield "Payoff", one, one.payoff
            if one.outcome_correction:
                yield "Outcome correction", one, one.outcome_correction
            yield "Control", one, one.control
    yield "Termination", None, model.termination


def report(model: GameModel, facts: GameFacts, role: str | None = None) -> str:
    """Return the model of one role, by its name, or of all."""
    lines = [summary(model)]
    for title, owner, form in parts_of(model, role):
        if title not in ("Outcome correction", "Control"):
            lines.append("")
        if title == "Payoff" and owner:
            lines.append(f"for {owner.role}:")
        lines += _part_lines(title, form, facts)
        if title == "Control" and owner and owner.payoff and owner.control:
            share = owner.control_share
            lines.append(f"Payoff stability = {1 - share:.3f}, control stability = {share:.3f}")
    lines += [f"left out: {text}" for text in model.left_out]
    return "\n".join(lines)


def summary(model: GameModel) -> str:
    """Return what a model was made from."""
    return f"from {model.states:,} states of random games; of {model.candidates:,} features {model.stable:,} are stable"


def _part_lines(title: str, form: LinearForm | None, facts: GameFacts) -> Iterator[str]:
    if form is None:
        yield f"{title}: {NOT_TOLD}"
        return
    yield f"{title} ({TITLES[title]}) ="
    terms = terms_of(form, facts)
    largest = max((abs(term.weight) for term in terms), default=0.0)
    width = max((len(term.words) for term in terms), default=0)
    for term in terms:
        bar = (PLUS if term.weight > 0 else MINUS) * max(1, round(BAR * abs(term.weight) / (largest or 1.0)))
        yield f"  {term.weight:+9.3f} {term.words:<{width}}  {bar}"
    if form.constant or not terms:
        yield f"  {form.constant:+9.3f}"


def document(model: GameModel, facts: GameFacts, role: str | None = None) -> dict[str, Any]:
    """Return the same as plain values, for programs."""
    roles: dict[str, dict[str, Any]] = {}
    for title, owner, form in parts_of(model, role):
        if owner is not None:
            about = roles.setdefault(owner.role, {"role": str(owner.role)})
            about[title.lower().replace(" ", "_")] = None if form is None else _plain(form, facts)
            about |= {"payoff_share": 1 - owner.control_share, "control_share": owner.control_share}
    return {
        "states": model.states,
        "features": model.candidates,
        "stable_features": model.stable,
        "seconds": round(model.seconds, 3),
        "roles": list(roles.values()),
        "termination": _plain(model.termination, facts),
        "left_out": list(model.left_out),
    }


def _plain(form: LinearForm, facts: GameFacts) -> dict[str, Any]:
    terms = [
        {"weight": term.weight, "feature": term.words, "expressions": list(term.expressions)}
        for term in terms_of(form, facts)
    ]
    return {"constant": form.constant, "terms": terms}


def chart(model: GameModel, facts: GameFacts, title: str, role: str | None = None) -> Drawing:
    """Return the weights of a model for one role, or for all; the parts have a scale of their own each."""
    parts = [(name, owner, form, terms_of(form, facts) if form else []) for name, owner, form in parts_of(model, role)]
    height = HEAD + sum(HEADING + ROW * max(1, len(terms)) for _, _, _, terms in parts) + FOOT
    drawing = Drawing(WIDTH, height, title)
    drawing.text(MARGIN, 26, title, size=15)
    drawing.text(MARGIN, 46, summary(model), size=12, kind="faint")
    y = HEAD
    for name, owner, form, terms in parts:
        whose = f"{name} of {owner.role}" if owner else name
        constant = f"; begins with {form.constant:+.3f}" if form and form.constant else ""
        drawing.text(MARGIN, y + 20, f"{whose}, {TITLES[name]}{constant}", size=13, kind="faint")
        y += HEADING
        largest = max((abs(term.weight) for term in terms), default=0.0) or 1.0
        for term in terms:
            middle = y + ROW / 2
            drawing.text(LEFT - 12, middle + 4, _short(term.words), size=11, anchor="end")
            length = max(1.0, (RIGHT - LEFT) * abs(term.weight) / largest)
            drawing.bar(LEFT, middle - BAND / 2, length, BAND, "c0" if term.weight > 0 else "c3", rounding=2)
            drawing.text(LEFT + length + 8, middle + 4, f"{term.weight:+.3f}", size=11, kind="faint")
            y += ROW
        if not terms:
            drawing.text(LEFT - 12, y + ROW / 2 + 4, "the same everywhere" if form else NOT_TOLD, size=11, anchor="end")
            y += ROW
    return drawing


def _short(words: str) -> str:
    return words if len(words) <= MAX_LABEL else words[: MAX_LABEL - 1] + "…"
