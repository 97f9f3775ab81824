"""Deadlines: shares of them, and cancellation."""

import math

from ludens.runtime.deadline import Deadline


def test_a_deadline_that_never_passes_can_be_cancelled() -> None:
    deadline = Deadline.never()
    assert math.isinf(deadline.remaining)
    assert not deadline.passed
    deadline.cancel()
    assert deadline.passed
    assert deadline.cancelled
    assert deadline.remaining == 0


def test_a_share_ends_with_the_whole_and_not_the_other_way_round() -> None:
    whole = Deadline(1000)
    part, other = whole.share(0.25), whole.share()
    assert 249 < part.remaining <= 250
    part.cancel()
    assert part.passed
    assert not whole.passed
    assert not other.passed
    whole.cancel()
    assert other.passed
    assert other.cancelled
    assert other.remaining == 0


def test_a_share_has_at_most_so_many_seconds() -> None:
    assert Deadline.never().share(at_most=2).remaining <= 2
    assert Deadline(1).share(at_most=2).remaining <= 1
    assert not Deadline(1).share(at_most=2).cancelled


def test_a_share_of_a_share_hears_of_the_cancellation() -> None:
    whole = Deadline(1000)
    inner = whole.share(0.5).share(0.5)
    whole.cancel()
    assert inner.passed


def test_no_time_is_left_after_the_moment() -> None:
    deadline = Deadline(0)
    assert deadline.passed
    assert deadline.remaining == 0
    assert not deadline.cancelled
    assert deadline.share(0.5).passed
