"""Blocks that show data: table, data_table, data_visualization."""

from bot.sandbox.slack.blocks.lengths import count_text
from bot.sandbox.slack.blocks.node import Node
from bot.sandbox.slack.blocks.rich_text import check_rich_text
from bot.sandbox.slack.problems import rule
from bot.sandbox.slack.wire import as_array, as_object

MAX_COLUMNS = 20
MAX_TABLE_CHARS = 10_000
MAX_DATA_TABLE_CHARS = 20_000
_CELLS = ("raw_text", "raw_number", "rich_text")


def check_table(node: Node) -> None:
    """The node is a table: up to 100 rows of up to 20 cells."""
    _check_rows(node, minimum=1, maximum=100)
    _check_chars(node, MAX_TABLE_CHARS)
    for settings in node.children("column_settings", maximum=MAX_COLUMNS, required=False):
        settings.check_choice("align", ("left", "center", "right"))
        settings.check_flag("is_wrapped")


def check_data_table(node: Node) -> None:
    """The node is a data table: a header without rich text, and up to 200 rows as wide."""
    node.check_string("caption", 3000, required=True)
    node.check_whole("page_size", 1, 100)
    node.check_whole("row_header_column_index", 0, MAX_COLUMNS - 1)
    _check_rows(node, minimum=2, maximum=201)
    _check_chars(node, MAX_DATA_TABLE_CHARS)
    rows = [as_array(row) or [] for row in as_array(node.value.get("rows")) or ()]
    for index, row in enumerate(rows):
        if len(row) != len(rows[0]):
            node.fail("must have as many cells as the header", f"rows/{index}")
    for column, cell in enumerate(rows[0] if rows else ()):
        if (as_object(cell) or {}).get("type") == "rich_text":
            node.fail("unsupported type: rich_text", f"rows/0/{column}/type")


def _check_rows(node: Node, *, minimum: int, maximum: int) -> None:
    rows = node.items("rows", minimum=minimum, maximum=maximum)
    for index, row in enumerate(rows):
        cells = as_array(row)
        if cells is None:
            node.fail("must be an array", f"rows/{index}")
            continue
        if not 1 <= len(cells) <= MAX_COLUMNS:
            constraint = rule("max_items", MAX_COLUMNS, len(cells))
            message = f"no more than {MAX_COLUMNS} items allowed"
            node.fail(message, f"rows/{index}", constraint=constraint)
        _check_cells(Node({"cells": cells}, f"{node.pointer}/rows/{index}", node.problems))


def _check_cells(row: Node) -> None:
    problems, cells = row.problems, row.value["cells"]
    for index, cell in enumerate(cells):
        fields = as_object(cell)
        if fields is None:
            row.fail("must be an object", str(index))
        else:
            _check_cell(Node(fields, f"{row.pointer}/{index}", problems))


def _check_cell(cell: Node) -> None:
    cell.check_choice("type", _CELLS, required=True)
    if cell.type == "raw_text":
        cell.check_string("text", MAX_DATA_TABLE_CHARS, required=True)
    elif cell.type == "raw_number":
        _check_number(cell, "value")
    elif cell.type == "rich_text":
        check_rich_text(cell)


def _check_number(node: Node, name: str, *, above: float | None = None) -> None:
    if not node.has(name, required=True):
        return
    value = node.value[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        node.fail("must be a number", name)
    elif above is not None and value <= above:
        node.fail(f"must be more than {above:g}", name)


def _check_chars(node: Node, maximum: int) -> None:
    count = count_text(node.value.get("rows"))
    if count > maximum:
        constraint = rule("max_length", maximum, count)
        node.fail(f"must be less than {maximum + 1} characters", "rows", constraint=constraint)


def check_visualization(node: Node) -> None:
    """The node is a chart: a pie of segments, or bars, areas or lines of series."""
    node.check_string("title", 50, required=True)
    if (chart := node.child("chart", required=True)) is None:
        return
    chart.check_choice("type", ("pie", "bar", "area", "line"), required=True)
    if chart.type == "pie":
        for segment in chart.children("segments", maximum=12):
            segment.check_string("label", 20, required=True)
            _check_number(segment, "value", above=0)
        return
    for series in chart.children("series", maximum=12):
        series.check_string("name", 255, required=True)
        for point in series.children("data", maximum=20):
            point.check_string("label", 20, required=True)
            _check_number(point, "value")
    if (axes := chart.child("axis_config")) is not None:
        axes.check_string("x_label", 50)
        axes.check_string("y_label", 50)
