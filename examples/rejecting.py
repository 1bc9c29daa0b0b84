"""Classifiers that may reject, on the Pima data:  python examples/rejecting.py [--pictures [FOLDER]]

Prints what rejections are worth on women who were not learned from; with --pictures, draws the pictures of
docs/conservative.md. For each picture one function returns plain data, another draws them. Everything is
seeded; drawing twice gives the same files. Drawing needs matplotlib.
"""

import json
import warnings
from pathlib import Path
from types import SimpleNamespace as Data

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from perceptrons import ChowClassifier, ConservativePerceptron, ErrorRejectDisplay, Perceptron
from perceptrons.datasets import load

try:
    from examples import pictures
except ImportError:  # run as a script: its own folder is on the path, not the one above
    import pictures

RESULT = Path(__file__).resolve().parents[1] / "benchmarks" / "results" / "conservative.json"
GAMMA, GAMMAS = 0.2, (0.1, 0.2, 0.3, 0.4)  # what a rejection costs, beside an error of 1
BLUE, ORANGE, INK, GRAY, PALE = pictures.COLORS


def split(seed=0):
    """568 women to learn from, 200 to be judged by."""
    data = load("pima")
    X, rows = data.X.to_numpy(), np.random.default_rng(seed).permutation(len(data.y))
    train, test = rows[:568], rows[568:]
    return X[train], data.y[train], X[test], data.y[test]


