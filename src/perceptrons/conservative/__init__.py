"""Perceptrons that may reject a row (Sundararajan and Pal)."""
