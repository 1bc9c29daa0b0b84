"""Figures as text: plain data in, SVG out. Nothing here knows of models."""
