"""Who may ask what of the server: only its own pages, under its own name, and nothing that is too large.

Other web pages can make a browser send requests to this machine. They cannot read the answers, but each answer may cost
a process; so whatever comes from elsewhere is refused, except that somebody follows a link to a page.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

MAX_BODY_BYTES = 9_000_000
"""A record of the largest size that is shown, and what a form adds to it."""
FOREIGN_SITES = frozenset({"cross-site", "same-site"})
"""How browsers call requests of other pages; another port of this machine is the same site."""


class Guard:
    """Answers requests that must not get through; all others it leaves to the app."""

    def __init__(self, app: ASGIApp, names: Collection[str] | None = None) -> None:
        """`names` are those of the server; None allows any."""
        self._app, self._names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = refused(scope.get("method", "GET"), Headers(scope=scope), self._names)
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            status, words = refusal
            await PlainTextResponse(words, status)(scope, receive, send)


def refused(method: str, headers: Mapping[str, str], names: Collection[str] | None = None) -> tuple[int, str] | None:
    """The status and the reason where a request is refused; None if it may pass.

    >>> refused("GET", {"host": "localhost:8090", "origin": "http://evil.example"})
    (403, 'only pages of this server may ask for this')
    """
    host = headers.get("host", "")
    if names is not None and _name(f"//{host}") not in names:
        return 400, "this server does not have that name"
    origin = headers.get("origin")
    if (origin is not None and urlsplit(origin).netloc.lower() != host.lower()) or _is_foreign(method, headers):
        return 403, "only pages of this server may ask for this"
    if method in ("POST", "PUT", "PATCH"):
        length = headers.get("content-length", "")
        if not length.isdecimal():
            return 411, "the length of what is sent must be told"
        if int(length) > MAX_BODY_BYTES:
            return 413, "this is too large to be sent here"
    return None


def _is_foreign(method: str, headers: Mapping[str, str]) -> bool:
    """Whether another page asks for it, other than by leading somebody here."""
    follows_link = method == "GET" and headers.get("sec-fetch-mode") == "navigate"
    is_page = headers.get("sec-fetch-dest", "document") == "document"
    return headers.get("sec-fetch-site") in FOREIGN_SITES and not (follows_link and is_page)


def _name(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
