"""Draw the pictures of docs/geometry.md:  python examples/geometry.py [FOLDER]

For each picture one function returns plain data (numbers and arrays, to be looked at and tested), another
draws them. Everything is seeded; drawing twice gives the same files. Drawing needs matplotlib.
"""

import sys
import warnings
from types import SimpleNamespace as Data

import numpy as np
from threadpoolctl import threadpool_limits

from perceptrons import MarginProjection, MaxMarginPerceptron, Perceptron
from perceptrons.synthetic import separable
from perceptrons.theory import ball, bounds, separate, solve_game, sparse_strategy
from perceptrons.theory.projection import projection_dimension

try:
    from examples import pictures
except ImportError:  # run as a script: its own folder is on the path, not the one above
    import pictures

BLUE, ORANGE, INK, GRAY, PALE = pictures.COLORS
K = np.array([[0.0, 0.4], [1.2, -0.7], [2.3, -0.4], [2.3, 2.2], [0.6, 2.4]])
L = np.array([[4.4, 2.6], [3.5, 1.6], [4.2, -0.4], [6.0, 0.9]])
DISC = ((4.3, 1.0), 2.05)  # center, radius
GAME = np.array([[3.0, -1.0, 1.5, 2.5], [-2.0, 2.5, 1.0, 0.0]])
POINTS = np.array([[2.0, 1.0], [2.0, -1.0], [0.0, 2.0], [1.6, 1.6], [2.7, 0.6], [1.2, 1.0]])


def compression():
    """A perceptron on signed rows z = y·x in the plane, and both ends of its interval as it goes on."""
    rng = np.random.default_rng(4)
    Z = rng.uniform((-0.6, -1.1), (2.3, 2.3), (90, 2))
    Z = Z[(Z @ (0.8, 0.6) > 0.4) & (np.linalg.norm(Z - (1.0, 0.6), axis=1) < 1.5)]
    y = rng.choice([-1, 1], len(Z))
    model = Perceptron(order="worst", tol=0.01, max_epochs=10_000, fit_intercept=False).fit(y[:, None] * Z, y)
    a = np.abs(model.dual_coef_[0])
    low = np.fmax.accumulate(model.history_["margin"])  # the best so far; the first is NaN, before w moved
    high = np.fmin.accumulate(model.history_["margin_bound"])
    t, w = np.cumsum(model.history_["updates"]), model.coef_[0]
    return Data(Z=Z, w=w, a=a, support=model.support_, t=t, low=low, high=high, last=model.certificate_)


def max_margin():
    """Two classes with a gap, and the same pushed into each other: without slack, and with C = 1."""
    rng = np.random.default_rng(5)
    y = np.repeat([-1, 1], 14)
    X = rng.normal(0, 0.75, (28, 2)) + np.outer(y, (1.5, 0.5))
    near = X - np.outer(y, (0.75, 0.25))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "The rows are not separable …", as is meant
        hard, torn = MaxMarginPerceptron(tol=1e-6).fit(X, y), MaxMarginPerceptron().fit(near, y)
    soft = MaxMarginPerceptron(C=1.0).fit(near, y)
    duals = hard.dual_coef_[0]
    nearest = [(duals[s] / duals[s].sum()) @ X[hard.support_[s]] for s in (duals < 0, duals > 0)]
    witness = torn.certificate_.witness
    rows, weights = np.array([row for row, _ in witness]), np.array([float(share) for _, share in witness])
    meet = [weights[s] @ near[rows[s]] / weights[s].sum() for s in (y[rows] < 0, y[rows] > 0)]
    return Data(X=X, near=near, y=y, hard=hard, soft=soft, torn=torn, nearest=nearest, rows=rows, meet=meet)


def separation():
    """Two polygons and a hyperplane between them; a polygon and a disc, and two near points."""
    return Data(apart=separate(K, L, eps=1.1), near=separate(K, ball(*DISC), eps=0.4))


