"""Objects named by text, loaded when they are needed: plug-ins, and parts that take long to import."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def load_object(name: str) -> Any:
    """Import a module, or what `package.module:attribute` names; ImportError or AttributeError if there is none.

    >>> load_object("ludens.runtime.deadline:Deadline.never")().remaining
    inf
    """
    module, _, path = name.partition(":")
    found: Any = import_module(module)
    for attribute in path.split(".") if path else ():
        found = getattr(found, attribute)
    return found
