"""Small figures in a line of a table: a bar from the middle, a share with its interval, folds as dots."""

from .svg import element, line

WIDTH, HEIGHT = 120, 14


def signed_bar(share: float) -> str:
    """From the middle to the right, or to the left if below 0; the number stands beside it."""
    half, length = WIDTH / 2, max(abs(share) * (WIDTH / 2 - 1), 1.0)
    bar = {"x": half if share > 0 else half - length, "y": 2, "width": length, "height": HEIGHT - 4}
    style = "bar one" if share > 0 else "bar two"
    return _small([line(half, 0, half, HEIGHT, class_="axis"), element("rect", class_=style, **bar)])


def share_bar(share: float, low: float, high: float, end: float) -> str:
    """A point with its interval, on a line from 0 to `end`."""
    middle = HEIGHT / 2
    x, left, right = (3 + (WIDTH - 6) * min(value / end, 1.0) for value in (share, low, high))
    return _small(
        [
            line(3, middle, WIDTH - 3, middle, class_="grid"),
            line(left, middle, right, middle, class_="interval"),
            element("circle", cx=x, cy=middle, r=3.2, class_="point"),
        ]
    )


def dots(values: list[float], low: float, high: float, mean: float) -> str:
    """A dot per fold, and a line at their mean."""
    span = (high - low) or 1.0
    places = [6 + (WIDTH - 12) * (value - low) / span for value in [*values, mean]]
    middle = HEIGHT / 2
    drawn = [line(6, middle, WIDTH - 6, middle, class_="grid")]
    drawn += [element("circle", cx=x, cy=middle, r=2.6, class_="dot") for x in places[:-1]]
    return _small([*drawn, line(places[-1], 1, places[-1], HEIGHT - 1, class_="mean")])


def _small(parts: list[str]) -> str:
    """The numbers stand in the table, so it is hidden from those who listen."""
    box = f"0 0 {WIDTH} {HEIGHT}"
    return element("svg", parts, viewBox=box, width=WIDTH, height=HEIGHT, aria_hidden="true", class_="small")
