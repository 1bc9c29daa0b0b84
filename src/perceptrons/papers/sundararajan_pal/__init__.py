"""Sundararajan, Pal, "A Conservative Approach to Perceptron Learning"."""
