"""Charts of data as SVG that stands alone: lines and bars, axes, a legend, nothing that runs."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import escape
from itertools import cycle
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
_Series = Annotated[
    list[_Number] | list[_NumberPair] | list[_LabelPair] | dict[_Label, _Number],
    Field(union_mode="left_to_right"),
]
_DATA: TypeAdapter[dict[_Label, _Series]] = TypeAdapter(dict[_Label, _Series])
_MAX_TEXT = 80
_TICKS = 5
_LEAST_SPAN = 1e-300
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
    "`data` is a list of numbers, a list of (x, y) pairs, a dict of labels and numbers, or a dict "
    "of names and such lists; numbers are neither texts nor endless, and at most 1e15"
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
    plot = _Plot(kind, _series(data))
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
        *plot.axes(),
        *plot.drawing(),
        "</svg>\n",
    )
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Scale:
    """An axis from `low` to `high`, drawn from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


class _Plot:
    """Scales of both axes, and the series drawn to them."""

    def __init__(self, kind: str, series: dict[str, list[Point]]) -> None:
        self._kind = kind
        self._series = series
        heights: list[float] = []
        positions: dict[str | float, float] = {}
        for points in series.values():
            for label, height in points:
                heights.append(height)
                positions.setdefault(label, len(positions) + 0.5)
        if kind == "bar":
            heights.append(0.0)
        self._labels = len(positions)
        self._heights = _ticks(heights)
        self._y = _Scale(
            low=self._heights[0],
            high=self._heights[-1],
            start=BOTTOM,
            end=TOP,
        )
        numbers = [label for label in positions if isinstance(label, float)]
        if kind == "line" and len(numbers) == self._labels:
            ticks = _ticks(numbers)
            positions.update((number, number) for number in (*numbers, *ticks))
            marks: Sequence[str | float] = ticks
            low = ticks[0]
            high = ticks[-1]
        else:
            marks = list(positions)[:: math.ceil(self._labels / _MAX_LABELS)]
            low = 0.0
            high = float(self._labels)
        self._x = _Scale(
            low=low,
            high=high,
            start=LEFT,
            end=RIGHT,
        )
        self._positions = positions
        self._marks = marks

    def axes(self) -> Iterator[str]:
        for height in self._heights:
            y = self._y(height)
            yield _element("path", d=f"M{LEFT} {y:.1f}H{RIGHT}", stroke="#ddd")
            yield _label(
                LEFT - 8,
                y + 4,
                f"{height:,.10g}",
                text_anchor="end",
            )
        for mark in self._marks:
            x = self._x(self._positions[mark])
            text = mark[:20] if isinstance(mark, str) else f"{mark:.10g}"
            yield _label(x, BOTTOM + 20, text)

    def drawing(self) -> Iterator[str]:
        colours = cycle(_COLOURS)
        for number, (name, points) in enumerate(self._series.items()):
            colour = next(colours)
            if name:
                yield from self._legend(number, name, colour)
            spots: list[Spot] = []
            for label, height in points:
                x = self._x(self._positions[label])
                spots.append((x, self._y(height)))
            if self._kind == "line":
                yield from _line(spots, colour)
            else:
                yield from self._bars(number, spots, colour)

    def _legend(self, number: int, name: str, colour: str) -> Iterator[str]:
        room = (RIGHT - LEFT) / len(self._series)
        left = LEFT + number * room
        max_chars = max(3, int(room / 8) - 2)
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
            name[:max_chars],
            text_anchor="start",
        )

    def _bars(self, number: int, spots: list[Spot], colour: str) -> Iterator[str]:
        count = len(self._series)
        width = _BARS * (RIGHT - LEFT) / self._labels / count
        offset = (number - count / 2) * width
        base = self._y(0)
        for x, y in spots:
            yield _element(
                "rect",
                x=x + offset,
                y=min(y, base),
                width=width,
                height=abs(y - base),
                fill=colour,
            )


def _line(spots: list[Spot], colour: str) -> Iterator[str]:
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
            break
    else:
        raise ValueError(_SHAPE)
    series: dict[str, list[Point]] = {}
    for name, each in valid.items():
        points = _points(each)
        if not points:
            raise ValueError(f"there is nothing to draw: {_SHAPE}")
        if len(valid) > MAX_SERIES or len(points) > MAX_POINTS:
            raise ValueError(f"at most {MAX_SERIES} series of {MAX_POINTS} points can be drawn")
        series[name] = points
    if not series:
        raise ValueError(f"there is nothing to draw: {_SHAPE}")
    return series


def _points(data: Sequence[float | Point] | Mapping[str, float]) -> list[Point]:
    if isinstance(data, Mapping):
        return list(data.items())
    points: list[Point] = []
    for number, value in enumerate(data):
        points.append(value if isinstance(value, tuple) else (float(number), value))
    return points


def _ticks(values: Sequence[float]) -> list[float]:
    """Round numbers at equal distances, from below the lowest value to above the highest."""
    low = min(values)
    high = max(values)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        high = low + abs(low) / 10
    if high - low < _LEAST_SPAN:
        high = low + 1.0
    least = (high - low) / _TICKS
    step = 10.0 ** math.floor(math.log10(least))
    for factor in (2, 2.5, 2):  # 1, 2, 5, 10
        if step >= least:
            break
        step *= factor
    first = math.floor(low / step)
    last = math.ceil(high / step)
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
