"""What a report says, the slow way: every change of one or two cells, tried one after the other."""

from itertools import combinations, pairwise


def smallest_flips(predict, rows, row, scales):
    """(number of cells, distance) of the smallest change of one or two cells, to values that occur in their
    columns, that gives another answer; None if there is none. `scales` divide numbers, None for names."""
    own = predict([rows[row]])[0]
    changes = [
        (((j, value),), distance(rows[row][j], value, scales[j]))
        for j in range(len(rows[row]))
        for value in {other[j] for other in rows}
        if value != rows[row][j]
    ]
    pairs = [
        ((*one[0], *other[0]), one[1] + other[1])
        for one, other in combinations(changes, 2)
        if one[0][0][0] != other[0][0][0]
    ]
    for some in (changes, pairs):
        found = [far for cells, far in some if predict([changed(rows[row], cells)])[0] != own]
        if found:
            return len(some[0][0]), min(found)
    return None


def distance(old, new, scale):
    return 1.0 if scale is None else abs(old - new) / scale


def changed(row, cells):
    new = list(row)
    for j, value in cells:
        new[j] = value
    return new


def area(curve):
    """Under a curve of straight lines."""
    points = list(zip(curve["x"], curve["y"], strict=True))
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
