"""Fixtures that tests of several packages use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludens.arena.store import VARIABLE as STORE_VARIABLE
from ludens.ground.cache import VARIABLE as CACHE_VARIABLE
from tests.corpus_location import VARIABLE, corpus_folder, is_corpus


@pytest.fixture(scope="session", autouse=True)
def own_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Ground programs and matches are kept in folders of the test run, not in the user's.

    All processes of a run share what is compiled.
    """
    own = tmp_path_factory.getbasetemp()
    cache = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "compiled"
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(CACHE_VARIABLE, str(cache))
        environment.setenv(STORE_VARIABLE, str(tmp_path_factory.mktemp("store") / "matches.sqlite"))
        yield


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The corpus of real rule sheets; a test that asks for it is skipped where there is none."""
    folder = corpus_folder()
    if is_corpus(folder):
        return folder
    if os.environ.get(VARIABLE):
        pytest.fail(f"{VARIABLE} names {folder}, which has no folders games and traces")
    pytest.skip(f"there is no corpus at {folder}; set {VARIABLE} to use another place")
