"""Perceptrons that may refuse to answer (Sundararajan and Pal)."""
