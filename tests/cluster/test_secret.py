"""Nobody else can read the token of Ray."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from ludens.cluster.secret import keep_secret

BY_TOKEN = {"RAY_AUTH_MODE": "token"}


@pytest.fixture
def token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where it is kept, in a home that is empty."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / ".ray" / "auth_token"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_token_is_private_and_kept(token: Path) -> None:
    keep_secret(BY_TOKEN, is_new=True)
    made = token.read_text()
    assert len(bytes.fromhex(made)) == 32
    assert (mode(token), mode(token.parent)) == (0o600, 0o700)
    keep_secret(BY_TOKEN, is_new=True)
    assert token.read_text() == made


@pytest.mark.parametrize("is_new", [True, False])
def test_a_token_that_others_can_read_is_closed_to_them(token: Path, is_new: bool) -> None:
    token.parent.mkdir()
    token.write_text("ab" * 32)
    token.chmod(0o644)
    keep_secret(BY_TOKEN, is_new=is_new)
    assert mode(token) == 0o600
    assert token.read_text() == "ab" * 32


@pytest.mark.parametrize(
    "environment",
    [{}, {"RAY_AUTH_MODE": "disabled"}, BY_TOKEN | {"RAY_AUTH_TOKEN": "ab"}, BY_TOKEN | {"RAY_AUTH_TOKEN_PATH": "x"}],
)
def test_nothing_is_made_that_is_not_wanted(token: Path, environment: dict[str, str]) -> None:
    keep_secret(environment, is_new=True)
    assert not token.parent.exists()


def test_who_joins_brings_a_token(token: Path) -> None:
    keep_secret(BY_TOKEN, is_new=False)
    assert not token.parent.exists()


def test_a_home_that_cannot_be_written_is_no_reason_to_fail(token: Path) -> None:
    token.parent.write_text("a file where the folder should be")
    keep_secret(BY_TOKEN, is_new=True)
    assert token.parent.is_file()
