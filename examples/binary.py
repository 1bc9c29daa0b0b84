"""Weights of one bit, beside the theory:  python examples/binary.py [--pictures [FOLDER]]

Prints how often weights that were learned agree with those that made the labels; with --pictures, draws the
pictures of docs/binary.md. For each picture one function returns plain data, another draws them. Everything
is seeded; drawing twice gives the same files. Drawing needs matplotlib.
"""

from types import SimpleNamespace as Data

import numpy as np

from perceptrons import BinaryPerceptron
from perceptrons.papers.golea_marchand.teachers import LOAD, learn, sample
from perceptrons.rows.bits import Bits
from perceptrons.theory import curves

try:
    from examples import pictures
except ImportError:  # run as a script: its own folder is on the path, not the one above
    import pictures

BLUE, ORANGE, INK, GRAY, PALE = pictures.COLORS
LOADS = (0.25, 0.5, 0.75, 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.75, 2, 2.5, 3, 4, 5, 6)
AGREEMENT = "new rows labeled as by the teacher, G"
WEIGHTS = (1, -1, 1, 1, 0, -1, 0, 1, -1, -1, 1, 0, 1, -1, 0, -1)  # of the teacher whose words are drawn


def learning_curves(n=1001, loads=LOADS, n_samples=5):
    """G of clipped Hebb and of sbpi, learned from the same rows: by load and sample."""
    samples = (sample(n, load, seed=seed) for load in loads for seed in range(n_samples))
    runs = [(learn("clipped-hebb", given)[1], *learn("sbpi", given)) for given in samples]
    found = [(hebb, sbpi, model.converged_, model.n_epochs_) for hebb, model, sbpi in runs]
    hebb, sbpi, solved, n_epochs = np.array(found).reshape(len(loads), n_samples, 4).transpose(2, 0, 1)
    return Data(n=n, loads=np.array(loads), hebb=hebb, sbpi=sbpi, solved=solved == 1, n_epochs=n_epochs)


def words(weights=WEIGHTS, seed=19):
    """A model learned from all rows there are, and how it answers one of them, bit by bit."""
    n = len(weights)
    X = 2 * Bits(np.arange(2**n, dtype=np.uint64)[:, None], n).unpacked().astype(np.int8) - 1
    model = BinaryPerceptron(epsilon=0.1).fit(X, X @ np.array(weights) > 0)
    packed, row = model.packed_, model.pack(X[np.random.default_rng(seed).integers(2**n, size=1)])
    differ = row.words[0] ^ packed.signs
    against = differ & packed.mask
    steps = {"row": row.words[0], "signs": packed.signs, "xor": differ, "mask": packed.mask, "and": against}
    return Data(
        model=model,
        row=row,
        steps={name: Bits(bits[None], n).unpacked()[0] for name, bits in steps.items()},
        against=int(np.bitwise_count(against).sum()),
        score=int(packed.scores(row)[0]),
        answer=int(packed.predict(row)[0]),
    )


def draw_curves(figure, data):
    axes = figure.subplots()
    stuck = data.loads[~data.solved.all(axis=1)]
    if len(stuck):
        axes.axvspan(stuck[0] - 0.05, stuck[-1] + 0.05, color=PALE, zorder=0, lw=0)
    alpha = np.linspace(0, 1, 81) ** 2 * data.loads[-1]  # denser where the curve is steep
    axes.plot(alpha, curves.learning_curve(alpha), color=BLUE)
    late = alpha[alpha >= 2]
    axes.plot(late, 1 - curves.bayes_error(late), "--", color=GRAY)
    means, spreads = data.hebb.mean(axis=1), data.hebb.std(axis=1, ddof=1)
    axes.errorbar(data.loads, means, spreads, fmt="o", ms=3.5, lw=1, color=BLUE)
    for which, color in ((data.solved, ORANGE), (~data.solved, "white")):
        at = np.broadcast_to(data.loads[:, None], which.shape)[which]
        axes.plot(at, data.sbpi[which], "o", ms=4, color=ORANGE, mfc=color, mew=0.9, clip_on=False)
    axes.text(2.1, 0.985, "sbpi, five runs each: the teacher's weights", color=ORANGE, va="top")
    axes.text(1.72, 0.6, "filled: no training row is wrong\nopen: some are, after 1,000 epochs", color=ORANGE)
    axes.text(2.1, 0.88, "real weights, the best rule\nfor large α: 1 − 0.44/α", color=GRAY)
    axes.text(3.6, 0.75, f"clipped Hebb: line n → ∞,\npoints n = {data.n:,}", color=BLUE)
    axes.set(xlim=(0, data.loads[-1] + 0.1), ylim=(0.5, 1), xlabel=LOAD, ylabel=AGREEMENT)


