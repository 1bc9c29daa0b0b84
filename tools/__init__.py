"""What writes pages: `python -m tools.pages`."""
