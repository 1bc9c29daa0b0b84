"""`perceptrons reproduce`: the papers' tables and figures, and whether their claims hold."""

from pathlib import Path
from typing import Annotated, Any

import typer

from . import options

ALL = "all"


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Experiments, or all. Without a name they are listed.", metavar="NAME", show_default=False
        ),
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes, for a first look in seconds.")] = False,
    out: Annotated[
        Path,
        typer.Option("--out", help="The folder to write tables, figures and numbers to.", metavar="FOLDER"),
    ] = Path("reproduced"),
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", help="Number of processes.", min=1, metavar="N", show_default="one per core"),
    ] = None,
    json: options.AsJson = False,
) -> None:
    """Reproduce the papers' tables and figures, beside the authors' numbers.

    Each claim gets a verdict: reproduced, not reproduced, or not comparable; the rule is stated. Results are
    written as JSON, Markdown, PNG and SVG.

    \b
    Example: perceptrons reproduce golea-marchand-fig2 --quick
    """
    from ..papers.experiment import NotHere
    from ..papers.runner import EXPERIMENTS

    if not names:
        _list(json)
        return
    _check([name for name in names if name != ALL], out)
    chosen = list(EXPERIMENTS) if ALL in names else list(dict.fromkeys(names))
    results: list[dict[str, Any]] = []
    failures: dict[str, str] = {}
    left_out: dict[str, str] = {}
    for number, name in enumerate(chosen, 1):
        try:
            results.append(_one(name, f"{name} ({number} of {len(chosen)})", quick, out, jobs or -1))
        except (OSError, ImportError, ValueError) as error:
            if len(chosen) == 1:
                raise
            (left_out if isinstance(error, NotHere) and ALL in names else failures)[name] = str(error)
            continue
        if not json:
            _show(results[-1], out)
    _finish(results, failures, left_out, json)


def _list(json: bool) -> None:
    from ..papers.runner import EXPERIMENTS
    from .show import emit, table

    if json:
        emit({"experiments": EXPERIMENTS})
        return
    table(
        ["experiment", "what"],
        [[name, what] for name, what in EXPERIMENTS.items()],
        whole=["experiment"],
    )


def _check(names: list[str], out: Path) -> None:
    """What can be wrong is wrong before the work."""
    import os

    from ..papers import pictures
    from ..papers.runner import experiment

    for name in names:
        experiment(name)
    with pictures.styled():
        pass
    place = next(folder for folder in (out, *out.absolute().parents) if folder.exists())
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise ValueError(f"--out is {out}, but nothing can be written to {place}; name another folder.")


def _one(name: str, what: str, quick: bool, out: Path, jobs: int) -> dict[str, Any]:
    from ..papers.runner import in_parallel, reproduce, write
    from .progress import progress_bar

    with progress_bar(what) as progress:
        each = in_parallel(jobs, lambda done, total: progress(done, total, what))
        result = reproduce(name, quick=quick, each=each)
        write(result, out)
    return result


def _show(result: dict[str, Any], out: Path) -> None:
    from ..papers.result_files import CLAIM_HEADS, claim_cells, stem
    from .show import say, seconds, table

    say(f"{result['paper']}: {result['title']}" + " (quick: small sizes, a first look)" * result["quick"])
    for one in result["tables"]:
        say("", one["title"])
        heads = list(one["heads"])
        table(heads, one["rows"], right=heads[1:], whole=heads[:1], spare=heads[:1:-1])
    rows = [claim_cells(claim) for claim in result["claims"]]
    table(CLAIM_HEADS, rows, whole=["verdict"], spare=["by which rule"])
    say(
        f"Took {seconds(result['measured']['seconds'])}. In {out}: {stem(result)}.json, .svg, .png, and .md.",
        "",
    )


def _finish(
    results: list[dict[str, Any]], failures: dict[str, str], left_out: dict[str, str], json: bool
) -> None:
    """What all of it comes to; what cannot be done here is no failure if all that can was asked for."""
    from collections import Counter

    from .show import emit, say

    counts = Counter(
        claim["verdict"] for result in results for claim in result["claims"] if claim["of_paper"]
    )
    if json:
        emit({"results": results, "verdicts": counts, "failed": failures, "left out": left_out})
    elif len(results) > 1:
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
        say(f"{counts.total()} claims of the papers: {told}.")
    if left_out and not json:
        say(*(f"Left out: {reason}" for reason in left_out.values()))
    if failures:
        raise ValueError(" ".join(f"{name} could not be run: {reason}" for name, reason in failures.items()))
