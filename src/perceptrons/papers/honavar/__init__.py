"""Honavar, "The Perceptron Algorithm"."""
