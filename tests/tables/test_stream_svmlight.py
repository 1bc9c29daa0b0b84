"""Sparse rows in text files, in blocks: what scikit-learn reads of the whole file."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from perceptrons import Perceptron, stream_svmlight
from perceptrons.tables import stream_svmlight as module


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("part_bytes", [30, 1000, 1 << 20])
def test_blocks_are_the_whole(tmp_path, monkeypatch, zero_based, part_bytes):
    monkeypatch.setattr("perceptrons.tables.stream_svmlight.BATCH_BYTES", part_bytes)
    X = sp.random_array((200, 30), density=0.1, rng=np.random.default_rng(0), format="lil")
    X[0, 0] = 1.0
    X = X.tocsr()
    y = np.random.default_rng(1).choice([-1, 1], 200)
    path = tmp_path / "rows.svm"
    dump_svmlight_file(X, y, str(path), zero_based=zero_based)
    source = stream_svmlight(path, n_features=30)
    batches = [*source.read()]
    whole, labels = load_svmlight_file(str(path), n_features=30, zero_based=zero_based)
    assert (sp.vstack([batch.X for batch in batches]) != whole).nnz == 0
    assert np.concatenate([batch.y for batch in batches]).tolist() == labels.tolist()
    model = Perceptron(order="cyclic", max_epochs=5, random_state=0, min_margin=0.3)
    in_memory = model.fit(whole, labels.astype(int)).coef_.copy()
    assert np.array_equal(model.fit_stream(source).coef_, in_memory)


def test_bad_files(tmp_path):
    path = tmp_path / "rows.svm"
    with pytest.raises(FileNotFoundError, match="There is no file"):
        stream_svmlight(path)
    path.write_text("1 1:1\n-1 1:x\n")
    with pytest.raises(ValueError, match=r"rows.svm \(bytes 0 to 12\): "):
        stream_svmlight(path)
    path.write_text("1 1:1\n-1 7:2\n")
    with pytest.raises(ValueError, match=r"n_features=3, but .* has a column 7; give 7 or more"):
        stream_svmlight(path, 3)
    source = stream_svmlight(path)
    path.write_text("1 1:1\n-1 7:2\n1 2:1\n")
    with pytest.raises(ValueError, match="has changed since it was first read"):
        [*source.read()]
    path.unlink()
    with pytest.raises(ValueError, match="cannot be read any more"):
        [*source.read()]
    assert module.BATCH_BYTES > 1 << 20
