"""One pass, one bit per weight: Golea and Marchand, "On Learning Perceptrons with Binary Weights"."""
