"""`certify`: which list applies, what it says, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from perceptrons import (
    ChowClassifier,
    ConservativePerceptron,
    Costs,
    Perceptron,
    SelectiveClassifier,
    SparsePerceptron,
    TableEncoder,
    certify,
    verify,
)
from perceptrons.theory import held_out
from perceptrons.theory.model_certificates import NewRowsCertificate, TrainingCertificate
from tests.certification.models import NEW, OLD, X, rng, y

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def model():
    return Perceptron(random_state=0).fit(*OLD)


def test_rows_trained_on_and_new_ones(model):
    trained, new = certify(model, *OLD), certify(model, *NEW)
    assert isinstance(trained, TrainingCertificate)
    assert trained.margin == model.certificate_
    assert trained.n_wrong == int((model.predict(OLD[0]) != OLD[1]).sum())
    assert isinstance(new, NewRowsCertificate)
    wrong = int((model.predict(NEW[0]) != NEW[1]).sum())
    assert new.n_wrong == wrong
    assert new.bound == pytest.approx(held_out.binomial_upper(wrong, 80, 0.05), rel=1e-12)
    assert new.majority_error == min((NEW[1] == "yes").mean(), (NEW[1] == "no").mean())
    assert len(new.sentences()) == len(trained.sentences()) == 3


def test_confidence(model):
    sure = certify(model, *NEW, confidence=0.99)
    assert sure.bound == pytest.approx(held_out.binomial_upper(sure.n_wrong, 80, 0.01), rel=1e-12)
    for value in (0, 1, -0.1, np.nan, "much", True):
        with pytest.raises(ValueError, match=r"confidence=.*in \(0, 1\)"):
            certify(model, *NEW, confidence=value)


def test_moved_rows_parts_and_supersets(model):
    order = rng.permutation(160)
    assert isinstance(certify(model, OLD[0][order], OLD[1][order]), TrainingCertificate)
    for rows, labels in ((X, y), (OLD[0][:60], OLD[1][:60])):
        with pytest.raises(
            ValueError, match="Some of the rows that the model was trained on are among these"
        ):
            certify(model, rows, labels)
        assert isinstance(certify(model, rows, labels, new_rows=True), NewRowsCertificate)


def test_what_the_caller_says(model):
    with pytest.raises(ValueError, match="trained on these very rows"):
        certify(model, *OLD, new_rows=True)
    with pytest.raises(ValueError, match="was not trained on these rows"):
        certify(model, *NEW, new_rows=False)
    foreign = LogisticRegression().fit(*OLD)
    with pytest.raises(ValueError, match="does not remember the rows"):
        certify(foreign, *NEW)
    assert certify(foreign, *NEW, new_rows=True).bound < 0.3
    assert certify(foreign, *OLD, new_rows=False).says_nothing


def test_rows_that_repeat_may_be_new():
    """Votes: new rows equal old ones by chance."""
    votes = rng.integers(0, 2, (400, 3)).astype(float)
    labels = np.where(votes.sum(axis=1) + rng.normal(size=400) > 1.5, 1, 0)
    model = Perceptron(random_state=0).fit(votes[:250], labels[:250])
    found = certify(model, votes[250:], labels[250:])
    assert found.n_known > 0
    assert "equal" in found.sentences()[2]
    assert isinstance(certify(model, votes[:250], labels[:250]), TrainingCertificate)


def test_pipelines_and_what_spoils_bounds():
    scaled = make_pipeline(StandardScaler(), Perceptron(random_state=0)).fit(*OLD)
    found = certify(scaled, *OLD)
    assert found.margin == scaled[-1].certificate_
    assert found.says_nothing
    assert "scaled or encoded" in found.sentences()[1]
    fixed = make_pipeline(
        FunctionTransformer(lambda rows: rows / 4), "passthrough", Perceptron(random_state=0)
    )
    assert certify(fixed.fit(*OLD), *OLD).best is not None
    weighted = Perceptron(random_state=0).fit(*OLD, sample_weight=np.ones(160))
    assert "weight" in certify(weighted, *OLD, np.ones(160)).sentences()[1]
    assert all("weight" in one.why_not for one in certify(weighted, *OLD).statements)


def test_frames():
    frame = pd.DataFrame(X, columns=[*"abcd"]).assign(e=np.where(X[:, 0] > 0, "up", "down"))
    model = make_pipeline(TableEncoder(), Perceptron(random_state=0)).fit(frame[:160], OLD[1])
    assert isinstance(certify(model, frame[:160], OLD[1]), TrainingCertificate)
    assert isinstance(certify(model, frame[160:], NEW[1]), NewRowsCertificate)
    card = SparsePerceptron(max_points=3, max_rules=2, random_state=0).fit(frame[:160], OLD[1])
    assert certify(card, frame[:160], OLD[1]).statements[0].name == "Occam"
    assert isinstance(certify(card, frame[160:], NEW[1]), NewRowsCertificate)


def test_more_than_two_classes():
    labels = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-1, 2])]
    model = Perceptron(random_state=0).fit(X[:160], labels[:160])
    found = certify(model, X[:160], labels[:160])
    assert found.margin == model.certificate_
    assert len(found.margins) == 3
    assert found.says_nothing
    assert len(certify(model, X[160:], labels[160:]).shares) == 5


def test_rejected_rows():
    model = ConservativePerceptron(reject_cost=0.2, n_restarts=2, max_epochs=20, random_state=0).fit(*OLD)
    found = certify(model, *NEW)
    assert found.n_rejected == int(model.rejects(NEW[0]).sum()) > 0
    answered = ~model.rejects(NEW[0])
    assert found.n_wrong == int((model.predict_liberal(NEW[0]) != NEW[1])[answered].sum())
    assert found.risk == pytest.approx(model.risk(*NEW))
    assert found.risk < found.risk_bound < 1.0
    paid = held_out.hoeffding_bentkus(found.risk, 80, 0.05)
    assert found.risk_bound == pytest.approx(paid)
    assert "answers" in found.sentences()[0]


def test_gains_are_in_the_risk():
    model = ChowClassifier(LogisticRegression(), costs=Costs(reject=0.2, wrong=2.0, gain=1.0)).fit(*OLD)
    found = certify(model, *NEW)
    assert found.risk == pytest.approx(model.risk(*NEW))
    assert found.risk < found.risk_bound < 2.0


@pytest.mark.filterwarnings("ignore:Nothing can be promised")
def test_selective_classifiers():
    model = SelectiveClassifier(LogisticRegression(), max_error=0.3, random_state=0).fit(*OLD)
    assert "promises by itself" in str(certify(model, *OLD))
    nothing = SelectiveClassifier(LogisticRegression(), max_error=0.001, random_state=0).fit(*OLD)
    found = certify(nothing, *NEW)
    assert "can be said of its answers" in str(found)
    assert "rejects at least" in str(found)


def test_holdback():
    model = Perceptron(random_state=0)
    found = certify(model, X, y, holdback=0.25, random_state=3)
    assert (found.n_rows, found.holdback, found.seed) == (60, 0.25, 3)
    assert model._seen_rows.n_rows == 180
    verify(found, model, X, y)
    with pytest.raises(ValueError, match=r"is fitted; pass sklearn\.base\.clone"):
        certify(model, X, y, holdback=0.25)
    with pytest.raises(ValueError, match="was not trained on the rows"):
        verify(found, clone(model).fit(X[:180], y[:180]), X, y)
    for share in (0, 1.0, -1, "half"):
        with pytest.raises(ValueError, match=r"holdback=.* in \(0, 1\)"):
            certify(clone(model), X, y, holdback=share)
    with pytest.raises(ValueError, match="holdback needs a classifier"):
        certify(TableEncoder(), X, y, holdback=0.2)
    with pytest.raises(ValueError, match="omit one of the two"):
        certify(clone(model), X, y, holdback=0.2, new_rows=False)


def test_bad_input(model):
    with pytest.raises(NotFittedError):
        certify(Perceptron(), X, y)
    with pytest.raises(ValueError, match="certify takes a fitted classifier"):
        certify("a model", X, y)
    with pytest.raises(ValueError, match="certify takes a fitted classifier"):
        certify(TableEncoder().fit(X), X, y)
    with pytest.raises(ValueError, match="sample_weight is for training rows"):
        certify(model, *NEW, np.ones(80))
    with pytest.raises(ValueError, match="'maybe', which is not one of the classes"):
        certify(model, NEW[0], ["maybe"] * 80)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        certify(model, NEW[0], NEW[1][:10])
    with pytest.raises(ValueError, match="has no transform"):
        certify(Pipeline([("one", model), ("two", model)]), X, y)


def test_one_class_promises_nothing(model):
    some = NEW[1] == "yes"
    assert certify(model, NEW[0][some], NEW[1][some]).says_nothing
