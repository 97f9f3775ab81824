"""Errors as players tell them."""

from __future__ import annotations

from ludens.errors import LudensError, RulesError


def in_words(error: BaseException) -> str:
    """An error in one line; one that nobody expected is named by its kind.

    >>> in_words(RuntimeError("out of paper"))
    'RuntimeError: out of paper'
    """
    text = " ".join(str(error.findings[0].message if isinstance(error, RulesError) else error).split())
    return text if isinstance(error, LudensError) and text else f"{type(error).__name__}: {text}"
