"""What writes the pages: `python -m tools.pages` runs it all; one module for each kind of text it writes."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
