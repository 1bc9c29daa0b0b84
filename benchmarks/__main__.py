"""`python -m benchmarks [NAME] [--quick] [--json PATH]`."""

import argparse
import datetime
import importlib
import warnings
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from . import RESULTS

BENCHMARKS = {
    "sweeps": "epochs, whole fits, runs to convergence, peak memory; beside scikit-learn",
    "memory": "peak memory of fit and predict beyond the input, every two-class learner and layout",
    "classes": "default fits of many classes, one thread and two, accuracy, memory; beside scikit-learn",
    "first_call": "import and first fit in a fresh process, with an empty and a filled cache",
    "max_margin": "the maximum margin beside SVC and LinearSVC, with and without slack",
    "boosting": "conjunctions: the search beside one product per stage, fits beside boosted trees",
    "rules": "accuracy and size of sparse and pruned perceptrons on the papers' tables",
    "frontier": "accuracy against size: rules and scorecards beside boosted trees and other makers of rules",
    "orders": "conjunctions of three literals, and how many are looked at; k = 2 beside plain products",
    "scorecards": "integer scorecards beside fasterrisk and imodels: accuracy, AUC, rules, time",
    "conservative": "classifiers that may reject: fits, epochs, exact bands, and the paper's risks on Pima",
    "binary": "binary weights: counts, scores and packing beside one read, fits, and what sbpi learns",
    "neural": "networks: epochs with a margin loss beside cross-entropy, fits beside scikit-learn's",
    "everyday": "default models on real tables, sorted, permuted, with outliers; beside scikit-learn",
    "families": "every family's default on real tables beside its peer: accuracy or risk, time, size",
    "rare_class": "a class of 3 %: how much of it is found, with and without weights; beside scikit-learn",
    "growth": "fits of 10⁴ to 10⁶ rows, and 10⁷: the time per row",
    "gpu": "stages of boosting on a GPU beside the processor: pairs of a million rows, triples",
    "certificates": "what is proved about models of real tables, beside their errors on new rows",
    "streams": "epochs over batches beside those in memory, and peak memory of 10⁵ to 10⁷ rows",
    "dask": "fits over collections on 1, 2 and 4 workers, beside one process and LightGBM on Dask",
    "promises": "how often promises about new rows break on known distributions, and what they let through",
    "deployed": "exported models: rows per second in C, SQL, ONNX, Python, and bytes on a microcontroller",
    "defaults": "how often the default models end without training errors on separable rows",
}
PEERS = (
    "vowpalwabbit",
    "lightgbm",
    "xgboost",
    "imodels",
    "fasterrisk",
    "scikit-fallback",
    "torch",
    "onnxruntime",
    "duckdb",
    "skl2onnx",
    "emlearn",
)


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    if options.name is None:
        print("\n".join(f"{name:<14}{line}" for name, line in BENCHMARKS.items()))
    else:
        _measure(options.name, options.quick, options.json)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Without a name: list them.")
    parser.add_argument("name", nargs="?", choices=[*BENCHMARKS])
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, few rounds; written only with --json"
    )
    parser.add_argument("--json", type=Path, metavar="PATH", help="default: benchmarks/results/NAME.json")
    return parser


def _measure(name: str, quick: bool, path: Path | None) -> None:
    from sklearn.exceptions import ConvergenceWarning

    from .layout import plain

    benchmark = importlib.import_module(f"benchmarks.{name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # epochs are cut short on purpose
        measured = benchmark.run(quick)
    for section in measured["sections"]:
        print("\n" + plain(section))
    print("", *measured["notes"], sep="\n")
    if path or not quick:
        _write(name, quick, measured, path or RESULTS / f"{name}.json")


def _write(name: str, quick: bool, measured: dict[str, Any], path: Path) -> None:
    from perceptrons.papers import environment
    from perceptrons.papers.result_files import as_text

    result = {
        "benchmark": name,
        "command": f"python -m benchmarks {name}" + " --quick" * quick,
        "date": datetime.date.today().isoformat(),
        "quick": quick,
        "machine": environment.machine(),
        "versions": environment.versions(PEERS),
        **measured,
        "sections": [asdict(section) for section in measured["sections"]],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(as_text(result), encoding="utf-8")
    print(f"\nWritten to {path}")


if __name__ == "__main__":
    main()
