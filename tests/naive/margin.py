"""The slow twin of the margin family: the papers' perceptrons in plain Python.

    while some row violates  y*<w, x> <= beta:   w <- w + tau*y*x

Honavar, *Perceptron Algorithm* (1996): the cyclic pass of Section 2 and the steps tau of Section 4.
Moran, Nachum, Panasoff and Yehudayoff, *On the perceptron's compression*, Section 2: Algorithms 1 to 4,
which differ in the target beta alone.

Letters: m rows, s = <w, x> + b the score, a the duals (w = sum of a_i*y_i*x_i), t the number of updates.
The intercept is the weight of a constant feature rho, kept as b = rho * (that weight): a correction adds
tau*y*rho^2 to b, a row has the lifted squared norm q = ||x||^2 + rho^2; rho^2 = 0 means no intercept.
"""

import math
from copy import deepcopy
from dataclasses import dataclass

PASSIVE_AGGRESSIVE_SLACK = 1e-3
AIMED_EPOCHS, FEWEST_EPOCHS = 20, 3
ACTIVE_SHARE, ACTIVE_ROWS, ACTIVE_PASSES, ACTIVE_CALLS = 0.1, 32, 25, 40


@dataclass
class Run:
    """What training returns: `w`, `b` and `duals` as `result` asks for, `history` of the last weights."""

    w: list[float]
    b: float
    duals: list[float]
    n_updates: int
    n_presentations: int
    n_iter: int
    converged: bool
    stopped: str
    history: list[tuple]  # per epoch: (updates, errors, ||w|| / sum of a)
    updates: list[tuple]  # per correction: (row, tau, beta violated, w after, b after)
    presented: list[tuple]  # per row looked at: (row, score, corrected)


def median_norm(X, weights=None):
    """The power of two 2^k that is the lower median of the rows' norms, each rounded to the nearest: of a row
    with 2^(2k-1) <= ||x||^2 < 2^(2k+1). Rows of zeros do not count; 1 if there are no others. A row of weight
    s counts s times."""
    weights = weights or [1] * len(X)
    powers = sorted((nearest_power(dot(x, x)), s) for x, s in zip(X, weights, strict=True) if any(x))
    half = sum(s for _, s in powers) / 2
    for power, s in powers:
        half -= s
        if half <= 0:
            return power
    return 1.0


def nearest_power(squared):
    power = 1.0
    while squared >= 2 * power**2:
        power *= 2
    while 2 * squared < power**2:
        power /= 2
    return power


def dot(u, v):
    return sum(u_j * v_j for u_j, v_j in zip(u, v, strict=True))


class Target:
    """The target beta: `margin` and `alpha`. Moran et al., Algorithms 1 and 2 (a number), 3 and 4."""

    def __init__(self, margin, alpha, everyday=0.0):
        self.margin, self.alpha = margin, alpha
        self.beta = everyday if margin == "auto" else 0.0 if isinstance(margin, str) else margin
        self.largest_q = 0.0

    def fall(self):
        """The everyday target is aimed at for some epochs only."""
        if self.margin == "auto":
            self.beta = 0.0

    def of(self, y):
        """A pair holds the targets of the negative and of the positive class (uneven margins, PAUM)."""
        return self.beta[y > 0] if isinstance(self.beta, (tuple, list)) else self.beta

    def after_update(self, t, q):
        self.largest_q = max(self.largest_q, q)
        if self.margin == "adaptive" and self.beta < q:
            self.beta = 4 * q
        elif self.margin == "infinity":
            self.beta = self.algorithm_4(t)
        elif self.margin == "growing":
            self.beta = self.largest_q * self.algorithm_4(t)

    def algorithm_4(self, t):
        return 0.5 * ((t + 1) ** self.alpha - t**self.alpha - 1)


