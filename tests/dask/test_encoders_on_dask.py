"""Encoders over collections beside those in memory: the same, however rows are cut; lazily encoded rows; and
pipelines of encoders and learners."""

from collections import Counter

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

import perceptrons
from perceptrons.dask import (
    BinaryPerceptron,
    ConservativePerceptron,
    LiteralEncoder,
    Perceptron,
    TableEncoder,
    certify,
    evaluate,
)
from perceptrons.dask.judging import local_of
from perceptrons.evaluation import evaluate as evaluate_in_memory
from perceptrons.tables import column_profile
from tests.dask.collections_of import array_of, chunkings, frame_of
from tests.dask.here import Here
from tests.sizes import cases
from tests.tables.test_streamed_columns import KINDS, column

pytestmark = pytest.mark.dask
SEEN = Counter()
IN_MEMORY = {TableEncoder: perceptrons.TableEncoder, LiteralEncoder: perceptrons.LiteralEncoder}
COLUMNS = sorted({*KINDS} - {"truths", "empty", "dates"})


@st.composite
def tables(draw):
    rng, n = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), draw(st.integers(2, 120))
    kinds = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, max_size=5, unique=True))
    table = pd.DataFrame({kind: column(kind, n, rng) for kind in kinds})
    if draw(st.booleans()):
        table["late"] = np.where(np.arange(n) < n - 2, "early", "late")  # a name of the last rows alone
    weights = rng.integers(0, 4, n).astype(float) if draw(st.booleans()) else None
    if weights is not None:
        weights[[0, -1]] = 1.0
    as_array = not {*table.dtypes} - {np.dtype(np.float64), np.dtype(np.int64)} and draw(st.booleans())
    return table.to_numpy(float) if as_array else table, weights, draw(chunkings(n))


def of(rows, cuts):
    return array_of(rows, cuts) if isinstance(rows, np.ndarray) else frame_of(rows, cuts)


def result(fit):
    try:
        return fit()
    except ValueError as error:
        return str(error)


def dense(X):
    return X.toarray() if sp.issparse(X) else X


@pytest.mark.thorough
@settings(max_examples=cases(600), deadline=None, suppress_health_check=list(HealthCheck))
@given(tables(), st.sampled_from([*IN_MEMORY]), st.sampled_from([None, "all"]))
def test_the_encoder_of_all_rows_in_memory(table, kind, keep):
    rows, weights, cuts = table
    given = [of(rows, cuts), None]
    if weights is not None:
        framed = frame_of(pd.DataFrame({"weight": weights}), cuts)
        given.append(array_of(weights, cuts) if isinstance(rows, np.ndarray) else framed["weight"])
    whole = result(lambda: IN_MEMORY[kind](keep=keep).fit(rows, sample_weight=weights))
    client = Here(forgetful=0.1)
    found = result(lambda: kind(keep=keep).fit(*given, client=client))
    SEEN["cases"] += 1
    SEEN["learned"] += not isinstance(whole, str)
    SEEN["several chunks"] += bool(cuts)
    assert all(part.released for part in client.parts)
    if isinstance(whole, str):
        assert found == whole
        return
    local = found.to_local()
    assert type(local) is IN_MEMORY[kind]
    for name in ("treatments_", "kinds_", "categories_", "sparse_", "n_features_in_"):
        assert getattr(whole, name) == getattr(local, name), name
    assert local.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    encoded, wanted = found.transform(of(rows, cuts)), whole.transform(rows)
    assert encoded.dtype == wanted.dtype
    assert encoded.shape[1] == wanted.shape[1]
    done = encoded.compute(scheduler="synchronous")
    assert sp.issparse(done) == sp.issparse(wanted)
    assert np.array_equal(dense(found.transform(rows)), dense(done))  # in memory, too
    if kind is LiteralEncoder:
        assert whole.literals_ == local.literals_
        assert np.array_equal(dense(wanted), dense(done))
        return
    assert np.allclose(whole.means_, local.means_, rtol=1e-9, atol=1e-9 * np.abs(whole.scales_).max())
    assert np.allclose(whole.scales_, local.scales_, rtol=1e-9)
    assert np.allclose(dense(wanted), dense(done), atol=1e-6)


def test_the_random_cases_told_something():
    assert not SEEN or min(SEEN.values()) > 0.15 * SEEN["cases"]


TABLE = pd.DataFrame({"age": [20.0, 40.0, np.nan, 30.0] * 10, "land": ["Chad"] * 30 + ["Mali", "Peru"] * 5})
CLASSES = np.where((TABLE["age"] > 25) ^ (TABLE["land"] == "Peru"), "yes", "no")


@pytest.mark.parametrize("kind", IN_MEMORY)
def test_a_category_of_a_late_chunk_is_known_in_the_first(kind):
    rows = frame_of(TABLE, [10, 10, 35])
    encoder = kind().fit(rows, client=Here())
    assert encoder.categories_[1] == ["Chad", "Mali", "Peru"]
    encoded = encoder.transform(rows)
    assert np.isnan(encoded.chunks[0]).all()
    first = encoded.partitions[0].compute(scheduler="synchronous")
    assert first.shape == (10, len(encoder.to_local().get_feature_names_out()))
    new = encoder.transform(frame_of(TABLE.assign(land="Fiji"), [20])).compute(scheduler="synchronous")
    assert not new[:, -3:].any()  # unknown: none of the names stands there


