"""The chart of a model: a bar for each weight."""

from __future__ import annotations

from ludens.analysis.facts import GameFacts
from ludens.drawing import Drawing
from ludens.evaluation.model.game_model import GameModel
from ludens.evaluation.model.report import NOT_TOLD, TITLES, parts_of, summary, terms_of

WIDTH, MARGIN = 760.0, 16.0
LEFT, RIGHT = 560.0, 680.0
"""Where bars begin, and where the longest ends."""
HEAD, HEADING, ROW, FOOT = 62.0, 30.0, 22.0, 14.0
BAND = 9.0
SHOWN_WORDS = 84


def chart(model: GameModel, facts: GameFacts, title: str, role: str | None = None) -> Drawing:
    """The weights of a model for one role, or for all; the parts have a scale of their own each."""
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
    return words if len(words) <= SHOWN_WORDS else words[: SHOWN_WORDS - 1] + "…"
