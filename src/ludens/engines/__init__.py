"""Engines: interchangeable ways of telling what a game allows and what follows from a move."""
