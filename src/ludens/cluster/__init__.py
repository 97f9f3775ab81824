"""Searching with many workers at the same time: each has an idea of its own, and all suggest moves.

`orders` are what workers are told and answer, `worker` does what they say, `service` does so and goes on listening.
`pool` is the workers as a searcher sees them. Those of a `RemotePool` are in other processes, each in a `WorkerSlot`
that is kept alive by one `Link` after the other: a `LocalPool` runs them on this computer, as many as `memory` allows.
`gateway` has them in a Ray cluster, which it reaches by a process that is part of it, the `ray_bridge`; `on_ray` is
what happens there. `connect` knows where a cluster is, `secret` keeps who may join. `searcher` hands out the heuristics
and makes a decision of the suggestions by the rules in `choice`; `root_split` puts shares of moves together, `trees`
adds up Monte Carlo trees. `node` lets a computer take part in a cluster, for as long as its owner lives (`supervise`);
`activity` is what can be watched.
"""
