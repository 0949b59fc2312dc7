"""Charts of data as SVG that stands alone: lines and bars, axes, a legend, nothing that runs."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from itertools import cycle
from typing import Annotated

from pydantic import BeforeValidator, Field, Strict, TypeAdapter, ValidationError

Point = tuple[str | float, float]
"""Its label or number on the horizontal axis, and its height."""

WIDTH, HEIGHT = 800, 450
LEFT, RIGHT, TOP, BOTTOM = 80, 780, 70, 380
KINDS = ("line", "bar")
MAX_SERIES = 12
MAX_POINTS = 2_000
MAX_NUMBER = 1e15

_Number = Annotated[float, Strict(), Field(ge=-MAX_NUMBER, le=MAX_NUMBER, allow_inf_nan=False)]
_Label = Annotated[str, BeforeValidator(str)]
_Pairs = list[tuple[_Number, _Number]] | list[tuple[_Label, _Number]] | dict[_Label, _Number]
_Series = Annotated[list[_Number] | _Pairs, Field(union_mode="left_to_right")]
_DATA: TypeAdapter[dict[_Label, _Series]] = TypeAdapter(dict[_Label, _Series])
_MAX_TEXT = 80
_TICKS = 5
_MAX_LABELS = 12
_BARS = 0.8
"""Of the width of a label; the rest is the gap to the next one."""
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#555555")
_SHAPE = (
    "`data` is a list of numbers, a list of (x, y) pairs, a dict of labels and numbers, or a dict "
    "of names and such lists; numbers are neither texts nor endless, and at most 1e15"
)


def chart(kind: str, data: object, *, title: str = "", x: str = "", y: str = "") -> str:
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
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="12" fill="#222" text-anchor="middle">',
        f"<title>{_escaped(title or 'Chart')}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        _text(WIDTH / 2, 26, title, 'font-size="17"'),
        _text((LEFT + RIGHT) / 2, HEIGHT - 10, x),
        _text(18, 225, y, 'transform="rotate(-90 18 225)"'),
        *plot.axes(),
        *plot.drawing(),
        "</svg>\n",
    )
    return "\n".join(lines)


class _Plot:
    """Scales of both axes, and the series drawn to them."""

    def __init__(self, kind: str, series: dict[str, list[Point]]) -> None:
        self._kind = kind
        self._series = series
        points = [point for each in series.values() for point in each]
        heights = [height for _, height in points]
        if kind == "bar":
            heights.append(0.0)
        self._heights = _ticks(heights)
        self._labels = list(dict.fromkeys(label for label, _ in points))
        self._marks: Sequence[str | float]
        self._positions: dict[str | float, float]
        numbers = [label for label in self._labels if isinstance(label, float)]
        if kind == "line" and len(numbers) == len(self._labels):
            ticks = _ticks(numbers)
            self._marks = ticks
            self._start = ticks[0]
            self._end = ticks[-1]
            self._positions = {number: number for number in (*numbers, *ticks)}
        else:
            self._marks = self._labels[:: math.ceil(len(self._labels) / _MAX_LABELS)]
            self._start = 0.0
            self._end = float(len(self._labels))
            self._positions = {label: n + 0.5 for n, label in enumerate(self._labels)}

    def axes(self) -> Iterator[str]:
        for height in self._heights:
            y = self._y(height)
            yield f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="#ddd"/>'
            yield _text(LEFT - 8, y + 4, f"{height:,.10g}", 'text-anchor="end"')
        for mark in self._marks:
            label = mark[:20] if isinstance(mark, str) else f"{mark:.10g}"
            yield _text(self._x(mark), BOTTOM + 20, label)

    def drawing(self) -> Iterator[str]:
        for number, (name, colour) in enumerate(zip(self._series, cycle(_COLOURS))):
            if name:
                yield from self._legend(number, name, colour)
            spots = [(self._x(label), self._y(height)) for label, height in self._series[name]]
            if self._kind == "line":
                yield from _line(spots, colour)
            else:
                yield from self._bars(number, spots, colour)

    def _x(self, label: str | float) -> float:
        share = (self._positions[label] - self._start) / (self._end - self._start)
        return LEFT + share * (RIGHT - LEFT)

    def _y(self, height: float) -> float:
        low = self._heights[0]
        share = (height - low) / (self._heights[-1] - low)
        return BOTTOM - share * (BOTTOM - TOP)

    def _legend(self, number: int, name: str, colour: str) -> Iterator[str]:
        room = (RIGHT - LEFT) / len(self._series)
        left = LEFT + number * room
        max_chars = max(3, int(room / 8) - 2)
        yield f'<rect x="{left:.1f}" y="42" width="12" height="12" fill="{colour}"/>'
        yield _text(left + 17, 52, name[:max_chars], 'text-anchor="start"')

    def _bars(
        self, number: int, spots: Sequence[tuple[float, float]], colour: str
    ) -> Iterator[str]:
        width = _BARS * (RIGHT - LEFT) / len(self._labels) / len(self._series)
        offset = (number - len(self._series) / 2) * width
        base = self._y(0)
        for x, y in spots:
            size = f'width="{width:.1f}" height="{abs(y - base):.1f}"'
            corner = f'x="{x + offset:.1f}" y="{min(y, base):.1f}"'
            yield f'<rect {corner} {size} fill="{colour}"/>'


def _line(spots: Sequence[tuple[float, float]], colour: str) -> Iterator[str]:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    if len(spots) == 1:
        x, y = spots[0]
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'


def _series(data: object) -> dict[str, list[Point]]:
    for candidate in ({"": data}, data):
        with suppress(ValidationError):
            valid = _DATA.validate_python(candidate)
            break
    else:
        raise ValueError(_SHAPE)
    series = {name: _points(each) for name, each in valid.items()}
    if not all(series.values()):
        raise ValueError(f"there is nothing to draw: {_SHAPE}")
    if len(series) > MAX_SERIES or max(map(len, series.values())) > MAX_POINTS:
        raise ValueError(f"at most {MAX_SERIES} series of {MAX_POINTS} points can be drawn")
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
        high = low + (abs(low) / 10 or 1.0)
    power = 10.0 ** math.floor(math.log10((high - low) / _TICKS))
    step = next(power * size for size in (1, 2, 5, 10) if power * size * _TICKS >= high - low)
    first = math.floor(low / step)
    last = math.ceil(high / step)
    return [number * step for number in range(first, last + 1)]


def _text(x: float, y: float, text: str, attributes: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{_escaped(text)}</text>'


def _escaped(text: str) -> str:
    """Text as XML takes it: escaped, without control characters, not too long."""
    return escape("".join(sign if sign.isprintable() else " " for sign in text[:_MAX_TEXT]))
