"""Whatever an answer looks like and however long it is, Slack takes every post of it."""

import re

import pytest

from tests.bot.presenter.conftest import Stage

KINDS = {
    "words": "lorem ipsum dolor sit amet, ",
    "paragraphs": "A paragraph with **bold** words.\n\n",
    "fences": "Look:\n\n```python\nvalue = {'a': 1}\nprint(value)\n```\n\n",
    "table": "| Name | Value |\n|---|---:|\n| tea & <b> | 12 |\n| coffee | 3 |\n\n",
    "list": "- an item\n  - an inner item with `code`\n",
    "links": "[a page](https://a.test/x?a=1&b=2) and <!channel> ",
    "emoji": "👩‍👩‍👧‍👦 :tada: 🇩🇪 ",
    "right to left": "שלום עולם \u202e مرحبا ",
    "one word": "x",
}


@pytest.mark.parametrize("size", [1, 3_000, 4_000, 12_000, 13_200, 40_000, 200_000])
@pytest.mark.parametrize("kind", sorted(KINDS))
async def test_every_answer_is_taken(stage: Stage, kind: str, size: int) -> None:
    answer = (KINDS[kind] * (size // len(KINDS[kind]) + 1))[:size]
    presenter, turn = stage.presenter(), stage.turn()
    await presenter.show(turn.started())
    await presenter.show(turn.finished(answer))

    assert [call.error for call in stage.slack.calls if not call.ok] == []
    assert stage.texts()
    for text in stage.texts():
        assert len(text) <= 3_900
        assert len(re.findall(r"^(?:> ?)?```", text, re.MULTILINE)) % 2 == 0
