"""The heuristics of the UT Austin player: one number of a state, as much or as little of it as possible.

`features` are the numbers that the structures of `analysis.templates` suggest (Table 1 of the paper), `heuristics` say
what is wanted of each, `evaluator` tells it to a search.
"""
