"""Rooms keep to their budgets."""

import pytest

from tests.architecture.budgets import ROOMS, holdings


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_holds_no_more_than_its_budget(room: str) -> None:
    lines, files = holdings(room)
    budget = ROOMS[room]
    assert lines <= budget.max_lines, f"{room} has {lines} lines: take something out of it"
    assert files <= budget.max_files, f"{room} has {files} files: take something out of it"
