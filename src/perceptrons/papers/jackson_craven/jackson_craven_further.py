"""Jackson and Craven, what stands beside their tables: codons as features, noisy labels, C4.5.

codons   "a feature set that explicitly represents codons results in better generalization" (Section 4, on
         Craven and Shavlik 1993): one logistic unit on the bases of a window, and on its five codons
C4.5     a tree by gain ratio, pruned pessimistically (`c45`), on their domains, beside the paper's numbers
noise    noisy k-perceptrons can still be learned (Section 3.2, on Aslam and Decatur, whose booster filters
         statistical queries: they give it a noise rate, and estimates that tolerate it; it is not built
         here): labels of a sparse perceptron are flipped at random, or by someone who flips those of the
         rows it is surest of. How do accuracy and size fall with AdaBoost, with boosting by majority, and
         with weights that are learned together?
"""

from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import ttest_rel
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder

from ..._types import Array
from ...datasets import load, windows
from ...sparse.sparse_perceptron import SparsePerceptron
from ..experiment import (
    Claim,
    Each,
    ExperimentResult,
    Inputs,
    ResultTable,
    Values,
    incomparable,
    judged,
    near,
    spread,
)
from ..pictures import BLUE, GRAY, INK, ORANGE
from . import c45
from .compared_learners import ALPHA
from .jackson_craven_tables import FoldedRows, folded
from .table_claims import ACCURACIES

PAPER = "Jackson, Craven"
TITLE = "Codons, noisy labels, and C4.5"
HEIGHT = 2.8
BASES, CODONS = "bases", "codons"
WIDTH, CODON = 15, 3
ADABOOST, MAJORITY, TOGETHER = "AdaBoost", "by majority", "learned together"
BOOSTERS: dict[str, dict[str, Any]] = {
    ADABOOST: {"refit": "stagewise", "stages": "cv"},
    MAJORITY: {"refit": "stagewise", "booster": "majority", "stages": "cv"},
    TOGETHER: {},
}
RANDOM, MALICIOUS = "random", "malicious"
NOISES = [0.0, 0.05, 0.1, 0.2]
ROWS, TEST_ROWS, FEATURES, TERMS = 300, 2_000, 20, 5
TREE = 1  # its column in Table 1
LOST = 5.0  # percent of accuracy that a tenth of flipped labels may cost


class NoiseTask(NamedTuple):
    kind: str
    noise: float
    seed: int


class TreeTask(NamedTuple):
    rows: FoldedRows


class CodonTask(NamedTuple):
    letters: Array
    y: Array
    folds: Array
    fold: int


def data(quick: bool) -> Inputs:
    settings: dict[str, Any] = {
        "noises": [0.0, 0.2] if quick else NOISES,
        "seeds": list(range(2 if quick else 10)),
        "runs": 1 if quick else 5,
        "windows": 2_000 if quick else 10_000,
    }
    voting, promoters, coding = load("voting"), load("promoters"), windows(settings["windows"])
    votes = voting.X.drop("physician-fee-freeze")
    sets: dict[str, Any] = {
        "voting": [folded(votes, voting.y, 10, run) for run in range(settings["runs"])],
        "promoters": [folded(promoters.X, promoters.y, 10, run) for run in range(settings["runs"])],
        "coding": coding,
    }
    digests = {"voting": voting.digest, "promoters": promoters.digest, "E. coli": coding.digest}
    return Inputs(settings, sets, digests)


def run(inputs: Inputs, each: Each) -> ExperimentResult:
    given, coding = inputs.settings, inputs.sets["coding"]
    letters = coding.X.to_numpy().astype(str)
    folds = np.unique(coding.groups).tolist()
    found = each(both_representations, [CodonTask(letters, coding.y, coding.groups, fold) for fold in folds])
    noisy = [
        NoiseTask(kind, noise, seed)
        for kind in (RANDOM, MALICIOUS)
        for noise in given["noises"]
        for seed in given["seeds"]
        if noise or kind == RANDOM
    ]
    domains = {name: inputs.sets[name] for name in ("voting", "promoters")}
    domains["coding"] = [FoldedRows(coding.X, coding.y, coding.groups)]
    values: Values = {
        "codons": {name: [one[name] for one in found] for name in (BASES, CODONS)},
        "trees": {name: each(trees, [TreeTask(rows) for rows in some]) for name, some in domains.items()},
        "noisy": [
            {"kind": task.kind, "noise": task.noise, **one}
            for task, one in zip(noisy, each(boosted_on_noise, noisy), strict=True)
        ],
    }
    return ExperimentResult([_codons(values), _trees(values), _noise(values)], values)