def games():
    """A game of two rows and four columns; the game of points against hyperplanes."""
    return Data(solution=solve_game(GAME), played=sparse_strategy(POINTS, eps=0.1))


def new_rows(eps=0.1, delta=0.05, n_columns=20):
    """Error on new rows over the number m of rows seen: what is proved and what is measured.

    Rows are independent, of norm 1, and at least eps from a hyperplane: no sample has less margin.
    """
    rng = np.random.default_rng(0)
    m = np.logspace(2, 7, 51).round()
    d = round(1 / eps**2)  # Novikoff: no more corrections, hence no more rows used

    def draw(size):
        X = rng.standard_normal((2 * size + 100, n_columns))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        X = X[np.abs(X[:, 0]) >= eps][:size]
        return X, np.sign(X[:, 0])

    fresh, truth = draw(100_000)
    sizes = np.array([100, 300, 1000, 3000, 10_000])
    models = [Perceptron(order="cyclic", fit_intercept=False).fit(*draw(size)) for size in sizes]
    return Data(
        m=m,
        d=d,
        by_margin=bounds.margin_generalization(eps, m, delta),
        by_size=bounds.compression_bound(d, m, delta),
        exact=np.array([bounds.binomial_compression_bound(d, int(size), delta) for size in m]),
        sizes=sizes,
        observed=np.array([model.certificate_.generalization_bound(delta) for model in models]),
        measured=np.array([(model.predict(fresh) != truth).mean() for model in models]),
    )


def projection(n_seeds=5):
    """The share of the margin left after projecting 2,000 columns to k, for several k and draws."""
    X, y, _ = separable(50, 2000, margin=0.6, random_state=0)
    k = np.array([5, 10, 20, 40, 80, 160, 320, 640, 1280])
    with threadpool_limits(1):  # for so small products a second thread costs more than it brings
        share = [[_project(X, y, int(n), seed) for seed in range(n_seeds)] for n in k]
    return Data(k=k, share=np.array(share), enough=projection_dimension(len(X), 0.6))


def _project(X, y, k, seed):
    return MarginProjection(k, fit_intercept=False, random_state=seed).fit(X, y).report_.share_kept


def draw_compression(figure, data):
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.3))
    _hull(left, data.Z, GRAY)
    left.plot(*data.Z.T, "o", ms=2.5, color=GRAY)
    left.plot(*data.Z[data.support].T, "o", ms=6, mfc="none", color=ORANGE, label="rows in the sum")
    left.plot(
        *np.stack([np.zeros(2), data.w / data.a.sum()]).T,
        "-o",
        ms=4,
        markevery=[1],
        color=ORANGE,
        label="w/Σa",
    )
    _line(
        left, data.w, data.last.margin * np.linalg.norm(data.w), color=BLUE, ls="--", label="margin achieved"
    )
    left.plot(0, 0, "+", ms=8, color=INK)
    left.annotate("0", (0, 0), (-9, -9), textcoords="offset points")
    left.legend(loc="upper left", bbox_to_anchor=(0.98, 1.0), handlelength=1.4)
    _bare(left, (-0.5, 2.6), (-1.0, 2.2), "signed rows y·x and their hull")
    shown = np.unique(np.geomspace(1, len(data.t) - 1, 80).round().astype(int))  # enough for the eye
    t, low, high = data.t[shown], data.low[shown], data.high[shown]
    right.fill_between(t, low, high, color=PALE)
    right.plot(t, high, color=ORANGE)
    right.plot(t, low, color=BLUE)
    right.text(t[-1], high[-1] * 1.35, "no hyperplane has more\nthan ‖w‖/Σa", color=ORANGE, ha="right")
    right.text(t[-1], low[-1] * 0.8, "achieved", color=BLUE, ha="right", va="top")
    right.set(xscale="log", xlabel="corrections", xlim=(t[0], t[-1]), ylim=(0, 2.2 * high[-1]))
    right.set_xticks([2, 10, 100], ["2", "10", "100"])
    right.minorticks_off()
    right.set_title("the best margin lies between")


