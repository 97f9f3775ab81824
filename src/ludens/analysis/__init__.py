"""Analysis of games, from their rules and from play.

`facts.analyse` gathers what the modules find about the structure of a game: `domain_graph`, static `relations` and the
`orders` they give, input and output arguments (`modes`), `boards`, `quantities`, `turns`, `symmetry`. What `states` of
random games show is proved by `induction` where that can be done.
"""
