"""What there is to load: for each data set its file, its OpenML number, its columns and its digest.

Names of columns and meanings of codes follow the documentation that UCI gave with each set.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from . import mushrooms

TARGET = "class"
LICENSE = "UCI lists its data under CC BY 4.0 (to our knowledge)."

VOTES = (
    "handicapped-infants",
    "water-project-cost-sharing",
    "adoption-of-the-budget-resolution",
    "physician-fee-freeze",
    "el-salvador-aid",
    "religious-groups-in-schools",
    "anti-satellite-test-ban",
    "aid-to-nicaraguan-contras",
    "mx-missile",
    "immigration",
    "synfuels-corporation-cutback",
    "education-spending",
    "superfund-right-to-sue",
    "crime",
    "duty-free-exports",
    "export-administration-act-south-africa",
)
CYTOLOGY = (
    "Clump Thickness",
    "Uniformity of Cell Size",
    "Uniformity of Cell Shape",
    "Marginal Adhesion",
    "Single Epithelial Cell Size",
    "Bare Nuclei",
    "Bland Chromatin",
    "Normal Nucleoli",
    "Mitoses",
)
PATIENTS = (
    "pregnancies",
    "plasma glucose",
    "blood pressure",
    "skin fold",
    "insulin",
    "body mass index",
    "pedigree",
    "age",
)
SQUARES = tuple(
    f"{row}-{column}-square" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")
)


class TableSource(NamedTuple):
    title: str  # one line
    file: str  # in the folder PERCEPTRONS_DATA
    openml: int
    columns: tuple[str, ...]
    split: Callable[[str], list[str]]  # a line of the file into cells, the class last
    digest: str
    changes: str  # what we did to the file's table
    words: Mapping[str, Mapping[str, str]] = {}  # what the codes of a column mean
    case: Callable[[str], str] = str.lower  # of all cells: OpenML may write them otherwise
    numbers: bool = False  # the columns hold numbers, integers where none has decimals; else texts
    part: slice = slice(None)  # the rows of OpenML's table that are this set
    license: str = LICENSE

    @property
    def header(self) -> tuple[str, ...]:
        return *self.columns, TARGET


def _class_first(line: str) -> list[str]:
    label, *cells = line.split(",")
    return [*cells, label]


def _class_last(line: str) -> list[str]:
    return line.split(",")


def _id_first(line: str) -> list[str]:
    return line.split(",")[1:]


def _sequence(line: str) -> list[str]:
    """The class, the instance's name, the sequence in one piece."""
    cells = line.split(",")
    return [*cells[-1].strip(), cells[0]]


def _id_last(line: str) -> list[str]:
    label, *cells = line.split()
    return [*cells[:-1], label]


def _positions(first: int, last: int) -> tuple[str, ...]:
    """Biologists count ..., -2, -1, 1, 2, ...: there is no position 0."""
    return tuple(f"p{place}" for place in range(first, last + 1) if place)


def _monks(digests: Mapping[str, str]) -> dict[str, TableSource]:
    """OpenML holds the rows to learn from and those to test on in one table: we expect them in this order."""
    sources = {}
    for problem, (number, n_train) in enumerate(((333, 124), (334, 169), (335, 122)), start=1):
        train, test = f"monks-{problem}", f"monks-{problem}-test"
        for name, ending, part, what in (
            (train, "train", slice(n_train), f"{n_train} robots to learn from"),
            (test, "test", slice(n_train, None), "all 432 robots, to test on"),
        ):
            sources[name] = TableSource(
                title=f"MONK's problem {problem}: {what}, 6 attributes",
                file=f"monks/monks-{problem}.{ending}",
                openml=number,
                columns=("a1", "a2", "a3", "a4", "a5", "a6"),
                split=_id_last,
                digest=digests[name],
                changes="The instance's name was dropped; the codes are texts, for they are nominal.",
                part=part,
            )
    return sources


