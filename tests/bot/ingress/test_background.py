from bot.ingress.background import newest_within


def test_the_newest_lines_are_kept() -> None:
    assert newest_within(["first " + "x" * 30, "second", "third"], 20) == ["second", "third"]


def test_lines_that_fit_are_all_kept_in_order() -> None:
    assert newest_within(["a", "b", "c"], 100) == ["a", "b", "c"]


def test_a_single_line_that_is_too_long_is_kept_in_part() -> None:
    assert newest_within(["x" * 50], 10) == ["x" * 10]


def test_nothing_stays_nothing() -> None:
    assert newest_within([], 10) == []
