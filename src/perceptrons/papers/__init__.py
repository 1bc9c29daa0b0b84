"""The papers' experiments: the data they used, and one module for each table or figure."""
