"""The looks of things: the same kind of thing of two roles has the same shape, in the colour of its role.

Whose a thing is follows from its words, if one is a role, from static relations that join it to a role, or from who was
seen to bring it. Things of different roles are of the same kind if they differ only in the role, or else if they are
as many at the start and the rules relate them to the same words.
"""

from __future__ import annotations

import re
import string
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from ludens.analysis.boards import Board, Content, Words
from ludens.analysis.facts import GameFacts
from ludens.analysis.states import signature_of
from ludens.boards.hints import Hints, ThingHint
from ludens.boards.palette import OF_NOBODY, OF_ROLES, neutral_paint, paint, role_paint
from ludens.boards.picture import Paint, Thing
from ludens.core import GroundTerm
from ludens.gdl.formulas import Signature
from ludens.gdl.terms import term_text

MAX_FACTS = 1_000
"""Relations with more facts than this are not about kinds of things."""
MAX_COMMON = 50
"""The limit on related words that are compared."""
Partner = tuple[object, GroundTerm]
_INTEGER = re.compile(r"[+-]?[0-9]+")


def is_number(word: GroundTerm) -> bool:
    return isinstance(word, str) and _INTEGER.fullmatch(word) is not None


class Styles:
    """The things of a game and their looks."""

    def __init__(self, facts: GameFacts, boards: Sequence[Board], initial: Iterable[GroundTerm], hints: Hints) -> None:
        self.facts, self.hints = facts, hints
        self.roles = {role.lower(): index for index, role in enumerate(facts.roles)}
        self._initial = list(initial)
        self._partners = _partners(facts, self.roles)
        self._things: dict[tuple[Signature, Words], Thing] = {}
        for board in boards:
            self._things |= {(board.signature, words): thing for words, thing in self._of_board(board).items()}

    def fill_cells(self, signatures: Collection[Signature]) -> None:
        """Let the things of these fluents fill the cells, so that others can stand on them."""
        for key, thing in self._things.items():
            if key[0] in signatures:
                self._things[key] = replace(thing, field=True, shape="full", mark="")

    def shrink_markers(self, signatures: Collection[Signature], alone: Collection[Signature]) -> None:
        """Put the marks of these fluents into a corner of the cells, in different colours.

        Where they are `alone` they have room for their names instead.
        """
        for tone, signature in enumerate(sorted(signatures)):
            key = (signature, ())
            thing = replace(self._things[key], paint=neutral_paint(tone))
            self._things[key] = replace(thing, mark=thing.name) if signature in alone else replace(thing, small=True)

    def role_paint(self, role: int) -> Paint:
        hint = self.hints.roles.get(self.facts.roles[role].lower())
        return paint(hint.colour) if hint and hint.colour else role_paint(role)

    def role_name(self, role: int) -> str:
        hint = self.hints.roles.get(self.facts.roles[role].lower())
        return hint.name if hint and hint.name else str(self.facts.roles[role])

    def thing(self, board: Board, words: Words) -> Thing:
        """Return the thing for these content words, also for words that were never seen before."""
        key = (board.signature, words)
        if key not in self._things:
            found = self._one(words, self.owner(words), "disc" if self.owner(words) is not None else "block", 0, {})
            self._things[key] = self._hinted(found, words)
        return self._things[key]

    def owner(self, words: Words, content: Content | None = None) -> int | None:
        """Return the role that a thing belongs to."""
        for word in words:
            if isinstance(word, str) and word in self.roles:
                return self.roles[word]
        others = [other for word in words if not is_number(word) for _, other in self._partners.get(word, ())]
        joined = {self.roles[other] for other in others if isinstance(other, str) and other in self.roles}
        if len(joined) == 1:
            return joined.pop()
        return content.owner if content else None

    def _of_board(self, board: Board) -> dict[Words, Thing]:
        contents = [content for content in board.contents if content.kind != "blank"]
        if not board.content_arguments:
            return {(): self._marker(board)}
        common = self._common(board)
        owners = {content.words: self.owner(content.words, content) for content in contents}
        if len(self.facts.roles) == 1:
            owners = dict.fromkeys(owners)
        classes = self._classes(board, contents, owners)
        most = {kind: max(each.most for each in contents if classes[each.words] == kind) for kind in classes.values()}
        ranked = sorted(most, key=lambda kind: (-most[kind], kind))
        of_roles = [
            kind for kind in ranked if any(owners[each] is not None for each in classes if classes[each] == kind)
        ]
        of_nobody = [kind for kind in sorted(most) if kind not in of_roles]
        labels = self._labels(board, contents)
        found: dict[Words, Thing] = {}
        for content in contents:
            kind, owner = classes[content.words], owners[content.words]
            if owner is not None:
                shape, tone = OF_ROLES[of_roles.index(kind) % len(OF_ROLES)], 0
            else:
                tone = of_nobody.index(kind) if not is_number(content.words[0]) else 0
                shape = OF_NOBODY[tone % len(OF_NOBODY)]
            thing = self._one(content.words, owner, shape, tone, labels)
            if is_number(content.words[0]) and len(content.words) == 1:
                thing = replace(thing, shape="tile" if content.kind == "piece" else "none")
            if owner is not None and len(of_roles) == 1:
                thing = replace(thing, mark="")
            if content.words == common:
                thing = replace(thing, shape="dot", mark="", glyph="·", faint=True)
            found[content.words] = self._hinted(thing, content.words)
        return found

    def _common(self, board: Board) -> Words | None:
        """Return the unowned content of most places of a board without blanks; it is drawn as a dot."""
        if board.blank is not None:
            return None
        lying = Counter(
            tuple(fact[index + 1] for index in board.content_arguments)
            for fact in self._initial
            if isinstance(fact, tuple) and signature_of(fact) == board.signature
        )
        words, count = max(lying.items(), key=lambda item: item[1], default=((), 0))
        is_plain = not any(is_number(word) or word in self.roles for word in words)
        return words if is_plain and 2 * count > board.places else None

    def _marker(self, board: Board) -> Thing:
        """Return the thing for a board that only marks places."""
        unique = all(content.unique for content in board.contents)
        name = self._text(board.signature[0])
        shape = "dot" if unique else "square"
        thing = Thing(name, shape, neutral_paint(0), "◆" if unique else "●", small=unique)
        return self._hinted(thing, (board.signature[0],))

    def _one(self, words: Words, owner: int | None, shape: str, tone: int, labels: Mapping[Words, str]) -> Thing:
        amounts = [word for word in words if is_number(word)] if len(words) > 1 else []
        count = int(str(amounts[0])) if len(amounts) == 1 else None
        name = " ".join(self._name(word) for word in words if count is None or word not in amounts)
        label = labels.get(words) or name
        mark = label if count is None else ""
        if owner is not None and len(words) > 1:
            rest = [word for word in words if word not in self.roles and word not in amounts]
            mark = labels.get(tuple(rest)) or "".join(map(self._text, rest))[:3] if rest else ""
        return Thing(
            name=name,
            shape=shape if len(words) > 1 or not is_number(words[0]) else "none",
            paint=self.role_paint(owner) if owner is not None else neutral_paint(tone),
            glyph=label if count is None else f"{label}{count}",
            mark=mark,
            role=owner,
            count=count,
        )

    def _labels(self, board: Board, contents: Sequence[Content]) -> dict[Words, str]:
        """Return a few letters for the contents, argument by argument, and for each of them without its role."""
        short: list[dict[str, str]] = []
        for index in range(len(board.content_arguments)):
            texts = dict.fromkeys(self._text(content.words[index]) for content in contents)
            short.append(abbreviations([text for text in texts if not is_number(text)]))
        labels: dict[Words, str] = {}
        for content in contents:
            parts = [
                names.get(self._text(word), self._text(word))
                for names, word in zip(short, content.words, strict=True)
                if not (is_number(word) and len(content.words) > 1)
            ]
            labels[content.words] = "".join(parts)
            rest = [index for index, word in enumerate(content.words) if word not in self.roles and not is_number(word)]
            if 0 < len(rest) < len(content.words):
                left = [self._text(content.words[index]) for index in rest]
                label = "".join(short[index].get(text, text) for index, text in zip(rest, left, strict=True))
                labels[tuple(content.words[index] for index in rest)] = label
        return labels

    def _hinted(self, thing: Thing, words: Words) -> Thing:
        """Return the thing with its hints, by all its words or by those that are neither roles nor numbers."""
        plain = [word for word in words if not is_number(word)]
        keys = [words, tuple(plain), tuple(word for word in plain if word not in self.roles)]
        texts = [" ".join(term_text(word) for word in key) for key in keys]
        hint = next((self.hints.things[text] for text in texts if text in self.hints.things), ThingHint())
        if hint.colour:
            thing = replace(thing, paint=paint(hint.colour))
        if hint.shape:
            thing = replace(thing, shape=hint.shape, mark="")
        if hint.glyph:
            thing = replace(thing, glyph=hint.glyph if thing.count is None else f"{hint.glyph}{thing.count}")
        return replace(
            thing,
            name=hint.name or thing.name,
            mark=thing.mark if hint.mark is None else hint.mark,
        )

    # -- kinds ---------------------------------------------------------------------------------

    def _classes(
        self, board: Board, contents: Sequence[Content], owners: Mapping[Words, int | None]
    ) -> dict[Words, int]:
        """Return a number for each content, the same for the same kind of thing of different roles."""
        at_start: defaultdict[Words, list[Words]] = defaultdict(list)
        for fact in self._initial:
            if isinstance(fact, tuple) and signature_of(fact) == board.signature:
                words = tuple(fact[index + 1] for index in board.content_arguments)
                at_start[words].append(tuple(fact[index + 1] for index in board.coordinates))
        kinds: dict[object, int] = {}
        found: dict[Words, int] = {}
        of_role: dict[int, list[Words]] = {}
        for content in contents:
            words, owner = content.words, owners[content.words]
            rest = tuple(word for word in words if word not in self.roles and (len(words) == 1 or not is_number(word)))
            if owner is not None and len(rest) == len(words) == 1:
                of_role.setdefault(owner, []).append(words)
            else:
                found[words] = kinds.setdefault((owner is None, rest), len(kinds))
        ranked = sorted(of_role, key=lambda role: (-len(of_role[role]), role))
        for words in of_role[ranked[0]] if ranked else ():
            found[words] = kinds.setdefault(words, len(kinds))
        for role in ranked[1:]:
            for words, twin in self._matched(of_role[role], of_role[ranked[0]], at_start).items():
                found[words] = found[twin]
            for words in of_role[role]:
                found.setdefault(words, len(kinds) + len(found))
        return found

    def _matched(
        self, some: Sequence[Words], others: Sequence[Words], at_start: Mapping[Words, Sequence[Words]]
    ) -> dict[Words, Words]:
        """Return for each thing of a role the most similar one of another role."""
        pairs = sorted(
            (
                len(at_start[one]) != len(at_start[other]),
                -len(self._features(one[0]) & self._features(other[0])),
                -_shared_lines(at_start[one], at_start[other]),
                abs(place - other_place),
                place,
                other_place,
            )
            for place, one in enumerate(some)
            for other_place, other in enumerate(others)
        )
        found: dict[Words, Words] = {}
        for *_, place, other_place in pairs:
            if some[place] not in found and others[other_place] not in found.values():
                found[some[place]] = others[other_place]
        return found

    def _features(self, word: GroundTerm) -> set[Partner]:
        """Return the relations of a word to others that are no roles."""
        return {(relation, other) for relation, other in self._partners.get(word, ()) if other not in self.roles}

    def _name(self, word: GroundTerm) -> str:
        if isinstance(word, str) and word in self.roles:
            return self.role_name(self.roles[word])
        return self._text(word).replace("_", " ")

    def _text(self, word: GroundTerm) -> str:
        return term_text(word, self.facts.spelling)


