"""Garbage is looked for less often in processes of our own.

Importing and compiling make hundreds of thousands of objects that stay. Python would look through all of them
again and again: a fifth of the time that a command takes.
"""

import gc

OBJECTS, YOUNG, OLD = 50_000, 20, 100  # Python's own are 700, 10 and 10


def collect_rarely() -> None:
    """For the whole process; a program that imports the library decides for itself."""
    gc.set_threshold(OBJECTS, YOUNG, OLD)
