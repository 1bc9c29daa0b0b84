"""Fitted models on their way out: to a file and back."""
