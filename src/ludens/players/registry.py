"""Players by their names: those of this package, of installed packages, and of the user's own modules and files.

Nothing is imported before a player is made: searches take longer to import than most commands take.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, TypeAlias

from ludens.core import Player
from ludens.errors import PlayError, UnknownPlayerError
from ludens.players.wording import in_words
from ludens.runtime import lazy
from ludens.runtime.lazy import load_object

PlayerFactory: TypeAlias = Callable[[Random, int | None], Player]
"""Makes a player from its source of chance and, for play that can be repeated, how many nodes it searches."""

PLAYERS = MappingProxyType(
    {
        "alphabeta": "ludens.players.searching:alphabeta",
        "cluneplayer": "ludens.players.cluneplayer:cluneplayer",
        "earlypayoff": "ludens.players.fluxplayer:earlypayoff",
        "fluxplayer": "ludens.players.fluxplayer:fluxplayer",
        "kuhlmann": "ludens.players.kuhlmann:KuhlmannPlayer",
        "legal": "ludens.players.simple:LegalPlayer",
        "montecarlo": "ludens.players.searching:montecarlo",
        "random": "ludens.players.simple:RandomPlayer",
        "uct": "ludens.players.pooled:uct",
    }
)
"""The players of this package, and where they are."""
GROUP = "ludens.players"
"""The group of entry points by which installed packages name players."""
METHODS = ("start", "move", "observe", "stop", "abort")
"""What a player has to have besides its name; `perceive` only for games of which roles see a part."""
REMEDY = "derive it from ludens.players.BasePlayer, or write the methods of ludens.core.Player"


def player_names() -> tuple[str, ...]:
    """Return the names of all players that are installed; any other one is loaded only for the local user.

    >>> player_names()[:3]
    ('alphabeta', 'cluneplayer', 'earlypayoff')
    """
    return (*PLAYERS, *(name for name in _installed() if name not in PLAYERS))


def is_own_player(name: str) -> bool:
    """Whether a name says where a player of the user's own is, as `package.module:Class` or `file.py:Class`.

    >>> is_own_player("greedy.py:Greedy"), is_own_player("my.players:Greedy"), is_own_player("localhost:9147")
    (True, True, False)
    """
    place, _, attribute = name.rpartition(":")
    is_module = all(part.isidentifier() for part in place.split("."))
    return (is_module or place.endswith(".py")) and all(part.isidentifier() for part in attribute.split("."))


def check_name(name: str, more: Iterable[str] = ()) -> None:
    """UnknownPlayerError for a name that is neither installed nor one of some more.

    Names that come from a stranger are checked like this first: no other code may be loaded for them.
    """
    known = (*player_names(), *more)
    if name not in known:
        raise UnknownPlayerError(_no_player(name, known))


def find_player(name: str) -> PlayerFactory:
    """Return what makes the player of a name; PlayError says what there is, or why it is no player.

    >>> find_player("legal")(Random(1), None).name
    'legal'
    >>> find_player("uctt")
    Traceback (most recent call last):
        ...
    ludens.errors.UnknownPlayerError: there is no player 'uctt'; did you mean uct? There are alphabeta, cluneplayer, ...
    """
    if name in PLAYERS:
        made_by: Any = load_object(PLAYERS[name])
    elif entry := _installed().get(name):
        package = f"the package {entry.dist.name}" if entry.dist else "its package"
        made_by = _loaded(name, entry.load, f"reinstall {package}, or remove it")
    elif is_own_player(name):
        made_by = _loaded(name, lambda: _own(name), "correct it, or the name")
    else:
        own = "your own are named like package.module:Class or file.py:Class"
        raise UnknownPlayerError(f"{_no_player(name, player_names())}; {own}")
    return _factory(name, made_by)


def make_player(name: str, rng: Random | None = None, nodes: int | None = None) -> Player:
    """Return a new player by its name.

    >>> make_player("random", Random(1)).name
    'random'
    """
    return find_player(name)(rng or Random(), nodes)


def _no_player(name: str, known: Iterable[str]) -> str:
    """Say that there is no player of a name, and which there are."""
    names = list(known)
    close = get_close_matches(name, names, n=2)
    hint = f"did you mean {' or '.join(close)}? There are" if close else "there are"
    return f"there is no player {name!r}; {hint} {', '.join(names)}"


def _installed() -> dict[str, EntryPoint]:
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        found.setdefault(entry.name, entry)
    return found


def _own(name: str) -> Any:
    """The object that the user names by a module or a file; modules of the working directory are found, too."""
    place, _, attribute = name.rpartition(":")
    if place.endswith(".py"):
        path = Path(place).resolve()
        place = f"ludens_player_{path.stem}_{sha256(str(path).encode()).hexdigest()[:8]}"
        if place not in sys.modules:
            _import_file(place, path)
    elif (folder := str(Path.cwd())) not in sys.path:
        sys.path.append(folder)
    return load_object(f"{place}:{attribute}")


def _import_file(module_name: str, path: Path) -> None:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    spec = spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    if (folder := str(path.parent)) not in sys.path:
        sys.path.append(folder)  # for the modules beside it
    module = sys.modules[module_name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[module_name]
        raise


def _loaded(name: str, load: Callable[[], Any], remedy: str) -> Any:
    """What a stranger's code comes to; its mistakes are told in one sentence that names the place."""
    try:
        return load()
    except (Exception, SystemExit) as error:
        raise PlayError(f"the player {name} cannot be loaded: {in_words(error)}{_place(error)}; {remedy}") from error


MACHINERY = frozenset(str(module.__file__) for module in (importlib, lazy, sys.modules[__name__]))
"""Files that load others; a mistake is never there."""


def _place(error: BaseException) -> str:
    """Where in the stranger's code an error came from, if it is there."""
    if isinstance(error, SyntaxError):
        return ""  # it tells by itself
    trace, last = error.__traceback__, None
    while trace:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith("<") and file not in MACHINERY:
            last = f" ({Path(file).name}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return last or ""


def _factory(name: str, made_by: Any) -> PlayerFactory:
    """Call a class or function with those of `rng` and `nodes` that it takes; what it makes has to be a player."""
    if not callable(made_by):
        raise PlayError(f"{name} is no player but {made_by!r:.60}; name a class, or a function that makes a player")
    try:
        parameters = list(inspect.signature(made_by).parameters.values())
    except (TypeError, ValueError):  # some types of C have none
        parameters = []
    takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    by_name = {one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)}
    needed = [
        one.name
        for one in parameters
        if one.default is one.empty
        and one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
        and one.name not in ("rng", "nodes")
    ]
    if needed:
        raise PlayError(
            f"the player {name} wants {', '.join(needed)}, which nobody gives it; "
            "it may take rng and nodes, and needs defaults for all others"
        )

    def make(rng: Random, nodes: int | None) -> Player:
        given = {"rng": rng, "nodes": nodes}
        options = {key: value for key, value in given.items() if takes_any or key in by_name}
        made = _loaded(name, lambda: made_by(**options), REMEDY)
        missing = [f"method {method}" for method in METHODS if method not in dir(made)]
        missing += [] if "name" in dir(made) and isinstance(made.name, str) else ["name"]
        if missing:
            kind = type(made).__name__
            raise PlayError(f"{name} makes a {kind}, which is no player: it has no {missing[0]}; {REMEDY}")
        player: Player = made
        return player

    return make
