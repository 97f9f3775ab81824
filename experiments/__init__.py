"""Experiments: questions about play that take many games to answer, one program each."""
