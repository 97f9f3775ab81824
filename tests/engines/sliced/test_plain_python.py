"""Without compilation the kernels of the sliced engine give the same answers, as plain Python."""

from __future__ import annotations

import json

from tests.child import run_child
from tests.engines.sliced.test_choice import digest_of_choices
from tests.engines.sliced.test_expansion import plain_expansions
from tests.engines.sliced.test_playouts import plain_games
from tests.engines.sliced.test_vectors import digest_of_operations

CHILD = """
import json
import numba
from tests.engines.sliced.test_plain_python import answers
print(json.dumps([bool(numba.config.DISABLE_JIT), answers()]))
"""


def answers() -> dict[str, object]:
    """Of all kernels, by what they do."""
    return {
        "operations": digest_of_operations(),
        "choices": digest_of_choices(),
        "expansions": plain_expansions(),
        "games": plain_games(),
    }


def test_kernels_give_the_same_without_compilation() -> None:
    is_plain, found = json.loads(run_child(CHILD, jit=False))
    assert is_plain
    expected = answers()
    assert found.keys() == expected.keys()
    for kernel, answer in expected.items():
        assert found[kernel] == answer, kernel