def _shared_lines(some: Sequence[Words], others: Sequence[Words]) -> int:
    """Return the number of coordinates along which things start on the same lines, as facing pieces do."""
    lines = [[sorted(map(str, line)) for line in zip(*places, strict=True)] for places in (some, others)]
    return sum(one == other for one, other in zip(*lines, strict=False))


def _partners(facts: GameFacts, roles: Mapping[str, int]) -> dict[GroundTerm, set[Partner]]:
    """Return the words that static relations and facts of the rules join to each word, and by which relation."""
    found: dict[GroundTerm, set[Partner]] = {}

    def join(relation: object, one: GroundTerm, other: GroundTerm) -> None:
        found.setdefault(one, set()).add(((relation, 0), other))
        found.setdefault(other, set()).add(((relation, 1), one))

    for relation in facts.relations:
        for one, other in relation.pairs:
            join((relation.name, relation.arity, relation.sides), one, other)
    for signature, rules in facts.rules.relations.items():
        if signature[0] in ("init", "base", "input") or len(rules) > MAX_FACTS:
            continue
        for rule in rules:
            words = [(index, word) for index, word in enumerate(rule.head.args) if isinstance(word, str)]
            if not rule.body:
                for (i, one), (j, other) in combinations(words, 2):
                    join((*signature, (i, j)), one, other)
    return {word: some for word, some in found.items() if len(some) <= MAX_COMMON}


