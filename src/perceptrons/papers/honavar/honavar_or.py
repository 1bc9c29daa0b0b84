"""Honavar, *Perceptron Algorithm* (1996): the example of Section 2, OR; the sketches of Section 4, drawn for
it; and remarks of Sections 3 and 4.

The example visits the patterns in turn, from weights of 0, with a bias of 1 in front, and takes an output of
0 for the negative class. The remarks are put to the test on random sets that a hyperplane separates: may the
learning rate fluctuate as it likes, may training start anywhere, does absolute correction end as printed, and
as we amend it; and equations 3.1 and 3.2 on every correction of these sets.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...margin.named import NAMED
from ...margin.perceptron import Perceptron
from ...margin.trace import Presentation, trace
from ...synthetic import separable
from ...theory import bounds
from ..experiment import Claim, Each, ExperimentResult, Inputs, ResultTable, Values, in_turn, judged
from ..pictures import BLUE, ORANGE
from .or_pictures import draw_pattern_space, draw_weight_space

PAPER = "Honavar"
TITLE = "OR, learned correction by correction"
HEIGHT = 6.4
PATTERNS, TARGETS = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
PATH = [[0, 0, 0], [1, 0, 1], [0, 0, 1], [1, 1, 1], [0, 1, 1]]  # weights in the chapter, bias first
SCORES = [0, 0, 1, 2, 1, 1, 0, 3, 1, 1, 1, 2, 0]  # W·X of its 13 lines "step 1"
OUTPUTS = [0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0]
TEACHER = (-1, 2, 2)  # separates the patterns by 1: a W* of the corollary
RATES = (0.125, 1.0, 8.0)
MARGIN, ROWS, COLUMNS, EPOCHS = 0.05, 30, 5, 500
STARTS = (0.1, 1.0, 10.0)  # lengths of weights to start from
WAVERING = "η = 1 to 7"
FIXED, FADING, ABSOLUTE, FRACTIONAL = "η = 1", "η = 2⁻ᵗ", "absolute", "fractional"
WAYS: dict[str, dict[str, Any]] = {
    FIXED: {},
    FADING: {"eta": lambda t: 0.5 ** min(t, 1_000)},  # bounded, as the remark asks
    ABSOLUTE: {"step": "absolute"},
    FRACTIONAL: {"step": "fractional"},
}


def data(quick: bool) -> Inputs:
    return Inputs({"seeds": list(range(5 if quick else 100)), "sizes": [ROWS, COLUMNS], "margin": MARGIN})


def run(inputs: Inputs, each: Each) -> ExperimentResult:
    model = _example().fit(PATTERNS, TARGETS)
    corrections = list(trace(_example(), PATTERNS, TARGETS))
    values: Values = {
        "patterns": [one.row + 1 for one in corrections],
        "path": [[0, 0, 0], *([one.intercept_after, *one.coef_after.tolist()] for one in corrections)],
        "presentations": model.n_presentations_,
        "lines": [_line(one) for one in trace(_example(), PATTERNS, TARGETS, presentations=True)],
        "bound": float(bounds.novikoff_binary(2, np.linalg.norm(TEACHER))),
        "updates": {f"{eta:g}": _example(eta).fit(PATTERNS, TARGETS).n_updates_ for eta in RATES},
        "first step as printed": {name: _printed(name) for name in (ABSOLUTE, FRACTIONAL)},
        "sets": in_turn(
            _on_one_set, inputs.settings["seeds"]
        ),  # milliseconds: other processes would take longer
        "starts": in_turn(_from_anywhere, inputs.settings["seeds"]),
        "proof": in_turn(_proof, inputs.settings["seeds"]),
    }
    values["3.1"] = [
        all(w >= MARGIN * t - 1e-6 for t, (w, _) in enumerate(run, 1)) for run in values["proof"]
    ]
    values["3.2"] = [all(w <= t**0.5 + 1e-6 for t, (_, w) in enumerate(run, 1)) for run in values["proof"]]
    values["proof"] = max(values["proof"], key=len)  # one is enough to be drawn
    values["varying"] = [one.pop("varying") for one in values["sets"]]
    return ExperimentResult([_steps(values), _lines(values), _sets(values)], values)


def _example(eta: float = 1.0) -> Perceptron:
    return Perceptron(**{**NAMED["honavar"], "eta": eta})


def _line(one: Presentation) -> dict[str, Any]:
    """A line "step 1" of the chapter: W·X of a pattern, and the output beside the target."""
    return {
        "pattern": one.row + 1,
        "score": one.score,
        "output": one.output,
        "target": one.target,
        "corrected": one.correction is not None,
    }


def _printed(step: str) -> float:
    """The chapter's η_t at W = 0, for the first pattern that is wrong there: ⌈|W·X|/X·X⌉, or λ|W·X|/X·X."""
    W, X = np.zeros(3), np.array([1, *PATTERNS[1]])
    share = abs(W @ X) / (X @ X)
    return float(np.ceil(share) if step == ABSOLUTE else 2 * share)


