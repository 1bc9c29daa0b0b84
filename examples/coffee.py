"""Write coffee.csv, an invented table to try the commands on: python examples/coffee.py

240 lots of coffee with names, numbers, yes or no, and holes. A lot is "specialty" if a score exceeds a limit;
lots near the limit are left out, so that a line separates the rest.
"""

import csv
from pathlib import Path

import numpy as np

ORIGINS = {"Ethiopia": 1.0, "Kenya": 0.8, "Colombia": 0.3, "Peru": 0.0, "Vietnam": -0.8}
PROCESSES = {"washed": 0.3, "honey": 0.1, "natural": -0.3}
HEADER = ["origin", "process", "altitude", "moisture", "defects", "organic", "grade"]


def lots(n: int, seed: int = 0) -> list[list[object]]:
    rng, rows = np.random.default_rng(seed), []
    while len(rows) < n:
        origin, process = rng.choice(list(ORIGINS)), rng.choice(list(PROCESSES))
        altitude, defects = int(rng.integers(40, 220)) * 10, int(rng.poisson(4))
        moisture, organic = round(float(rng.normal(11.5, 0.8)), 1), bool(rng.random() < 0.4)
        score = (
            ORIGINS[origin] + PROCESSES[process] + altitude / 500 - defects / 4 - abs(moisture - 11) / 4 - 1.7
        )
        if abs(score) > 0.35:
            hole = rng.random() < 0.04
            rows.append(
                [
                    origin,
                    process,
                    altitude,
                    "" if hole else moisture,
                    defects,
                    "yes" if organic else "no",
                    "specialty" if score > 0 else "commercial",
                ]
            )
    return rows


def main() -> None:
    path = Path(__file__).with_suffix(".csv")
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([HEADER, *lots(240)])
    print(f"Written to {path.name}")


if __name__ == "__main__":
    main()
