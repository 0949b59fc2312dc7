"""In which language the ingress speaks."""

import pytest

from bot.words import BOT
from tests.bot.ingress.restarted import recorded_mention
from tests.bot.ingress.world import World, connected_world


async def test_the_locale_of_the_author_reaches_the_turn(world: World) -> None:
    await world.say("cleo", "general", world.mention)
    await world.say("ann", "general", world.mention)
    await world.settle()

    assert {message.author_locale for message in world.front.messages} == {"de-DE", "en-GB"}


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


async def test_that_a_post_has_to_wait_is_said_in_its_authors_language(world: World) -> None:
    ingress, arrival = await recorded_mention(world, "cleo")
    world.front.failures = 100
    await ingress.hand_over(arrival)

    assert world.bot_texts(arrival) == [BOT.say("de", "ingress-parked")]
