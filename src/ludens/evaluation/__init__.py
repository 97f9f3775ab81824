"""What states are worth before the end: each part of this package makes an `Evaluator` of its own kind."""
