"""Few weights, on conjunctions that can be read: Jackson and Craven, "Learning Sparse Perceptrons"."""
