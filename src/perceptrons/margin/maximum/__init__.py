"""The hyperplane of maximum margin, certified."""
