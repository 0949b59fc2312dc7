"""A session's title is made of the words of its first message, or is not set."""

import pytest

from bot.presenter import title_of


@pytest.mark.parametrize(
    ("asked", "title"),
    [
        ("Compare heat pumps\nand wind power", "Compare heat pumps and wind power"),
        ("🎉🎉 Compare \x00\x07 both 👍🏽 \u202e now", "Compare both now"),
        ("20 °C, €5 or №7?", "20 °C, €5 or №7?"),
        ("熱ポンプを比べて", "熱ポンプを比べて"),
        ("", ""),
        ("🎉 ❤️ 👩‍🔬", ""),
        ("\x00\x1b\u200b", ""),
        ("... !?", ""),
        ("x" * 80, "x" * 60),
    ],
)
def test_a_title_is_made_of_what_is_left_of_a_message(asked: str, title: str) -> None:
    assert title_of(asked) == title
