"""Dense and CSR rows in compiled code mean what the plain Python functions say."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from perceptrons.compiled import compiled
from perceptrons.rows import layouts
from perceptrons.rows.encode import as_rows

pytestmark = pytest.mark.kernels


@compiled
def every_word(X, i, w):
    total = layouts.dot(X, i, w)
    layouts.add(X, i, 2.0, w)
    return total, layouts.sqnorm(X, i), layouts.stream(X, 0, 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]))
def test_compiled_words_mean_what_the_plain_ones_say(n, seed, dtype):
    rng = np.random.default_rng(seed)
    dense = (rng.integers(-5, 6, (3, n)) * (rng.random((3, n)) < 0.6)).astype(dtype)
    w = rng.integers(-5, 6, n).astype(dtype)
    for X in (dense, as_rows(sp.csr_array(dense))):
        for i in range(3):
            after, row = w.copy(), np.uint32(i)
            total, q, _ = every_word(X, row, after)
            assert total == layouts.dot(X, i, w) == dense[i] @ w
            assert q == layouts.sqnorm(X, i) == (dense[i] ** 2).sum()
            plain = w.copy()
            layouts.add(X, i, 2.0, plain)
            assert np.array_equal(after, w + 2 * dense[i])
            assert np.array_equal(plain, after)
