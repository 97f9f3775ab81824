"""The table of commands: its texts are those of the commands, and only the one that is called is imported."""

from __future__ import annotations

import pytest

from ludens.cli.app import COMMANDS, load_command
from tests.child import run_child
from tests.cli.command import run


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_has_the_first_sentence_of_each_help(name: str) -> None:
    command = load_command(name)
    assert command.name == name
    assert " ".join(command.help.split("\n\n")[0].split()) == COMMANDS[name][1]


def test_help_lists_all_commands_and_imports_none() -> None:
    program = """
import sys
from ludens.cli.app import COMMANDS, app
try:
    app(["--help"])
except SystemExit as left:
    assert not left.code
loaded = {"numba", "clingo", "nicegui", "ray", *(f"ludens.cli.{place.split(':')[0]}" for place, _ in COMMANDS.values())}
sys.exit(", ".join(loaded & sys.modules.keys()) or None)
"""
    shown = run_child(program)
    for name in COMMANDS:
        assert f" {name} " in shown


def test_a_misspelt_command_gets_a_suggestion() -> None:
    ended = run("chek")
    assert ended.code == 2
    assert "Did you mean 'check'?" in ended.err
