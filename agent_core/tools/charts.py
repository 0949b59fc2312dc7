"""Charts of data as SVG that stands alone: lines and bars with axes and a legend, nothing that runs."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Literal, cast, get_args

Kind = Literal["line", "bar"]
Point = tuple[str | float, float]

WIDTH, HEIGHT = 800, 450
LEFT, RIGHT, TOP, BOTTOM = 80, 780, 70, 380
MAX_SERIES = 12
MAX_POINTS = 2_000
MAX_NUMBER = 1e15
_MAX_TEXT = 80
_TICKS = 5
_MAX_LABELS = 12
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#555555")
_SHAPE = (
    "`data` is a list of numbers, a list of (x, y) pairs, a dict of labels and numbers, or a dict "
    "of names and such lists"
)


def chart(kind: str, data: object, *, title: str = "", x: str = "", y: str = "") -> str:
    """An SVG document of 800 by 450 units.

    Args:
        kind: `line`, or `bar` with a group of bars for each label.
        data: One series or several by name: numbers, (x, y) pairs, or numbers by label.
        title: Above the chart; `x` and `y` name the axes.

    Raises:
        ValueError: there is no such kind, or the data cannot be drawn; its text says why.
    """
    if kind not in get_args(Kind):
        raise ValueError(f"there is no kind {kind!r}; there are {get_args(Kind)}")
    series = _series(data)
    labels = list(dict.fromkeys(place for points in series.values() for place, _ in points))
    heights = [height for points in series.values() for _, height in points]
    low, high, step = _scale(heights, from_zero=kind == "bar")
    is_numeric = kind == "line" and all(isinstance(place, float) for place in labels)
    drawing = _Drawing(labels, low, high, is_numeric=is_numeric)
    body = [*drawing.grid(step), *(drawing.bars(series) if kind == "bar" else drawing.lines(series))]
    named = [name for name in series if name]
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'font-family="sans-serif" font-size="12" fill="#222">',
            f"<title>{_words(title or 'Chart')}</title>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
            _text(WIDTH / 2, 26, title, 'text-anchor="middle" font-size="17"'),
            _text((LEFT + RIGHT) / 2, HEIGHT - 10, x, 'text-anchor="middle"'),
            _text(18, (TOP + BOTTOM) / 2, y, 'text-anchor="middle" transform="rotate(-90 18 225)"'),
            *body,
            *_legend(named),
            "</svg>\n",
        )
    )


class _Drawing:
    """The plane between the axes."""

    def __init__(
        self, labels: Sequence[str | float], low: float, high: float, *, is_numeric: bool
    ) -> None:
        self._labels, self._low, self._high = labels, low, high
        self._places = {label: number for number, label in enumerate(labels)}
        self._range = _scale([float(each) for each in labels], from_zero=False) if is_numeric else None

    def grid(self, step: float) -> list[str]:
        """Lines and numbers of the upright axis, labels of the other one."""
        drawn: list[str] = []
        for value in _ticks(self._low, self._high, step):
            at = self._down(value)
            drawn.append(f'<path d="M{LEFT} {at:.1f}H{RIGHT}" stroke="#ddd"/>')
            drawn.append(_text(LEFT - 8, at + 4, _number(value), 'text-anchor="end"'))
        every = max(1, math.ceil(len(self._labels) / _MAX_LABELS))
        shown = _ticks(*self._range) if self._range else self._labels[::every]
        for label in shown:
            said = _number(label) if isinstance(label, float) else label[:20]
            drawn.append(_text(self._across(label), BOTTOM + 20, said, 'text-anchor="middle"'))
        return drawn

    def lines(self, series: Mapping[str, Sequence[Point]]) -> list[str]:
        """A line for each series; a dot where it has but one point."""
        drawn: list[str] = []
        for number, points in enumerate(series.values()):
            colour = _COLOURS[number % len(_COLOURS)]
            path = " ".join(f"{self._across(at):.1f},{self._down(value):.1f}" for at, value in points)
            drawn.append(
                f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
            )
            if len(points) == 1:
                x, y = path.split(",")
                drawn.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"/>')
        return drawn

    def bars(self, series: Mapping[str, Sequence[Point]]) -> list[str]:
        """A bar for each value, those of one label side by side."""
        width = 0.8 * (RIGHT - LEFT) / len(self._labels) / len(series)
        drawn: list[str] = []
        for number, points in enumerate(series.values()):
            colour = _COLOURS[number % len(_COLOURS)]
            for at, value in points:
                x = self._across(at) + (number - len(series) / 2) * width
                ends = sorted((self._down(value), self._down(0)))
                drawn.append(
                    f'<rect x="{x:.1f}" y="{ends[0]:.1f}" width="{width:.1f}" '
                    f'height="{ends[1] - ends[0]:.1f}" fill="{colour}"/>'
                )
        return drawn

    def _across(self, label: str | float) -> float:
        if self._range is not None:
            low, high, _ = self._range
            return LEFT + (float(label) - low) / (high - low) * (RIGHT - LEFT)
        return LEFT + (self._places[label] + 0.5) / len(self._labels) * (RIGHT - LEFT)

    def _down(self, value: float) -> float:
        return BOTTOM - (value - self._low) / (self._high - self._low) * (BOTTOM - TOP)


def _series(data: object) -> dict[str, list[Point]]:
    if isinstance(data, Mapping):
        named = {str(name): value for name, value in cast("Mapping[Any, object]", data).items()}
        if all(isinstance(value, list | tuple | Mapping) for value in named.values()):
            series = {name: _points(value) for name, value in named.items()}
        else:
            series = {"": _points(named)}
    else:
        series = {"": _points(data)}
    if not series or not all(series.values()):
        raise ValueError(f"there is nothing to draw: {_SHAPE}")
    if len(series) > MAX_SERIES or max(map(len, series.values())) > MAX_POINTS:
        raise ValueError(f"at most {MAX_SERIES} series of {MAX_POINTS} points can be drawn")
    return series


def _points(data: object) -> list[Point]:
    if isinstance(data, Mapping):
        labelled = cast("Mapping[Any, object]", data).items()
        return [(str(label), _finite(value)) for label, value in labelled]
    if not isinstance(data, list | tuple):
        raise ValueError(_SHAPE)
    points: list[Point] = []
    for number, each in enumerate(cast("Sequence[Any]", data)):
        if isinstance(each, list | tuple):
            pair = cast("Sequence[object]", each)
            if len(pair) != 2:
                raise ValueError(f"a point is a pair (x, y), not {len(pair)} values")
            label = pair[0]
            points.append((label if isinstance(label, str) else _finite(label), _finite(pair[1])))
        else:
            points.append((float(number), _finite(each)))
    kinds = {isinstance(label, str) for label, _ in points}
    return [(str(label), value) for label, value in points] if len(kinds) > 1 else points


def _finite(value: object) -> float:
    try:
        number = math.nan if isinstance(value, str | bool) else float(cast("float", value))
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not abs(number) <= MAX_NUMBER:
        raise ValueError(f"{str(value)[:40]!r} is no number that can be drawn. {_SHAPE}")
    return number


def _scale(values: Sequence[float], *, from_zero: bool) -> tuple[float, float, float]:
    """Round ends around the values, and the distance of the ticks between them."""
    low, high = min(values), max(values)
    if from_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        around = abs(high) / 10 or 1.0
        low, high = low - (0 if from_zero else around), high + around
    power = 10.0 ** math.floor(math.log10((high - low) / _TICKS))
    step = next(power * size for size in (1, 2, 5, 10) if power * size * _TICKS >= high - low)
    return math.floor(low / step) * step, math.ceil(high / step) * step, step


def _ticks(low: float, high: float, step: float) -> list[float]:
    return [low + number * step for number in range(round((high - low) / step) + 1)]


def _number(value: float) -> str:
    return f"{value:.10g}" if abs(value) < 1e7 else f"{value:.4g}"


def _legend(names: Sequence[str]) -> list[str]:
    width = (RIGHT - LEFT) / max(len(names), 1)
    drawn: list[str] = []
    for number, name in enumerate(names):
        at, colour = LEFT + number * width, _COLOURS[number % len(_COLOURS)]
        drawn.append(f'<rect x="{at:.1f}" y="42" width="12" height="12" fill="{colour}"/>')
        drawn.append(_text(at + 17, 52, name[: max(3, int(width / 8) - 2)], ""))
    return drawn


def _text(x: float, y: float, words: str, how: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {how}>{_words(words)}</text>'


def _words(text: str) -> str:
    """Text as XML takes it: escaped, without control characters, not too long."""
    return escape("".join(sign if sign.isprintable() else " " for sign in text[:_MAX_TEXT]))
