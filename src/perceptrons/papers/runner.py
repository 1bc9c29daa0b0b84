"""Run experiments by name, spread their tasks over processes, and write their results to a folder."""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

from joblib import Parallel, delayed

from ..model_file.files import write_whole
from .experiment import Each, Work, in_turn, quietly
from .result_files import Document, document, forms, stem

PAPERS = ("honavar", "moran", "jackson_craven", "sundararajan_pal", "golea_marchand")
EXPERIMENTS = {  # in the order of the papers; a module has the experiment's name, with underscores
    "honavar-or": "Honavar: OR, correction by correction; which learning rates converge",
    "moran-margins": "Moran et al., section 2: updates and margins of Algorithms 1 to 4, beside their bounds",
    "moran-mnist": "Moran et al., section 3: networks with a growing margin on MNIST, beside cross-entropy",
    "moran-mnist-clocks": "Moran et al., section 3: what is proposed for networks without numbers, on MNIST",
    "jackson-craven-tables": "Jackson, Craven, tables 1 and 2: accuracy and size of boosted perceptrons",
    "jackson-craven-further": "Jackson, Craven: codons as features, noisy labels, C4.5",
    "sundararajan-pal-pima": "Sundararajan, Pal, section 4: the cost of errors and rejections on Pima",
    "sundararajan-pal-further": "Sundararajan, Pal, section 5: an SVM with a band, votes, sample sizes",
    "golea-marchand-pac": "Golea, Marchand, section 3: Theorem 1, its lemmas, its sample size",
    "golea-marchand-fig2": "Golea, Marchand, figure 2: learning curves of the clipped Hebb rule",
    "golea-marchand-fig3": "Golea, Marchand, figure 3: the same where labels are noisy",
    "golea-marchand-malicious": "Golea, Marchand, section 5.1: a distribution that fools clipped Hebb",
    "golea-marchand-shift": "Golea, Marchand, section 5.1: learned on uniform rows, tested on others",
}
Progress = Callable[[int, int], None]  # is told how many tasks are done, and of how many


def experiment(name: str) -> Any:
    """The module of an experiment."""
    if name not in EXPERIMENTS:
        raise ValueError(f"There is no experiment {name!r}; choose all, or of {', '.join(EXPERIMENTS)}.")
    module = name.replace("-", "_")
    paper = next(paper for paper in PAPERS if module.startswith(paper))
    return import_module(f".{paper}.{module}", __package__)


def reproduce(name: str, *, quick: bool = False, each: Each = in_turn) -> Document:
    """Run an experiment, in this process unless `each` spreads its tasks.

    >>> result = reproduce("honavar-or", quick=True)
    >>> result["claims"][0]["verdict"], result["values"]["path"][-1]
    ('reproduced', [0.0, 1.0, 1.0])
    """
    module = experiment(name)
    inputs, start = module.data(quick), perf_counter()
    result = module.run(inputs, each)
    return document(name, module, inputs, result, quick, perf_counter() - start)


def write(result: Document, folder: Path) -> list[Path]:
    """Write a result as JSON, Markdown and pictures; return the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for suffix, content in forms(result, experiment(result["experiment"])):
        written.append(folder / f"{stem(result)}.{suffix}")
        write_whole(str(written[-1]), content)
    return written


def in_parallel(n_jobs: int, progress: Progress) -> Each:
    """Spread tasks over `n_jobs` processes (-1: one per core); the first tasks compile, once for all runs."""

    def each(function: Work, tasks: Sequence[Any]) -> list[Any]:
        answers = []
        progress(0, len(tasks))
        work = Parallel(n_jobs=n_jobs, return_as="generator")
        for answer in work(delayed(quietly)(function, task) for task in tasks):
            answers.append(answer)
            progress(len(answers), len(tasks))
        return answers

    return each
