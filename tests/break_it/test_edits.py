"""Every edit can be made: in a module of its room that says so, and tests that exist must notice."""

import pytest

from tests.break_it.edits import HOUSE, MARKS, PACKAGE, ROOT, read, rooms, unguarded

EDITS = [(room, edit) for room in rooms() for edit in read(room)]


@pytest.mark.parametrize("room", rooms())
def test_every_edit_can_be_made(room):
    for edit in read(room):
        assert edit.module.startswith(f"{room}/") or (room == HOUSE and "/" not in edit.module), edit
        text = (ROOT / PACKAGE / edit.module).read_text(encoding="utf-8")
        assert edit.old in text, edit
        assert edit.old != edit.new, edit
        assert (ROOT / "tests" / edit.tests).is_file(), edit
        assert {*edit.marks.split()} <= MARKS, edit


def test_no_edit_twice():
    assert len({edit[:3] for _, edit in EDITS}) == len(EDITS) > 200


def test_continuous_integration_tries_a_few():
    few = [edit for _, edit in EDITS if edit.marked("few")]
    assert 5 <= len(few) <= 15


def test_modules_without_an_edit_have_none():
    assert not {*unguarded()} & {edit.module for _, edit in EDITS}
