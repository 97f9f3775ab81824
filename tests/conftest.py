"""Fixtures that tests of several packages use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.corpus_location import VARIABLE, corpus_folder, is_corpus


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The corpus of real rule sheets; a test that asks for it is skipped where there is none."""
    folder = corpus_folder()
    if is_corpus(folder):
        return folder
    if os.environ.get(VARIABLE):
        pytest.fail(f"{VARIABLE} names {folder}, which has no folders games and traces")
    pytest.skip(f"there is no corpus at {folder}; set {VARIABLE} to use another place")