@dataclass
class Rule:
    """When a row of class y and score s is corrected, and by how much: `step`, `eta` and `ties`."""

    step: str
    eta: object  # a number, or a function of the number of the correction
    ties: str
    most: float = math.inf  # that a correction may add to the score of its row

    def violates(self, y, s, beta):
        strict = self.step == "passive-aggressive" or self.tie_is_right(y, beta)
        return y * s < beta if strict else y * s <= beta

    def tie_is_right(self, y, beta):
        """Honavar's neuron outputs class 0 (our -1) at score 0."""
        return self.ties == "negative" and y == -1 and beta == 0

    def tau(self, y, s, beta, q, t):
        """The step of correction number t: Honavar, Sections 2 and 4; passive-aggressive is PA-I."""
        eta = self.eta(t) if callable(self.eta) else self.eta
        if self.step == "fixed":
            return min(eta, self.most / q)
        if self.step == "absolute":
            onto_the_boundary, beyond_it = math.ceil((beta - y * s) / q), math.floor((beta - y * s) / q) + 1
            return max(1, onto_the_boundary if self.tie_is_right(y, beta) else beyond_it)
        if self.step == "fractional":
            return eta * (1 + beta - y * s) / q
        return min(eta, (beta - y * s) / q)


def misclassified(y, s):
    """The predicted class is +1 iff the score is > 0."""
    return (s > 0) != (y == 1)


