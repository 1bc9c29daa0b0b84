"""Golea, Marchand, "On Learning Perceptrons with Binary Weights"."""
