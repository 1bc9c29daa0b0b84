"""What an exported scorecard is used for: a program in C, a view in a database, ONNX (see docs/ship.md)."""

import sqlite3
import sys
from pathlib import Path

PROGRAM = """#include <stdio.h>
#include "card.h"

int main(void)
{
    const card_row lot = {1500.0, "Kenya", 2.0};
    printf("%s, score %g\\n", card_labels[card_predict(&lot)], card_score(&lot));
    return 0;
}
"""

BOARD = """#include <stdio.h>
#include "board.h"

int main(void)
{
    const board_row lot = {1500 * 65536, "Kenya", 2 * 65536}; /* INT32_MIN would be missing */
    puts(board_labels[board_predict(&lot)]);
    return 0;
}
"""


def lot():
    """A program in C."""
    Path("lot.c").write_text(PROGRAM)


def board():
    """The same in fixed point."""
    Path("board.c").write_text(BOARD)


def view():
    """Create a view from the query, and count what it says."""
    import polars as pl

    with sqlite3.connect("coffee.db") as database:
        table = pl.read_csv("coffee.csv", null_values="")
        database.execute(f"CREATE TABLE coffee ({', '.join(table.columns)})")
        marks = ", ".join("?" * len(table.columns))
        database.executemany(f"INSERT INTO coffee VALUES ({marks})", table.rows())
        database.execute(f"CREATE VIEW graded AS {Path('card.sql').read_text()}")
        for row in database.execute(
            "SELECT prediction, count(*), avg(score) FROM graded GROUP BY prediction"
        ):
            print(*row)


def onnx():
    """One row, in onnxruntime."""
    import numpy as np
    import onnxruntime

    session = onnxruntime.InferenceSession("card.onnx")
    row = {"altitude": 1500.0, "origin": "Kenya", "defects": 2.0}
    feed = {
        one.name: np.array([[row[one.name]]], object if one.type == "tensor(string)" else float)
        for one in session.get_inputs()
    }
    for one, value in zip(session.get_outputs(), session.run(None, feed), strict=True):
        print(one.name, value.tolist())


if __name__ == "__main__":
    {"lot": lot, "board": board, "view": view, "onnx": onnx}[sys.argv[1]]()
