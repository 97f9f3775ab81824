"""Searching for the best move: Monte Carlo trees, alpha-beta, and exact solutions."""
