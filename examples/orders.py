"""Write a dirty table and two newer ones, as a shop might export them:  python orders.py

orders.csv: 600 orders, of which few were returned; Latin-1, semicolons, decimal commas, dates, ids, free
text, gaps, a constant column, and some orders whose outcome is not known.
later_orders.csv: 300 more, whose outcome has become known since.
new_orders.csv: 40 more, without outcome.
"""

import datetime
import random
from pathlib import Path

HEAD = "order id;ordered;customer;amount;discount;city;express;shop;remark;returned"
CITIES = ["Zürich", "Genève", "Basel", "Lugano"]
WORDS = [
    "please",
    "leave",
    "parcel",
    "at",
    "the",
    "door",
    "ring",
    "twice",
    "neighbour",
    "blue",
    "wrap",
    "gift",
    "thank",
    "you",
    "soon",
]
FIRST_DAY = datetime.date(2024, 1, 1)


def order(number: int, source: random.Random) -> str:
    """A line. Express orders of large amounts around the weekend come back."""
    day = FIRST_DAY + datetime.timedelta(days=source.randrange(500))
    amount, express = source.lognormvariate(4.5, 0.8), source.random() < 0.3
    weekend = day.weekday() >= 4
    risk = 0.02 + 0.75 * (amount > 120 and express and weekend) + 0.1 * (amount > 250)
    price = f"{amount:,.2f}".replace(",", "'").replace(".", ",")
    cells = [
        str(10_000 + number),
        f"{day:%d.%m.%Y}",
        f"C-{source.randrange(10**6):06}",
        f"CHF {price}" if source.random() > 0.04 else "",
        source.choice(["0 %", "5 %", "12,5 %"]),
        source.choice(CITIES) if source.random() > 0.05 else "?",
        "yes" if express else "no",
        "web",
        " ".join(source.sample(WORDS, 6)),
        ("yes" if source.random() < risk else "no") if source.random() > 0.02 else "",
    ]
    return ";".join(cells)


def main() -> None:
    source = random.Random(0)
    lines = [order(number, source) for number in range(940)]
    new = [line.rpartition(";")[0] for line in [HEAD, *lines[600:640]]]
    write("orders.csv", [HEAD, *lines[:600]])
    write("new_orders.csv", new)
    write("later_orders.csv", [HEAD, *lines[640:]])


def write(name: str, lines: list[str]) -> None:
    Path(name).write_bytes("\n".join([*lines, ""]).encode("latin-1"))


if __name__ == "__main__":
    main()