def both_representations(task: CodonTask) -> dict[str, float]:
    """Test accuracy in per cent, of a logistic unit on each letter and on each codon."""
    words = np.array([["".join(row[i : i + CODON]) for i in range(0, WIDTH, CODON)] for row in task.letters])
    train = task.folds != task.fold
    found = {}
    for name, columns in ((BASES, task.letters), (CODONS, words)):
        encoder = OneHotEncoder(handle_unknown="ignore").fit(columns[train])
        unit = LogisticRegression(C=1 / (ALPHA * train.sum()), max_iter=10_000)
        unit.fit(encoder.transform(columns[train]), task.y[train])
        right = unit.predict(encoder.transform(columns[~train])) == task.y[~train]
        found[name] = round(100 * float(right.mean()), 6)
    return found


def trees(task: TreeTask) -> dict[str, list[float]]:
    """Accuracy in per cent and leaves, for each fold."""
    X, y, folds = task.rows
    cells = np.array([["" if cell is None else str(cell) for cell in row] for row in X.rows()])
    codes = np.column_stack([np.unique(column, return_inverse=True)[1] for column in cells.T])
    classes = np.unique(y, return_inverse=True)[1]
    found: dict[str, list[float]] = {"accuracy": [], "leaves": []}
    for fold in np.unique(folds):
        train = folds != fold
        tree = c45.grow(codes[train], classes[train])
        right = c45.predict(tree, codes[~train]) == classes[~train]
        found["accuracy"].append(round(100 * float(right.mean()), 6))
        found["leaves"].append(tree.leaves())
    return found


def noisy_rows(task: NoiseTask) -> tuple[Array, Array, Array, Array]:
    """Rows to learn from, with flipped labels; rows to be judged by, with those of the target."""
    rng = np.random.default_rng([7, task.seed])
    pairs = [rng.choice(FEATURES, 2, replace=False) for _ in range(TERMS)]
    X = rng.random((ROWS + TEST_ROWS, FEATURES)) < 0.5
    votes = np.sum([np.where(X[:, i] & X[:, j], 3, -1) for i, j in pairs], axis=0)
    y = votes > np.median(votes)
    n_flipped = round(task.noise * ROWS)
    surest = np.argsort(-np.abs(votes[:ROWS] - np.median(votes)), kind="stable")
    flipped = rng.permutation(ROWS) if task.kind == RANDOM else surest
    labels = y[:ROWS].copy()
    labels[flipped[:n_flipped]] ^= True
    return X[:ROWS], labels, X[ROWS:], y[ROWS:]


def boosted_on_noise(task: NoiseTask) -> dict[str, dict[str, float]]:
    X, y, others, truth = noisy_rows(task)
    found = {}
    for name, how in BOOSTERS.items():
        model = SparsePerceptron(**how, k=2, penalty=False, random_state=task.seed).fit(X, y)
        right = float((model.predict(others) == truth).mean())
        found[name] = {"accuracy": round(100 * right, 6), "weights": int(model.n_weights_)}
    return found


def accuracies(
    values: Values, name: str, noise: float, kind: str = RANDOM, what: str = "accuracy"
) -> list[float]:
    kind = kind if noise else RANDOM
    return [one[name][what] for one in values["noisy"] if (one["kind"], one["noise"]) == (kind, noise)]


def _codons(values: Values) -> ResultTable:
    rows = [[name, spread(found)] for name, found in values["codons"].items()]
    return ResultTable("coding: one logistic unit", ["features", "accuracy, %"], rows)


def _trees(values: Values) -> ResultTable:
    rows = []
    for domain, runs in values["trees"].items():
        leaves = fmean(leaf for one in runs for leaf in one["leaves"])
        said = f"{ACCURACIES[domain][TREE]}"
        rows.append([domain, spread([fmean(one["accuracy"]) for one in runs]), said, f"{leaves:.1f}"])
    return ResultTable("C4.5-like trees", ["domain", "accuracy, %", "paper's C4.5", "leaves"], rows)


