"""What strangers wrote, as it may be printed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ludens.printable import SHOWN, printable, shown


@given(st.text(st.characters()))
def test_nothing_is_left_that_a_terminal_acts_upon(text: str) -> None:
    safe = printable(text)
    assert len(safe) == len(text)
    assert all(each.isprintable() or each in "\n\t" for each in safe)
    assert all(new in (old, "?") for old, new in zip(text, safe, strict=True))
    assert shown(text).isprintable()
    assert len(shown(text)) <= SHOWN + len("...")


def test_ordinary_texts_stay() -> None:
    assert printable("naïve 棋\n\tthe end") == "naïve 棋\n\tthe end"
    assert shown(" one \n two ") == "one two"
    assert shown("x" * 1000) == "x" * SHOWN + "..."