SOURCES = {
    "voting": TableSource(
        title="Congressional Voting Records 1984: 435 members of the House, 16 votes, their party",
        file="voting/house-votes-84.data",
        openml=56,
        columns=VOTES,
        split=_class_first,
        digest="959fe8cb9d11331d1832c937aab16be585830b875b54b40d38041e6f98218548",
        changes="A vote that is neither y nor n (392 cells) is null.",
    ),
    "promoters": TableSource(
        title="E. coli promoters: 106 DNA sequences of 57 nucleotides, promoter (+) or not (-)",
        file="promoters/promoters.data",
        openml=164,
        columns=_positions(-50, 7),
        split=_sequence,
        digest="37fae4d17656995d4df5224397ac28b27f7e3cc465e523b5815ad9d704cb92ba",
        changes="The instance's name was dropped.",
    ),
    "splice": TableSource(
        title="Primate splice junctions: 3190 DNA sequences of 60 nucleotides; EI, IE or neither (N)",
        file="splice/splice.data",
        openml=46,
        columns=_positions(-30, 30),
        split=_sequence,
        digest="16954b2eb26595836aa341da9178abf1e229449f8308f9e700ef51e70beba1bb",
        changes="The instance's name was dropped. The letters D, N, S, R for an ambiguous nucleotide (60 "
        "cells) were kept as values of their own.",
        case=str.upper,
    ),
    "mushroom": TableSource(
        title="Mushroom: 8124 gilled mushrooms, 22 nominal attributes, edible or poisonous",
        file="mushroom/agaricus-lepiota.data",
        openml=24,
        columns=mushrooms.COLUMNS,
        split=_class_first,
        digest="988833e25800f2db2a3a5f755e345fc010c8723b9c3e1ec8a276f372f5386a94",
        changes="One-letter codes were spelled out; an unknown stalk-root (2480 cells) is null.",
        words={**mushrooms.WORDS, TARGET: {"e": "edible", "p": "poisonous"}},
    ),
    **_monks(
        {
            "monks-1": "fa5f9bf35cbdf1105ca2df27fef9fd738eb0ac336390ab41eededacb4c541795",
            "monks-1-test": "a5dd563b8090724a192ecde364eb4d8ec98613a73878f186a6b6b208f97ef399",
            "monks-2": "d22e0a01e47d6ae57b78a4ad7d4961606eb4ab9c57a24b0514f6be101d8c1176",
            "monks-2-test": "ff271ed1460c8bf00e43eaac9623a80117a40247a197e215f320446dc65a9536",
            "monks-3": "69f7ff05cdc79dd3828b95e1479fa930c9195cc02b71d057bd7d239d9962fb8b",
            "monks-3-test": "09324bff9d2b18a2017e6dd63de2d6eed6533ee99b4c49b5474b6889cf2e2c28",
        }
    ),
    "tic-tac-toe": TableSource(
        title="Tic-tac-toe endgames: all 958 final boards; positive: x, who began, has won",
        file="tic_tac_toe/tic-tac-toe.data",
        openml=50,
        columns=SQUARES,
        split=_class_last,
        digest="ec13b36913d2d61ce86af388845db8a5c2418b96a7dbf8cb4b25ae34c1b220a9",
        changes="Nothing was changed; b is a blank square.",
    ),
    "wisconsin": TableSource(
        title="Breast Cancer Wisconsin (original): 699 samples, 9 integers from 1 to 10, benign or malignant",
        file="breast_cancer_wisconsin/breast-cancer-wisconsin.data",
        openml=15,
        columns=CYTOLOGY,
        split=_id_first,
        digest="4748094c1deb414f6020079c7d9a11d10335832880b6d21f77cb12d2a5ceb95f",
        changes="The sample's number was dropped, the classes 2 and 4 were named; 16 unknown cells are null.",
        words={TARGET: {"2": "benign", "4": "malignant"}},
        numbers=True,
    ),
    "pima": TableSource(
        title="Pima Indians Diabetes: 768 women, 8 numbers each, tested positive for diabetes or negative",
        file="pima/pima-indians-diabetes.csv",
        openml=37,
        columns=PATIENTS,
        split=_class_last,
        digest="62e5e054f3cc445c756b6f465096c51139fbaace992e8306845b3332d2919d08",
        changes="The classes 0 and 1 were named. Zeros were kept as they are, though those of plasma glucose "
        "(5 cells), blood pressure (35), skin fold (227), insulin (374) and body mass index (11) must stand "
        "for what was not measured.",
        words={
            TARGET: {
                "0": "negative",
                "1": "positive",
                "tested_negative": "negative",  # so OpenML
                "tested_positive": "positive",
            }
        },
        numbers=True,
        license="UCI has withdrawn it; it is commonly given as CC0, public domain (to our knowledge).",
    ),
}