def _noise(values: Values) -> ResultTable:
    rows = []
    for kind, noise in dict.fromkeys((one["kind"], one["noise"]) for one in values["noisy"]):
        cells = []
        for name in BOOSTERS:
            sizes = accuracies(values, name, noise, kind, "weights")
            cells.append(f"{spread(accuracies(values, name, noise, kind))} ({fmean(sizes):.0f})")
        rows.append([f"{kind}, {noise:.0%}" if noise else "none", *cells])
    heads = ["labels flipped", *BOOSTERS]
    return ResultTable(f"{TERMS} pairs vote, {ROWS} rows: accuracy on clean rows, % (weights)", heads, rows)


def check(values: Values) -> list[Claim]:
    return [_codons_help(values), *_tree_claims(values), *_noise_claims(values)]


def _codons_help(values: Values) -> Claim:
    one, other = (values["codons"][name] for name in (CODONS, BASES))
    p = float(ttest_rel(one, other, alternative="greater").pvalue)
    return judged(
        p <= 0.05,
        "coding: features that represent codons generalize better than bases",
        "better (Craven and Shavlik)",
        f"{spread(one)} against {spread(other)} %",
        "a logistic unit on each; paired t-test over the folds, p ≤ .05",
        main=True,
    )


def _tree_claims(values: Values) -> list[Claim]:
    voting = [fmean(one["accuracy"]) for one in values["trees"]["voting"]]
    claims = [near("voting: accuracy of C4.5", ACCURACIES["voting"][TREE], voting, 2.0, unit=" %")]
    for domain in ("promoters", "coding"):
        found = [fmean(one["accuracy"]) for one in values["trees"][domain]]
        text, said = f"{domain}: accuracy of C4.5", f"{ACCURACIES[domain][TREE]} %"
        claims.append(incomparable(text, said, f"{spread(found)} %", "other rows than the paper's"))
    return claims


def _noise_claims(values: Values) -> list[Claim]:
    most = max(one["noise"] for one in values["noisy"])
    clean, noisy = (fmean(accuracies(values, TOGETHER, noise)) for noise in (0.0, most))
    base = fmean(accuracies(values, ADABOOST, most))
    sizes = [fmean(accuracies(values, ADABOOST, noise, what="weights")) for noise in (0.0, most)]
    malicious = fmean(accuracies(values, TOGETHER, most, MALICIOUS))
    return [
        judged(
            clean - noisy <= 2 * LOST * most / 0.1 and noisy > 100 * (1 - most),
            "noisy sparse perceptrons can still be learned: errors on clean rows stay below the noise",
            "still PAC-learnable",
            f"{noisy:.1f} % right with {most:.0%} flipped, {clean:.1f} % with none ({TOGETHER})",
            f"above {100 * (1 - most):.0f} %, the right labels; at most {2 * LOST * most / 0.1:g} % lost",
        ),
        judged(
            noisy > base,
            "weights learned together stand noise better than AdaBoost's",
            "–",
            f"{noisy:.1f} against {base:.1f} %, {most:.0%} flipped",
            "mean accuracy on clean rows",
            of_paper=False,
        ),
        judged(
            sizes[1] > sizes[0],
            "AdaBoost spends more weights where labels are noisy",
            "–",
            f"{sizes[0]:.0f} weights, then {sizes[1]:.0f}",
            "mean number of weights",
            of_paper=False,
        ),
        judged(
            malicious < noisy,
            "malicious flips harm more than random ones",
            "–",
            f"{malicious:.1f} against {noisy:.1f} %",
            "mean accuracy on clean rows",
            of_paper=False,
        ),
    ]


def draw(figure: Any, values: Values) -> None:
    left, right = figure.subplots(1, 2, sharex=True)
    for name, color in ((ADABOOST, INK), (MAJORITY, ORANGE), (TOGETHER, BLUE)):
        for kind, line in ((RANDOM, "-"), (MALICIOUS, ":")):
            noises = sorted({one["noise"] for one in values["noisy"]})
            for axes, what in ((left, "accuracy"), (right, "weights")):
                means = [fmean(accuracies(values, name, noise, kind, what)) for noise in noises]
                label = name if kind == RANDOM and axes is left else None
                axes.plot(noises, means, line, marker="o", ms=3, color=color, label=label)
    left.legend(loc="lower left")
    left.set(xlabel="share of labels flipped (dotted: maliciously)", title="accuracy on clean rows, %")
    right.set(xlabel="share of labels flipped", title="weights", ylim=(0, None))
    right.axhline(TERMS, color=GRAY, lw=0.8, ls="--")
