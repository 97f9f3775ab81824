"""Fixtures that tests of several packages use, and which tests belong to which tier."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # its threads wait busily for each other, and the tests use all cores anyway

from ludens.arena.store import VARIABLE as STORE_VARIABLE
from ludens.runtime.sealed_cache import VARIABLE as CACHE_VARIABLE
from tests.corpus_location import VARIABLE, corpus_folder, is_corpus
from tests.tiers import register_profiles

register_profiles()

MARKED_BY_FIXTURE = {"corpus": "corpus", "three_nodes": "cluster", "server": "browser", "browser": "browser"}
"""Tests that use a fixture have its mark, so that none can be forgotten."""
SHARED = ("cluster", "browser")
"""Marks of tests that share a costly fixture: all of them run in one process, where it is built once."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture, mark in MARKED_BY_FIXTURE.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(mark)
        for mark in SHARED:
            if item.get_closest_marker(mark):
                item.add_marker(pytest.mark.xdist_group(mark))


@pytest.fixture(scope="session", autouse=True)
def own_files(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what is compiled in the cache of pytest and matches in a folder of the run, neither in the user's folders.

    All processes share what is compiled, and so does the next run; it is keyed by the code that made it.
    """
    compiled = Path(pytestconfig.rootpath, ".pytest_cache", "ludens")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(CACHE_VARIABLE, str(compiled))
        environment.setenv(STORE_VARIABLE, str(tmp_path_factory.mktemp("store") / "matches.sqlite"))
        yield


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The corpus of real rule sheets; tests that ask for it are skipped without it."""
    folder = corpus_folder()
    if is_corpus(folder):
        return folder
    if os.environ.get(VARIABLE):
        pytest.fail(f"{VARIABLE} names {folder}, which has no folders games and traces")
    pytest.skip(f"there is no corpus at {folder}; set {VARIABLE} to use another place")
