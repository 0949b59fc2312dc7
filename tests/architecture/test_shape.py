"""The code keeps the shape that people can read: `python -m tests.architecture.shape` shows it."""

from functools import cache

from tests.architecture.shape import (
    MAX_COGNITIVE_COMPLEXITY,
    MAX_FILE_DENSITY,
    MAX_MEAN_DENSITY,
    MAX_NODES,
    SMALL_FILE,
    ambiguous_type_names,
    complex_functions,
    product_shapes,
    total,
)

shapes = cache(product_shapes)
"""Read by the process that needs them, and not by each that lists the tests."""


def test_the_product_holds_no_more_than_it_may() -> None:
    assert total(shapes().values()).nodes <= MAX_NODES


def test_a_line_holds_on_average_what_a_reader_can_unfold() -> None:
    assert total(shapes().values()).density <= MAX_MEAN_DENSITY


def test_no_file_is_packed() -> None:
    large = {path: shape for path, shape in shapes().items() if shape.code_lines >= SMALL_FILE}
    packed = {str(path) for path, shape in large.items() if shape.density > MAX_FILE_DENSITY}
    assert packed == set()


def test_no_function_is_harder_to_follow_than_the_bound() -> None:
    above = [f"{path} {name}" for path, name, _ in complex_functions()]
    assert above == [], f"cognitive complexity above {MAX_COGNITIVE_COMPLEXITY}"


def test_a_type_name_has_one_meaning() -> None:
    assert ambiguous_type_names() == {}
