"""Charts of data as SVG that stands alone: lines and bars, axes, a legend, nothing that runs."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html import escape
from itertools import cycle
from typing import Annotated

from pydantic import BeforeValidator, Field, Strict, TypeAdapter, ValidationError

Point = tuple[str | float, float]
"""Where it is on the axis that lies, a label or a number, and its height."""

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
    lines = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="12" fill="#222" text-anchor="middle">',
        f"<title>{_words(title or 'Chart')}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        _text(WIDTH / 2, 26, title, 'font-size="17"'),
        _text((LEFT + RIGHT) / 2, HEIGHT - 10, x),
        _text(18, 225, y, 'transform="rotate(-90 18 225)"'),
        *_drawn(kind, _series(data)),
        "</svg>\n",
    )
    return "\n".join(lines)


def _drawn(kind: str, series: dict[str, list[Point]]) -> Iterator[str]:
    points = [point for each in series.values() for point in each]
    labels = list(dict.fromkeys(label for label, _ in points))
    numbers = [label for label in labels if isinstance(label, float)]
    heights = _ticks([height for _, height in points] + [0.0] * (kind == "bar"))
    places: dict[str | float, float] = {label: number + 0.5 for number, label in enumerate(labels)}
    ends, marks = (0.0, len(labels)), labels[:: math.ceil(len(labels) / _MAX_LABELS)]
    if kind == "line" and len(numbers) == len(labels):
        marks = _ticks(numbers)
        ends = marks[0], marks[-1]
        places.update((number, number) for number in (*numbers, *marks))

    def across(label: str | float) -> float:
        return LEFT + (places[label] - ends[0]) / (ends[1] - ends[0]) * (RIGHT - LEFT)

    def down(height: float) -> float:
        return BOTTOM - (height - heights[0]) / (heights[-1] - heights[0]) * (BOTTOM - TOP)

    for height in heights:
        yield f'<path d="M{LEFT} {down(height):.1f}H{RIGHT}" stroke="#ddd"/>'
        yield _text(LEFT - 8, down(height) + 4, f"{height:,.10g}", 'text-anchor="end"')
    for mark in marks:
        said = mark[:20] if isinstance(mark, str) else f"{mark:.10g}"
        yield _text(across(mark), BOTTOM + 20, said)
    room, width = (RIGHT - LEFT) / len(series), 0.8 * (RIGHT - LEFT) / len(labels) / len(series)
    for number, (name, colour) in enumerate(zip(series, cycle(_COLOURS))):
        if name:
            at = LEFT + number * room
            yield f'<rect x="{at:.1f}" y="42" width="12" height="12" fill="{colour}"/>'
            yield _text(at + 17, 52, name[: max(3, int(room / 8) - 2)], 'text-anchor="start"')
        spots = [(across(label), down(height)) for label, height in series[name]]
        if kind == "line":
            yield from _line(spots, colour)
            continue
        for x, y in spots:
            left, top = x + (number - len(series) / 2) * width, min(y, down(0))
            size = f'width="{width:.1f}" height="{abs(y - down(0)):.1f}"'
            yield f'<rect x="{left:.1f}" y="{top:.1f}" {size} fill="{colour}"/>'


def _line(spots: Sequence[tuple[float, float]], colour: str) -> Iterator[str]:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    if len(spots) == 1:
        yield f'<circle cx="{spots[0][0]:.1f}" cy="{spots[0][1]:.1f}" r="4" fill="{colour}"/>'


def _series(data: object) -> dict[str, list[Point]]:
    for each in ({"": data}, data):
        with suppress(ValidationError):
            read = _DATA.validate_python(each)
            break
    else:
        raise ValueError(_SHAPE)
    series = {name: _points(each) for name, each in read.items()}
    if not all(series.values()):
        raise ValueError(f"there is nothing to draw: {_SHAPE}")
    if len(series) > MAX_SERIES or max(map(len, series.values())) > MAX_POINTS:
        raise ValueError(f"at most {MAX_SERIES} series of {MAX_POINTS} points can be drawn")
    return series


def _points(data: Sequence[float | Point] | Mapping[str, float]) -> list[Point]:
    if isinstance(data, Mapping):
        return list(data.items())
    return [
        each if isinstance(each, tuple) else (float(number), each)
        for number, each in enumerate(data)
    ]


def _ticks(values: Sequence[float]) -> list[float]:
    """Round numbers at equal distances, from below the lowest value to above the highest."""
    low, high = min(values), max(values)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        high = low + (abs(low) / 10 or 1.0)
    power = 10.0 ** math.floor(math.log10((high - low) / _TICKS))
    step = next(power * size for size in (1, 2, 5, 10) if power * size * _TICKS >= high - low)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [number * step for number in range(first, last + 1)]


def _text(x: float, y: float, words: str, how: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {how}>{_words(words)}</text>'


def _words(text: str) -> str:
    """Text as XML takes it: escaped, without control characters, not too long."""
    return escape("".join(sign if sign.isprintable() else " " for sign in text[:_MAX_TEXT]))
