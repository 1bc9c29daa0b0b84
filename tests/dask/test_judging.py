"""Answers, measures and certificates over collections beside those in memory."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import perceptrons
from perceptrons import TableEncoder
from perceptrons.dask import BinaryPerceptron, Perceptron, SparsePerceptron, certify, evaluate
from perceptrons.dask.judging import local_of
from perceptrons.dask.on_collections import light
from perceptrons.evaluation import evaluate as evaluate_in_memory
from perceptrons.rejection.costs import Costs
from tests.dask.collections_of import array_of, frame_of
from tests.dask.here import Here

pytestmark = pytest.mark.dask
RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(400, 4)), RNG.normal(size=(300, 4))
Y, TRUTH = (np.where(one[:, 0] > RNG.normal(size=len(one)), "yes", "no") for one in (X, NEW))
CUTS = [50, 50, 210]


@pytest.fixture(scope="module")
def model():
    return Perceptron(random_state=0).fit(array_of(X, CUTS), array_of(Y, CUTS), client=Here())


def test_measures_are_those_in_memory(model):
    weights = RNG.integers(1, 3, 300).astype(float)
    costs = Costs(wrong={"yes": 5.0, "no": 1.0})
    rows = (array_of(one, CUTS) for one in (NEW, TRUTH, weights))
    found = evaluate(model, *rows, costs=costs, client=Here())
    wanted = evaluate_in_memory(model.to_local(), NEW, TRUTH, weights, costs=costs)
    assert found.confusion == wanted.confusion
    assert np.isclose(found.risk, wanted.risk)
    assert abs(found.auc - wanted.auc) < 1e-3


def test_certificates_of_new_rows_are_those_in_memory(model):
    found = certify(model, array_of(NEW, CUTS), array_of(TRUTH, CUTS), client=Here())
    assert found == perceptrons.certify(model.to_local(), NEW, TRUTH)
    perceptrons.verify(found, model.to_local(), NEW, TRUTH)


def test_models_without_what_answers_do_not_need_are_sent_to_workers():
    in_memory = perceptrons.BinaryPerceptron(random_state=0).fit(X, Y)
    for model in (in_memory, BinaryPerceptron(random_state=0)):
        if model is not in_memory:
            model.fit(array_of(X, CUTS), array_of(Y, CUTS), client=Here())
        sent = pickle.loads(pickle.dumps(light(local_of(model))))
        assert np.array_equal(sent.predict(NEW), in_memory.predict(NEW))
        found = evaluate(model, array_of(NEW, CUTS), array_of(TRUTH, CUTS), client=Here())
        assert found.accuracy == in_memory.score(NEW, TRUTH)


def test_a_model_knows_the_rows_it_was_trained_on(model):
    in_memory = perceptrons.Perceptron(random_state=0).fit(X, Y)
    assert np.array_equal(model._seen_rows.marks, in_memory._seen_rows.marks)
    with pytest.raises(ValueError, match="was trained on these rows"):
        certify(model, array_of(X, [100]), array_of(Y, [100]), client=Here())
    with pytest.raises(ValueError, match="new_rows=True, but the model was trained on these very rows"):
        certify(model, array_of(X, [100]), array_of(Y, [100]), new_rows=True, client=Here())


def test_pipelines_are_judged_too():
    table = pd.DataFrame(X, columns=list("abcd")).assign(name=np.where(Y == "yes", "u", "v"))
    pipeline = make_pipeline(TableEncoder(), perceptrons.Perceptron(random_state=0)).fit(table, Y)
    rows = frame_of(table.assign(y=Y), CUTS)
    found = evaluate(pipeline, rows[[*table]], rows["y"], client=Here())
    assert found.accuracy == pipeline.score(table, Y)
    with pytest.raises(ValueError, match="does not remember the rows"):
        certify(pipeline, rows[[*table]], rows["y"], client=Here())
    assert certify(pipeline, rows[[*table]], rows["y"], new_rows=True, client=Here()).n_rows == 400


def test_accuracy_of_rows_in_memory_alone(model):
    assert model.score(NEW, TRUTH) == model.to_local().score(NEW, TRUTH)
    with pytest.raises(ValueError, match=r"use perceptrons.dask.evaluate\(model, X, y\).accuracy"):
        model.score(array_of(NEW, CUTS), array_of(TRUTH, CUTS))


def test_a_label_that_the_model_does_not_know(model):
    with pytest.raises(ValueError, match=r"y holds 'maybe', which is not one of the classes"):
        evaluate(model, array_of(NEW, [100]), array_of(np.full(300, "maybe"), [100]), client=Here())


def test_answers_come_lazily_in_the_same_chunks(model):
    rows = array_of(NEW, CUTS)
    for name in ("predict", "decision_function"):
        found = getattr(model, name)(rows)
        assert found.chunks == (rows.chunks[0],)
        wanted = getattr(model.to_local(), name)(NEW)
        assert np.array_equal(found.compute(scheduler="synchronous"), wanted)
        assert np.array_equal(getattr(model, name)(NEW), wanted)


def test_scores_of_three_classes_and_probabilities():
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    three = Perceptron(random_state=0).fit(array_of(X, CUTS), array_of(y, CUTS), client=Here())
    found = three.decision_function(array_of(NEW, CUTS)).compute(scheduler="synchronous")
    assert np.allclose(found, three.decision_function(NEW))
    frame = frame_of(pd.DataFrame(NEW, columns=list("abcd")), CUTS)
    columns = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
    rules = SparsePerceptron(refit="stagewise", stages=3)
    rules.fit(frame_of(columns, CUTS)[list("abcd")], frame_of(columns, CUTS)["y"], client=Here())
    shares = rules.predict_proba(frame).compute(scheduler="synchronous")
    assert shares.columns.tolist() == [0, 1, 2]
    assert np.allclose(shares, rules.to_local().predict_proba(pd.DataFrame(NEW, columns=list("abcd"))))


def test_models_are_saved_by_way_of_one_machine(tmp_path):
    model = BinaryPerceptron(random_state=0).fit(array_of(X, CUTS), array_of(Y, CUTS), client=Here())
    with pytest.raises(ValueError, match="BinaryPerceptron cannot be saved"):
        perceptrons.save(model, tmp_path / "model.json")
    perceptrons.save(model.to_local(), tmp_path / "model.json")
    assert np.array_equal(perceptrons.load(tmp_path / "model.json").predict(NEW), model.predict(NEW))


def test_traffic_is_shown(capsys):
    model = BinaryPerceptron(random_state=0)
    model.fit(array_of(X, CUTS), array_of(Y, CUTS), client=Here(), verbose=True)
    printed = capsys.readouterr().out.splitlines()
    assert [one.split(":")[0] for one in printed] == [one.stage for one in model.traffic_]
    assert "bytes told" in printed[0]
    assert not hasattr(model.to_local(), "traffic_")