def draw_max_margin(figure, data):
    hard, torn, soft = figure.subplots(1, 3)
    for axes, X in ((hard, data.X), (torn, data.near), (soft, data.near)):
        for sign, color in ((-1, ORANGE), (1, BLUE)):
            axes.plot(*X[data.y == sign].T, "o", ms=3, color=color)
            if axes is not soft:
                _hull(axes, X[data.y == sign], color)
    for axes, model, X in ((hard, data.hard, data.X), (soft, data.soft, data.near)):
        for level, style in ((-1, ":"), (0, "-"), (1, ":")):
            _line(axes, model.coef_[0], level - model.intercept_[0], color=INK, ls=style, lw=1)
        axes.plot(*X[model.support_].T, "o", ms=6, mfc="none", color=INK)
    hard.plot(*np.transpose(data.nearest), "-o", ms=3.5, color=INK)
    torn.plot(*data.near[data.rows].T, "o", ms=6, mfc="none", color=INK)
    torn.plot(*data.meet[0], "D", ms=5, color=INK)
    for axes, title in (
        (hard, "nearest points of the hulls"),
        (torn, "witness: a point of both"),
        (soft, "slack, C = 1"),
    ):
        _bare(axes, (-2.9, 2.9), (-2.1, 1.7), title)


def draw_separation(figure, data):
    left, right = figure.subplots(1, 2)
    turn = np.linspace(0, 2 * np.pi, 61)
    disc = np.array(DISC[0]) + DISC[1] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    for axes, answer, other in ((left, data.apart, L), (right, data.near, disc)):
        for name, points, side, color in (("K", K, answer.of_K, BLUE), ("L", other, answer.of_L, ORANGE)):
            _hull(axes, points, color)
            axes.plot(*side.points.T, "o", ms=6, mfc="none", color=color)
            axes.text(*points.mean(axis=0), name, color=color, fontsize=12)
    w, b, margin = data.apart.w, data.apart.b, data.apart.margin
    for shift, style in ((-1, ":"), (0, "-"), (1, ":")):
        _line(left, w, b + shift * margin * np.linalg.norm(w), color=INK, ls=style, lw=1)
    right.plot(*np.stack([data.near.p, data.near.q]).T, "-o", ms=3.5, color=INK)
    right.annotate("p", data.near.p, (-10, -3), textcoords="offset points")
    right.annotate("q", data.near.q, (6, -3), textcoords="offset points")
    _bare(left, (-0.4, 6.6), (-1.2, 3.2), "Separated: w is made of the ringed points")
    _bare(right, (-0.4, 6.6), (-1.2, 3.2), "Near: p and q are means of the ringed points")


def draw_games(figure, data):
    left, right = figure.subplots(1, 2, width_ratios=(1.2, 1))
    solution, played = data.solution, data.played
    share = np.linspace(0, 1, 101)
    won = np.outer(share, GAME[0]) + np.outer(1 - share, GAME[1])
    left.plot([0, 1], GAME[::-1], color=BLUE, lw=1)
    left.plot(share, won.min(axis=1), color=ORANGE, lw=3)
    left.plot(solution.x[0], solution.value, "o", ms=6, color=INK)
    at = solution.x[0], solution.value
    left.annotate(f"value\n{at[1]:.2f}", at, (4, -34), textcoords="offset points", ha="center")
    for j, height in enumerate(GAME[0]):
        left.annotate(f"column {j + 1}", (1, height), (4, -3), textcoords="offset points", color=BLUE)
    left.text(0.13, -1.9, "the worst case", color=ORANGE)
    left.set(xlim=(0, 1), xlabel="share of the first row", ylabel="won by the row player")
    left.set_title("solve_game: two rows, four columns")
    _hull(right, POINTS, GRAY)
    right.plot(*POINTS.T, "o", ms=2.5, color=GRAY)
    right.plot(*POINTS[played.rows].T, "o", ms=6, mfc="none", color=ORANGE)
    for row, times in zip(played.rows, played.times, strict=True):
        right.annotate(f"× {times}", POINTS[row], (7, 3), textcoords="offset points", color=ORANGE)
    mean = played.weights @ POINTS[played.rows]
    right.plot(*np.stack([np.zeros(2), mean]).T, "-o", ms=4, markevery=[1], color=ORANGE)
    _line(right, played.w, played.lower, color=BLUE, ls="--")
    right.plot(0, 0, "+", ms=8, color=INK)
    right.annotate("0", (0, 0), (-9, -9), textcoords="offset points")
    _bare(right, (-0.5, 3.2), (-1.3, 2.4), "sparse_strategy: few points")