class Training:
    """The weights, the duals and the counts while they change; rows are named by their index i."""

    def __init__(
        self, X, y, rule, target, rho_squared, result, tol, max_updates, w, b, min_margin=0.0, weights=None
    ):
        self.X, self.y, self.rule, self.target, self.rho_squared = X, y, rule, target, rho_squared
        self.result, self.tol, self.max_updates = result, tol, max_updates
        self.m, self.n = len(X), len(X[0])
        self.weights = weights or [1] * self.m
        self.least_bound = min_margin * math.sqrt(median_norm(X, weights) ** 2 + rho_squared)
        self.stopped = "max_epochs"
        self.rows = range(self.m)
        self.q = [dot(x, x) + rho_squared for x in X]
        self.w = [0.0] * self.n if w is None else [float(w_j) for w_j in w]
        self.b = float(b)
        self.duals = [0.0] * self.m
        self.n_presentations = 0
        self.quiet = (
            0  # presentations since the last correction (passive-aggressive: of a row that fell short)
        )
        self.gave_up, self.before_active = False, None  # order "active"
        self.history, self.updates, self.presented = [], [], []
        self.model_sum = [0.0] * len(self.model())
        self.pocket, self.pocket_rank = self.model(), (math.inf, 0.0)
        self.open_epoch()

    # One row

    def score(self, i):
        return dot(self.w, self.X[i]) + self.b

    def beta(self, i):
        return self.target.of(self.y[i])

    def excess(self, i):
        """How far the row is above its target: y*s - beta."""
        return self.y[i] * self.score(i) - self.beta(i)

    def violates(self, i):
        return self.rule.violates(self.y[i], self.score(i), self.beta(i))

    def falls_short(self, i):
        """Passive-aggressive counts a row as reached at (1 - 1e-3)*beta; a zero row cannot be helped."""
        return self.q[i] > 0 and self.y[i] * self.score(i) < (1 - PASSIVE_AGGRESSIVE_SLACK) * self.beta(i)

    def tau(self, i):
        """A weight multiplies the step."""
        return self.weights[i] * self.rule.tau(
            self.y[i], self.score(i), self.beta(i), self.q[i], len(self.updates) + 1
        )

    def correct(self, i, tau):
        beta_violated = self.beta(i)
        if self.rule.step != "passive-aggressive" or self.falls_short(i):
            self.quiet = 0
        self.w = [w_j + tau * self.y[i] * x_j for w_j, x_j in zip(self.w, self.X[i], strict=True)]
        self.b += tau * self.y[i] * self.rho_squared
        self.duals[i] += tau
        self.updates.append((i, tau, beta_violated, self.w, self.b))
        self.target.after_update(len(self.updates), self.q[i])
        self.epoch_updates += 1

    def present(self, i, may_correct=True):
        self.n_presentations += 1
        self.quiet += 1
        self.epoch_errors += misclassified(self.y[i], self.score(i))
        self.epoch_fell_short |= self.falls_short(i)
        corrected = may_correct and self.q[i] > 0 and self.violates(i)
        self.presented.append((i, self.score(i), corrected))
        if corrected:
            self.correct(i, self.tau(i))
        if self.result in ("auto", "average"):
            self.model_sum = [total + v for total, v in zip(self.model_sum, self.model(), strict=True)]

    # Several rows

    def settle(self, lowest, half):
        """Order "active": pass over the lowest rows until none of them is corrected."""
        self.quiet = 0
        for _ in range(ACTIVE_CALLS):
            for i in lowest * ACTIVE_PASSES:
                self.present(i)
                if self.out_of_updates() or self.quiet >= len(lowest):
                    break
            if self.quiet >= len(lowest) or self.n_presentations >= half or self.out_of_updates():
                break

    def snapshot(self):
        return deepcopy(
            (
                self.w,
                self.b,
                self.duals,
                self.updates,
                self.presented,
                self.target,
                self.model_sum,
                self.epoch_errors,
            )
        )

    def take_back(self, snapshot):
        self.epoch_updates -= len(self.updates) - len(snapshot[3])
        self.w, self.b, self.duals, self.updates, self.presented, *rest = snapshot
        self.target, self.model_sum, self.epoch_errors = rest

    def scan(self):
        """Present every row under fixed weights; the row furthest below its target. On ties a row that
        violates comes before one that does not (ties="negative"), then the first."""
        for i in self.rows:
            self.present(i, may_correct=False)
        candidates = (i for i in self.rows if self.q[i] > 0)
        return min(candidates, key=lambda i: (self.excess(i), not self.violates(i)), default=None)

    def correct_after_scan(self, i, tau):
        """Of all rows looked at under the same weights, the one that is corrected comes last."""
        score = self.score(i)
        del self.presented[len(self.presented) - self.m + i]
        self.presented.append((i, score, True))
        self.correct(i, tau)

    def norm(self):
        """||w|| in lifted space."""
        intercept_part = self.b**2 / self.rho_squared if self.rho_squared > 0 else 0.0
        return math.sqrt(dot(self.w, self.w) + intercept_part)

    def margin(self):
        """Achieved by these weights."""
        return min(self.y[i] * self.score(i) for i in self.rows) / self.norm() if self.norm() else 0.0

    def margin_bound(self):
        """No hyperplane has a larger margin than ||w|| / sum of a."""
        return self.norm() / sum(self.duals) if sum(self.duals) > 0 else math.inf

    def model(self):
        return [*self.w, self.b, *self.duals]

    # The end of an epoch

    def gap_closed(self):
        if self.tol is None or sum(self.duals) == 0 or self.norm() == 0:
            return False
        return self.margin() >= (1 - self.tol) * self.margin_bound()

    def out_of_updates(self):
        return self.max_updates is not None and len(self.updates) >= self.max_updates

    def clean_pass(self):
        if self.rule.step == "passive-aggressive":
            return not self.epoch_fell_short and not any(self.falls_short(i) for i in self.rows)
        return self.quiet >= self.m

    def verdict(self):
        """True: stop, converged. False: stop, not converged. None: go on."""
        if self.gap_closed():
            return self.stop(True, "tol")
        if self.out_of_updates():
            return self.stop(False, "max_updates")
        if self.clean_pass():
            return self.stop(self.tol is None, "converged")
        return self.stop(False, "min_margin") if self.has_no_margin() else None

    def has_no_margin(self):
        """It is proved that no hyperplane has a margin of `min_margin` times the usual norm."""
        early = math.isfinite(self.rule.most) and self.n_presentations < FEWEST_EPOCHS * self.m
        return self.tol is None and not early and self.margin_bound() < self.least_bound

    def stop(self, converged, by):
        self.stopped = by
        return converged

    def open_epoch(self):
        self.epoch_updates, self.epoch_errors, self.epoch_fell_short = 0, 0, False

    def close_epoch(self):
        """The pocket holds the weights with the fewest errors so far, each as heavy as its row; without
        errors, the largest margin."""
        self.history.append((max(0, self.epoch_updates), self.epoch_errors, self.margin_bound()))
        training_errors = sum(self.weights[i] for i in self.rows if misclassified(self.y[i], self.score(i)))
        errors_before, margin_before = self.pocket_rank
        larger = training_errors == 0 and self.margin() > (1 + 1e-9) * margin_before
        if training_errors < errors_before or (errors_before == 0 and larger):
            self.pocket, self.pocket_rank = self.model(), (training_errors, self.margin())
        self.open_epoch()

    def run(self, converged):
        result = self.result
        if result == "auto":
            # weights that separate the rows are not given up for an average that does not, nor for one of
            # which no theorem speaks, where a margin was asked for
            plain = self.tol is None and self.target.margin in (0.0, "auto")
            ended = self.stopped in ("converged", "tol")
            result = "last" if ended and not (plain and self.separates(self.average())) else "average"
        model = {"last": self.model(), "pocket": self.pocket, "average": self.average()}[result]
        hopeless = any(self.q[i] == 0 and self.violates(i) for i in self.rows)
        return Run(
            w=model[: self.n],
            b=model[self.n],
            duals=model[self.n + 1 :],
            n_updates=len(self.updates),
            n_presentations=self.n_presentations,
            n_iter=math.ceil(self.n_presentations / self.m),
            converged=converged and not hopeless,
            stopped=self.stopped,
            history=self.history,
            updates=self.updates,
            presented=self.presented,
        )

    def separates(self, model):
        w, b = model[: self.n], model[self.n]
        return all(self.y[i] * (dot(w, self.X[i]) + b) > 0 for i in self.rows)

    def average(self):
        return [total / max(1, self.n_presentations) for total in self.model_sum]


