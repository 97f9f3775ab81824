"""The heuristics of the UT Austin player: one number of a state, as much or as little of it as possible.

`heuristics` are the numbers that the structures of `analysis.templates` suggest (Table 1 of the paper), each to be
maximised or minimised; `evaluator` gives their values to a search, and tries them by playouts.
"""
