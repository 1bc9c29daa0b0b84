"""Figures drawn: places on the axes, ticks, escaped texts."""

import re

import pytest

from perceptrons.reports.figures.axes import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Frame, ticks
from perceptrons.reports.figures.bars import WIDTH as BAR_WIDTH
from perceptrons.reports.figures.bars import dots, share_bar, signed_bar
from perceptrons.reports.figures.histograms import draw_histogram
from perceptrons.reports.figures.line_figure import draw_lines, legend
from perceptrons.reports.figures.svg import element, text

SHARES = {"label": "share", "low": 0.0, "high": 1.0, "percent": True}
NAMES = {"id": "x", "title": "<T>", "says": "a & b"}


def test_places_fill_the_frame():
    frame = Frame({**SHARES, "low": -1.0}, SHARES)
    assert frame.place(-1, 0) == (LEFT, HEIGHT - BOTTOM)
    assert frame.place(1, 1) == (WIDTH - RIGHT, TOP)
    assert frame.place(9, -9) == (WIDTH - RIGHT, HEIGHT - BOTTOM)  # what is outside lies on the edge


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
        (0, 0.02, [0, 0.005, 0.01, 0.015, 0.02]),
        (-3, 47, [0, 10, 20, 30, 40]),
    ],
)
def test_ticks_are_round(low, high, expected):
    assert ticks(low, high) == pytest.approx(expected)
    assert ticks(2, 2) == [2]


def test_curves_points_and_marks():
    figure = {
        "kind": "lines", "x": SHARES, "y": SHARES, **NAMES,
        "series": [
            {"name": "<b>", "x": [0, 1], "y": [0, 1], "style": "line"},
            {"name": "thin", "x": [0, 1], "y": [0, 1], "style": "thin"},
            {"name": "two", "x": [0, 0.5], "y": [1, 1], "style": "line"},
        ],
        "points": [{"x": 0.5, "y": 0.5, "low": 0.25, "high": 0.75}],
        "marks": [{"x": 0.9, "y": 0.1, "label": "<here>"}],
    }  # fmt: skip
    drawn = draw_lines(figure)
    assert drawn.count('class="curve') == 2
    assert f"M{LEFT},{HEIGHT - BOTTOM} L{WIDTH - RIGHT},{TOP}" in drawn
    assert "&lt;here&gt;" in drawn
    assert '<title id="x-title">&lt;T&gt;</title>' in drawn
    assert [one["style"] for one in legend(figure)] == ["one", "two"]
    inner = HEIGHT - TOP - BOTTOM
    low, high = (f'"{HEIGHT - BOTTOM - inner * share:.2f}"'.replace('.00"', '"') for share in (0.25, 0.75))
    (interval,) = re.findall(r'<line [^>]*class="interval"/>', drawn)
    assert low.strip('"').rstrip("0").rstrip(".") in interval
    assert high.strip('"').rstrip("0").rstrip(".") in interval


def test_bars_of_a_histogram_stand_on_one_another():
    figure = {
        "kind": "histogram", "x": {**SHARES, "percent": False}, "y": {**SHARES, "high": 10}, **NAMES,
        "edges": [0.0, 0.5, 1.0],
        "counts": [{"name": "a", "n": [5, 0]}, {"name": "b", "n": [5, 2]}],
        "marks": [{"x": 0.0, "label": "boundary"}, {"x": 0.5, "label": "", "certified": True}],
    }  # fmt: skip
    bar = r'<rect class="bar (\w+)" x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"/>'
    bars = re.findall(bar, draw_histogram(figure))
    inner = HEIGHT - TOP - BOTTOM
    assert [(style, float(y), float(height)) for style, y, height in bars] == [
        ("one", TOP + inner / 2, inner / 2),
        ("two", TOP, inner / 2),
        ("two", pytest.approx(TOP + 0.8 * inner, abs=0.01), pytest.approx(0.2 * inner, abs=0.01)),
    ]


def test_bars_in_lines_of_tables():
    half = BAR_WIDTH / 2
    assert f'x="{half:g}"' in signed_bar(0.5).split("<rect")[1]
    assert f'width="{0.5 * (half - 1):g}"' in signed_bar(0.5)
    assert 'x="1"' in signed_bar(-1.0).split("<rect")[1]
    assert share_bar(0.1, 0.05, 0.2, 0.2).count("<circle") == 1
    assert dots([0.1, 0.2, 0.3], 0.1, 0.3, 0.2).count("<circle") == 3
    assert dots([0.1], 0.1, 0.1, 0.1).count("<circle") == 1


def test_texts_and_attributes_are_escaped():
    assert text('<a href="x">', 1, 2) == '<text x="1" y="2">&lt;a href=&quot;x&quot;&gt;</text>'
    assert element("g", (), class_='"><script>', x=1.5) == '<g class="&quot;&gt;&lt;script&gt;" x="1.5"/>'
