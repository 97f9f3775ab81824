"""From states to lanes and back: 64 states at a time, one bit of each word for each state.

Written in the same small part of Python as `runtime`, and translated, not run.
"""

from __future__ import annotations

from ludens.engines.backend.language import Words, external


def transpose(block: Words, first: int) -> None:
    """Swap bit i of word k and bit k of word i, in 64 words."""
    width = 32
    mask = 0xFFFFFFFF
    while width:
        row = 0
        while row < 64:
            other = first + row + width
            swapped = ((block[first + row] >> width) ^ block[other]) & mask
            block[first + row] ^= swapped << width
            block[other] ^= swapped
            row = (row + width + 1) & ~width
        width >>= 1
        mask ^= mask << width


def spread(rows: Words, first_row: int, rows_end: int, row_words: int, lanes: Words, first_lane: int) -> None:
    """Write up to 64 rows as lanes; lanes without a row are zero."""
    for word in range(row_words):
        start = first_lane + 64 * word
        for place in range(64):
            row = first_row + place
            lanes[start + place] = 0
            if row < rows_end:
                lanes[start + place] = rows[row * row_words + word]
        transpose(lanes, start)


def gather(lanes: Words, first_lane: int, rows: Words, first_row: int, rows_end: int, row_words: int) -> None:
    """Write up to 64 lanes as rows; what is in the lanes is lost."""
    for word in range(row_words):
        start = first_lane + 64 * word
        transpose(lanes, start)
        for place in range(64):
            if first_row + place < rows_end:
                rows[(first_row + place) * row_words + word] = lanes[start + place]


@external
def evaluate(lanes: Words) -> None:
    """Evaluate the circuit."""


def ask(
    lanes: Words, states: Words, state_words: int, moves: Words, move_words: int, count: int, answers: Words,
    answer_words: int, first_answer: int,
) -> None:  # fmt: skip
    """Ask about any number of states; `move_words` is 0 where no moves are made."""
    done = 0
    while done < count:
        spread(states, done, count, state_words, lanes, 0)
        spread(moves, done, count, move_words, lanes, 64 * state_words)
        evaluate(lanes)
        gather(lanes, first_answer, answers, done, count, answer_words)
        done += 64
