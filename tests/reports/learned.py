"""Models of every family, each fitted once to the coffee table, and their reports."""

import warnings
from functools import cache

import numpy as np
import polars as pl

from perceptrons import report
from perceptrons.learners import build_learner, for_tables
from tests.commands import SOURCES

FAMILIES = (
    "perceptron",
    "max margin",
    "sparse",
    "scorecard",
    "kernel",
    "conservative",
    "chow",
    "selective",
    "binary",
    "logistic regression",
    "shallow tree",
)
THREE = 3


@cache
def coffee():
    table = pl.read_csv(SOURCES.parent / "examples" / "coffee.csv")
    return table.drop("grade"), table["grade"].to_numpy()


@cache
def learned(name):
    """A model that takes the table."""
    model = for_tables(build_learner(name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*coffee())


@cache
def reported(name, new_rows=True):
    """New rows need no second fit, so they are quick."""
    return report(
        learned(name), *coffee(), new_rows=new_rows, target="grade", table="coffee.csv", by="origin"
    )


def three_classes(rows=90):
    """A table of three classes, told apart by a name and a number."""
    rng = np.random.default_rng(0)
    kinds = np.arange(rows) % THREE
    sizes = kinds + 0.4 * rng.normal(size=rows)
    hues = np.where(rng.random(rows) < 0.8, np.array(["red", "blue", "green"])[kinds], "grey")
    return pl.DataFrame({"size": sizes, "hue": hues}), np.array(["u", "v", "w"])[kinds]
