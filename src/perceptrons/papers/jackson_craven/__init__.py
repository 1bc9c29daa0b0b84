"""Jackson, Craven, "Learning Sparse Perceptrons"."""