def abbreviations(words: Sequence[str]) -> dict[str, str]:
    """Return a short label for each long word; those made of two parts, as `whitePawn`, get a letter for each."""
    if all(len(word) <= 2 for word in words):
        return {}
    parts = [re.fullmatch(r"([a-z]+)_?([A-Z].*|(?<=_).+)", word) for word in words]
    if not all(parts):
        return _letters(words)
    pairs = {part.string: part.groups() for part in parts if part}
    first, second = (_letters(list(dict.fromkeys(pair[side] for pair in pairs.values()))) for side in (0, 1))
    return {word: first[left] + second[right] for word, (left, right) in pairs.items()}


def _letters(words: Sequence[str]) -> dict[str, str]:
    """Return for each word a distinguishing letter, with the number at its end.

    >>> _letters(["bishop", "king", "knight", "disc1"])
    {'bishop': 'b', 'king': 'k', 'knight': 'n', 'disc1': 'd1'}
    """
    shared = next((n for n, letters in enumerate(zip(*words, strict=False)) if len(set(letters)) > 1), 0)
    skipped = shared if shared > 2 else 0
    labels: dict[str, str] = {}
    for word in words:
        stem = word.rstrip(string.digits)
        choices = [letter + word[len(stem) :] for letter in stem[skipped:] or stem]
        labels[word] = next((label for label in choices if label not in labels.values()), word)
    return labels
