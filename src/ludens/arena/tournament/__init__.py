"""Tournaments: many matches between many players, by a plan, on all cores; interrupted and continued at will."""
