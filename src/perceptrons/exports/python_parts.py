"""Lines of Python that an exported file may need; only those it needs are written into it."""

NUMBER = '''
def _number(value, name):
    """A number; NaN where the cell is missing."""
    if value is None or value != value:
        return math.nan
    if isinstance(value, str):
        raise ValueError(f"{name} must be a number, not {value!r}.")
    value = float(value)
    if math.isinf(value):
        raise ValueError(f"{name} is infinite, but numbers must be finite.")
    return value
'''
TEXT = '''
def _text(value, name):
    """The one spelling of a name: 7 and "7.0" are "7", True and "TRUE" are "true". None where missing."""
    if value is None or value != value:
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = str(value)
    whole = re.fullmatch(r"(0|-?[1-9][0-9]*)\\.0+", text)
    if whole:
        return whole[1]
    return text.lower() if text.lower() in ("true", "false") else text
'''
TRUTH = '''
def _truth(value, name):
    """True, False, or None where the cell is missing."""
    if value is None or value != value:
        return None
    if isinstance(value, str) or value not in (True, False):
        raise ValueError(f"{name} must be true or false, not {value!r}.")
    return bool(value)
'''
STANDARDIZED = '''
def _standardized(x, mean, scale):
    """A missing cell counts as the mean."""
    return 0.0 if x != x else (0.5 * x - 0.5 * mean) / (0.5 * scale) if abs(x) > 1e300 else (x - mean) / scale
'''
SIGN = """
def _sign(x):
    return 0.0 if x is None else 1.0 if x else -1.0
"""
LINEAR = '''
def _linear(features, weights, intercept):
    """The sum; where rounding could change its sign, without rounding."""
    products = [x * w for x, w in zip(features, weights)]
    score = sum(products) + intercept
    size = sum(map(abs, products)) + abs(intercept)
    if abs(score) > 4.5e-16 * (len(products) + 2) * size + 1e-300 or not math.isfinite(size):
        return score
    exact = sum((Fraction(x) * Fraction(w) for x, w in zip(features, weights)), Fraction(intercept))
    return float(exact) or (5e-324 if exact > 0 else -5e-324 if exact < 0 else 0.0)


def _product(features, weights, intercept):
    return sum(x * w for x, w in zip(features, weights)) + intercept
'''
RULES = """
def _rules(held, weights, others, intercept):
    total = 0
    for holds, weight, other in zip(held, weights, others):
        total += weight if holds else other
    return float(total + intercept)
"""
KERNELS = {
    "linear": "_dot(x, z)",
    "poly": "({gamma!r} * _dot(x, z) + {coef0!r}) ** {degree!r}",
    "rbf": "math.exp(-{gamma!r} * sum((a - b) ** 2 for a, b in zip(x, z)))",
    "laplacian": "math.exp(-{gamma!r} * sum(abs(a - b) for a, b in zip(x, z)))",
    "sigmoid": "math.tanh({gamma!r} * _dot(x, z) + {coef0!r})",
    "cosine": "_dot(x, z) / (math.sqrt(_dot(x, x)) * math.sqrt(_dot(z, z)) or 1.0)",
}
KERNEL = """
def _dot(x, z):
    return sum(a * b for a, b in zip(x, z))
"""
NETWORK = """
def _layer(x, weights, biases):
    return [sum(a * b for a, b in zip(x, row)) + bias for row, bias in zip(weights, biases)]
"""
EXP = """
def _exp(x):
    return math.exp(min(x, 700.0))
"""
INTERPOLATE = '''
def _interpolate(x, places, values):
    """On a line between knots, flat beyond them."""
    if x != x or x >= places[-1]:
        return values[-1] if x == x else x
    k = bisect_right(places, x)
    if k == 0:
        return values[0]
    return values[k - 1] + (values[k] - values[k - 1]) / (places[k] - places[k - 1]) * (x - places[k - 1])
'''
