"""What Moran and others report of networks on MNIST, and whether it holds.

Networks of one seed begin alike and see the same images in the same order, so losses are compared in pairs:
the mean difference, in standard errors of that mean. These are errors over seeds; all networks are tested on
the same images, of which 0.1 % are ten.
"""

import statistics
from collections.abc import Iterator, Sequence

from ..experiment import Claim, Values, incomparable, judged, near, spread, standard_error

ZERO, ONE, CONSTANT, ENTROPY = "β = 0", "β = 1", "β constant, chosen", "cross-entropy"
POWERS = (0.25, 0.5, 0.75)
GROWING = tuple(f"β ~ t^{power:g}" for power in POWERS)
LARGE, SMALL, ALL = 800, 300, 60_000  # hidden neurons; training images
TOLERANCE = 0.1  # of errors in per cent
CLEARLY = 2.0  # standard errors

BETA_ONE, BETA_GROWING, CROSS_ENTROPY = 1.5, (1.44, 1.35), 1.6  # Figure 1
SMALL_GROWING, DESKEWED = 1.49, 1.6  # Figure 2; the latter, from elsewhere, is the best of its kind


def entry_of(entries: Sequence[Values], hidden: int, name: str) -> Values:
    return next(one for one in entries if one["hidden"] == hidden and one["name"] == name)


def check(values: Values) -> list[Claim]:
    claims: list[Claim] = []
    for hidden in sorted({one["hidden"] for one in values["final"]}, reverse=True):
        growing = preferred(values, hidden)
        claims += _of_large(values, growing) if hidden == LARGE else _of_others(values, hidden, growing)
        claims.append(_nearer_to_one(values, hidden))
        claims += [_better(values, hidden, name, CONSTANT, "–", of_paper=False) for name in GROWING]
    return claims


def _of_large(values: Values, growing: str) -> Iterator[Claim]:
    yield _no_convergence(values)
    yield _as_printed(values, LARGE, ONE, BETA_ONE)
    yield _as_printed(values, LARGE, growing, min(BETA_GROWING), main=True)
    yield _as_printed(values, LARGE, ENTROPY, CROSS_ENTROPY)
    yield incomparable(
        f"{LARGE} neurons, the other growing β",
        f"{max(BETA_GROWING)} %",
        ", ".join(f"{name}: {spread(_errors(values, LARGE, name), 2)}" for name in GROWING) + " %",
        "the exponents are illegible in the text at hand",
    )
    yield _better(values, LARGE, growing, ONE, "1.44 and 1.35 against 1.5 %", main=True)
    yield _better(values, LARGE, growing, ENTROPY, "1.44 and 1.35 against 1.6 %")
    yield _better(values, LARGE, ONE, ENTROPY, "1.5 against 1.6 %")


def _of_others(values: Values, hidden: int, growing: str) -> Iterator[Claim]:
    yield _as_printed(values, hidden, growing, SMALL_GROWING)
    errors = _errors(values, hidden, growing)
    text, paper = f"{hidden} neurons: better than all general networks of that size", "1.49 against 1.6 %"
    if values["rows"] < ALL:
        yield incomparable(text, paper, f"{spread(errors, 2)} %", _few(values))
    else:
        holds = statistics.fmean(errors) + CLEARLY * standard_error(errors) < DESKEWED
        rule = f"below {DESKEWED} %, that of deskewed images, by more than {CLEARLY:g} standard errors"
        yield judged(holds, text, paper, f"{growing}: {spread(errors, 2)} %", rule)
    yield _better(values, hidden, growing, ONE, "–", of_paper=False)
    yield _better(values, hidden, growing, ENTROPY, "–", of_paper=False)
    yield _better(values, hidden, ONE, ENTROPY, "–", of_paper=False)


def _as_printed(values: Values, hidden: int, name: str, paper: float, *, main: bool = False) -> Claim:
    """A growing β is the one that images held out prefer, beside the better that is printed."""
    text, errors = (
        f"{hidden} neurons, {'a growing β' if name in GROWING else name}",
        _errors(values, hidden, name),
    )
    if values["rows"] < ALL:
        return incomparable(text, f"{paper:.2f} %", f"{spread(errors, 2)} %", _few(values), main=main)
    return near(text, paper, errors, TOLERANCE, unit=" %", digits=2, main=main)


def _few(values: Values) -> str:
    return f"trained on {values['rows']:,} images instead of {ALL:,}"


def _no_convergence(values: Values) -> Claim:
    one = entry_of(values["final"], LARGE, ZERO)
    least = min(one["train_errors"])
    return judged(
        least > 0,
        f"{LARGE} neurons, β = 0 does not converge",
        "no convergence",
        f"training error {least:.2f} % or more; test error {spread(one['errors'], 2)} %",
        "every network is wrong about training images in the end",
    )


def _nearer_to_one(values: Values, hidden: int) -> Claim:
    means = [statistics.fmean(_errors(values, hidden, name)) for name in GROWING]
    less, in_errors = compared(values, hidden, GROWING[-1], GROWING[0])
    text = f"{hidden} neurons: the nearer the exponent is to 1, the smaller the error"
    paper = "1.44, then 1.35 %" if hidden == LARGE else "–"
    shown = ", ".join(f"{mean:.2f}" for mean in means)
    ours = f"{shown} %; first − last {less:+.3f} %, {in_errors:+.1f} s.e."
    if values["rows"] < ALL:
        return incomparable(text, paper, ours, _few(values))
    return judged(
        means == sorted(means, reverse=True) and in_errors > CLEARLY,
        text,
        paper,
        ours,
        f"errors fall with {', '.join(GROWING)}; from first to last by more than {CLEARLY:g} s.e.",
        of_paper=hidden == LARGE,
    )


def _better(
    values: Values,
    hidden: int,
    one: str,
    other: str,
    paper: str,
    *,
    main: bool = False,
    of_paper: bool = True,
) -> Claim:
    less, in_errors = compared(values, hidden, one, other)
    called = "a growing β" if one in GROWING and other != CONSTANT else one
    text = f"{hidden} neurons: {called} is better than {other}"
    shown = [f"{name} {spread(_errors(values, hidden, name), 2)}" for name in (one, other)]
    ours = f"{less:+.3f} %, {in_errors:+.1f} s.e.: {', '.join(shown)} %"
    if values["rows"] < ALL:
        return incomparable(text, paper, ours, _few(values), main=main)
    rule = f"better by more than {CLEARLY:g} standard errors of the paired differences"
    return judged(in_errors > CLEARLY, text, paper, ours, rule, main=main, of_paper=of_paper)


def compared(values: Values, hidden: int, one: str, other: str) -> tuple[float, float]:
    """By how much the first has less errors, and how many standard errors that is."""
    pairs = zip(_errors(values, hidden, other), _errors(values, hidden, one), strict=True)
    differences = [a - b for a, b in pairs]
    mean, error = statistics.fmean(differences), standard_error(differences)
    return mean, mean / error if error else 0.0


def preferred(values: Values, hidden: int) -> str:
    """The growing β whose best candidate has the lowest mean error on images held out."""
    entries = [one for one in values["search"] if one["hidden"] == hidden and one["name"] in GROWING]
    return str(min(entries, key=lambda one: sum(one["errors"]))["name"])


def _errors(values: Values, hidden: int, name: str) -> list[float]:
    return list(entry_of(values["final"], hidden, name)["errors"])
