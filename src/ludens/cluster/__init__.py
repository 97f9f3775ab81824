"""Searching with many workers at the same time: each has an idea of its own, and all suggest moves.

`orders` are what workers are told and answer, `worker` does what they say, `service` does so and goes on listening.
`pool` is what whoever wants a move sees of the workers. Those of a `LinkedPool` are elsewhere, each at a `Place` that
is kept alive by one `Link` after the other: `local` runs them as processes of this computer, each a `child`, as many as
`memory` allows. `gateway` has them in a Ray cluster, which it reaches by a process `inside` of it; `on_ray` is what
happens there. Both kinds of processes are `piped`. `anywhere` chooses, `secret` keeps who may join. `searcher` hands
out the heuristics and makes a decision of the suggestions by the rules in `choice`, `trees` adds up Monte Carlo trees.
`node` lets a computer take part in a cluster, for as long as whoever runs it lives (`bound`); `activity` is what can be
watched.
"""
