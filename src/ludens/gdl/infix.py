from __future__ import annotations
from ludens.gdl.kif import Reading
from ludens.gdl.source import Source
def looks_infix(text: str) -> bool:
    return False
def read_infix(source: Source) -> Reading:
    raise AssertionError
