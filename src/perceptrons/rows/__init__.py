"""What comes in: validation, rows for compiled code, visiting orders, synthetic data."""
