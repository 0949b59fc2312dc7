"""The corpus holds pages whole: nothing is summarised on the way."""

import json
from pathlib import Path

import pytest

from tests.mcp_local.sessions import Session

ADDRESS = "https://a.test/long"


@pytest.mark.proves("corpus.content")
async def test_a_long_page_is_saved_to_its_last_word(tmp_path: Path) -> None:
    session = Session(tmp_path)
    text = "\n\n".join(f"Paragraph {n} of a long page." for n in range(5_000))
    session.add_page(ADDRESS, text)
    await session.call("save_corpus", articles=[ADDRESS])
    [article] = json.loads(session.read("expanded_corpus.json"))["articles"]
    assert article["content"] == text
