"""`ludens compile`: a game as a C library."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from ludens.cli.arguments import GameName, SheetSyntax
from ludens.cli.common import errors, output
from ludens.cli.files import replace_file
from ludens.engines.native.c_library import c_compiler, c_library, c_name, is_c_name, library_command
from ludens.engines.native.llvm_library import llvm_library
from ludens.engines.native.plan import CompiledGame
from ludens.errors import CompileError, EngineError
from ludens.game import load
from ludens.ground import GroundingLimits
from ludens.runtime.deadline import Deadline
from ludens.runtime.processes import run_command

LINKERS = ("ld", "ld.lld")
COMPILE_SECONDS = 600
SHOWN_LINES = 5


def compile_game(
    game: GameName,
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Folder to write to.", show_default=False)
    ],
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="What names in C begin with; by default the name of the game."),
    ] = None,
    llvm: Annotated[bool, typer.Option("--llvm", help="Make machine code without any C compiler, and no C.")] = False,
    seconds: Annotated[
        float, typer.Option(metavar="S", min=0, help="Give up if grounding the rules takes longer.")
    ] = 60.0,
    syntax: SheetSyntax = "auto",
) -> None:
    """Compile GAME to a C library that any program can use.

    Writes NAME.c, NAME.h, a Makefile and examples in C and Python, and builds libNAME.so if there is a C compiler (the
    one that CC names, or cc, gcc, clang). With --llvm: NAME.o and NAME.ll instead, and libNAME.so if there is a linker.
    """
    loaded = load(game, syntax=syntax)
    if name is not None and not is_c_name(name):
        raise typer.BadParameter(
            f"{name!r} cannot begin names in C; give a word of at most 40 lower-case letters, digits and _",
            param_hint="--name",
        )
    chosen = name or c_name(loaded.name)
    folder.mkdir(parents=True, exist_ok=True)
    with errors.status(f"compiling {escape(loaded.name)}"):
        try:
            compiled = CompiledGame.compile(loaded.engine_rules, GroundingLimits(seconds=seconds))
        except EngineError as error:
            raise CompileError(f"{loaded.name} cannot be compiled: {error}") from None
        if llvm:
            files = llvm_library(compiled, chosen, loaded.name)
        else:
            files = {file: text.encode() for file, text in c_library(compiled, chosen, loaded.name).items()}
        _write(folder, files)
        library = _build(folder, chosen, llvm)
    output.print(f"wrote {', '.join(files)} to {escape(str(folder))}", markup=False)
    if library:
        output.print(f"built {library}")
    else:
        output.print(f"[yellow]lib{chosen}.so was not built[/yellow]: {_how_to_build(chosen, llvm)}")


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    for file, data in files.items():
        replace_file(folder / file, data)


def _build(folder: Path, name: str, llvm: bool) -> str | None:
    """Build the shared library and give its name; None where nothing can build it."""
    tool = _linker(c_compiler()) if llvm else c_compiler()
    if tool is None:
        return None
    library = f"lib{name}.so"
    run = [*tool, "-shared", f"{name}.o", "-o", library] if llvm else library_command(tool, name)
    try:
        ending = run_command(run, Deadline(COMPILE_SECONDS), folder=folder)
    except OSError as error:
        raise CompileError(f"`{shlex.join(run)}` failed: {error or 'it takes too long'}") from None
    if ending.code:
        diagnostics = "\n".join(ending.errors.splitlines()[:SHOWN_LINES])
        raise CompileError(f"`{shlex.join(run)}` failed:\n{diagnostics}")
    return library


def _linker(compiler: list[str] | None) -> list[str] | None:
    """A C compiler can link too."""
    return next(([found] for name in LINKERS if (found := shutil.which(name))), compiler)


def _how_to_build(name: str, llvm: bool) -> str:
    if llvm:
        return f"there is no linker here; example.py loads {name}.o without one"
    return "there is no C compiler here; run `make` where there is one, or use --llvm"
