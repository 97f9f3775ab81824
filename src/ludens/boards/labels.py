"""Short labels for long words, where there is only room for a letter or two."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence


def abbreviations(words: Sequence[str]) -> dict[str, str]:
    """A short label for each long word; those made of two parts, as `whitePawn`, get a letter for each."""
    if all(len(word) <= 2 for word in words):
        return {}
    parts = [re.fullmatch(r"([a-z]+)_?([A-Z].*|(?<=_).+)", word) for word in words]
    if not all(parts):
        return _letters(words)
    pairs = {part.string: part.groups() for part in parts if part}
    first, second = (_letters(list(dict.fromkeys(pair[side] for pair in pairs.values()))) for side in (0, 1))
    return {word: first[left] + second[right] for word, (left, right) in pairs.items()}


def _letters(words: Sequence[str]) -> dict[str, str]:
    """For each word a letter that tells it from the others, with the number at its end.

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
