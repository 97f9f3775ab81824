"""The `ludens` command: one module per subcommand."""

from ludens.cli.app import main

__all__ = ["main"]
