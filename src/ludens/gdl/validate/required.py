"""Required parts: roles, moves, goals, an end."""

from __future__ import annotations

from collections.abc import Iterator

from ludens.errors import Finding
from ludens.gdl.formulas import Atom
from ludens.gdl.keywords import ARITIES, CHANCE
from ludens.gdl.terms import Term, Variable, is_ground
from ludens.gdl.validate.sheet import Sheet

_REQUIRED = {
    "role": ("no role takes part", "name the players: `(role white)`"),
    "legal": ("no rule says which moves are legal", "add rules such as `(<= (legal ?player noop) (role ?player))`"),
    "goal": ("no rule says what a result is worth", "add rules such as `(<= (goal white 100) (line x))`"),
    "terminal": ("no rule says when the game ends", "add rules such as `(<= terminal (not open))`"),
    "next": (
        "no rule says what a move changes, so nothing is true after the first move",
        "add rules such as `(<= (next (step 2)) (true (step 1)))`",
    ),
    "init": ("nothing is true at the start", "add facts such as `(init (step 1))` if the game has a board"),
}


def check_required_relations(sheet: Sheet) -> Iterator[Finding]:
    """A game needs roles, moves, goals and an end; it can do without a first state or changes."""
    names = {name for name, _ in sheet.defined}
    for name, (message, remedy) in _REQUIRED.items():
        if name not in names:
            yield sheet.finding(f"no-{name}", None, f"{message} (there is no `{name}`)", remedy)


def check_each_role(sheet: Sheet) -> Iterator[Finding]:
    """Every role needs moves and, unless it is chance, goals."""
    without_moves, without_goals = _left_out(sheet, "legal"), _left_out(sheet, "goal")
    for role_fact in _role_facts(sheet):
        role = role_fact.args[0]
        if role in without_moves:
            yield sheet.finding(
                "role-without-moves",
                role_fact.span,
                f"no rule gives {sheet.text(role)} a legal move",
                "every role needs a move in every state; give it `noop` when it is not its turn",
            )
        if role != CHANCE and role in without_goals:
            yield sheet.finding(
                "role-without-goals",
                role_fact.span,
                f"no rule gives {sheet.text(role)} a goal value",
                "add a `goal` rule for this role",
            )


def _left_out(sheet: Sheet, relation: str) -> set[Term]:
    """Return the roles that have no rule of a relation, although others have."""
    served = {head.args[0] for head in sheet.heads(relation, ARITIES[relation])}
    if not served or any(isinstance(role, Variable) for role in served):
        return set()
    return {head.args[0] for head in sheet.heads("role", 1)} - served


def _role_facts(sheet: Sheet) -> list[Atom]:
    facts = {head.args[0]: head for head in reversed(sheet.heads("role", 1)) if isinstance(head.args[0], str)}
    return list(reversed(facts.values()))


def check_role_facts(sheet: Sheet) -> Iterator[Finding]:
    """Roles are known before anything else is: they are facts without variables."""
    for clause in sheet.defined.get(("role", 1), []):
        role = clause.head.args[0]
        if clause.body or not is_ground(role):
            yield sheet.finding(
                "role-not-a-fact",
                clause.span,
                f"{sheet.text(clause.head)} is {'derived by a rule' if clause.body else 'not a single role'}",
                "list the roles as facts: `(role white) (role black)`",
            )
        elif not isinstance(role, str):
            yield sheet.finding(
                "role-not-a-word",
                clause.span,
                f"the role {sheet.text(role)} is a compound term",
                "name each role by one word: `(role player1)`",
            )
