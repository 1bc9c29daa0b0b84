"""The data sets of the papers' experiments, each with a check of its content.

    python -m perceptrons.datasets                          lists them
    python -m perceptrons.datasets mushroom mushroom.csv    writes one as a table

In Python, `load("voting")` gives a table, one of `NAMES`; `mnist()`, `a9a()` and `windows()` give images,
sparse rows and windows of a genome. No data comes with the library: a set is read from the folder named by
PERCEPTRONS_DATA, or fetched from where it is published. Either way its content, whatever the order of its
rows, must have the digest we know, so that a result is a result on these data.
"""

from .dataset import NAMES, Dataset, load
from .genome import Windows, windows
from .images import Images, mnist
from .svmlight import Census, a9a

__all__ = ["NAMES", "Census", "Dataset", "Images", "Windows", "a9a", "load", "mnist", "windows"]