def _on_one_set(seed: int) -> dict[str, Any]:
    """Corrections of each way on one separable set, None if rows are still wrong in the end; and the largest
    share that varying rates have used of what the proof allows them."""
    X, y, _ = separable(ROWS, COLUMNS, margin=MARGIN, random_state=seed)
    found = {
        name: Perceptron(**NAMED["rosenblatt"], **how, fit_intercept=False, max_epochs=EPOCHS).fit(X, y)
        for name, how in WAYS.items()
    }
    ends: dict[str, Any] = {
        name: model.n_updates_ if model.converged_ else None for name, model in found.items()
    }
    return ends | {"varying": max(_varying(X, y, rates) for rates in (FADING, WAVERING))}


def _varying(X: Any, y: Any, rates: str) -> float:
    """(Ση)²/((‖W*‖L/δ)² Ση²) of a run."""
    eta = {FADING: WAYS[FADING]["eta"], WAVERING: lambda t: 1.0 + t % 7}[rates]
    model = Perceptron(**{**NAMED["rosenblatt"], "eta": eta}, fit_intercept=False, max_epochs=EPOCHS).fit(
        X, y
    )
    steps = [eta(t) for t in range(1, model.n_updates_ + 1)]
    return round(float(bounds.varying_updates(1.0, MARGIN, steps)), 9)


def _from_anywhere(seed: int) -> list[float]:
    """Corrections from random weights of several lengths, as shares of the bound."""
    X, y, teacher = separable(ROWS, COLUMNS, margin=MARGIN, random_state=seed)
    shares, rng = [], np.random.default_rng([1, seed])
    for length in STARTS:
        start = rng.normal(size=COLUMNS)
        start *= length / np.linalg.norm(start)
        model = Perceptron(**NAMED["rosenblatt"], fit_intercept=False, max_epochs=10 * EPOCHS)
        model.fit(X, y, coef_init=[start])
        most = bounds.beta_updates_from(0.0, 1.0, MARGIN, length, float(np.asarray(teacher) @ start))
        shares.append(round(model.n_updates_ / float(most), 9) if model.converged_ else float(EPOCHS))
    return shares


def _proof(seed: int) -> list[list[float]]:
    """W*·W_t and ‖W_t‖ after every correction, W* of length 1 and L = 1."""
    X, y, teacher = separable(ROWS, COLUMNS, margin=MARGIN, random_state=seed)
    model = Perceptron(**NAMED["rosenblatt"], fit_intercept=False, max_epochs=EPOCHS)
    found = [one.coef_after for one in trace(model, X, y)]
    return [[round(float(np.asarray(teacher) @ w), 9), round(float(np.linalg.norm(w)), 9)] for w in found]