def test_wide_rows_are_sparse_and_chunks_may_be_empty():
    names = pd.DataFrame({"name": [f"n{k % 150}" for k in range(600)], "y": np.arange(600) % 2})
    rows = frame_of(names, [0, 250, 250])
    for kind, local in IN_MEMORY.items():
        encoder = kind(keep="all").fit(rows[["name"]], client=Here())
        done = encoder.transform(rows[["name"]]).compute(scheduler="synchronous")
        wanted = local(keep="all").fit(names[["name"]]).transform(names[["name"]])
        assert sp.issparse(done)
        assert (done != wanted).nnz == 0
        learner = Perceptron(random_state=0, max_epochs=3, min_margin=0.9)
        learner.fit(encoder.transform(rows[["name"]]), rows["y"], client=Here())
        assert learner.n_features_in_ == wanted.shape[1]


def test_thresholds_of_many_numbers_are_those_of_a_sketch(monkeypatch):
    monkeypatch.setattr(column_profile, "MOST", 100)
    X = np.random.default_rng(0).normal(size=(3000, 1))
    encoder = LiteralEncoder().fit(array_of(X, [700, 701]), client=Here())
    ranks = (X < np.array(encoder.thresholds_[0])).mean(axis=0)
    assert np.allclose(ranks, np.arange(1, 9) / 9, atol=1e-3)
    means = TableEncoder().fit(array_of(X, [700, 701]), client=Here()).means_
    assert np.allclose(means, X.mean(), rtol=1e-9)


def test_arrays_keep_their_chunks():
    X = np.arange(60.0).reshape(20, 3)
    rows = array_of(X, [5, 5, 12])
    encoded = TableEncoder().fit(rows, client=Here()).transform(rows)
    assert encoded.chunks == (rows.chunks[0], (3,))
    whole = LiteralEncoder().fit(da.from_array(X, (7, 2)), client=Here())  # cut across columns, too
    assert whole.transform(da.from_array(X, (7, 2))).compute(scheduler="synchronous").shape == (20, 24)


@pytest.mark.parametrize(
    ("encoder", "learner"),
    [
        (TableEncoder(), ConservativePerceptron(random_state=0)),
        (TableEncoder(), Perceptron(random_state=0)),
        (LiteralEncoder(), BinaryPerceptron(random_state=0)),
    ],
)
def test_pipelines_of_encoders_and_learners(encoder, learner):
    rows = frame_of(TABLE.assign(kind=CLASSES), [10, 10, 35])
    X, y = rows[["age", "land"]], rows["kind"]
    pipeline = make_pipeline(encoder, learner)
    clients = {f"{name}__client": Here() for name, _ in pipeline.steps}
    pipeline.fit(X, y, **clients)
    local = make_pipeline(*(step.to_local() for _, step in pipeline.steps))
    assert [type(step) for _, step in local_of(pipeline).steps] == [type(step) for _, step in local.steps]
    said = pipeline.predict(X).compute(scheduler="synchronous")
    assert np.array_equal(said, local.predict(TABLE))
    assert np.array_equal(pipeline.predict(TABLE), said)
    found = evaluate(pipeline, X, y, client=Here())
    assert found.n_rows == 40
    assert found.confusion == evaluate_in_memory(local, TABLE, CLASSES).confusion
    assert certify(pipeline, X, y, new_rows=True, client=Here()).n_rows == 40


def test_they_are_saved_by_way_of_one_machine(tmp_path):
    for kind in IN_MEMORY:
        encoder = kind().fit(frame_of(TABLE, [11]), client=Here())
        perceptrons.save(encoder.to_local(), tmp_path / "encoder.json")
        loaded = perceptrons.load(tmp_path / "encoder.json")
        assert np.array_equal(loaded.transform(TABLE), encoder.transform(TABLE))


def test_bytes_do_not_grow_with_the_rows(capsys):
    moved = []
    for times in (1, 50):
        rows = frame_of(pd.concat([TABLE] * times), [10 * times, 25 * times])
        encoder = LiteralEncoder().fit(rows, client=Here(), verbose=True)
        moved.append(sum(stage.told + stage.answered for stage in encoder.traffic_))
        assert "columns: 2 questions" in capsys.readouterr().out
    assert moved[1] < 1.1 * moved[0]


def test_what_is_refused():
    rows = frame_of(TABLE, [10])
    with pytest.raises(ValueError, match=r"groups=2 joins columns, which are seen one by one"):
        LiteralEncoder(groups=2).fit(rows, client=Here())
    with pytest.raises(ValueError, match="n_thresholds=0"):
        LiteralEncoder(n_thresholds=0).fit(rows, client=Here())
    for kind in IN_MEMORY:
        encoder = kind().fit(rows, client=Here())
        with pytest.raises(ValueError, match="X is a DataFrame, but it must be a Dask array or dataframe"):
            encoder.fit(TABLE, client=Here())
        with pytest.raises(ValueError, match="All rows have weight 0"):
            encoder.fit(rows, None, array_of(np.zeros(40), [10]), client=Here())
        assert encoder.categories_[1] == ["Chad", "Mali", "Peru"]  # as it was
        with pytest.raises(ValueError, match="feature names"):
            encoder.transform(rows[["land"]].assign(size=1)).compute(scheduler="synchronous")
        with pytest.raises(ValueError, match="sparse"):
            kind().fit(array_of(sp.csr_array(np.eye(8)), [4]), client=Here())
    with pytest.raises(ValueError, match=r"X is 'town' \S+, but before it is 'land'"):
        TableEncoder().fit(mixed_frame(), client=Here())


def mixed_frame():
    parts = [dask.delayed(part) for part in (TABLE[:20], TABLE[20:].rename(columns={"land": "town"}))]
    return dd.from_delayed(parts, meta=TABLE[:0], verify_meta=False)
