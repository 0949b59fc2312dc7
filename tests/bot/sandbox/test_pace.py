"""How fast the stand-in model of `bot sandbox` writes, by what the command line says."""

from typing import Any

from bot.sandbox.model import Pace
from bot.sandbox.world import UNHURRIED, SandboxOptions


def pace(*asks: str, **given: Any) -> Pace:
    return SandboxOptions(asks=asks, out=None, web=None, as_json=False, **given).pace


def test_for_those_who_watch_the_page_the_model_is_unhurried() -> None:
    assert pace() == UNHURRIED
    assert UNHURRIED.first_token_s > 0
    assert UNHURRIED.tokens_per_s is not None


def test_with_asks_the_model_is_as_fast_as_it_can() -> None:
    assert pace("hello") == Pace()
    assert pace("hello", port=0) == Pace()


def test_a_pace_that_is_given_wins() -> None:
    given = {"first_token_s": 0.0, "tokens_per_s": 9.0}
    assert pace(**given) == pace("hello", **given) == Pace(first_token_s=0.0, tokens_per_s=9.0)
    assert pace(tokens_per_s=0.0) == Pace(first_token_s=UNHURRIED.first_token_s)
