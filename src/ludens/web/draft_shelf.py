"""Drafts on their way from the editor to a table; each has a key that nobody can guess."""

from __future__ import annotations

import secrets
from collections import OrderedDict

MAX_DRAFTS = 200
MAX_CHARACTERS = 200_000


class Drafts:
    """The last drafts that were played, for as long as the server runs."""

    def __init__(self) -> None:
        self._texts: OrderedDict[str, str] = OrderedDict()

    def add(self, text: str) -> str:
        """The key of a draft."""
        key = secrets.token_urlsafe(12)
        self._texts[key] = text[:MAX_CHARACTERS]
        while len(self._texts) > MAX_DRAFTS:
            self._texts.popitem(last=False)
        return key

    def text(self, key: str) -> str:
        """The draft; empty if it is forgotten."""
        return self._texts.get(key, "")