def draw_words(figure, data):
    axes = figure.subplots()
    told = {
        "row": "1 where x = +1",
        "signs": "1 where w = +1",
        "xor": "1 where they differ",
        "mask": "1 where w is not 0",
        "and": f"differ where w is not 0: {data.against}",
    }
    for y, (name, bits) in zip((7.1, 5.9, 4.5, 3.3, 1.9), data.steps.items(), strict=True):
        color = ORANGE if name in ("xor", "and") else BLUE
        for column, (bit, counts) in enumerate(zip(bits, data.steps["mask"], strict=True)):
            _square(axes, column, y, int(bit), color, 1 if counts else 0.35)
        axes.text(-0.9, y, name, ha="right", va="center", color=color)
        axes.text(len(bits), y, told[name], va="center")
    n_weights, theta = data.model.n_weights_, data.model.threshold_
    beside = f"{'>' if data.score > theta else '≤'} θ = {theta}, the answer is {data.answer:+d}"
    sum_ = f"Σ w x = {n_weights} (ones of the mask) − 2 · {data.against} = {data.score} {beside}"
    axes.text(-0.45, 0.3, sum_.replace("-", "−"), va="center")
    axes.set(xlim=(-3, 22), ylim=(-0.3, 7.7), aspect="equal", xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def _square(axes, x, y, bit, color, alpha):
    """A bit in a box."""
    axes.fill(
        x + np.array([-0.45, 0.45, 0.45, -0.45]),
        y + np.array([-0.45, -0.45, 0.45, 0.45]),
        fc=color if bit else PALE,
        alpha=alpha if bit else 1,
        lw=0,
    )
    axes.text(x, y, bit, color="white" if bit else GRAY, ha="center", va="center", fontsize=8)


PICTURES = {  # file: data, drawing, height in inches
    "binary-curves": (learning_curves, draw_curves, 3.2),
    "binary-words": (words, draw_words, 2.4),
}


def report(sizes=(101, 1001), loads=(0.5, 1, 1.5, 2, 4, 6), n_samples=5):
    """G by size and load, as lines of text."""
    yield f"G, how often new rows get the teacher's label: means of {n_samples} samples (m rows, n columns)"
    yield f"{'n':>6}{'m/n':>6}{'theory':>10}{'clipped Hebb':>15}{'sbpi':>8}  no training row wrong"
    for n in sizes:
        data = learning_curves(n, loads, n_samples)
        theory, hebb, sbpi = curves.learning_curve(data.loads), data.hebb.mean(axis=1), data.sbpi.mean(axis=1)
        for load, *G, solved in zip(loads, theory, hebb, sbpi, data.solved, strict=True):
            yield _line(n, load, *G) + f"  in {solved.sum()} of {n_samples}"


def _line(n, load, theory, hebb, sbpi):
    return f"{n:6,}{load:6g}{theory:10.3f}{hebb:15.3f}{sbpi:8.3f}"


if __name__ == "__main__":
    pictures.run("Weights of one bit, beside the theory.", PICTURES, report)