def learn(X, y, gamma):
    """A hyperplane with bands, and Chow's rule on the posteriors of a perceptron."""
    plain = make_pipeline(StandardScaler(), Perceptron(result="average", max_epochs=100, random_state=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # no hyperplane separates these rows
        conservative = ConservativePerceptron(reject_cost=gamma, random_state=0).fit(X, y)
        return conservative, ChowClassifier(plain, reject_cost=gamma).fit(X, y)


def error_reject():
    """The models of several costs, and rows that none has seen."""
    X, y, others, hidden = split()
    models = {gamma: learn(X, y, gamma) for gamma in GAMMAS}
    return Data(models=models, X=others, y=hidden)


def band():
    """Scores of rows not learned from, and the bands."""
    X, y, others, hidden = split()
    model, _ = learn(X, y, GAMMA)
    scores, rejected = model.decision_function(others), model.rejects(others)
    wrong = (model.predict_liberal(others) != hidden) & ~rejected
    positive = hidden == model.classes_[1]
    return Data(scores=scores, rejected=rejected, wrong=wrong, positive=positive, bands=model.bands_)


def risks(file=RESULT):
    """Test risks as the benchmark measured them: by method, a row per split and a column per cost."""
    sections = json.loads(Path(file).read_text(encoding="utf-8"))["sections"]
    raw = next(section["raw"] for section in sections if "median risk" in section["title"])
    methods = {key.split()[0] for key in raw}
    found = {
        method: np.hstack([_table(raw[f"{method} {first}"]) for first in (0, 100)]).T for method in methods
    }
    return Data(gammas=np.array([float(gamma) for gamma in raw["chow 0"]]), **found)


def _table(by_gamma):
    return np.array(list(by_gamma.values()))


def draw_error_reject(figure, data):
    panels = figure.subplots(1, 2, sharex=True, sharey=True)
    for which, (axes, color) in enumerate(zip(panels, (ORANGE, BLUE), strict=True)):
        for gamma, models in data.models.items():
            style = {"alpha": 1.0, "lw": 1.4} if gamma == GAMMA else {"alpha": 0.3, "lw": 0.8}
            shown = ErrorRejectDisplay.from_estimator(
                models[which], data.X, data.y, name="", ax=axes, color=color, **style
            )
            shown.point_.set(markersize=5, zorder=3)
            at, low = (
                (shown.point.rejected[0], shown.point.errors[0]),
                gamma == 0.3,
            )  # two are near each other
            where = {"xytext": (-6, -9), "ha": "right"} if low else {"xytext": (6, 4)}
            axes.annotate(f"γ = {gamma:g}", at, textcoords="offset points", **where)
        axes.grid(visible=False)
        axes.set(ylim=(0, 0.3), xlabel="rejected rows")
    panels[0].text(0.46, 0.24, "thin: the other hyperplanes,\nwith other bands", color=GRAY, fontsize=8)
    panels[1].set_ylabel("")
    panels[0].set_title("CPLR2: a hyperplane for each cost of a rejection")
    panels[1].set_title("Chow's rule: one hyperplane, a threshold for each")


def draw_risks(figure, data):
    left, right = figure.subplots(1, 2)
    gammas = data.gammas
    lines = {
        "PLR + Chow": (data.chow, BLUE, "-"),
        "CPLR1": (data.cplr1, INK, "--"),
        "CPLR2": (data.cplr2, ORANGE, "-"),
    }
    always = np.median(data.always, axis=0)
    left.plot(gammas, always, color=GRAY, lw=1)
    left.annotate("PLR, always\nanswering", (gammas[0], always[0]), (-4, 4), textcoords="offset points")
    for name, (found, color, line) in lines.items():
        left.plot(gammas, np.median(found, axis=0), line, marker="o", ms=3, color=color, label=name)
    for shift, name in ((-0.012, "CPLR1"), (0.012, "CPLR2")):
        found, color, line = lines[name]
        low, middle, high = np.quantile(found - data.chow, (0.25, 0.5, 0.75), axis=0)
        right.vlines(gammas + shift, low, high, color=color, lw=3, alpha=0.3)
        right.plot(gammas + shift, middle, line, marker="o", ms=3, color=color)
    right.axhline(0, color=BLUE)
    left.set(ylim=(0, 0.3), title="risk of rows not learned from: medians")
    left.legend(loc="lower right")
    left.text(0.515, 0.285, "not in the paper", color=GRAY, va="center", fontsize=8)
    right.set(ylim=(-0.02, 0.042), title="minus that of PLR + Chow: medians, quartiles")
    for axes in (left, right):
        axes.axvspan(0.5, gammas[-1] + 0.04, color=PALE, zorder=0, lw=0)
        axes.set(xlim=(gammas[0] - 0.04, gammas[-1] + 0.04), xticks=gammas, xlabel="cost of a rejection, γ")


def draw_band(figure, data):
    axes = figure.subplots()
    low, high = -data.bands[0], data.bands[1]
    edges = bins(data.scores, low, high)
    axes.axvspan(low, high, color=PALE, zorder=0, lw=0)
    axes.vlines(0, -17, 11, color=GRAY, lw=0.8, ls=":")
    for side, color in ((1, ORANGE), (-1, BLUE)):
        heights, _ = np.histogram(data.scores[data.positive == (side > 0)], edges)
        axes.bar(edges[:-1], side * heights, np.diff(edges), align="edge", color=color, ec="white", lw=0.6)
    axes.axhline(0, color=INK, lw=0.8)
    axes.text(edges[-1], 3.4, "tested positive", color=ORANGE, ha="right")
    axes.text(edges[-1], -3.6, "tested negative", color=BLUE, ha="right", va="top")
    for text, rows, x, align in (
        ("answered negative", data.scores <= low, edges[0], "left"),
        ("rejected", data.rejected, (low + high) / 2, "center"),
        ("answered positive", data.scores >= high, edges[-1], "right"),
    ):
        n_wrong = np.count_nonzero(data.wrong[rows])
        told = f"{text}\n{np.count_nonzero(rows)}" + f", {n_wrong} of them wrong" * (text != "rejected")
        axes.text(x, 14, told, ha=align, va="center")
    axes.set(ylim=(-17, 17), xlabel="score", ylabel="women", yticks=[-15, -10, -5, 0, 5, 10])
    axes.set_yticklabels(["15", "10", "5", "0", "5", "10"])


def bins(scores, low, high):
    """Edges of bins that begin and end at the borders of the band."""
    width = (high - low) / 9
    below = low - width * np.arange(np.ceil((low - scores.min()) / width), 0, -1)
    above = high + width * np.arange(1, np.ceil((scores.max() - high) / width) + 1)
    return np.concatenate([below, np.linspace(low, high, 10), above])


PICTURES = {  # file: data, drawing, height in inches
    "pima-error-reject": (error_reject, draw_error_reject, 3.0),
    "pima-risk": (risks, draw_risks, 3.0),
    "pima-band": (band, draw_band, 2.8),
}


def report(data):
    """What the models of each cost do with rows that they have not seen, as lines of text."""
    yield f"{len(data.y)} women who were not learned from; an error costs 1"
    yield f"{'refusal':>8}{'CPLR2':>26}{'Chow':>29}"
    yield f"{'costs':>8}" + f"{'rejected':>13}{'wrong':>8}{'risk':>8}" * 2
    for gamma, models in data.models.items():
        yield f"{gamma:8g}" + "".join(_line(model, data.X, data.y) for model in models)
    model = data.models[GAMMA][0]
    rejected = model.rejects(data.X)
    wrong = np.count_nonzero((model.predict_liberal(data.X) != data.y)[rejected])
    yield f"At {GAMMA:g}, CPLR2 rejects {rejected.sum()}, of which it would get {wrong} wrong: that this pays"
    yield f"can be said with a confidence of {100 * model.confidence(data.X, data.y):.1f} %."


def _line(model, X, y):
    rejected = model.rejects(X)
    wrong = (model.predict(X) != y) & ~rejected
    return f"{rejected.sum():13}{wrong.sum():8}{model.risk(X, y):8.3f}"


if __name__ == "__main__":
    pictures.run("Classifiers that may reject, on the Pima data.", PICTURES, lambda: report(error_reject()))
