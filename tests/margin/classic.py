"""Perceptrons as the papers have them: the last weights, a lift by the largest norm, no early end."""

from perceptrons import KernelPerceptron, Perceptron
from perceptrons.margin.named import CLASSIC

OF_KERNELS = {"margin": 0.0, "max_epochs": 1000, "compress": False}


def classic(**settings):
    return Perceptron(**{**CLASSIC, **settings})


def classic_kernel(*kernel, **settings):
    return KernelPerceptron(*kernel, **{**CLASSIC, **OF_KERNELS, **settings})
