"""What can be learned about a game by looking at its rules and playing it."""
