"""A fitted model, whatever its class, read as a program: see `program`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ..conservative.chow_file import curves_of
from . import answers, units
from .answers import Answer
from .encoded_columns import Columns, encoded, literals, scaled
from .program import Feature, Indicator, Program, Raw, Unit
from .program_steps import Ref, Steps


class Reader:
    """What has been read so far: columns, units, steps."""

    def __init__(self, model: Any) -> None:
        self.columns, self.units, self.steps = Columns(model), list[Unit](), Steps()

    def add(self, unit: Unit, n_scores: int) -> list[Ref]:
        """Its scores."""
        self.units.append(unit)
        return [self.steps.score(len(self.units) - 1, k) for k in range(n_scores)]


def read_program(model: Any) -> Program:
    """The program; ValueError with the reason if there is none."""
    check_is_fitted(model)
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise ValueError(
            f"A {type(model).__name__} answers no question about rows, so there is nothing to export; export "
            "a classifier, or a pipeline that ends with one."
        )
    reader = Reader(model)
    answer = answer_of(model, None, reader)
    learner = model[-1] if isinstance(model, Pipeline) else model
    reject_label = getattr(learner, "reject_label_", None)
    plain = any(isinstance(one, Raw) for unit in reader.units for one in getattr(unit, "features", ()))
    steps = reader.steps
    valid = None
    for one in (answer.scores or answer.probabilities) if plain else ():
        number = steps.at_least(one, one)
        valid = number if valid is None else steps.both(valid, number)
    return Program(
        inputs=tuple(reader.columns.inputs),
        units=tuple(reader.units),
        steps=tuple(steps.steps),
        scores=answer.scores,
        probabilities=answer.probabilities,
        code=answer.code,
        rejected=answer.rejected,
        valid=valid,
        labels=tuple(classes.tolist()),
        reject_label=reject_label,
        width=0 if reader.columns.named else len(reader.columns.names),
        title=type(learner).__name__,
    )


def answer_of(model: Any, features: list[Feature] | None, reader: Reader) -> Answer:
    """What a classifier says; `features` are what the steps before it have made, None: the columns."""
    if isinstance(model, FrozenEstimator):
        return answer_of(model.estimator, features, reader)
    if isinstance(model, Pipeline):
        for _, transformer in model.steps[:-1]:
            features = transformed(transformer, features, reader)
        return answer_of(model[-1], features, reader)
    for kind in type(model).__mro__:
        if kind.__name__ in READERS:
            return READERS[kind.__name__](model, features, reader)
    raise _unknown(model)


def _unknown(model: Any) -> ValueError:
    return ValueError(
        f"A {type(model).__name__} cannot be exported; what can is {', '.join(READERS)}, and pipelines of "
        f"{', '.join(TRANSFORMERS)} and one of these."
    )


def transformed(transformer: Any, features: list[Feature] | None, reader: Reader) -> list[Feature]:
    """What a step of a pipeline hands on."""
    if isinstance(transformer, str) or transformer is None:  # "passthrough"
        return reader.columns.raw() if features is None else features
    name = type(transformer).__name__
    if name == "StandardScaler":
        return scaled(transformer, reader.columns.raw() if features is None else features)
    if name not in TRANSFORMERS:
        raise _unknown(transformer)
    if features is not None:
        raise ValueError(
            f"{name} reads the columns of a table, but stands behind another step; make it the first one."
        )
    return TRANSFORMERS[name](transformer, reader)


def _table(encoder: Any, reader: Reader) -> list[Feature]:
    return encoded(encoder, reader.columns)


def _literals(encoder: Any, reader: Reader) -> list[Feature]:
    every = literals(encoder, reader.columns, range(len(encoder.literals_)))
    return [Indicator(statement) for statement in every]


TRANSFORMERS: dict[str, Callable[..., list[Feature]]] = {
    "TableEncoder": _table,
    "LiteralEncoder": _literals,
    "StandardScaler": transformed,
}


def _features(features: list[Feature] | None, reader: Reader) -> list[Feature]:
    return reader.columns.raw() if features is None else features


def _linear_scores(model: Any, features: list[Feature] | None, reader: Reader) -> list[Ref]:
    unit = units.linear_unit(model, _features(features, reader))
    return reader.add(unit, len(unit.weights))


def _linear(model: Any, features: list[Feature] | None, reader: Reader) -> Answer:
    return answers.simple(reader.steps, _linear_scores(model, features, reader))


def _logistic(model: Any, features: list[Feature] | None, reader: Reader) -> Answer:
    """scikit-learn's, which others may calibrate."""
    steps, scores = reader.steps, _linear_scores(model, features, reader)
    if len(scores) > 1:
        return answers.simple(steps, scores, steps.softmax(scores))
    return answers.simple(steps, scores, answers.divided(steps, [steps.logistic(scores[0])]))


