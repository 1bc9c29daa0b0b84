"""Separation: every answer proved from the sets alone, judged by the true distance, and none forged."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from perceptrons.theory import Combination, Near, Oracle, Separated, ball, box, polytope
from perceptrons.theory import separate as fast_separate
from perceptrons.theory.convex import Hull, Pair
from perceptrons.theory.separation import _perceptron
from tests.forging import nudged
from tests.naive import separation as naive
from tests.sizes import cases


def separate(K, L, eps, **options):
    """Every answer in this file is verified."""
    answer = fast_separate(K, L, eps, **options)
    answer.verify(K, L)
    return answer


def points_used(answer):
    return int(answer.of_K.times.sum() + answer.of_L.times.sum())


def random_pair(rng):
    """Two point sets somewhere, of some scale, overlapping or not, and an eps; whether in the unit ball."""
    n = int(rng.integers(1, 7))
    K, L = (rng.standard_normal((rng.integers(2, 15), n)) for _ in range(2))
    L += rng.standard_normal(n) * rng.choice([0, 1, 2])
    size = max(np.linalg.norm(np.vstack([K, L]), axis=1).max(), 1e-9)
    inside = bool(rng.integers(2))
    scale, shift = (1 / size, 0.0) if inside else (10.0 ** rng.integers(-4, 5), rng.standard_normal(n) * 20)
    K, L = (K + shift) * scale, (L + shift) * scale
    return K, L, float(naive.widest(K, L) * 10 ** rng.uniform(-2.3, 0.05)), inside


def test_random_pairs_inside_and_outside_the_unit_ball():
    rng = np.random.default_rng(0)
    seen, long_runs, wide = {}, 0, 0.0
    for _ in range(300):
        K, L, eps, inside = random_pair(rng)
        answer, dist, D = separate(K, L, eps), naive.distance(K, L), naive.widest(K, L)
        seen[type(answer), inside] = seen.get((type(answer), inside), 0) + 1
        assert points_used(answer) <= max(2, 40 * (D / eps) ** 2 + 1)
        assert points_used(answer) <= max(2, (10 * D / eps) ** 2)
        wide = max(wide, Pair.of(K, L, eps).radius / D)
        long_runs += points_used(answer) > 10
        if isinstance(answer, Near):
            assert dist <= answer.distance * (1 + 1e-9) < eps * (1 + 1e-9)
            assert answer.of_K.weights.sum() == pytest.approx(1)
        else:
            assert dist >= 2 * answer.margin * (1 - 1e-9) >= 2 * eps / 30  # and so never if the hulls meet
            scores = K @ answer.w - answer.b, L @ answer.w - answer.b
            reach = np.linalg.norm(answer.w) * eps / 30
            assert scores[0].min() >= reach
            assert scores[1].max() <= -reach
        assert isinstance(answer, Near if dist == 0 else Separated) or 0 < dist < eps
    assert min(seen.values()) >= 30
    assert len(seen) == 4
    assert long_runs >= 60
    assert 0.5 <= wide <= 1.1  # R ≤ 1.1 D


def exact_mean(points, of):
    """Of a combination of these points, given as fractions."""
    times, used = [int(t) for t in of.times], [points[i] for i in of.rows]
    return [sum(t * x[j] for t, x in zip(times, used, strict=True)) / sum(times) for j in range(len(used[0]))]


def test_claims_hold_of_real_numbers():
    """In fractions: the means are as near as is said, every point is as far from the hyperplane."""
    rng, counts = np.random.default_rng(11), {Near: 0, Separated: 0}
    for _ in range(cases(600)):
        shift = rng.choice([0.0, 1.0, 2.0**10]) * rng.integers(-3, 4, 3)
        K, L = (rng.integers(-3, 4, (rng.integers(1, 6), 3)) * 0.1 + shift for _ in "KL")
        L[:, 0] += rng.choice([0.0, 1.0])
        answer = separate(K, L, 0.2)
        counts[type(answer)] += 1
        k, l_ = ([[Fraction(value) for value in row] for row in points.tolist()] for points in (K, L))
        if isinstance(answer, Near):
            p, q = exact_mean(k, answer.of_K), exact_mean(l_, answer.of_L)
            square = sum((a - b) ** 2 for a, b in zip(p, q, strict=True))
            assert square <= Fraction(answer.distance) ** 2
            assert answer.distance < answer.eps
            closer = {"distance": np.nextafter(answer.distance, -1)}
        else:
            w, b = [Fraction(value) for value in answer.w.tolist()], Fraction(answer.b)
            reach = [sum(a * c for a, c in zip(w, x, strict=True)) - b for x in k]
            reach += [b - sum(a * c for a, c in zip(w, x, strict=True)) for x in l_]
            assert Fraction(answer.margin) ** 2 * sum(a * a for a in w) <= min(reach) ** 2
            assert min(reach) > 0 < answer.eps / 12 <= answer.margin
            closer = {"margin": np.nextafter(answer.margin, 9)}
        with pytest.raises(ValueError, match="does not hold"):
            replace(answer, **closer).verify(K, L)
    assert min(counts.values()) >= cases(600) // 5


def test_hulls_that_meet_are_near_and_hulls_apart_are_separated():
    rng = np.random.default_rng(1)
    for _ in range(100):
        n = int(rng.integers(1, 6))
        K, L = rng.standard_normal((2, 8, n)) + 50 * rng.standard_normal(n)
        meeting = np.vstack([L, K.mean(axis=0)])  # a point of K's hull
        assert isinstance(separate(K, meeting, 0.05), Near)
        apart = L + (K[:, 0].max() - L[:, 0].min() + 0.3) * np.eye(1, n)
        assert isinstance(separate(K, apart, 0.3), Separated)


def test_the_lemma_as_printed_is_wrong_far_from_the_origin():
    """Two points at distance 1 = D, eps = 1/2; the printed proof needs them in the unit ball."""
    wrong = 0
    for offset in (0.0, 10.0, 100.0, 1000.0):
        K, L = [[offset, 0.0]], [[offset, 1.0]]
        answer, *_, t = naive.lemma(K, L, 0.5)
        wrong += answer == "near"
        assert t <= (10 / 0.5) ** 2
        assert isinstance(separate(K, L, 0.5), Separated)
        assert (answer == "near") == (offset >= 100)
    assert wrong == 2


def test_the_lemma_as_printed_holds_in_the_unit_ball():
    rng = np.random.default_rng(2)
    answers = []
    for _ in range(40):
        K, L = rng.standard_normal((2, 5, 2)) * 0.1 + rng.choice([0, 0.2], (2, 1, 2)) - 0.1
        D = naive.widest(K, L)
        answer, w, b, t = naive.lemma(K / D, L / D, 0.3)
        answers.append(answer)
        assert t <= (10 / 0.3) ** 2
        if answer == "near":
            assert naive.distance(K / D, L / D) < 0.3
        else:
            assert (K / D @ w - b).min() / np.linalg.norm(w) >= 0.3 / 30
            assert (L / D @ w - b).max() / np.linalg.norm(w) <= -0.3 / 30
    assert min(answers.count("near"), answers.count("separated")) >= 8


def test_the_steps_are_those_of_the_plain_perceptron():
    rng = np.random.default_rng(3)
    lengths = []
    for _ in range(100):
        K, L, eps, _ = random_pair(rng)
        pair = Pair.of(K, L, eps)
        k, q = pair.K.moved(pair.center, pair.radius), pair.L.moved(pair.center, pair.radius)
        assert max(np.linalg.norm(np.vstack([k.V, q.V]), axis=1)) <= 1 + 1e-9
        share = max(eps / pair.radius, 0.02)
        near, used = _perceptron(k, q, share, 10**6)
        toward = k.center - q.center if (k.center != q.center).any() else np.eye(1, len(k.center))[0]
        assert (near, *used) == naive.perceptron(k.V, q.V, share, toward)
        lengths.append(sum(used[0].values()) + sum(used[1].values()))
    assert sum(length > 10 for length in lengths) >= 25


# --- sets behind oracles ---


def test_balls_are_judged_by_their_centers_and_radii():
    rng = np.random.default_rng(4)
    outcomes = []
    for _ in range(100):
        n = int(rng.integers(1, 6))
        a, c = rng.standard_normal((2, n)) * 10
        gap = np.linalg.norm(a - c)
        r, s = rng.uniform(0, 1, 2) * gap * rng.choice([0.5, 1.0])
        eps = gap * 10 ** rng.uniform(-1.5, 0)
        answer, dist = separate(ball(a, r), ball(c, s), eps), max(0.0, gap - r - s)
        outcomes.append(type(answer))
        assert points_used(answer) <= max(2, (10 * (gap + r + s) / eps) ** 2)
        if isinstance(answer, Near):
            assert dist < eps
        else:
            assert dist >= 2 * answer.margin * (1 - 1e-9)
            assert answer.of_K.rows is None
    assert min(outcomes.count(Near), outcomes.count(Separated)) >= 25


def test_a_polytope_behind_an_oracle_answers_like_its_points():
    rng = np.random.default_rng(5)
    for _ in range(60):
        K, L, eps, _ = random_pair(rng)
        rows, oracles = separate(K, L, eps), separate(polytope(K), polytope(L), eps)
        mixed = separate(K, polytope(L), eps)
        assert type(rows) is type(oracles) is type(mixed)
        if points_used(rows) < 100:  # later, rounding may choose another of two equally bad points
            np.testing.assert_array_equal(rows.of_K.points, oracles.of_K.points)
            np.testing.assert_array_equal(mixed.of_K.rows, rows.of_K.rows)


def test_mixed_sets():
    disc, square = ball([0.0, 0.0], 1.0), box([1.5, -1.0], [3.0, 1.0])
    assert isinstance(separate(disc, square, 0.5), Separated)
    assert isinstance(separate(disc, box([0.9, -1.0], [3.0, 1.0]), 0.01), Near)
    assert isinstance(separate([[0.0, 1.2], [1.2, 0.0]], disc, 0.01), Near)  # the segment cuts the disc
    assert isinstance(separate([[0.0, 1.6], [1.6, 0.0]], disc, 0.1), Separated)
    assert isinstance(separate(square, ball([1.5, 0.0], 0.0), 0.1), Near)


def test_an_oracle_in_a_wide_ball_keeps_the_promise_in_its_radius():
    disc = ball([0.0, 0.0], 1.0)
    loose = Oracle(disc.minimize, [30.0, 0.0], 40.0)
    answer = separate(loose, ball([2.5, 0.0], 1.0), 0.5)
    assert isinstance(answer, Separated)
    assert points_used(answer) <= 33 * (Pair.of(loose, ball([2.5, 0.0], 1.0), 0.5).radius / 0.5) ** 2


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        (Oracle(lambda u: -2 * u, [0.0, 0.0], 1.0), "2 from its center, but its radius is 1"),
        (Oracle(lambda u: [0.0], [0.0, 0.0], 1.0), "must return 2 finite numbers"),
        (Oracle(lambda u: [np.nan, 0.0], [0.0, 0.0], 1.0), "must return 2 finite numbers"),
        (Oracle(lambda u: -u, [0.0, 0.0], -1.0), "radius = -1, but it must be"),
        (Oracle(lambda u: -u, [0.0, 0.0], np.nan), "radius = nan, but it must be"),
        (Oracle(lambda u: -u, [[0.0, 0.0]], 1.0), "center of K has 2 dimensions"),
    ],
)
def test_a_bad_oracle_is_named(oracle, message):
    with pytest.raises(ValueError, match=message):
        fast_separate(oracle, [[5.0, 5.0]], 0.1)


# --- invariances ---


def test_scaling_translating_and_swapping():
    rng = np.random.default_rng(6)
    kinds = set()
    for _ in range(60):
        n = int(rng.integers(2, 6))
        K, L = rng.standard_normal((2, 6, n))
        L += rng.choice([0, 3]) * np.eye(1, n)
        eps = 0.2
        base = separate(K, L, eps)
        kinds.add(type(base))
        for factor in (2.0**-480, 2.0**-3, 2.0**480):
            scaled = separate(K * factor, L * factor, eps * factor)
            assert scaled.of_K.rows.tolist() == base.of_K.rows.tolist()
            assert scaled.of_K.times.tolist() == base.of_K.times.tolist()
            if isinstance(base, Separated):
                np.testing.assert_array_equal(scaled.w, base.w * factor)
                assert scaled.margin == pytest.approx(base.margin * factor)
        shift = rng.integers(-100, 100, n)
        moved, swapped = separate(K + shift, L + shift, eps), separate(L, K, eps)
        for other, of_K, of_L in ((moved, moved.of_K, moved.of_L), (swapped, swapped.of_L, swapped.of_K)):
            assert type(other) is type(base)
            assert of_K.rows.tolist() == base.of_K.rows.tolist()
            assert of_L.times.tolist() == base.of_L.times.tolist()
        if isinstance(base, Separated):
            np.testing.assert_allclose(swapped.w, -base.w, atol=1e-9)
            np.testing.assert_allclose(moved.w, base.w, atol=1e-9)
    assert kinds == {Near, Separated}


coordinates = st.integers(-20, 20)


@st.composite
def integer_pairs(draw):
    n = draw(st.integers(1, 4))
    row = st.lists(coordinates, min_size=n, max_size=n)
    return tuple(np.array(draw(st.lists(row, min_size=1, max_size=6))) for _ in range(2))


@settings(max_examples=150, deadline=None)
@given(pair=integer_pairs(), eps=st.floats(0.3, 100))
def test_integer_sets_with_ties_and_duplicates(pair, eps):
    answer, dist = separate(*pair, eps), naive.distance(*pair)
    if dist < 1e-9:
        assert isinstance(answer, Near)
    elif dist >= eps * (1 + 1e-9):
        assert isinstance(answer, Separated)
    if naive.widest(*pair) < eps * (1 - 1e-3):
        assert isinstance(answer, Near)
        assert points_used(answer) == 2  # at once


# --- edges ---


def test_single_points_and_identical_sets():
    assert isinstance(separate([[0.0, 0.0]], [[3.0, 4.0]], 4.9), Separated)
    assert separate([[0.0, 0.0]], [[3.0, 4.0]], 5.1).distance == 5
    assert separate([[1.0, 2.0]], [[1.0, 2.0]], 1e-3).distance == 0
    assert separate([[0, 0], [2, 0]], [[0, 0], [2, 0]], 0.1).distance < 0.1
    assert separate([[7]], [[7]], 1e300).distance == 0
    assert separate(np.zeros((3, 2)), np.zeros((1, 2)), 1e-300).distance == 0


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_huge_and_tiny_scales(scale):
    K, L = np.array([[0.0, 0.0], [0.0, 1.0]]) * scale, np.array([[0.5, 0.5], [1.0, 0.2]]) * scale
    answer = separate(K, L, 0.3 * scale)
    assert isinstance(answer, Separated)
    assert np.isfinite(answer.w).all()
    assert np.isfinite(answer.b)
    assert isinstance(separate(K, -L * 0.01, 0.3 * scale), Near)  # one set may well be smaller


BAD = [
    (([[np.nan]], [[0.0]], 1), r"K holds nan, but it must be finite; .+"),
    (([[0.0]], [[-np.inf]], 1), r"L holds -inf, but it must be finite; .+"),
    ((np.empty((0, 2)), [[0.0, 0.0]], 1), r"K has shape \(0, 2\), but it must not be empty; .+"),
    (([[]], [[0.0]], 1), r"K has shape \(1, 0\), but it must not be empty; .+"),
    (([1.0, 2.0], [[0.0, 0.0]], 1), r"K has 1 dimensions, but it must have 2.+reshape"),
    (([[1.0, 2.0]], [[0.0]], 1), r"K has 2 coordinates, L has 1, but they must agree; .+"),
    (([[1.0, 2.0]], ball([0.0], 1.0), 1), r"K has 2 coordinates, L has 1, but they must agree; .+"),
    (([[1.0, 2.0], [1.0]], [[0.0]], 1), r"K must be an array of real numbers, rows of equal length; .+"),
    (([["a"]], [[0.0]], 1), r"K must be an array of real numbers.+"),
    (([[1j]], [[0.0]], 1), r"K must be an array of real numbers.+complex.+"),
    ((csr_array(np.eye(2)), [[0.0, 0.0]], 1), r"K is a sparse matrix, but it must be an array; .+toarray"),
    (([[0.0]], [[1.0]], 0), r"eps = 0, but it must be in \(0, inf\); .+"),
    (([[0.0]], [[1.0]], -1), r"eps = -1, but it must be in \(0, inf\); .+"),
    (([[0.0]], [[1.0]], np.inf), r"eps = inf, but it must be in \(0, inf\); .+"),
    (([[0.0]], [[1.0]], np.nan), r"eps = nan, but it must be in \(0, inf\); .+"),
    (([[0.0]], [[1.0]], None), r"eps = None, but it must be a real number in \(0, inf\); .+"),
    (([[0.0]], [[1.0]], "a"), r"eps = 'a', but it must be a real number in \(0, inf\); .+"),
    (([[0.0]], [[1.0]], 10**400), r"eps = 10+, but it must be a real number in \(0, inf\); .+"),
    (([[1e9]], [[1e9 + 1]], 1e-2), r"eps = 0.01, but it must be at least 0.1.+move the points"),
    (([[1e151]], [[0.0]], 1e150), r"K: the largest \|value\| is 1e\+151, but it must be .+; divide by"),
    (
        ([[0.0]], [[1e-151]], 1e-155),
        r"K and L: the largest \|value\| is 1e-151, but it must be .+; divide by",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_input_names_value_limit_and_remedy(arguments, message):
    with pytest.raises(ValueError, match=message):
        fast_separate(*arguments)


@pytest.mark.parametrize("radius", ["x", None, True, [1.0]])
def test_a_radius_is_a_number(radius):
    with pytest.raises(ValueError, match=r"^radius = .+, but it must be a real number in \[0, .+; use 0"):
        ball([0.0], radius)
    with pytest.raises(ValueError, match=r"^radius = .+, but it must be a real number in \[0, .+; use 0"):
        fast_separate([[0.0]], Oracle(lambda u: -u, [0.0], radius), 0.1)


@pytest.mark.parametrize("make", [lambda: box([1.0], [0.0]), lambda: box([0.0], [1.0, 2.0])])
def test_a_box_needs_low_below_high(make):
    with pytest.raises(ValueError, match="low must be <= high"):
        make()


def test_max_steps():
    K, L = [[0, 0], [4, 0]], [[1, 1], [2, -1.5]]
    needed = points_used(separate(K, L, 0.01))
    assert needed > 10
    assert points_used(separate(K, L, 0.01, max_steps=needed)) == needed
    with pytest.raises(
        ValueError, match=rf"After {needed - 1} steps .+ use a larger eps, or a larger max_steps"
    ):
        fast_separate(K, L, 0.01, max_steps=needed - 1)
    for bad in (1, 10.5, np.inf):
        with pytest.raises(ValueError, match=rf"max_steps = {bad}, but it must be a whole number >= 2"):
            fast_separate(K, L, 0.01, max_steps=bad)


# --- forgeries ---

FAR = np.array([[2.0, 1.0], [3.0, 0.0], [2.2, 2.0]])
K3 = np.array([[0.0, 0.0], [0.3, 2.0], [-1.0, 0.4]])
SETS = {
    "points apart": (K3, FAR, 0.3),
    "points that meet": (K3, FAR - [2.4, 0.2], 0.05),
    "oracles apart": (ball([0.0, 0.0], 1.0), box([1.0, 0.5], [3.0, 2.0]), 0.1),
    "oracles that meet": (ball([0.0, 0.0], 1.2), box([-1.0, 1.15], [3.0, 2.0]), 0.005),
}


def forgeries(answer):
    for name, value in vars(answer).items():
        if name in ("of_K", "of_L"):
            for part, inner in vars(value).items():
                for other in nudged(inner):
                    yield f"{name}.{part}", replace(answer, **{name: replace(value, **{part: other})})
        elif name == "eps":
            worse = getattr(answer, "distance", None) or answer.margin * 13
            yield name, replace(answer, eps=worse if isinstance(answer, Separated) else worse * 0.99)
            yield name, replace(answer, eps=-1.0)
        else:
            for other in nudged(value):
                yield name, replace(answer, **{name: other})


@pytest.mark.parametrize("kind", SETS)
def test_a_changed_field_raises(kind):
    K, L, eps = SETS[kind]
    answer = separate(K, L, eps)
    assert isinstance(answer, Near if "meet" in kind else Separated)
    if isinstance(answer, Near):
        assert min(len(answer.of_K.times), len(answer.of_L.times)) >= 2  # else more of the same is as true
    tried = set()
    for name, forged in forgeries(answer):
        with pytest.raises(ValueError, match=r"does not hold|must"):
            forged.verify(K, L)
        tried.add(name)
    assert len(tried) == len(vars(answer)) - 2 + 6


@pytest.mark.parametrize("kind", ["points apart", "points that meet"])
def test_other_sets_raise(kind):
    K, L, eps = SETS[kind]
    answer = separate(K, L, eps)
    for other in ((L, K), (K + 0.1, L), (K[:1], L), (polytope(K), L)):
        with pytest.raises(ValueError, match="does not hold"):
            answer.verify(*other)
    if isinstance(answer, Separated):
        with pytest.raises(ValueError, match="does not hold"):
            answer.verify(np.vstack([K, L]), L)


def test_too_many_points_raise():
    K, L, eps = SETS["points that meet"]
    answer = separate(K, L, eps)
    most = 33 * (Pair.of(K, L, eps).radius / eps) ** 2
    for factor in (0.5, 1.1):
        times = answer.of_K.times * int(factor * most / answer.of_K.times.sum())  # the same p
        many = replace(answer, of_K=replace(answer.of_K, times=times))
        if points_used(many) <= most:
            many.verify(K, L)
        else:
            with pytest.raises(ValueError, match=r"points are more than 33 \(R/eps\)²"):
                many.verify(K, L)
    assert points_used(many) > most


def test_a_row_named_twice_raises():
    K, L, eps = SETS["points apart"]
    one = separate(K, L, eps).of_K
    assert one.rows.tolist() == [1]
    twice = Combination(K[[1, 1]], np.array([1, 1]), np.array([1, 1]))
    near = Near(K[1], K[1], 0.0, eps, twice, one)
    with pytest.raises(ValueError, match="a row of K is named twice"):
        near.verify(K, K)


def test_a_hyperplane_without_direction_raises():
    K = np.array([[0.0, 0.0], [2.0, 0.0]])
    first = Combination(K[:1], np.array([1]), np.array([0]))
    nothing = Separated(np.zeros(2), 0.0, 0.1, 0.1, Pair.of(K, K, 0.1).center, first, first)
    with pytest.raises(ValueError, match="w is 0"):
        nothing.verify(K, K)


def test_a_point_in_the_corner_of_a_disc_raises():
    disc, corner = ball([0.0, 0.0], 1.0), np.array([0.9, 0.9])  # inside the square around the disc
    there = Combination(corner[None], np.array([1]), None)
    here = Combination(corner[None], np.array([1]), np.array([0]))
    with pytest.raises(ValueError, match="a point of K lies outside of it"):
        Near(corner, corner, 0.0, 0.1, there, here).verify(disc, corner[None])


def test_the_ball_around_points_is_nearly_the_smallest():
    rng = np.random.default_rng(7)
    for _ in range(50):
        u = rng.standard_normal((30, int(rng.integers(1, 6))))
        V = np.vstack([u, -u]) / np.linalg.norm(u, axis=1).max() * 3 + 100  # the smallest: 3 around 100
        hull = Hull.of(V, "V")
        assert 3 - 1e-9 <= hull.radius <= 3.3
        assert np.linalg.norm(hull.center - 100) <= 0.3
