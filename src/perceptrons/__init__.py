"""Linear threshold classifiers that can be read, trusted, shipped and scaled."""

from . import theory
from .certify import certify, verify
from .margin.perceptron import Perceptron
from .theory.certificate import Certificate

__version__ = "0.1.0"
__all__ = ["Certificate", "Perceptron", "certify", "theory", "verify"]
