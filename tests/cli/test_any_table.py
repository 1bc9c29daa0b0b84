"""No table makes a traceback: columns of any mixture, 1 to 50 rows, and what can be done with them."""

import random
from pathlib import Path

import pytest

from tests.sizes import cases

ODD = ["", "NA", "?", "\x1b[31m", "[red]", "-", "1e400", "nan", "inf", "0x1F", "‮", "None"]
MAKERS = {
    "number": lambda i, r: f"{r.gauss(0, 10):.3g}",
    "counter": lambda i, r: str(i + 1),
    "name": lambda i, r: r.choice(["red", "blue", "green"]),
    "id": lambda i, r: f"C-{r.randrange(10**6)}",
    "truth": lambda i, r: r.choice(["yes", "no"]),
    "date": lambda i, r: f"{r.randrange(1, 29):02}.{r.randrange(1, 13):02}.{r.randrange(1990, 2030)}",
    "stamp": lambda i, r: f"2024-{r.randrange(1, 13):02}-01T{r.randrange(24):02}:00:00",
    "clock": lambda i, r: f"{r.randrange(24)}:{r.randrange(60):02}",
    "money": lambda i, r: f'"${r.randrange(10**5):,}.50"',
    "comma": lambda i, r: f'"{r.randrange(99)},{r.randrange(99)}"',
    "percent": lambda i, r: f"{r.randrange(101)}%",
    "text": lambda i, r: " ".join(r.choice(["so", "it", "was", "öfter"]) for _ in range(7)),
    "constant": lambda i, r: "same",
    "empty": lambda i, r: "",
    "odd": lambda i, r: r.choice(ODD),
    "huge": lambda i, r: r.choice(["1e308", "-1e308", "1e-320", "9" * 30]),
}
TARGETS = ("name", "truth", "number", "odd", "constant", "counter", "date", "rare")
LEARNERS = (
    "perceptron",
    "sparse",
    "logistic regression",
    "binary",
    "conservative",
    "soft margin",
    "shallow tree",
)
# explain has no parts to show of some learners
AFTER = {"evaluate": (), "predict": ("--append",), "certify": (), "explain": ("--hardest", 1)}
# learners without parts; an infinite number in a row that had no class, and was not learned from
REFUSED = {"explain": ("perceptrons: A ", "perceptrons: Column "), "predict": "perceptrons: Column "}
QUICK = ("--learner", "averaged", "--learner", "shallow tree", "--jobs", 1, "--max-epochs", 5)


def table(r):
    """A CSV file of a random mixture: the names of its columns, its text and the target."""
    n_rows, n_columns = r.randrange(1, 51), r.randrange(1, 9)
    kinds = [r.choice([*MAKERS]) for _ in range(n_columns)]
    target = r.choice(TARGETS)
    rare = lambda i, r: "rare" if i == 0 else r.choice("ab")  # noqa: E731
    makers = [*(MAKERS[kind] for kind in kinds), MAKERS.get(target, rare)]
    holes = r.choice([0, 0, 0.1, 0.5])
    lines = [",".join("" if r.random() < holes else make(i, r) for make in makers) for i in range(n_rows)]
    names = [*(r.choice(["a", "b", "", f"{kind} {j}"]) for j, kind in enumerate(kinds)), "y"]
    return "\n".join([",".join(names), *lines, ""])


@pytest.mark.thorough
def test_no_table_makes_a_traceback(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    n, fitted = cases(2000, 50), 0
    for seed in range(n):
        r = random.Random(seed)
        encoding = r.choice(["utf-8", "utf-8", "utf-16"])
        Path("t.csv").write_bytes(table(r).encode(encoding))
        learner = r.choice(LEARNERS)
        job = ("fit", "t.csv", "--target", "y", "--learner", learner, "--folds", r.choice([0, 2]))
        code, said, err = command(*job, "--max-epochs", 5, "--out", "m.json")
        told = (seed, code, err)
        assert code in (0, 2), told
        if code == 2:
            assert err.startswith("perceptrons: "), told
            assert err.count("\n") == 1, told
            continue
        assert "\x1b" not in said, told
        fitted += 1
        for name, more in AFTER.items():
            code, said, err = command(name, "m.json", "t.csv", *more)
            assert code in (0, 2), (seed, name, err)
            last = err.splitlines()[-1] if code else ""
            assert not code or last.startswith(REFUSED.get(name, "nothing")), (seed, name, err)
        if seed % 10 == 0:
            code, said, err = command("compare", "t.csv", "--target", "y", "--folds", 2, *QUICK)
            assert code in (0, 2), (seed, err)
    assert fitted >= n // 5
