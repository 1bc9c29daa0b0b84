"""What the benchmarks measured: the JSON in benchmarks/results as Markdown, all or a few telling rows."""

import json
import re
from typing import Any, NamedTuple

from benchmarks import RESULTS
from benchmarks.layout import Section, markdown

MARKED = re.compile(r"(<!-- benchmark:(\w+)(?::(\w+))? -->\n)(.*?)(<!-- end -->)", re.DOTALL)


class Short(NamedTuple):
    """What the short form keeps: columns by key, rows by id (None: all); a section's headers serve all."""

    columns: tuple[str, ...]
    rows: tuple[str, ...] | None = None
    section: int = 0


SHORT = {
    "sweeps": Short(
        ("name", "ours", "peer", "ratio"),
        (
            "epoch wide float64 in order",
            "epoch wide float32 in order",
            "epoch tall float64 shuffled",
            "epoch sparse float64 in order",
            "epoch sparse float64 shuffled",
            "fit wide float64",
            "fit wide float32",
            "fit a9a float64",
            "convergence random float64 cyclic",
            "convergence random float64 active",
            "convergence planted float64 active",
        ),
    ),
    "memory": Short(
        (
            "name",
            *(
                f"{what} {kind}"
                for kind in ("float64", "float32", "CSR float64")
                for what in ("fit", "predict")
            ),
        )
    ),
    "max_margin": Short(
        ("name", "ours", "peer", "ratio", "support", "margin", "peer_margin"),
        ("affine margin 0.05", "affine margin 0.005", "affine digits", "affine teacher", "affine noise"),
    ),
    "boosting": Short(
        ("learner", "time", "ratio", "accuracy", "weights"),
        ("planted ours", "planted pairs", "planted trees", "planted lightgbm", "planted xgboost"),
        section=1,
    ),
    "rules": Short(("name", "learner", "accuracy", "weights", "paper")),
    "frontier": Short(
        ("learner", "accuracy", "auc", "loss", "brier", "size", "time"),
        (
            "scorecard, 5 rules",
            "fasterrisk, 5 features",
            "scorecard, 8 rules",
            "fasterrisk, 8 features",
        ),
    ),
    "orders": Short(
        ("name", "penalty", "how", "stages", "time", "triples", "most_triples", "same"),
        (
            "planted 0.1 yes exact",
            "planted 0.1 no exact",
            "planted 0.1 no beam=20",
            "triples 0.5 no exact",
            "triples 0.5 no beam=20",
        ),
    ),
    "scorecards": Short(("name", "learner", "accuracy", "auc", "rules", "points", "time")),
    "conservative": Short(
        ("name", "splits", "0.1", "0.2", "0.3", "0.4", "0.5"),
        tuple(
            f"risk {method} {first}" for method in ("chow", "cplr1", "cplr2", "exact") for first in (0, 100)
        ),
        section=3,
    ),
    "neural": Short(
        ("name", "entropy", "constant", "growing", "ratio", "growing_ratio", "speed"),
        (
            "epoch cpu as written",
            "epoch cuda as written",
            "epoch cuda recorded, replayed",
            "epoch cuda torch.compile",
        ),
    ),
    "binary": Short(
        ("name", "time", "speed", "of_read", "peer", "product", "ratio", "two_ratio"),
        ("kernel columns", "kernel cells", "kernel scores", "packing float64", "packing int8"),
    ),
    "everyday": Short(
        ("name", "Perceptron()", "sk Perceptron", "sk averaged", "LogisticRegression", "fit", "ratio"),
        ("mean",),
    ),
    "families": Short(
        ("name", "KernelPerceptron()", "SVC", "fit", "ratio", "predict_ratio", "size"),
        ("kernels breast cancer", "kernels mean"),
    ),
    "classes": Short(("name", "classes", "ours", "threads", "peer", "share", "threaded_share", "accuracy")),
    "rare_class": Short(
        ("name", "recall", "precision", "balanced"),
        (
            "Perceptron()",
            "Perceptron, balanced",
            "sk Perceptron",
            "sk Perceptron, balanced",
            "LogisticRegression, balanced",
        ),
    ),
    "certificates": Short(("name", "rows", "larger", "average_bound", "drawn_bound", "card_bound")),
    "promises": Short(("promise", "about", "may", "broke")),
    "first_call": Short(("name", "import", "first_fit", "second_fit")),
    "streams": Short(("name", "time", "speed")),
    "dask": Short(("name", "t0", "t1", "t2", "t4", "gain")),
    "gpu": Short(("what", "first", "later", "one", "one_later", "ratio", "ratio_later")),
    "growth": Short(("name", "columns", "first", "r1", "r2", "r3")),
    "deployed": Short(("name", "one", "rows")),
    "defaults": Short(("name", "no_errors", "warned", "silent", "seconds")),
}


def fill(page: str) -> str:
    """The page with what the results say today: all, or what is named after the benchmark."""
    return MARKED.sub(lambda found: found[1] + render(read(found[2]), found[3]) + found[5], page)


def read(name: str) -> dict[str, Any]:
    """The result of a benchmark."""
    path = RESULTS / f"{name}.json"
    if not path.exists():
        raise FileNotFoundError(f"No result of {name!r} to show; run: python -m benchmarks {name}")
    return json.loads(path.read_text(encoding="utf-8"))


def render(result: dict[str, Any], part: str | None = None) -> str:
    """The Markdown of one result, as it stands between the markers: all of it, its "short" form, or the
    section whose title begins with the word `part`."""
    sections = [Section(**section) for section in result["sections"]]
    if part == "short":
        body = [markdown(_shortened(sections, SHORT[result["benchmark"]]))]
    elif part:
        body = [markdown(next(one for one in sections if one.title.lower().startswith(part)))]
        body += result["notes"]
    else:
        body = [part for section in sections for part in (f"**{section.title}**", markdown(section))]
        body += result["notes"]
    return "\n\n".join([*body, source_line(result)]) + "\n"


def _shortened(sections: list[Section], short: Short) -> Section:
    """One table of the rows chosen from all sections."""
    columns = {column.key: column for column in sections[short.section].columns}
    rows = {row["id"]: row for section in sections for row in section.rows}
    known = [id for id, row in rows.items() if row.keys() >= {*short.columns}]
    chosen = known if short.rows is None else [id for id in short.rows if id in rows]
    return Section("", [columns[key] for key in short.columns], [rows[id] for id in chosen])


def source_line(result: dict[str, Any]) -> str:
    """Where the numbers come from: command, date, machine, versions."""
    machine, versions = result["machine"], dict(result["versions"])
    used = ", ".join(
        f"{package} {version}" for package, version in versions.items() if version != "not installed"
    )
    place = f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB"
    return f"`{result['command']}`, {result['date']}; {place}; {used}."
