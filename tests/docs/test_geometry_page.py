"""The page docs/geometry.md: its pictures exist, and what it says of them holds."""

import re
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from examples import geometry
from examples.pictures import FOLDER, draw
from perceptrons.theory import Near, Separated, ball

SHOWN = re.compile(r"!\[[^]]+\]\(pictures/([^)]+)\)")
pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_every_picture_is_shown_and_every_picture_shown_exists():
    shown = {page.name: SHOWN.findall(page.read_text(encoding="utf-8")) for page in DOCS.glob("*.md")}
    here = [f"{name}.svg" for name in geometry.PICTURES]
    assert sorted(shown["geometry.md"]) == sorted(here)
    assert {*chain(*shown.values())} == {path.name for path in FOLDER.iterdir()}
    assert all((FOLDER / name).stat().st_size < 60_000 for name in here)


def test_drawing_writes_all_pictures_and_the_same_twice(tmp_path):
    first, second = (draw(geometry.PICTURES, tmp_path / name) for name in ("first", "second"))
    assert [path.name for path in first] == [f"{name}.svg" for name in geometry.PICTURES]
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
        assert b"</svg>" in one.read_bytes()


def test_the_interval_closes_around_a_point_of_the_hull():
    data = geometry.compression()
    low, high = data.low[1:], data.high[1:]
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) <= 0).all()
    assert (low <= high).all()
    assert low[-1] >= 0.99 * high[-1]
    assert len(data.support) < len(data.Z) / 10
    assert data.w == pytest.approx(data.a @ data.Z[data.support])
    assert (data.Z @ data.w).min() / np.linalg.norm(data.w) == pytest.approx(data.last.margin)


def test_nearest_points_witness_and_slack():
    data = geometry.max_margin()
    margin = data.hard.certificate_.margin
    assert np.linalg.norm(data.nearest[0] - data.nearest[1]) == pytest.approx(2 * margin)
    assert data.hard.certificate_.n_errors == 0
    assert data.torn.certificate_.separable is False
    assert data.meet[0] == pytest.approx(data.meet[1])  # the signed sum is 0
    assert not data.torn.converged_
    assert data.soft.converged_
    assert data.soft.certificate_.gap <= 1e-3


def test_sets_apart_and_near():
    data = geometry.separation()
    assert isinstance(data.apart, Separated)
    assert isinstance(data.near, Near)
    data.apart.verify(geometry.K, geometry.L)
    data.near.verify(geometry.K, ball(*geometry.DISC))
    assert len(data.apart.of_K.rows) + len(data.apart.of_L.rows) == 3  # as the picture's caption has it


def test_games_have_their_values():
    data = geometry.games()
    data.solution.verify(geometry.GAME)
    assert data.solution.value == pytest.approx(11 / 17)
    data.played.verify(geometry.POINTS)
    assert 0 < data.played.lower < data.played.upper <= 3 * data.played.lower
    assert len(data.played.rows) == 3


def test_bounds_on_new_rows_are_ordered():
    data = geometry.new_rows()
    assert (data.exact <= data.by_size).all()
    assert (data.by_size <= data.by_margin).all()
    exact = np.interp(np.log(data.sizes), np.log(data.m), data.exact)
    assert (data.measured < data.observed).all()
    assert (data.observed < exact).all()  # fewer rows are kept than the theorem allows
    assert (np.diff(data.observed) < 0).all()


def test_projections_keep_the_margin_long_before_the_theorem():
    data = geometry.projection(n_seeds=3)
    assert data.k[-1] < data.enough < 2000
    kept = data.share.min(axis=1)
    assert kept[0] < 0.5
    assert (kept[data.k >= data.enough / 21] > 0.67).all()
