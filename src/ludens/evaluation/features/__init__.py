"""Features: numbers that are read off a state, made from the expressions that the rules of a game are written in."""