def _steps(values: Values) -> ResultTable:
    rows = [["start", "", _vector(values["path"][0]), _vector(PATH[0])]]
    for number, (pattern, weights) in enumerate(zip(values["patterns"], values["path"][1:], strict=True), 1):
        printed = _vector(PATH[number]) if number < len(PATH) else ""
        rows.append([str(number), f"X{pattern}", _vector(weights), printed])
    return ResultTable("Every correction", ["correction", "pattern", "W, ours", "W, paper"], rows)


def _lines(values: Values) -> ResultTable:
    """Every pattern shown, with the weights that it met."""
    rows, corrected = [], 0
    for number, line in enumerate(values["lines"], 1):
        W = _vector(values["path"][corrected])
        answer = f"{line['output']} {'≠' if line['output'] != line['target'] else '='} {line['target']}"
        corrected += line["corrected"]
        after = _vector(values["path"][corrected]) if line["corrected"] else "no change"
        rows.append([str(number), f"X{line['pattern']}", W, f"{line['score']:g}", answer, after])
    heads = ["step 1", "pattern", "W", "W·X", "output, target", "W after"]
    return ResultTable("Every pattern shown", heads, rows)


def _vector(weights: Sequence[float]) -> str:
    return "[" + " ".join(f"{weight:g}" for weight in weights) + "]"


def _sets(values: Values) -> ResultTable:
    rows = []
    for name in WAYS:
        ends = _ended(values, name)
        middle = f"{np.median(ends):g}" if ends else "–"
        rows.append([name, f"{len(ends)} of {len(values['sets'])}", middle])
    heads = ["step", "sets separated", "corrections, median"]
    return ResultTable(f"Separable sets of {ROWS}×{COLUMNS}, norm 1, best margin {MARGIN:g}", heads, rows)


def _ended(values: Values, name: str) -> list[int]:
    return [one[name] for one in values["sets"] if one[name] is not None]


def check(values: Values) -> list[Claim]:
    updates, n_sets = values["updates"], len(values["sets"])
    scores, outputs = ([line[what] for line in values["lines"]] for what in ("score", "output"))
    ends = {name: len(_ended(values, name)) for name in WAYS}
    along, length = values["3.1"], values["3.2"]
    started = max(share for shares in values["starts"] for share in shares)
    still = [name for name, step in values["first step as printed"].items() if step == 0]
    return [
        judged(
            values["path"] == PATH,
            "OR: every weight vector, from [0 0 0] to [0 1 1]",
            _vector(PATH[-1]),
            _vector(values["path"][-1]),
            "all five weight vectors are equal",
            main=True,
        ),
        judged(
            (updates["1"], values["presentations"], scores, outputs)
            == (len(PATH) - 1, len(SCORES), SCORES, OUTPUTS),
            "OR: corrections, and patterns shown until none is wrong",
            f"{len(PATH) - 1}, {len(SCORES)}",
            f"{updates['1']}, {values['presentations']}",
            "equal, and so are W·X and the output of every line",
        ),
        judged(
            updates["1"] <= values["bound"],
            "binary patterns: at most ‖W*‖²(n+1) corrections",
            f"≤ {values['bound']:g}",
            str(updates["1"]),
            "no more; W* = (−1, 2, 2)",
        ),
        judged(
            len(set(updates.values())) == 1,
            "OR: a constant learning rate does not change the number of corrections",
            "the same",
            ", ".join(f"{count} (η = {eta})" for eta, count in updates.items()),
            "equal for three rates",
        ),
        judged(
            ends[FIXED] == n_sets,
            "separable sets are separated",
            "always",
            f"{ends[FIXED]} of {n_sets}",
            f"all, in {EPOCHS:,} passes",
        ),
        judged(
            ends[FADING] == n_sets,
            "any bounded learning rate converges",
            "always",
            f"{ends[FADING]} of {n_sets} with η = 2⁻ᵗ",
            f"all, in {EPOCHS:,} passes; Σ η must be infinite, too",
            main=True,
        ),
        judged(
            max(values["varying"]) <= 1 + 1e-6,
            "rates that vary: (Ση)² ≤ (‖W*‖L/δ)² Ση², as the proof gives it",
            "≤ 1",
            f"at most {max(values['varying']):.2f} of it",
            "every set, rates 2⁻ᵗ and 1 to 7 in turn; Ση² may grow as fast as (Ση)²",
        ),
        judged(
            all(along) and all(length),
            "equations 3.1 and 3.2: W*·W_t ≥ tηδ, ‖W_t‖ ≤ √t·ηL",
            "after every correction",
            f"{sum(along)} and {sum(length)} of {n_sets} sets",
            "every correction of every set",
        ),
        judged(
            started <= 1 + 1e-9,
            "the proof extends to an arbitrary W₀",
            "easy to extend",
            f"at most {started:.2f} of our bound",
            f"‖W₀‖ = {', '.join(f'{one:g}' for one in STARTS)}: no more corrections than `beta_updates_from`",
        ),
        judged(
            not still,
            "absolute and fractional correction, as printed, leave W = 0 (and converge)",
            "provably converge",
            "neither leaves it" if len(still) == 2 else "they leave it",
            "the first step on OR is not 0",
        ),
        judged(
            ends[ABSOLUTE] == ends[FRACTIONAL] == n_sets,
            "absolute and fractional correction, amended, converge",
            "provably",
            f"{ends[ABSOLUTE]} and {ends[FRACTIONAL]} of {n_sets}",
            f"all, in {EPOCHS:,} passes; how they are amended: docs/notation.md",
        ),
    ]