def _conservative(model: Any, features: list[Feature] | None, reader: Reader) -> Answer:
    (score,) = _linear_scores(model, features, reader)
    return answers.banded(reader.steps, score, model.bands_.tolist())


def _rules(model: Any, features: list[Feature] | None, reader: Reader) -> Answer:
    if features is not None:
        raise ValueError(
            f"{type(model).__name__} reads the columns of a table, but stands behind another step; make it "
            "the first one."
        )
    unit, steps = units.rules_unit(model, reader.columns), reader.steps
    scores = answers.sparse_scores(steps, model, reader.add(unit, len(unit.weights)))
    if type(model).__name__ == "PrunedPerceptron" or not hasattr(model, "predict_proba"):
        return answers.simple(steps, scores)
    shares = answers.sparse_shares(steps, model, scores)
    return answers.simple(steps, scores, answers.divided(steps, shares))


def _binary(model: Any, features: list[Feature] | None, reader: Reader) -> Answer:
    scores = reader.add(units.bits_unit(model, _features(features, reader)), 1)
    return answers.simple(reader.steps, scores, least=len(model.classes_) - 1)


def _kernel(model: Any, features: list[Feature] | None, reader: Reader) -> Answer:
    unit = units.kernel_unit(model, _features(features, reader))
    return answers.simple(reader.steps, reader.add(unit, len(unit.duals)))


def _network(model: Any, features: list[Feature] | None, reader: Reader) -> Answer:
    unit = units.network_unit(model, _features(features, reader))
    scores = reader.add(unit, len(unit.output))
    if hasattr(model, "bands_"):
        return answers.network_banded(reader.steps, scores, np.asarray(model.bands_, float).tolist())
    return answers.simple(reader.steps, scores)


def _posteriors(model: Any, features: list[Feature] | None, reader: Reader) -> Sequence[Ref]:
    """Of a fitted `ChowClassifier`, calibrated or believed."""
    inner = answer_of(model.estimator_, features, reader)
    if model.calibrated_ is not model.estimator_:
        return answers.calibrated(reader.steps, inner, curves_of(model.calibrated_))
    if not inner.probabilities:
        raise _unknown(model.estimator_)
    return inner.probabilities


def _chow(model: Any, features: list[Feature] | None, reader: Reader) -> Answer:
    return answers.priced(reader.steps, _posteriors(model, features, reader), model._prices)


def _selective(model: Any, features: list[Feature] | None, reader: Reader) -> Answer:
    inner = answer_of(model.estimator_, features, reader)
    known = np.asarray(_learner(model.estimator_).classes_).tolist()
    if known != model.classes_.tolist():
        raise ValueError(f"The estimator inside knows the classes {known}, not {model.classes_.tolist()}.")
    return answers.promised(reader.steps, inner, model.thresholds_.tolist())


def _learner(model: Any) -> Any:
    while isinstance(model, Pipeline | FrozenEstimator):
        model = model.estimator if isinstance(model, FrozenEstimator) else model[-1]
    return model


def _cascade(model: Any, features: list[Feature] | None, reader: Reader) -> Answer:
    zero, classes = reader.steps.number(0.0), model.classes_.tolist()
    posteriors = []
    for stage in model.stages_:
        own = dict(zip(stage.classes_.tolist(), _posteriors(stage, features, reader), strict=True))
        posteriors.append([own.get(label, zero) for label in classes])
    return answers.passed_on(reader.steps, posteriors, model._prices, model.prices_)


READERS: dict[str, Callable[..., Answer]] = {
    "Perceptron": _linear,
    "MaxMarginPerceptron": _linear,
    "ConservativePerceptron": _conservative,
    "SparsePerceptron": _rules,
    "PrunedPerceptron": _rules,
    "BinaryPerceptron": _binary,
    "KernelPerceptron": _kernel,
    "MarginMLPClassifier": _network,
    "ChowClassifier": _chow,
    "SelectiveClassifier": _selective,
    "Cascade": _cascade,
    "LogisticRegression": _logistic,
}
