"""What can be proved: bounds and certificates. Arrays in, numbers out; NumPy and SciPy only."""

from . import bounds
from .certificate import Certificate, margin_interval

__all__ = ["Certificate", "bounds", "margin_interval"]
