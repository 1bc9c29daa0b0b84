"""Results of the experiments are of full runs, on data we know; their verdicts are those of today."""

import json
from dataclasses import asdict

import pytest

from perceptrons.datasets import images, windows
from perceptrons.datasets.sources import SOURCES
from perceptrons.papers.pictures import files
from perceptrons.papers.result_files import PICTURES
from perceptrons.papers.runner import EXPERIMENTS, experiment
from tests.experiments import NAMES
from tools.experiment_results import RESULTS, read


@pytest.mark.parametrize("name", NAMES)
def test_results_are_of_full_runs_and_their_verdicts_those_of_today(name):
    result, module = read(name), experiment(name)
    assert result["experiment"] == name
    assert not result["quick"]
    assert result["claims"] == [asdict(claim) for claim in module.check(result["values"])]
    assert any(claim["main"] for claim in result["claims"])


def test_data_are_those_we_know():
    known = {name: source.digest for name, source in SOURCES.items()} | {"MNIST": images.DIGEST}
    used = {name: digest for one in EXPERIMENTS for name, digest in read(one)["data"].items()}
    assert set(used) == {"voting", "promoters", "E. coli", "pima", "MNIST"}
    assert all(digest == known[name] for name, digest in used.items() if name in known)


@pytest.mark.data
def test_the_genome_is_the_one_we_know():
    assert read("jackson-craven-tables")["data"]["E. coli"] == windows(4).digest


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_figures_are_drawn_from_the_numbers(name):
    module, values = experiment(name), read(name)["values"]
    drawn = dict(files(lambda figure: module.draw(figure, values), module.HEIGHT, PICTURES))
    assert set(drawn) == set(PICTURES)
    assert json.dumps(values) == json.dumps(read(name)["values"])
    kept = (RESULTS / f"{name}.svg").read_bytes()
    assert kept.startswith(b"<?xml")
    assert len(kept) < 300_000
