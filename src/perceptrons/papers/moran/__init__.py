"""Moran, Nachum, Panasoff, Yehudayoff, "On the Perceptron's Compression"."""