# The orders: each runs one epoch and returns its verdict


def sweep(training, rows, rolling=False):
    """Correct the rows that violate as they come; `rolling` stops after m rows without a correction."""
    for i in rows:
        training.present(i)
        if training.out_of_updates() or (rolling and training.quiet >= training.m):
            break
    return training.verdict()


def active(training, max_epochs):
    """A full pass; then, unless it was clean, passes over the lowest rows until none of them is corrected.
    When half of the budget is gone, or no margin worth looking for is left, all of that is taken back (the
    average counts it as zeros), and full passes follow."""
    for i in training.rows:
        training.present(i)
        if training.out_of_updates():
            break
    few, half = max(ACTIVE_ROWS, int(ACTIVE_SHARE * training.m)), max_epochs * training.m // 2
    if training.quiet < training.m and few < training.m and not training.gave_up:
        training.before_active = training.before_active or training.snapshot()
        if not training.out_of_updates():
            training.settle(sorted(sorted(training.rows, key=training.excess)[:few]), half)
        hopeless = training.n_presentations >= half or training.has_no_margin()
        if hopeless and not training.out_of_updates():
            training.take_back(training.before_active)
            training.gave_up = True
    verdict = training.verdict()
    training.quiet = 0
    return verdict


def worst(training):
    i = training.scan()
    if i is not None and training.violates(i):
        training.correct_after_scan(i, training.tau(i))
    return training.verdict()


def minover(training):
    """Order "worst" with `tol`: the worst row is corrected, violating or not, until the gap closes."""
    i = training.scan()
    if training.gap_closed():
        return training.stop(True, "tol")
    tau = 0 if i is None else training.tau(i)
    if tau <= 0:
        return training.stop(False, "converged")
    training.correct_after_scan(i, tau)
    return training.stop(False, "max_updates") if training.out_of_updates() else None


def perceptron(
    X,
    y,
    *,
    step="fixed",
    eta=1.0,
    margin=0.0,
    alpha=1.5,
    order="cyclic",
    permutations=None,
    result="last",
    ties="wrong",
    rho_squared=0.0,
    max_epochs=1000,
    max_updates=None,
    min_margin=0.0,
    tol=None,
    w=None,
    b=0.0,
    weights=None,
) -> Run:
    """Train on the rows X and the labels y = +1 or -1; `permutations` yields one list of rows per epoch,
    `weights` are those of the rows."""
    rule, target = Rule(step, eta, ties), Target(margin, alpha)
    everyday = order == "shuffle" and step == "fixed" and ties == "wrong" and not callable(eta)
    if margin == "auto" and everyday and result in ("auto", "average") and tol is None:
        beta = 2 * eta * (median_norm(X, weights) ** 2 + rho_squared)
        rule, target = Rule(step, eta, ties, most=beta), Target(margin, alpha, beta)
    training = Training(X, y, rule, target, rho_squared, result, tol, max_updates, w, b, min_margin, weights)
    epoch = {
        "cyclic": lambda: sweep(training, training.rows, rolling=step != "passive-aggressive"),
        "shuffle": lambda: sweep(training, next(permutations)),
        "active": lambda: active(training, max_epochs),
        "worst": lambda: worst(training) if tol is None else minover(training),
    }[order]
    return train(training, epoch, max_epochs)


def train(training, epoch, max_epochs):
    """Epochs until there is a verdict, or the budget is used up."""
    converged = None
    while converged is None and training.n_presentations < max_epochs * training.m:
        if training.n_presentations == AIMED_EPOCHS * training.m:
            training.target.fall()
        converged = epoch()
        training.close_epoch()
    return training.run(bool(converged))
