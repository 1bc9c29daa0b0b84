"""The pictures of docs/conservative.md: they are drawn anew as they are, and show what they say."""

import json

import numpy as np
import pytest

from benchmarks import conservative_pima
from examples import rejecting
from examples.pictures import FOLDER, draw


@pytest.fixture(scope="module")
def learned():
    return rejecting.error_reject()


def test_pictures_are_those_of_the_example():
    files = sorted(path.stem for path in FOLDER.glob("pima-*"))
    assert files == sorted(rejecting.PICTURES)
    assert all((FOLDER / f"{name}.svg").stat().st_size < 70_000 for name in files)


@pytest.mark.data
def test_drawing_writes_all_pictures_and_the_same_twice(tmp_path, learned, monkeypatch):
    _, paint, height = rejecting.PICTURES["pima-error-reject"]
    monkeypatch.setitem(rejecting.PICTURES, "pima-error-reject", (lambda: learned, paint, height))
    first, second = (draw(rejecting.PICTURES, tmp_path / name) for name in ("first", "second"))
    assert [path.name for path in first] == [f"{name}.svg" for name in rejecting.PICTURES]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
        assert b"</svg>" in one.read_bytes()


@pytest.mark.data
def test_models_reject_less_the_more_it_costs(learned):
    for which in (0, 1):
        shares = [models[which].rejects(learned.X).mean() for models in learned.models.values()]
        assert sorted(shares, reverse=True) == shares
        assert shares[0] > 0.5 > shares[-1] > 0.05
    chows = [model.error_reject_curve(learned.X, learned.y) for _, model in learned.models.values()]
    assert all(np.array_equal(chow.errors, chows[0].errors) for chow in chows)  # one curve in the picture


@pytest.mark.data
def test_the_example_prints_what_it_found(learned):
    lines = list(rejecting.report(learned))
    assert len(lines) == 3 + len(rejecting.GAMMAS) + 2
    cells = np.array([line.split() for line in lines[3:-2]], float)
    gammas, sides = cells[:, 0], (cells[:, 1:4], cells[:, 4:])
    assert gammas.tolist() == list(rejecting.GAMMAS)
    for rejected, wrong, risk in (side.T for side in sides):
        assert risk == pytest.approx((gammas * rejected + wrong) / 200, abs=6e-4)


@pytest.mark.data
def test_bins_end_where_the_band_does():
    data = rejecting.band()
    low, high = -data.bands[0], data.bands[1]
    edges = rejecting.bins(data.scores, low, high)
    assert (np.diff(edges) > 0).all()
    assert np.histogram(data.scores, edges)[0].sum() == len(data.scores) == 200
    assert any(np.isclose(edges, low))
    assert any(np.isclose(edges, high))
    inside = (data.scores > low) & (data.scores < high)
    assert np.array_equal(inside, data.rejected)
    assert 20 < data.rejected.sum() < 180
    assert 0 < data.wrong.sum() < 30
    assert not data.wrong[data.rejected].any()


def test_the_risks_drawn_are_those_of_the_table():
    data = rejecting.risks()
    assert data.gammas.tolist() == list(conservative_pima.GAMMAS)
    sections = json.loads(rejecting.RESULT.read_text(encoding="utf-8"))["sections"]
    rows = {row["id"]: row for section in sections for row in section["rows"]}
    for method in ("chow", "cplr1", "cplr2", "always"):
        found = getattr(data, method)
        assert found.shape == (20, len(data.gammas))
        for half, first in ((found[:10], 0), (found[10:], 100)):
            told = [float(rows[f"risk {method} {first}"][f"{gamma:g}"]) for gamma in data.gammas]
            assert np.median(half, axis=0) == pytest.approx(told, abs=6e-4)


def test_the_claims_are_judged_by_the_numbers_of_the_benchmark():
    """What the page counts up from its tables."""
    result = json.loads(rejecting.RESULT.read_text(encoding="utf-8"))
    (raw,) = (one["raw"] for one in result["sections"] if one["title"].startswith("The paper's protocol"))
    gammas = ("0.1", "0.2", "0.3", "0.4", "0.5")
    medians = {name: {gamma: np.median(some) for gamma, some in by.items()} for name, by in raw.items()}

    def gaps(one, other, of):
        return [
            medians[f"{one} {first}"][g] - medians[f"{other} {first}"][g] for first in (0, 100) for g in of
        ]

    page = (FOLDER.parent / "conservative.md").read_text(encoding="utf-8")
    beside = [
        gap
        for rule in ("cplr1", "cplr2")
        for peer in ("average", "logistic")
        for gap in gaps(rule, peer, gammas)
    ]
    lower, higher = (int(np.sum(sign * np.array(beside) > 1e-9)) for sign in (-1, 1))
    assert f"lower in {lower} and higher in {higher} of {len(beside)} places" in page
    chow = max(abs(gap) for rule in ("cplr1", "cplr2") for gap in gaps(rule, "chow", gammas[:4]))
    assert f"medians differ by at most {np.ceil(1000 * chow - 1e-6) / 1000:.3f} either way" in page
    exact = max(map(abs, gaps("exact", "cplr2", medians["exact 0"])))
    assert f"changes medians by at most {exact:.3f}" in page
