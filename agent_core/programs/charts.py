"""Charts of data as SVG that stands alone: lines and bars, axes, a legend, nothing that runs."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from typing import Annotated

from pydantic import BeforeValidator, Field, Strict, TypeAdapter, ValidationError

Point = tuple[str | float, float]
"""Its label or number on the horizontal axis, and its height."""

Spot = tuple[float, float]
"""Where a point is drawn."""

WIDTH, HEIGHT = 800, 450
LEFT, RIGHT, TOP, BOTTOM = 80, 780, 70, 380
KINDS = ("line", "bar")
MAX_SERIES = 12
MAX_POINTS = 2_000
MAX_NUMBER = 1e15

_Number = Annotated[
    float,
    Strict(),
    Field(ge=-MAX_NUMBER, le=MAX_NUMBER, allow_inf_nan=False),
]
_Label = Annotated[str, BeforeValidator(str)]
_NumberPair = tuple[_Number, _Number]
_LabelPair = tuple[_Label, _Number]
_Values = list[_Number] | list[_NumberPair] | list[_LabelPair] | dict[_Label, _Number]
_Series = Annotated[
    _Values,
    Field(union_mode="left_to_right"),
    Field(min_length=1, max_length=MAX_POINTS),
]
_DATA = TypeAdapter[dict[str, _Series]](
    Annotated[dict[_Label, _Series], Field(min_length=1, max_length=MAX_SERIES)]
)
_MAX_TEXT = 80
_TICKS = 5
_LEAST_SPAN = 1e-290
"""Of an axis; smaller ones cannot be divided."""
_MAX_LABELS = 12
_BARS = 0.8
"""Of the width of a label; the rest is the gap to the next one."""
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#555555")
_START = (
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
    'font-family="sans-serif" font-size="12" fill="#222" text-anchor="middle">'
)
_SHAPE = (
    "there is nothing to draw: `data` is a list of numbers, a list of (x, y) pairs, a dict of "
    "labels and numbers, or a dict of names and such lists, at most "
    f"{MAX_SERIES} series of {MAX_POINTS} points; numbers are neither texts nor endless, and at "
    "most 1e15"
)


def chart(
    kind: str,
    data: object,
    *,
    title: str = "",
    x: str = "",
    y: str = "",
) -> str:
    """An SVG document of 800 by 450 units; x and y name the axes.

    `data` is one series, or several by name: numbers, (x, y) pairs, or numbers by label. Bars of
    one label stand side by side.

    Raises:
        ValueError: there is no such kind, or the data cannot be drawn; its text says why.
    """
    if kind not in KINDS:
        raise ValueError(f"there is no kind {kind!r}; there are {KINDS}")
    lines = (
        _START,
        _element("title", title or "Chart"),
        _element(
            "rect",
            width=WIDTH,
            height=HEIGHT,
            fill="#fff",
        ),
        _label(
            WIDTH / 2,
            26,
            title,
            font_size=17,
        ),
        _label((LEFT + RIGHT) / 2, HEIGHT - 10, x),
        _label(
            18,
            225,
            y,
            transform="rotate(-90 18 225)",
        ),
        *_plot(kind, _series(data)),
        "</svg>\n",
    )
    return "\n".join(lines)


def _plot(kind: str, series: Mapping[str, Sequence[Point]]) -> Iterator[str]:
    """The axes, and the series drawn to them."""
    heights: list[float] = [0.0] if kind == "bar" else []
    labels: dict[str | float, None] = {}
    for points in series.values():
        for label, height in points:
            heights.append(height)
            labels[label] = None
    ticks = _ticks(heights)
    y_of = _axis(ticks, BOTTOM, TOP)
    yield from _horizontals(ticks, y_of)
    x_of, marks = _places(kind, list(labels))
    for mark in marks:
        text = mark[:20] if isinstance(mark, str) else f"{mark:.10g}"
        yield _label(x_of[mark], BOTTOM + 20, text)
    width = _BARS * (RIGHT - LEFT) / len(labels) / len(series)
    for number, (name, points) in enumerate(series.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        if name:
            yield from _legend(number, len(series), name, colour)
        spots = [(x_of[label], y_of(height)) for label, height in points]
        if kind == "line":
            yield from _line(spots, colour)
        else:
            left = (number - len(series) / 2) * width
            yield from _bars(spots, left, width, y_of(0), colour)


def _places(
    kind: str, labels: Sequence[str | float]
) -> tuple[dict[str | float, float], Sequence[str | float]]:
    """Where each label is drawn, and the labels or numbers that are written below the axis."""
    numbers = [label for label in labels if isinstance(label, float)]
    if kind == "line" and len(numbers) == len(labels):
        ticks = _ticks(numbers)
        axis = _axis(ticks, LEFT, RIGHT)
        return {number: axis(number) for number in (*numbers, *ticks)}, ticks
    room = (RIGHT - LEFT) / len(labels)
    centres = {label: LEFT + (index + 0.5) * room for index, label in enumerate(labels)}
    return centres, labels[:: math.ceil(len(labels) / _MAX_LABELS)]


def _axis(ticks: Sequence[float], start: float, end: float) -> Callable[[float], float]:
    """Where a value is drawn on an axis whose first and last ticks are at `start` and `end`."""
    low = ticks[0]
    span = ticks[-1] - low
    return lambda value: start + (value - low) / span * (end - start)


def _horizontals(ticks: Sequence[float], y_of: Callable[[float], float]) -> Iterator[str]:
    for height in ticks:
        y = y_of(height)
        yield _element("path", d=f"M{LEFT} {y:.1f}H{RIGHT}", stroke="#ddd")
        yield _label(
            LEFT - 8,
            y + 4,
            f"{height:,.10g}",
            text_anchor="end",
        )


def _legend(number: int, count: int, name: str, colour: str) -> Iterator[str]:
    room = (RIGHT - LEFT) / count
    left = LEFT + number * room
    yield _element(
        "rect",
        x=left,
        y=42,
        width=12,
        height=12,
        fill=colour,
    )
    yield _label(
        left + 17,
        52,
        name[: int(room / 8) - 2],
        text_anchor="start",
    )


def _bars(
    spots: Sequence[Spot], left: float, width: float, base: float, colour: str
) -> Iterator[str]:
    for x, y in spots:
        yield _element(
            "rect",
            x=x + left,
            y=min(y, base),
            width=width,
            height=abs(y - base),
            fill=colour,
        )


def _line(spots: Sequence[Spot], colour: str) -> Iterator[str]:
    """A line, or a dot where there is one point."""
    yield _element(
        "polyline",
        points=" ".join(f"{x:.1f},{y:.1f}" for x, y in spots),
        fill="none",
        stroke=colour,
        stroke_width=2,
    )
    if len(spots) == 1:
        x, y = spots[0]
        yield _element(
            "circle",
            cx=x,
            cy=y,
            r=4,
            fill=colour,
        )


def _series(data: object) -> dict[str, list[Point]]:
    for candidate in ({"": data}, data):
        with suppress(ValidationError):
            valid = _DATA.validate_python(candidate)
            return {name: _points(each) for name, each in valid.items()}
    raise ValueError(_SHAPE)


def _points(data: _Values) -> list[Point]:
    if isinstance(data, Mapping):
        return list(data.items())
    points: list[Point] = []
    for number, value in enumerate(data):
        points.append(value if isinstance(value, tuple) else (float(number), value))
    return points


def _ticks(values: Sequence[float]) -> list[float]:
    """Round numbers at equal distances, from below the lowest value to above the highest."""
    low = min(values)
    span = max(values) - low
    if span <= 1e-9 * max(map(abs, values)):
        span = abs(low) / 10 or 1.0
    span = max(span, _LEAST_SPAN)
    least = span / _TICKS
    step = 10.0 ** math.floor(math.log10(least))
    for factor in (2, 2.5, 2):  # 1, 2, 5, 10
        if step >= least:
            break
        step *= factor
    first = math.floor(low / step)
    last = math.ceil((low + span) / step)
    return [number * step for number in range(first, last + 1)]


def _label(x: float, y: float, text: str, **attributes: object) -> str:
    return _element(
        "text",
        text,
        x=x,
        y=y,
        **attributes,
    )


def _element(name: str, text: str = "", **attributes: object) -> str:
    """An element of SVG; an underscore in an attribute's name stands for a hyphen.

    The text is cut and escaped, its control characters become spaces.
    """
    parts = [name]
    for key, value in attributes.items():
        attribute = key.replace("_", "-")
        written = f"{value:.1f}" if isinstance(value, float) else value
        parts.append(f'{attribute}="{written}"')
    start = " ".join(parts)
    printable = [sign if sign.isprintable() else " " for sign in text[:_MAX_TEXT]]
    return f"<{start}>{escape(''.join(printable))}</{name}>"
