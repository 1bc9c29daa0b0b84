"""`ConservativePerceptron.fit_stream`: the same training, over a source."""

from pathlib import Path
from typing import Any

from ..base import all_or_nothing
from ..checks import number
from ..rejection.costs import read_costs
from ..rejection.labels import resolve
from ..rows.checkpoint_file import CheckpointFile
from ..rows.order import generators
from ..rows.stream_facts import first_pass
from ..stream_sources import check_repeatable, open_source
from .conservative_parameters import ConservativeParameters, read_parameters
from .conservative_perceptron import check_finite, check_two
from .cross_validated import train_cross_validated
from .outcome import ConservativeOutcome, outcome_of
from .restarts import train
from .saved_training import SavedTraining
from .streamed_parts import StreamedParts


def fit_stream(
    model: Any,
    source: Any,
    classes: Any,
    batch_rows: int | None,
    checkpoint: str | Path | None,
    checkpoint_seconds: float,
) -> tuple[ConservativeOutcome, ConservativeParameters]:
    """Train over a source; returns what has come of it."""
    parameters, costs = read_parameters(model), read_costs(model.costs, model.reject_cost)
    number("checkpoint_seconds", checkpoint_seconds, "[0, inf)", "use 10")
    opened = open_source(source, batch_rows)
    check_repeatable(opened, "training reads it epoch by epoch")
    (rng,) = generators(model.random_state, 1)
    with all_or_nothing(model):
        vars(model).pop("_seen_rows", None)  # of an earlier fit
        facts = first_pass(model, opened, model.class_weight, classes, whole=checkpoint is not None)
        check_two(facts.classes)
        prices, label = costs.of(facts.classes), resolve(model.reject_label, facts.classes)
        saved = None
        if checkpoint is not None:
            settings = model.get_params(deep=False)
            saved = SavedTraining(CheckpointFile(checkpoint, settings, facts, checkpoint_seconds, True))
        rows = StreamedParts(opened, facts, model.n_features_in_, parameters)
        learn = train_cross_validated if parameters.cross_validated else train
        training = learn(rows, prices, parameters, rng, saved)
        check_finite(model, training.coef)
        scored = rows.scored(training.coef, training.intercept, prices)
        found = outcome_of(training, scored, parameters)
        model._publish(facts.classes, label, prices, training, found)
    return found, parameters
