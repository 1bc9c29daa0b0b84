"""The pictures of docs/binary.md: they are drawn anew as they are, and show what they say."""

import re

import numpy as np
import pytest
from matplotlib.figure import Figure

from examples import binary
from examples.pictures import FOLDER, draw
from perceptrons import BinaryPerceptron
from perceptrons.theory import curves
from tests.jit import JIT

pytestmark = pytest.mark.slow

if JIT:
    CURVES = {}
    REPORT = {"sizes": (101, 301), "loads": (0.5, 2, 4), "n_samples": 2}
else:  # what is not compiled takes seconds for a thousand rows of a thousand columns
    CURVES = {"n": 101, "loads": (0.5, 1.2, 3, 4), "n_samples": 2}
    REPORT = {"sizes": (51,), "loads": (0.5, 4), "n_samples": 2}


@pytest.fixture(scope="module")
def learned():
    return binary.learning_curves(**CURVES)


@pytest.fixture(scope="module")
def packed():
    return binary.words()


def test_pictures_are_those_of_the_example():
    files = sorted(path.stem for path in FOLDER.glob("binary-*"))
    page = (FOLDER.parent / "binary.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^]]+\]\(pictures/([^)]+)\.svg\)", page)
    assert files == sorted(binary.PICTURES) == sorted(shown)
    assert all((FOLDER / f"{name}.svg").stat().st_size < 70_000 for name in files)


def test_drawing_writes_all_pictures_and_the_same_twice(tmp_path, learned, packed):
    computed = {binary.learning_curves: learned, binary.words: packed}
    pictures = {
        name: (lambda data=computed[data]: data, paint, height)
        for name, (data, paint, height) in binary.PICTURES.items()
    }
    first, second = (draw(pictures, tmp_path / folder) for folder in ("first", "second"))
    assert [path.name for path in first] == [f"{name}.svg" for name in binary.PICTURES]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
        assert b"</svg>" in one.read_bytes()


def test_the_same_data_are_computed_twice():
    one, other = (vars(binary.learning_curves(51, (0.5, 3), 2)) for _ in range(2))
    assert all(np.array_equal(one[name], other[name]) for name in one)
    assert len(np.unique(one["hebb"])) > 2


def test_teacher_rows_and_learner_have_nothing_in_common():
    n = 1001
    samples = [binary.sample(n, 0.2, noise, seed) for noise in (0, 0.1) for seed in range(3)]
    drawn = [np.random.default_rng(given.for_learner).choice([-1, 1], n) for given in samples]
    vectors = np.array([given.teacher for given in samples] + drawn)
    overlaps = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    rows = np.concatenate([given.X @ given.teacher for given in samples])
    for sums in (overlaps, rows):
        assert 0.5 < np.sqrt(np.mean(sums**2) / n) < 1.5
        assert np.abs(sums).max() < 5 * np.sqrt(n)
    flipped = [np.mean((given.X @ given.teacher > 0) != (given.y > 0)) for given in samples]
    assert flipped[:3] == [0, 0, 0]
    assert 0.05 < np.mean(flipped[3:]) < 0.15


def test_agreement_is_that_with_the_teacher_on_new_rows():
    given = binary.sample(51, 2, 0.2)
    model, G = binary.learn("clipped-hebb", given)
    X = np.random.default_rng(1).choice([-1, 1], (20_000 if JIT else 2000, 51))
    same = np.mean(model.predict(X) == np.where(X @ given.teacher > 0, 1, -1))
    assert 0.6 < G < 0.9
    assert same == pytest.approx(G, abs=4 / np.sqrt(len(X)) / 2)


def test_clipped_hebb_follows_the_theory(learned):
    theory = curves.finite_learning_curve(learned.n, np.rint(learned.n * learned.loads))
    spread = np.sqrt(learned.hebb.var(axis=1, ddof=1).mean() / learned.hebb.shape[1])
    gaps = (learned.hebb.mean(axis=1) - theory) / spread
    assert np.abs(gaps).max() < 4
    if JIT:
        assert np.abs(theory - curves.learning_curve(learned.loads)).max() < 0.001  # the curve that is drawn
        assert spread < 0.005
        assert np.abs(gaps).mean() < 1.5


def test_sbpi_finds_the_teacher_from_many_rows_and_what_is_right_about_few(learned):
    many, few = learned.loads >= 1.75, learned.loads < 1
    assert learned.solved[many | few].all()
    assert (learned.sbpi[many] == 1).all()
    assert (learned.sbpi[few] < 0.8).all()
    assert min(np.count_nonzero(many), np.count_nonzero(few)) >= 1
    assert (learned.sbpi >= 0.5).all()
    assert (learned.n_epochs[learned.loads >= 3] < 20).all()


def test_sbpi_gets_stuck_in_between(learned):
    between = (learned.loads > 1.05) & (learned.loads < 1.45)
    stuck = ~learned.solved[between]
    assert stuck.mean() >= 0.75 if JIT else stuck.any()
    assert stuck.shape == ((4, 5) if JIT else (1, 2))
    assert (learned.n_epochs[between][stuck] == BinaryPerceptron().max_epochs).all()
    assert (learned.sbpi[between][stuck] < 1).all()
    better = learned.sbpi[between] - learned.hebb[between]  # though rows are still wrong
    assert better.mean() > 0
    assert (better > 0).mean() >= 0.8 or not JIT


def test_the_bits_make_the_score(packed):
    model, steps = packed.model, packed.steps
    assert model.coef_[0].tolist() == list(binary.WEIGHTS)
    assert (model.threshold_, model.n_weights_) == (0, np.count_nonzero(binary.WEIGHTS))
    x, w = 2 * steps["row"].astype(int) - 1, np.array(binary.WEIGHTS)
    assert np.array_equal(steps["signs"], w > 0)
    assert np.array_equal(steps["mask"], w != 0)
    assert np.array_equal(steps["xor"], (x > 0) != (w > 0))
    assert np.array_equal(steps["and"], x * w < 0)
    assert packed.against == steps["and"].sum()
    assert packed.score == x @ w == model.n_weights_ - 2 * packed.against > model.threshold_
    assert packed.answer == 1
    assert model.predict(x[None]).tolist() == [True]
    assert steps["xor"].sum() > packed.against  # the mask matters


def test_the_picture_of_the_bits_says_what_they_are(packed):
    figure = Figure()
    binary.draw_words(figure, packed)
    texts = [text.get_text() for text in figure.axes[0].texts]
    digits = [int(text) for text in texts if text in ("0", "1")]
    assert digits == np.concatenate(list(packed.steps.values())).astype(int).tolist()
    assert texts[-1] == "Σ w x = 12 (ones of the mask) − 2 · 4 = 4 > θ = 0, the answer is +1"


def test_the_example_prints_what_it_found():
    lines = list(binary.report(**REPORT))[2:]
    cells = [line.replace(",", "").split() for line in lines]
    assert [(int(n), float(load)) for n, load, *_ in cells] == [
        (n, load) for n in REPORT["sizes"] for load in REPORT["loads"]
    ]
    for n, load, theory, hebb, sbpi, *solved in cells:
        data = binary.learning_curves(int(n), (float(load),), REPORT["n_samples"])
        told = curves.learning_curve(float(load)), data.hebb.mean(), data.sbpi.mean()
        assert [float(theory), float(hebb), float(sbpi)] == pytest.approx(told, abs=6e-4)
        assert solved == ["in", str(data.solved.sum()), "of", str(REPORT["n_samples"])]
