"""In which language the ingress speaks."""

import pytest

from bot.words import BOT
from tests.bot.ingress.world import World, connected_world, recorded_mention




@pytest.mark.parametrize(
    ("text", "language"), [("status", "de"), ("What is the state of the report?", "en")]
)
async def test_a_refusal_is_in_the_language_of_the_post_or_else_of_its_author(
    text: str, language: str
) -> None:
    async with connected_world(users=frozenset[str]()) as world:
        await world.say("cleo", "general", f"{world.mention} {text}")
        await world.settle()

        assert world.told("cleo") == [BOT.say(language, "ingress-refusal-user-not-listed")]


