"""A compiled game as a C library: source, header, examples and a Makefile, as texts; and the compiler for it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Sequence
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from ludens.engines.backend.c_writer import CWriter, c_type
from ludens.engines.backend.language import read_functions
from ludens.engines.native import runtime
from ludens.engines.native.plan import CompiledGame

ABI_VERSION = 1
"""Of the interface in `game.h`; it grows when a program made for an older header would no longer work."""
MAX_LITERAL = 4000
ITEMS_A_LINE = 12
COMPILERS = ("cc", "gcc", "clang")
C_FLAGS = ("-std=c99", "-O2")
KEYWORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while main"""


def c_name(text: str) -> str:
    """A name that C allows, from the name of a game.

    >>> c_name("8 puzzle")
    'game_8_puzzle'
    """
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:35]
    return name if is_c_name(name) else f"game_{name}".rstrip("_")


def is_c_name(name: str) -> bool:
    """Whether a library can have this name."""
    return re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name) is not None and name not in KEYWORDS.split()


def public_name(name: str, function: str) -> str:
    """What a function of `runtime` is called in a library; nothing if it is not offered."""
    return f"{name}_{function.removesuffix('_state')}" if function in runtime.OFFERED else ""


def c_library(game: CompiledGame, name: str, title: str) -> dict[str, str]:
    """The texts of all files, by their names; the same game gives the same texts."""
    return {
        f"{name}.h": filled("game.h", header_values(game, name, title)),
        f"{name}.c": _source(game, name, title),
        "example.c": filled("example.c", header_values(game, name, title)),
        "example.py": filled("example.py.txt", header_values(game, name, title)),
        "Makefile": filled("Makefile.txt", header_values(game, name, title)),
    }


def header_values(game: CompiledGame, name: str, title: str) -> dict[str, str]:
    """What stands in the header, and in the examples, for one game."""
    plan = game.plan
    fields = [f"    {c_type(array.dtype)} {field}[{array.length}];" for field, array in plan.workspace.arrays.items()]
    numbers = {
        "abi_version": ABI_VERSION,
        "roles": len(game.roles),
        "fluents": len(game.fluents),
        "moves": sum(map(len, game.moves)),
        "most_moves": max(1, *map(len, game.moves)),
        "state_bytes": plan.scalars["state_bytes"],
        "legal_bytes": plan.scalars["legal_bytes"],
    }
    return {
        "name": name,
        "NAME": name.upper(),
        "title": re.sub(r"[^\w .,()-]", "_", title),
        "workspace_fields": "\n".join(fields),
        **{key: str(number) for key, number in numbers.items()},
    }


def filled(template: str, values: dict[str, str]) -> str:
    """A template with values in the places of `@key@`."""
    text = (files("ludens.engines.native") / "templates" / template).read_text(encoding="utf-8")
    return re.sub(r"@(\w+)@", lambda match: values[match[1]], text)


def _source(game: CompiledGame, name: str, title: str) -> str:
    plan = game.plan
    writer = CWriter(plan.dtypes, plan.scalars, f"{name}_workspace")
    functions = [each for key, each in read_functions(runtime).items() if key not in runtime.BATCHED]
    inner = [each for each in functions if not public_name(name, each.name)]
    offered = [each for each in functions if public_name(name, each.name)]
    names = {
        "role_names": game.roles,
        "fluent_names": game.fluents,
        "move_names": [move for moves in game.moves for move in moves],
    }
    values = header_values(game, name, title) | {
        "scalars": "\n".join(f"#define {key.upper()} UINT64_C({value})" for key, value in plan.scalars.items()),
        "tables": "\n\n".join(_table(key, table) for key, table in plan.tables.items()),
        "names": "\n\n".join(_names(key, texts) for key, texts in names.items()),
        "prototypes": "\n".join(f"{writer.heading(each)};" for each in inner),
        "functions": "\n".join(map(writer.function, inner)),
        "offered": "\n".join(writer.function(each, public_name(name, each.name)) for each in offered),
    }
    return filled("game.c", values)


def _table(name: str, table: NDArray[np.generic]) -> str:
    form = "UINT64_C({:#x})" if table.dtype.itemsize == 8 else "{}"
    numbers = [form.format(number) for number in table.tolist()]
    return f"static const {c_type(table.dtype)} {name}[{len(table)}] = {{\n{_listed(numbers)}\n}};"


def _names(name: str, texts: Sequence[str]) -> str:
    longest = [number for number, text in enumerate(texts) if len(text) > MAX_LITERAL]
    arrays = [
        f"static const char {name}_{number}[] = {{\n{_listed(_characters(texts[number]))}\n}};\n\n"
        for number in longest
    ]
    items = [f"{name}_{number}" if number in longest else _literal(text) for number, text in enumerate(texts)]
    listed = ",\n".join(f"    {item}" for item in items or ["NULL"])
    return "".join(arrays) + f"static const char *const {name}[{max(1, len(texts))}] = {{\n{listed}\n}};"


def _characters(text: str) -> list[str]:
    return [f"'\\{byte:03o}'" for byte in [*text.encode(), 0]]


def _literal(text: str) -> str:
    """A string of C; what is not plain is written as octal numbers."""
    plain = "".join(
        chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in text.encode()
    )
    return f'"{plain}"'


def _listed(items: Sequence[str]) -> str:
    lines = (items[start : start + ITEMS_A_LINE] for start in range(0, len(items), ITEMS_A_LINE))
    return ",\n".join(f"    {', '.join(line)}" for line in lines)


def c_compiler() -> list[str] | None:
    """The command that CC names, or the first compiler that there is."""
    if wanted := shlex.split(os.environ.get("CC", "")):
        return wanted
    return next(([name] for name in COMPILERS if shutil.which(name)), None)


def library_command(compiler: Sequence[str], name: str) -> list[str]:
    """Builds libNAME.so from NAME.c.

    >>> " ".join(library_command(["cc"], "nim"))
    'cc -std=c99 -O2 -fPIC -shared nim.c -o libnim.so'
    """
    return [*compiler, *C_FLAGS, "-fPIC", "-shared", f"{name}.c", "-o", f"lib{name}.so"]
