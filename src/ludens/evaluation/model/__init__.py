"""A game as its essentials: what is paid, who has more to choose from, and how near the end is."""
