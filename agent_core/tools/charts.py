"""Charts of data as SVG that stands alone: lines and bars, axes, a legend, nothing that runs."""

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Annotated, Any, cast

from pydantic import Field, Strict, TypeAdapter, ValidationError

Point = tuple[str | float, float]
"""Where it is on the axis that lies, a label or a number, and its height."""

WIDTH, HEIGHT = 800, 450
LEFT, RIGHT, TOP, BOTTOM = 80, 780, 70, 380
KINDS = ("line", "bar")
MAX_SERIES = 12
MAX_POINTS = 2_000
MAX_NUMBER = 1e15

_Number = Annotated[float, Strict(), Field(ge=-MAX_NUMBER, le=MAX_NUMBER, allow_inf_nan=False)]
_Series = list[_Number] | list[tuple[str | _Number, _Number]] | dict[Any, _Number]
_DATA: TypeAdapter[_Series | dict[Any, _Series]] = TypeAdapter(_Series | dict[Any, _Series])
_MAX_TEXT = 80
_TICKS = 5
_MAX_LABELS = 12
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
    plane = _Plane(kind, _series(data))
    lines = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="12" fill="#222">',
        f"<title>{_words(title or 'Chart')}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        _text(WIDTH / 2, 26, title, 'text-anchor="middle" font-size="17"'),
        _text((LEFT + RIGHT) / 2, HEIGHT - 10, x, 'text-anchor="middle"'),
        _text(18, 225, y, 'text-anchor="middle" transform="rotate(-90 18 225)"'),
        *plane.grid(),
        *(plane.bars() if kind == "bar" else plane.lines()),
        *plane.legend(),
        "</svg>\n",
    )
    return "\n".join(lines)


class _Plane:
    """The space between the axes, with a series in each colour."""

    def __init__(self, kind: str, series: Mapping[str, Sequence[Point]]) -> None:
        points = [point for each in series.values() for point in each]
        labels = list(dict.fromkeys(label for label, _ in points))
        self._series = series
        self._places = {label: number + 0.5 for number, label in enumerate(labels)}
        self._heights = _ticks([height for _, height in points] + [0.0] * (kind == "bar"))
        numbers = [label for label in labels if isinstance(label, float)]
        is_numeric = kind == "line" and len(numbers) == len(labels)
        self._widths = _ticks(numbers) if is_numeric else []

    def grid(self) -> Iterator[str]:
        for value in self._heights:
            at = self._down(value)
            yield f'<path d="M{LEFT} {at:.1f}H{RIGHT}" stroke="#ddd"/>'
            yield _text(LEFT - 8, at + 4, f"{value:,.10g}", 'text-anchor="end"')
        labels = list(self._places)
        labels = [*self._widths] or labels[:: math.ceil(len(labels) / _MAX_LABELS)]
        for label in labels:
            said = label[:20] if isinstance(label, str) else f"{label:.10g}"
            yield _text(self._across(label), BOTTOM + 20, said, 'text-anchor="middle"')

    def lines(self) -> Iterator[str]:
        for colour, points in self._coloured():
            places = [(self._across(at), self._down(height)) for at, height in points]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
            yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
            if len(places) == 1:
                yield f'<circle cx="{places[0][0]:.1f}" cy="{places[0][1]:.1f}" r="4"/>'

    def bars(self) -> Iterator[str]:
        width = 0.8 * (RIGHT - LEFT) / len(self._places) / len(self._series)
        for number, (colour, points) in enumerate(self._coloured()):
            for at, height in points:
                x = self._across(at) + (number - len(self._series) / 2) * width
                top, bottom = sorted((self._down(height), self._down(0)))
                size = f'width="{width:.1f}" height="{bottom - top:.1f}"'
                yield f'<rect x="{x:.1f}" y="{top:.1f}" {size} fill="{colour}"/>'

    def legend(self) -> Iterator[str]:
        width = (RIGHT - LEFT) / len(self._series)
        for number, (name, (colour, _)) in enumerate(
            zip(self._series, self._coloured(), strict=True)
        ):
            if name:
                at = LEFT + number * width
                yield f'<rect x="{at:.1f}" y="42" width="12" height="12" fill="{colour}"/>'
                yield _text(at + 17, 52, name[: max(3, int(width / 8) - 2)], "")

    def _coloured(self) -> Iterator[tuple[str, Sequence[Point]]]:
        for number, points in enumerate(self._series.values()):
            yield _COLOURS[number % len(_COLOURS)], points

    def _across(self, label: str | float) -> float:
        if not self._widths:
            return LEFT + self._places[label] / len(self._places) * (RIGHT - LEFT)
        low, high = self._widths[0], self._widths[-1]
        return LEFT + (float(label) - low) / (high - low) * (RIGHT - LEFT)

    def _down(self, height: float) -> float:
        low, high = self._heights[0], self._heights[-1]
        return BOTTOM - (height - low) / (high - low) * (BOTTOM - TOP)


def _series(data: object) -> dict[str, list[Point]]:
    try:
        read = _DATA.validate_python(data)
    except ValidationError:
        raise ValueError(_SHAPE) from None
    if isinstance(read, dict) and any(isinstance(each, list | dict) for each in read.values()):
        named = cast("dict[Any, _Series]", read)
        series = {str(name): _points(each) for name, each in named.items()}
    else:
        series = {"": _points(cast("_Series", read))}
    if not all(series.values()):
        raise ValueError(f"there is nothing to draw: {_SHAPE}")
    if len(series) > MAX_SERIES or max(map(len, series.values())) > MAX_POINTS:
        raise ValueError(f"at most {MAX_SERIES} series of {MAX_POINTS} points can be drawn")
    return series


def _points(data: "_Series") -> list[Point]:
    if isinstance(data, dict):
        return [(str(label), height) for label, height in data.items()]
    points: list[Point] = [
        each if isinstance(each, tuple) else (float(number), each)
        for number, each in enumerate(data)
    ]
    are_labels = any(isinstance(label, str) for label, _ in points)
    return [(str(label), height) for label, height in points] if are_labels else points


def _ticks(values: Sequence[float]) -> list[float]:
    """Round numbers at equal distances, from below the lowest value to above the highest."""
    low, high = min(values), max(values)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        high = low + (abs(low) / 10 or 1.0)
    power = 10.0 ** math.floor(math.log10((high - low) / _TICKS))
    step = next(power * size for size in (1, 2, 5, 10) if power * size * _TICKS >= high - low)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [number * step for number in range(first, last + 1)]


def _text(x: float, y: float, words: str, how: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {how}>{_words(words)}</text>'


def _words(text: str) -> str:
    """Text as XML takes it: escaped, without control characters, not too long."""
    return escape("".join(sign if sign.isprintable() else " " for sign in text[:_MAX_TEXT]))
