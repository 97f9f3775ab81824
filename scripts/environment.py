"""Make the virtual environment `.venv` ready, and do nothing when it already is.

`make` calls this before everything else. What was installed is written down inside the environment, so
a second call only compares; a lock keeps two calls at once from writing to the same place.
This file keeps to syntax that Python 3.6 reads, so that an old Python gets as far as the message below.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
import venv

OLDEST = (3, 11)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENVIRONMENT = os.path.join(ROOT, ".venv")
PYTHON = os.path.join(ENVIRONMENT, "bin", "python")
REQUIREMENTS = os.path.join(ROOT, "pyproject.toml")
PINS = os.path.join(ROOT, "constraints.txt")
TARGETS = {"play": ".", "dev": ".[dev]"}


def wanted_state() -> str:
    """What an up-to-date environment was made from: the place, the requirements and the pins."""
    digest = hashlib.sha256(ROOT.encode())
    for path in (REQUIREMENTS, PINS):
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def stamp(kind: str) -> str:
    return os.path.join(ENVIRONMENT, ".ready-" + kind)


def is_ready(kind: str) -> bool:
    if not os.path.exists(PYTHON):
        return False
    try:
        with open(stamp(kind)) as file:
            return file.read() == wanted_state()
    except OSError:
        return False


def is_usable() -> bool:
    """Whether the environment has a Python that runs, is new enough and can install."""
    test = f"import sys, pip; sys.exit(sys.version_info < {OLDEST})"
    try:
        return subprocess.call([PYTHON, "-c", test], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def install(kind: str) -> None:
    """Install ludens from this folder, with the pinned versions of all it needs."""
    if not is_usable():
        print(f"creating the virtual environment .venv with {sys.executable} ...", flush=True)
        venv.create(ENVIRONMENT, clear=True, with_pip=True)
    print("installing ludens and what it needs into .venv (only this once) ...", flush=True)
    settings = dict(os.environ, PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_INPUT="1")
    # A relative path, because pip splits these two at spaces; the second binds what builds the package.
    settings.update(PIP_CONSTRAINT="constraints.txt", PIP_BUILD_CONSTRAINT="constraints.txt")
    command = [PYTHON, "-m", "pip", "install", "--quiet", "--editable", TARGETS[kind]]
    subprocess.run(command, cwd=ROOT, env=settings, check=True)
    for done in {"play", kind}:
        with open(stamp(done), "w") as file:
            file.write(wanted_state())


def main(kind: str) -> int:
    if sys.version_info < OLDEST:
        have = ".".join(map(str, sys.version_info[:3]))
        print(f"error: ludens needs Python 3.11 or newer, but {sys.executable} is {have}", file=sys.stderr)
        print("remedy: install a newer one, or name it: make PYTHON=python3.12", file=sys.stderr)
        return 1
    if is_ready(kind):
        return 0
    with open(REQUIREMENTS) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            if not is_ready(kind):
                install(kind)
        except subprocess.CalledProcessError as error:
            print(f"error: cannot set up .venv, see above (exit code {error.returncode})", file=sys.stderr)
            print("remedy: on Debian and its kin, the package python3-venv may be missing", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
