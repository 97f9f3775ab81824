"""The Game Description Language: text to `Rules` and back.

`kif` and `infix` read a sheet into `formulas` of `terms`, `rewrite` makes plain rules of them, `rules` holds both, and
`printer` and `layout` write them. `validate` checks a sheet, one file per restriction; `scramble` replaces its words.
`chance`, `outcome_weights` and `stochastic` turn random variables into the role `random`. `dependencies` and `domains`
tell what depends on what, and which words can stand where.
"""
