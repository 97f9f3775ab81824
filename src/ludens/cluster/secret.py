"""The token of Ray: who has it can run code in our name, so nobody else on this computer may read it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ludens.cluster.connect import ACCESS_VARIABLE, BY_TOKEN

ELSEWHERE = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
"""Whoever sets one of these variables has a token of another kind."""
TOKEN_BYTES = 32
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600


def keep_secret(environment: Mapping[str, str], is_new: bool) -> None:
    """Have the file with the token readable by its owner alone; for a new cluster it is made if there is none.

    Ray itself would let everybody read it. Where this cannot be done, Ray says what is wrong.
    """
    if environment.get(ACCESS_VARIABLE) != BY_TOKEN or any(name in environment for name in ELSEWHERE):
        return
    path = Path.home() / ".ray" / "auth_token"
    with suppress(OSError):
        if is_new and not path.exists():
            path.parent.mkdir(PRIVATE_FOLDER, exist_ok=True)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE), "w") as file:
                file.write(secrets.token_hex(TOKEN_BYTES))
        path.chmod(PRIVATE_FILE)
