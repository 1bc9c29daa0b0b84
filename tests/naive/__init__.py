"""Slow twins: the papers' pseudo-code in plain Python, importing nothing of the library it judges."""
