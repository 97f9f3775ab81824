"""Structures by templates, as the UT Austin player of 2005 looks for them: by the form of the rules and by a short
simulation, without proofs.

`syntax` finds successor relations and counters in the text of the rules, `structures` boards, pieces, markers,
quantities and teams in the states of random games, `comparison` tells where the semantic analysis (`facts`) sees it
otherwise.
"""

from ludens.analysis.templates.structures import AmountTemplate, BoardItem, MarkedBoard, Templates, find_templates

__all__ = ["AmountTemplate", "BoardItem", "MarkedBoard", "Templates", "find_templates"]
