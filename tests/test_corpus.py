"""Real rule sheets are read; `engines/test_conformance.py` plays them."""

from __future__ import annotations

from pathlib import Path

from ludens.errors import LudensError
from ludens.gdl.rules import Rules


def test_every_sheet_parses_and_prints_back(corpus: Path) -> None:
    sheets = sorted([*corpus.glob("games/*.kif"), *corpus.glob("gdl2/*.kif")])
    assert len(sheets) > 200
    faults = []
    for sheet in sheets:
        try:
            rules = Rules.read(sheet)
            if Rules.parse(rules.to_kif()) != rules:
                faults.append(f"{sheet.name}: printing and reading again gives other rules")
        except LudensError as error:
            faults.append(f"{sheet.name}: {error}")
    assert not faults, "\n".join(faults)
