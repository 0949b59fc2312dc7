"""Whatever a model writes is rendered in time: what takes eight times the text takes no longer."""

import time
from collections.abc import Callable

import pytest

from bot.render import answer_drafts, limits

SHAPES: dict[str, Callable[[int], str]] = {
    "a label": lambda n: f"[{'a' * n}](https://x.example)",
    "hosts in a label": lambda n: f"[{'a.' * (n // 2)}](https://x.example)",
    "strikes": lambda n: "~~a" * (n // 3),
    "stars": lambda n: ' "*a"' * (n // 5),
    "nested marks": lambda n: "*_" * (n // 4) + "a" + "_*" * (n // 4),
    "brackets": lambda n: "[" * n,
    "images": lambda n: "![" * (n // 2),
    "open links": lambda n: "<a:b|" * (n // 5),
    "ticks": lambda n: "`a" * (n // 2),
    "code": lambda n: "`a` b`c` " * (n // 9),
    "code that is cut": lambda n: f"`{'a ' * (n // 2)}`",
    "addresses": lambda n: "https://a.b" * (n // 22) + "https://a.b " * (n // 24),
    "items": lambda n: "- a\n" * (n // 4),
    "columns": lambda n: f"{'|a' * (n // 4)}|\n{'|-' * (n // 4)}|\n{'|' * (n // 2)}",
    "a word": lambda n: "a" * n,
    "empty lines": lambda n: f"a{chr(10) * n}b",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_no_shape_of_an_answer_takes_more_than_its_length(shape: str) -> None:
    def cpu_s(chars: int) -> float:
        text, before = SHAPES[shape](chars), time.thread_time()
        drafts = answer_drafts(text, lambda _: False)
        assert all(len(draft.text) <= limits.TEXT_CHARS for draft in drafts)
        return time.thread_time() - before

    assert cpu_s(80_000) < 20 * max(cpu_s(10_000), 0.05)