def draw_new_rows(figure, data):
    axes = figure.subplots()
    axes.loglog(data.m, data.by_margin, color=BLUE, ls="--", label="Theorem 5.1, margin ≥ 0.1")
    axes.loglog(data.m, data.by_size, color=BLUE, label=f"Theorem 5.2, {data.d} rows kept")
    axes.loglog(data.m, data.exact, color=ORANGE, label=f"binomial tail, {data.d} rows kept")
    axes.loglog(
        data.sizes, data.observed, "o", ms=5, mfc="white", color=ORANGE, label="… rows kept as observed"
    )
    axes.loglog(data.sizes, data.measured, "o", ms=5, color=INK, label="measured")
    axes.set(xlabel="rows seen", ylabel="error on new rows", xlim=(80, 1.2e7), ylim=(1e-5, 2))
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))
    axes.minorticks_off()


def draw_projection(figure, data):
    axes = figure.subplots()
    axes.fill_between(data.k, data.share.min(axis=1), data.share.max(axis=1), color=PALE)
    axes.plot(data.k, np.median(data.share, axis=1), "o-", ms=4, color=BLUE)
    axes.plot([data.enough, 2200], [0.67, 0.67], color=ORANGE, lw=3, solid_capstyle="butt")
    axes.axvline(data.enough, ymax=0.67 / 1.15, color=ORANGE, ls=":", lw=1)
    axes.text(data.enough * 0.95, 0.58, f"promised: 0.67\nfrom {data.enough:,} on", color=ORANGE, ha="right")
    axes.text(23, 0.25, "median and range of five draws", color=BLUE)
    axes.set(xscale="log", xlabel="components, of 2,000 columns", xlim=(4.5, 2200), ylim=(0, 1.15))
    axes.set_ylabel("share of the margin kept")
    axes.set_xticks(data.k, [str(k) for k in data.k])
    axes.minorticks_off()


def _bare(axes, xlim, ylim, title):
    """A plane without numbers."""
    axes.set(xlim=xlim, ylim=ylim, title=title, aspect="equal", xticks=[], yticks=[])
    axes.spines[:].set_visible(False)


def _hull(axes, points, color):
    """The convex hull of points in the plane."""
    from scipy.spatial import ConvexHull

    axes.fill(*points[ConvexHull(points).vertices].T, fc=color, ec=color, alpha=0.18, lw=1)


def _line(axes, w, b, **style):
    """All x with ⟨w,x⟩ = b."""
    middle, along = w * b / (w @ w), np.array([-w[1], w[0]]) / np.linalg.norm(w)
    axes.plot(*np.stack([middle - 20 * along, middle + 20 * along]).T, **style)


PICTURES = {  # file: data, drawing, height in inches
    "compression": (compression, draw_compression, 3.0),
    "max-margin": (max_margin, draw_max_margin, 1.9),
    "separation": (separation, draw_separation, 2.5),
    "games": (games, draw_games, 3.0),
    "new-rows": (new_rows, draw_new_rows, 3.0),
    "projection": (projection, draw_projection, 3.0),
}


if __name__ == "__main__":
    print(*pictures.draw(PICTURES, *sys.argv[1:2]), sep="\n")
