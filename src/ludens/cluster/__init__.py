"""Search with many workers at the same time: each has an idea of its own, and all suggest moves.

`orders` are the messages to and from workers, `worker` carries them out, `service` does so and goes on listening.
`pool` is what a searcher sees of its workers. Those of a `RemotePool` are in other processes, each in a `WorkerSlot`
that is kept alive by one `Link` after the other: a `LocalPool` runs them on this computer, as many as `memory` allows.
`gateway` has them in a Ray cluster, which it reaches by a process that is part of it, the `ray_bridge`; `on_ray` holds
the actors there. `connect` knows where a cluster is and who may join it. `searcher` hands out the heuristics and turns
the suggestions into a decision by the rules in `choice`; `root_split` merges shares of the root moves, `trees` merges
Monte Carlo trees. `node` makes a computer part of a cluster, for as long as its owner lives (`supervise`); `activity`
is what can be watched.
"""
