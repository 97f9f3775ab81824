"""The server of the browser interface: which pages there are, and what may be asked of it."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from nicegui import app, background_tasks, ui
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

import ludens
from ludens.errors import ListenError
from ludens.web.guard import Guard
from ludens.web.page_processes import MAX_PROCESSES, MEMORY, PageProcesses
from ludens.web.pages.frame import FAVICON, missing_page
from ludens.web.pages.gallery import gallery_page
from ludens.web.pages.play import draft_page, play_page
from ludens.web.pages.watch import watch_file_page, watch_match_page, watch_page, watch_tournament_page
from ludens.web.pages.write import Drafts, write_page

POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; script-src-attr 'none'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; "
    "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'self'"
)
"""Browsers refuse what pages try to fetch from elsewhere, and code that hides in names."""
RECONNECT_SECONDS = 20.0
"""How long a page whose connection is lost keeps its process."""
LISTEN_PAUSE = 0.02
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Settings:
    """How the server is run."""

    host: str = "127.0.0.1"
    port: int = 8090
    show: bool | str = True
    """Whether a browser is opened, or at which page."""
    store: Path | None = None
    keep: bool = True
    """Whether games that are played here are kept in the store."""
    memory: int = MEMORY
    """Megabytes for each process that evaluates rules."""
    processes: int = MAX_PROCESSES
    """How many of these there are at once."""
    players: tuple[str, ...] = ()
    """Names of players that may be chosen besides those that are installed."""


def run(settings: Settings, on_ready: Callable[[str], None]) -> None:
    """Serve until it is interrupted; ListenError if it cannot listen there."""
    check_free(settings.host, settings.port)
    build(settings)
    name = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"http://{name}:{settings.port}"
    app.on_startup(lambda: background_tasks.create(_announce(settings, lambda: on_ready(address))))
    ui.run(
        host=settings.host,
        port=settings.port,
        title="ludens",
        favicon=FAVICON,
        dark=None,
        show=settings.show,
        reload=False,
        tailwind=False,
        binding_refresh_interval=None,
        reconnect_timeout=RECONNECT_SECONDS,
        show_welcome_message=False,
        uvicorn_logging_level="error",
    )


def build(settings: Settings) -> PageProcesses:
    """Say which pages there are."""
    processes = PageProcesses(
        settings.memory, settings.processes, keep=settings.keep, store=settings.store, players=settings.players
    )
    drafts, version = Drafts(), ludens.__version__
    folder = Path(str(resources.files("ludens.web")))
    app.add_static_files("/look", folder / "static")
    app.add_static_files("/gallery", folder / "gallery")
    app.on_startup(processes.prepare)
    app.on_startup(processes.watch)
    app.on_shutdown(processes.close)
    app.middleware("http")(_with_policy)
    app.add_middleware(Guard, names=LOCAL_NAMES | {settings.host} if is_loopback(settings.host) else None)

    @app.exception_handler(404)
    async def missing(_request: Request, _error: Exception) -> Response:
        return HTMLResponse(missing_page(version), 404)

    @ui.page("/", title="ludens: games")
    def gallery() -> None:
        gallery_page(version)

    @ui.page("/play/{name}", title="ludens: play")
    def play(name: str, seats: str = "") -> None:
        play_page(processes, version, name[:80], seats)

    @ui.page("/draft/{key}", title="ludens: draft")
    def draft(key: str) -> None:
        draft_page(processes, version, key[:80], drafts.text(key))

    @ui.page("/write", title="ludens: write")
    def write(game: str = "", draft: str = "") -> None:
        write_page(processes, drafts, version, game[:80], draft[:80])

    @ui.page("/watch", title="ludens: watch")
    async def watch() -> None:
        await watch_page(settings.store, version)

    @ui.page("/watch/match/{match_id}", title="ludens: match")
    def watch_match(match_id: str) -> None:
        watch_match_page(processes, settings.store, version, match_id[:200])

    @ui.page("/watch/file", title="ludens: record")
    def watch_file() -> None:
        watch_file_page(processes, version)

    @ui.page("/watch/tournament/{name}", title="ludens: tournament")
    def watch_tournament(name: str) -> None:
        watch_tournament_page(settings.store, version, name[:200])

    return processes


async def _announce(settings: Settings, say: Callable[[], None]) -> None:
    """Say where the server is as soon as it answers there: it starts before it listens."""
    host = settings.host if is_loopback(settings.host) else "127.0.0.1"
    while True:
        try:
            _, writer = await asyncio.open_connection(host, settings.port)
        except OSError:
            await asyncio.sleep(LISTEN_PAUSE)
        else:
            writer.close()
            say()
            return


async def _with_policy(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    response = await call_next(request)
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def check_free(host: str, port: int) -> None:
    """ListenError if nobody can listen there."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ListenError(f"cannot listen on {host}:{port}: {reason}; choose another with --port") from None
