"""`Perceptron.fit_stream`: a fit over rows that come batch by batch, the same as over all of them in
memory."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..base import all_or_nothing
from ..checks import flag, number
from ..compiled import threads
from ..rows.encode import Encoded, as_rows
from ..rows.order import generators
from ..rows.stream_facts import StreamFacts, first_pass
from ..stream_sources import check_repeatable, open_source
from ..theory.certificate import Certificate
from ..theory.outward import float_below
from .certificates import Examination, certificate_from, examine_look
from .duals import EXACT_CELLS, Duals
from .fitted import are_uneven, complaint, publish
from .looks import Look
from .margin_parameters import (
    MarginParameters,
    check_radius,
    read_lift,
    read_linear_rule,
    read_parameters,
    usual_norm,
)
from .margin_training import undrawn
from .memory import blank, open_states, state_of
from .rules import Rule
from .run import SUCCESS
from .stream_checkpoint import Checkpoint
from .streamed_rows import StreamedRows
from .streamed_run import StreamedRun
from .streamed_training import Stream
from .theorem import Terms, class_counts, frozen_parameters

PROOF = (
    "_memories",
    "_terms",
    "_norms",
    "certificate_",
    "support_",
    "dual_coef_",
)  # what needs every row's dual


def fit_stream(
    model: Any,
    source: Any,
    classes: Any,
    batch_rows: int | None,
    certificate: bool,
    checkpoint: str | Path | None,
    checkpoint_seconds: float,
) -> str | None:
    """Train over a source; returns what is to be complained about."""
    plan = read_parameters(model)
    check_streamable(model)
    flag("certificate", certificate)
    number("checkpoint_seconds", checkpoint_seconds, "[0, inf)", "use 10")
    opened = open_source(source, batch_rows)
    check_repeatable(opened, "training reads it epoch by epoch")
    with all_or_nothing(model), undrawn(model), threads(model.n_jobs) as pool:
        for name in (*PROOF, "_seen_rows"):  # of an earlier fit
            vars(model).pop(name, None)
        facts = first_pass(model, opened, model.class_weight, classes, whole=checkpoint is not None)
        stream, rule = begin_stream(
            model,
            facts,
            plan,
            lambda n_vectors, averaged: StreamedRows(opened, facts, n_vectors, averaged, certificate, pool),
        )
        if checkpoint is None:
            stream.train()
        else:
            saved = Checkpoint(Path(checkpoint), frozen_parameters(model), facts, checkpoint_seconds)
            stream.train(saved.resume(stream), saved.pause)
            saved.write(stream, None)
        return finish(model, stream, rule)


def check_streamable(model: Any) -> None:
    if model.order not in ("cyclic", "shuffle"):
        raise ValueError(
            f"order={model.order!r} looks at all rows for the next one, which a stream would read again and "
            "again; use 'shuffle' or 'cyclic'."
        )
    if flag("warm_start", model.warm_start):
        raise ValueError("warm_start=True is not for fit_stream, which starts from zero; use a checkpoint.")


def begin_stream(
    model: Any,
    facts: StreamFacts,
    plan: MarginParameters,
    make_rows: Callable[[int, bool], StreamedRows],
) -> tuple[Stream, Rule]:
    """The runs at zero, by the rule that norms decide; `make_rows` is given how many there are, and whether
    averages are kept."""
    median = facts.norms.median()
    rule = read_linear_rule(model, read_lift(model, facts.largest, median), median)
    check_radius(rule, facts.largest)
    n_vectors = 1 if len(facts.classes) == 2 else len(facts.classes)
    (rng,) = generators(model.random_state, 1)
    w = np.zeros(model.n_features_in_, facts.dtype)
    before = [blank(w, 0.0, rule, model.result, rng) for _ in range(n_vectors)]
    states = open_states(before, 0, rule, facts.dtype)
    rows = make_rows(n_vectors, states.drift.size > 0)
    typical, runs = usual_norm(median, rule.rho_squared), []  # type: tuple[float, list[StreamedRun]]
    for k, start in enumerate(before):
        data, state = nothing_yet(facts, model.n_features_in_), state_of(states, k)
        runs.append(
            StreamedRun(
                data, np.zeros(0, np.int8), rule, plan, start, state, typical,
                all_rows=rows, number=k, together=runs,
            )
        )  # fmt: skip
    return Stream(rows, runs, states), rule


def nothing_yet(facts: StreamFacts, n_features: int) -> Encoded:
    """No rows."""
    matrix, codes = np.zeros((0, n_features), facts.dtype), np.zeros(0, np.intp)
    return Encoded(matrix, as_rows(matrix), facts.classes, codes, facts.largest, facts.smallest, facts.norms)


def finish(model: Any, stream: Stream, rule: Rule) -> str | None:
    """Publish what the runs have come to; returns what is to be complained about."""
    rows, facts, runs = stream.rows, stream.rows.facts, stream.runs
    ends = (facts.lightest, facts.heaviest) if facts.heaviest else (1.0, 1.0)
    counts = class_counts(model, len(facts.classes), facts.n_rows)
    settings = frozen_parameters(model)
    model._memories = [run.memory() for run in runs]
    one_run = rows.kept and rows.one_by_one
    model._terms = Terms(settings, rule.rho_squared, one_run, False, False, *ends, facts.weighted, counts)
    model.classes_, model._norms = facts.classes, facts.norms
    model.coef_ = np.stack([one.w for one in publish(model, model._memories, model._terms)])
    certificates = certificates_of_stream(model, rows, [run.look() for run in runs])
    model.certificate_ = certificates[0] if len(certificates) == 1 else certificates
    may_tie = [rule.negative_ties and run.clock["beta_negative"] == 0.0 for run in runs]
    hopeless = 0 if rule.rho_squared > 0 or facts.smallest > 0 else rows.hopeless(may_tie)
    verdicts = [run.verdict for run in runs]
    model.converged_ = all(verdict in SUCCESS for verdict in verdicts) and not hopeless
    if not rows.kept:
        for name in PROOF:
            delattr(model, name)
    if model.converged_:
        return None
    return complaint(model, certificates, verdicts, hopeless, are_uneven(facts.scales))


def certificates_of_stream(model: Any, rows: StreamedRows, lent: Sequence[Look | None]) -> list[Certificate]:
    """One per weight vector, from one more pass and copies of the rows used, if they are few."""
    looks = [look for look in lent if look is not None]
    if len(looks) < len(lent):
        lines = [*range(len(lent))]
        looks = rows.look(lines, model.coef_, model.intercept_, model.support_, model.dual_coef_)
    few = len(model.support_) * model.n_features_in_ <= EXACT_CELLS
    used = rows_used(model, rows) if few and len(model.support_) else None
    certificates = []
    for k, look in enumerate(looks):
        examined = examine_stream(
            model, k, rows, look if look.sure else looked_exactly(model, k, rows, look), used
        )
        one = certificate_from(model, k, examined, rows.facts.n_rows)
        certificates.append(one if model.order == "cyclic" else replace(one, reproducible=False))
    return certificates


def rows_used(model: Any, rows: StreamedRows) -> Encoded:
    """Copies of the rows that have duals."""
    matrix, codes = rows.taken(model.support_)
    empty = nothing_yet(rows.facts, model.n_features_in_)
    return empty._replace(matrix=matrix, X=as_rows(matrix), codes=codes, n_given=len(codes))


def looked_exactly(model: Any, k: int, rows: StreamedRows, look: Look) -> Look:
    """Where rounding errors are no doubles: the lowest row, in fractions."""
    w, b = model.coef_[k].astype(np.float64), float(model.intercept_[k])
    if not (np.isfinite(w).all() and np.isfinite(b)):
        return look
    found = rows.exact_looks(k, w, b)
    return look._replace(
        low=float_below(min(low for low, _ in found)), n_errors=sum(wrong for _, wrong in found), sure=True
    )


def examine_stream(model: Any, k: int, rows: StreamedRows, look: Look, used: Encoded | None) -> Examination:
    """What the look says, and the bound: by copies of the rows used, or by their sum alone."""
    data = nothing_yet(rows.facts, model.n_features_in_) if used is None else used
    data = data._replace(largest=look.largest, smallest=look.smallest)
    duals, where = model.dual_coef_[k], np.flatnonzero(model.dual_coef_[k])
    proof = Duals(data, where, duals[where], model.lift_, gone=used is None)
    return examine_look(model, k, data, look, proof)
