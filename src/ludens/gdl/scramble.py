"""Scrambling: replacing all words of one game by made-up ones.

Competitions do this so that no player can profit from knowing what a word means. Integers and the
words of the language itself stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random

from ludens.gdl.formulas import atoms, rename_clause
from ludens.gdl.keywords import KEYWORDS
from ludens.gdl.rules import Rules
from ludens.gdl.terms import Term, constants, rename, variables

_INTEGER = re.compile(r"[+-]?[0-9]+")
_ONSETS = (
    "b",
    "br",
    "d",
    "dr",
    "f",
    "fl",
    "g",
    "gl",
    "j",
    "k",
    "kl",
    "l",
    "m",
    "n",
    "p",
    "pr",
    "r",
    "s",
    "t",
    "v",
    "z",
)
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")
_ENDS = ("", "", "l", "m", "n", "r", "sk", "x")


@dataclass(frozen=True)
class Scrambling:
    """Scrambled rules, and the way back.

    The maps hold folded words, variables with their question mark. A word that is relation, function
    and constant at once has one replacement.
    """

    rules: Rules
    forward: Mapping[str, str]
    backward: Mapping[str, str]

    def scramble_term(self, term: Term) -> Term:
        """Return a term of the original game in the words of the scrambled one."""
        return rename(term, self.forward)

    def unscramble_term(self, term: Term) -> Term:
        """Return a term of the scrambled game in the words of the original; unknown words stay."""
        return rename(term, self.backward)

    def unscramble(self, rules: Rules) -> Rules:
        """Return rules in scrambled words in the words of the original."""
        return _renamed(rules, self.backward)


def scramble(rules: Rules, rng: Random) -> Scrambling:
    """Replace all words of the game; the same rules and the same state of `rng` give the same result.

    >>> from random import Random
    >>> rules = Rules.parse("(role white) (<= (goal white 100) (true (cell ?x b)))")
    >>> scrambling = scramble(rules, Random(7))
    >>> sorted(scrambling.forward)
    ['?x', 'b', 'cell', 'white']
    >>> scrambling.unscramble(scrambling.rules) == rules
    True
    """
    words = list(dict.fromkeys(_words(rules)))
    taken = KEYWORDS | {word.removeprefix("?") for word in words}
    made_up = _made_up_words(len(words), taken, rng)
    forward = {word: ("?" if word[0] == "?" else "") + new for word, new in zip(words, made_up, strict=True)}
    backward = {new: word for word, new in forward.items()}
    return Scrambling(_renamed(rules, forward), forward, backward)


def _words(rules: Rules) -> Iterator[str]:
    """Yield all words and variables to replace, in the order of the sheet, with repetitions."""
    for clause in rules.clauses:
        for formula in (clause.head, *clause.body):
            for atom, _ in atoms(formula):
                for term in (atom.name, *atom.args):
                    yield from (word for word in constants(term) if not _is_kept(word))
                    yield from map(str, variables(term))


def _is_kept(word: str) -> bool:
    return word in KEYWORDS or _INTEGER.fullmatch(word) is not None


def _made_up_words(number: int, taken: frozenset[str], rng: Random) -> list[str]:
    """Return distinct pronounceable words, with as few syllables as leave plenty to choose from."""
    syllables = 2
    while (len(_ONSETS) * len(_VOWELS)) ** syllables < 20 * number:
        syllables += 1
    found: dict[str, None] = {}
    while len(found) < number:
        word = "".join(rng.choice(_ONSETS) + rng.choice(_VOWELS) for _ in range(syllables)) + rng.choice(_ENDS)
        if word not in taken:
            found.setdefault(word)
    return list(found)


def _renamed(rules: Rules, names: Mapping[str, str]) -> Rules:
    return Rules(rename_clause(clause, names) for clause in rules.clauses)
