"""What certificates of whole models say: true sentences, and no promise that says nothing."""

import pytest

from perceptrons.theory.certificate import Certificate
from perceptrons.theory.model_certificates import (
    DrawnCertificate,
    NewRowsCertificate,
    TrainingCertificate,
)
from perceptrons.theory.sentences import percent_up
from perceptrons.theory.statements import OF_DRAWN, OF_MODEL, SCALED, HeldOut, Statement


def new_rows(high, majority=0.4, rejected=0, **more):
    shares = (
        HeldOut("wrong", 5, 100 - rejected, 0.0, high),
        HeldOut("rejected", rejected, 100, 0.01, 0.9),
        HeldOut("wrong of a", 2, 60, 0.0, 0.1001, "a"),
        HeldOut("wrong of <b>", 3, 0, 0.0, 1.0, "<b>"),
    )
    return NewRowsCertificate("Model", 100, 5, rejected, 0.95, shares, None, None, "a", majority, **more)


def trained(*statements, **more):
    return TrainingCertificate("Model", 100, 5, 0, 0.95, statements, "<b>", 0.3, **more)


def statement(value, about=OF_MODEL, why_not=None):
    return Statement("Occam", about, "a source", value, why_not)


def of_margins(**more):
    facts = {"separable": True, "margin": 0.25, "margin_bound": None, "radius": 1.0, "n_updates": 3}
    facts |= {"update_bound": None, "compression_size": 3, "n_rows": 1000, "n_errors": 0, "lift": 0.0}
    return Certificate(**{**facts, "lift_from_rows": False, "reproducible": True, **more})


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        (None, "3 corrections were made."),
        (16.0, "3 corrections were made; the theorem allows 16 for this margin."),
        (1e9, "3 corrections were made; the theorem allows 1,000,000,000 for this margin."),
        (4.8e32, "3 corrections were made."),  # which says nothing
    ],
)
def test_a_bound_on_corrections_is_said_if_it_says_something(bound, said):
    found = of_margins(update_bound=bound)
    assert found.generalization_bound() < 0.1  # not said here, as an encoder may have seen the rows
    assert found.sentences() == [
        "All 1,000 rows are classified correctly, with margin 0.25.",
        said,
        "The weights are a combination of 3 rows.",
    ]


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"margin_bound": 0.5}, ["with margin 0.25, and no hyperplane has more than 0.5."]),
        (
            {"separable": None, "margin_bound": 0.5},
            ["some lie on the hyperplane, and no hyperplane has more"],
        ),
        ({"separable": None, "n_errors": 15}, ["15 of 1,000 rows (1.5 %) are misclassified."]),
        (
            {"separable": None, "n_errors": 15, "margin_bound": 0.125},
            ["misclassified; no hyperplane separates these rows with a margin of more than 0.125."],
        ),
        ({"separable": False, "n_errors": 15, "margin_bound": 0.0}, ["it is proved that no hyperplane"]),
        (
            {"soft_margin": 0.9, "soft_margin_bound": 1.0},
            ["All 1,000 rows", "With slack, its margin is within a share of 0.1 of the best possible."],
        ),
    ],
)
def test_margins_in_sentences(facts, said):
    found = of_margins(**facts).sentences()
    assert len(found) == len(said) + 2  # and corrections, and rows used
    assert all(words in sentence for words, sentence in zip(said, found, strict=False))


def test_a_promise_is_rounded_up():
    said = new_rows(0.12301).sentences()
    assert said[0] == "Model is wrong on 5 of 100 rows it was not trained on."
    assert "at most 12.4 % of new rows are answered wrongly; always answering a is wrong on 40" in said[1]
    assert said[2] == "Of the rows of each class, at most: 10.1 % of a; each limit holds by itself."
    assert percent_up(0.1) == "10.0 %"
    assert percent_up(0.9999) == "100.0 %"


def test_what_says_nothing_is_no_promise():
    for found in (new_rows(0.4), new_rows(0.9), new_rows(0.1, majority=0.0)):
        assert found.says_nothing
        assert "That promises nothing" in str(found)
        assert "With a confidence" not in str(found)
    assert "About" in new_rows(0.4, majority=0.1).sentences()[1]
    assert "About" not in new_rows(0.4, majority=0.05).sentences()[1]  # the error is as large
    assert not new_rows(0.39).says_nothing


def test_rejected_and_held_back_rows():
    assert "answers 80 of 100 rows" in new_rows(0.1, rejected=20).sentences()[0]
    assert "of answers on new rows are wrong" in new_rows(0.1, rejected=20).sentences()[1]
    assert "can be said of its answers" in new_rows(1.0, rejected=100).sentences()[1]
    assert "that were held back" in str(new_rows(0.1, holdback=0.2, seed=0))
    assert "equal a row of its training" in str(new_rows(0.1, n_known=1))
    assert "equal 3 rows of its training" in str(new_rows(0.1, n_known=3))


def test_the_smallest_bound_that_says_something():
    found = trained(statement(0.2), statement(0.25), statement(None, why_not="no"))
    assert found.best.value == 0.2
    assert not found.says_nothing
    assert "at most 20.0 % of new rows are answered wrongly (Occam)" in found.sentences()[1]
    nothing = trained(statement(0.3))
    assert nothing.best is None
    assert nothing.sentences()[1].startswith(
        "These rows alone promise nothing about new ones: the best bound"
    )
    assert "no bound applies" in trained(statement(None, why_not="no")).sentences()[1]
    assert SCALED in trained(statement(None, why_not=SCALED)).sentences()[1]


def test_a_drawn_vector_is_named_as_such():
    found = trained(statement(0.1, about=OF_DRAWN), statement(0.4))
    assert found.best is None
    assert found.of_drawn.value == 0.1
    assert "A vector drawn from its first pass is wrong on at most 10.0 %" in found.sentences()[2]
    drawn = DrawnCertificate("Model", 100, 75, 3, 0.95, 0.11, "a", 0.4, 0)
    assert "these models are wrong on at most 11.0 % of new rows on average" in str(drawn)
    assert "promises nothing" in str(DrawnCertificate("Model", 100, 75, 3, 0.95, 0.5, "a", 0.4, 0))


@pytest.mark.parametrize("found", [trained(statement(0.1)), new_rows(0.1)])
def test_html_is_escaped(found):
    html = found._repr_html_()
    assert html.count("<p>") == 3
    assert "<b>" not in html
    assert html.count("\n") == 0


def test_margins():
    assert trained().margin is None
    assert trained(margins=("one",)).margin == "one"
    assert trained(margins=("one", "two")).margin == ["one", "two"]
    assert trained(promises=("It promises.",)).sentences()[2] == "It promises."
