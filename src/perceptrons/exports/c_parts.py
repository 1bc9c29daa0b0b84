"""Lines of C that a header may need; only those it needs are written into it. `@` stands for its prefix."""

IS = """
static inline int @_is(const char *cell, const char *name)
{
    return cell != 0 && strcmp(cell, name) == 0;
}
"""
IS_NUMBER = """
/* 7 is also written 7.0 */
static inline int @_is_number(const char *cell, const char *name)
{
    size_t n = strlen(name);
    if (cell == 0 || strncmp(cell, name, n) != 0)
        return 0;
    if (cell[n] == 0)
        return 1;
    if (cell[n] != '.' || cell[n + 1] != '0')
        return 0;
    for (n += 1; cell[n] == '0'; n++) {
    }
    return cell[n] == 0;
}
"""
IS_TRUTH = """
/* true is also written True, and TRUE */
static inline int @_is_truth(const char *cell, const char *name)
{
    size_t k;
    if (cell == 0)
        return 0;
    for (k = 0; name[k] != 0; k++) {
        const char letter = cell[k];
        if (letter != name[k] && letter != (char)(name[k] - 'a' + 'A'))
            return 0;
    }
    return cell[k] == 0;
}
"""
STANDARDIZED = """
/* a missing cell counts as the mean */
static inline double @_standardized(double x, double mean, double scale)
{
    return x != x ? 0.0 : (x - mean) / scale;
}
"""
SIGN = """
static inline double @_sign(int truth)
{
    return truth < 0 ? 0.0 : truth ? 1.0 : -1.0;
}
"""
COUNT = """
/* bits that are 1 */
static inline int @_count(uint64_t word)
{
#if defined(__POPCNT__) || defined(__aarch64__)
    return __builtin_popcountll(word);
#else
    word -= (word >> 1) & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + ((word >> 2) & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)((word * UINT64_C(0x0101010101010101)) >> 56);
#endif
}
"""
DOT = """
static inline double @_dot(const double *x, const double *z, int n)
{
    double sum = 0.0;
    int k;
    for (k = 0; k < n; k++)
        sum += x[k] * z[k];
    return sum;
}
"""
POWER = """
static inline double @_power(double x, int degree)
{
    double product = 1.0;
    for (; degree > 0; degree--)
        product *= x;
    return product;
}
"""
SQUARES = """
static inline double @_squares(const double *x, const double *z, int n)
{
    double sum = 0.0;
    int k;
    for (k = 0; k < n; k++)
        sum += (x[k] - z[k]) * (x[k] - z[k]);
    return sum;
}
"""
DISTANCE = """
static inline double @_distance(const double *x, const double *z, int n)
{
    double sum = 0.0;
    int k;
    for (k = 0; k < n; k++)
        sum += x[k] > z[k] ? x[k] - z[k] : z[k] - x[k];
    return sum;
}
"""
COSINE = """
static inline double @_cosine(const double *x, const double *z, int n)
{
    const double size = sqrt(@_dot(x, x, n)) * sqrt(@_dot(z, z, n));
    return size > 0.0 ? @_dot(x, z, n) / size : 0.0;
}
"""
INTERPOLATE = """
/* on a line between knots, flat beyond them */
static inline double @_interpolate(double x, const double *places, const double *values, int n)
{
    int low = 0, high = n - 1;
    if (!(x < places[high]))
        return x == x ? values[high] : x;
    if (x < places[0])
        return values[0];
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (x < places[middle])
            high = middle;
        else
            low = middle;
    }
    return values[low] + (values[high] - values[low]) / (places[high] - places[low]) * (x - places[low]);
}
"""
KERNELS = {
    "linear": "@_dot(x, z, {n})",
    "poly": "@_power({gamma} * @_dot(x, z, {n}) + {coef0}, {degree})",
    "rbf": "exp(-{gamma} * @_squares(x, z, {n}))",
    "laplacian": "exp(-{gamma} * @_distance(x, z, {n}))",
    "sigmoid": "tanh({gamma} * @_dot(x, z, {n}) + {coef0})",
    "cosine": "@_cosine(x, z, {n})",
}
HELPERS = (
    IS,
    IS_NUMBER,
    IS_TRUTH,
    STANDARDIZED,
    SIGN,
    COUNT,
    DOT,
    POWER,
    SQUARES,
    DISTANCE,
    COSINE,
    INTERPOLATE,
)
INCLUDES = {  # what each header is for
    "<math.h>": ("exp(", "tanh(", "sqrt("),
    "<stddef.h>": ("size_t",),
    "<stdint.h>": ("int8_t", "int16_t", "int32_t", "uint64_t", "int64_t"),
    "<string.h>": ("strcmp(", "strlen("),
}


def helpers(text: str) -> str:
    """Those that are called in the text, or by one another, in an order in which C knows them."""
    chosen: list[str] = []
    for part in reversed(HELPERS):
        if any(f"@_{name}(" in text + "".join(chosen) for name in _defined(part)):
            chosen.insert(0, part)
    return "".join(chosen)


def _defined(part: str) -> list[str]:
    lines = [line for line in part.splitlines() if line.startswith("static inline")]
    return [line[line.index("@_") + 2 : line.index("(")] for line in lines]


def includes(text: str) -> str:
    return "".join(f"#include {name}\n" for name, words in INCLUDES.items() if any(w in text for w in words))