def draw(figure: Any, values: Values) -> None:
    """After each correction: above, the line W·X = 0 among the patterns; below, W among the lines that the
    patterns are in weight space. In the end what the proof is made of."""
    spaces, proof = figure.subfigures(2, 1, height_ratios=(2, 1))
    _draw_proof(proof.subplots(), values["proof"])
    above, below = spaces.subplots(2, len(values["path"]) - 1, sharey="row")
    for number, (before, after) in enumerate(pairwise(values["path"])):
        title = f"{number + 1}.  W = {_vector(after)}"
        draw_pattern_space(above[number], after, PATTERNS, TARGETS, values["patterns"][number], title)
        draw_weight_space(below[number], before, after, PATTERNS, TARGETS)
    above[0].set_ylabel("pattern space\nx₂")
    below[0].set_ylabel("weight space\nw₂")
    above[0].text(0.5, -0.6, "circled: the pattern\nthat was wrong", fontsize=7, ha="center", va="center")


def _draw_proof(axes: Any, run: list[list[float]]) -> None:
    """Equations 3.1 and 3.2 of one run: the two lines meet where the corrections must have ended."""
    t, (along, length) = np.arange(1, len(run) + 1), np.array(run).T
    every = np.linspace(0, MARGIN**-2, 200)
    axes.plot(every, np.sqrt(every), color=ORANGE, lw=0.8)
    axes.plot(every, MARGIN * every, color=BLUE, lw=0.8)
    axes.plot(t, length, ".", ms=3, color=ORANGE)
    axes.plot(t, along, ".", ms=3, color=BLUE)
    axes.annotate(
        "‖W‖ (dots) ≤ √t·L, 3.2",
        (0.3 / MARGIN**2, np.sqrt(0.3) / MARGIN),
        (0, 5),
        color=ORANGE,
        textcoords="offset points",
        ha="right",
    )
    axes.annotate(
        "W*·W (dots) ≥ tδ, 3.1",
        (0.6 / MARGIN**2, 0.6 / MARGIN),
        (6, -8),
        color=BLUE,
        textcoords="offset points",
    )
    axes.set(xlabel="corrections t, up to the bound (‖W*‖L/δ)²", xlim=(0, None), ylim=(0, None))
    axes.set_title(f"A run of {len(run)} corrections")
