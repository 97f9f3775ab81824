"""Where the server listens, and what it says when it cannot."""

from __future__ import annotations

import socket
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from ludens.errors import ListenError
from ludens.web.server import check_free, is_loopback


def test_a_port_in_use_is_told() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ListenError, match=f"cannot listen on 127.0.0.1:{port}: .*; choose another with --port"):
            check_free("127.0.0.1", port)


def test_what_the_server_does_not_need_is_not_loaded_and_nothing_is_missing_afterwards() -> None:
    code = """
import gc, sys
from ludens.cli.web import UNUSED, quick_imports
with quick_imports():
    import ludens.web.server
    for name in UNUSED:
        try:
            __import__(name)
        except ImportError:
            continue
        sys.exit(f"{name} was loaded")
assert gc.isenabled()
assert not any(name in sys.modules and sys.modules[name] is None for name in UNUSED)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


def test_what_is_this_machine() -> None:
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert is_loopback("localhost")
    assert not is_loopback("0.0.0.0")


def test_pages_come_only_under_their_own_name_and_allow_nothing_from_elsewhere(address: str) -> None:
    with urllib.request.urlopen(address) as reply:
        policy = reply.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "script-src-attr 'none'" in policy
    with pytest.raises(urllib.error.HTTPError, match="404") as missing:
        urllib.request.urlopen(f"{address}/nosuchpage")
    words = missing.value.read().decode()
    assert "There is no such page" in words
    assert '<a href="/">All games</a>' in words
    assert missing.value.headers["Content-Security-Policy"] == policy
    strange = urllib.request.Request(address, headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError, match="400"):
        urllib.request.urlopen(strange)
