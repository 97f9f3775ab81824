"""Worth by the degree to which a state fulfils the goal, in fuzzy logic."""
