"""What can be proved: bounds and certificates. Arrays in, numbers out; NumPy and SciPy only."""

from . import bounds
from .certificate import Certificate

__all__ = ["Certificate", "bounds"]
