"""Scores as real numbers: every double is a fraction."""

from fractions import Fraction


def score(x, w, b):
    """⟨w, x⟩ + b."""
    return sum(
        (Fraction(float(a)) * Fraction(float(c)) for a, c in zip(x, w, strict=True)), Fraction(float(b))
    )
