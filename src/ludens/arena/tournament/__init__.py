"""Tournaments: many matches between many players, by a plan, on all cores; broken off and taken up again at will."""
