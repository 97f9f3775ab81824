"""Where players meet."""
