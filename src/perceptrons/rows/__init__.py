"""Rows for compiled code: validation, layouts, standardized views, visiting orders, bits."""
