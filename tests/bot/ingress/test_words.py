"""What the ingress says, in the language of the post or else of its author."""

from typing import get_args

import pytest

from agent_core.prompts.language import Language
from bot.ingress.authorise import Reason
from bot.ingress.words import WORDS
from tests.bot.ingress.restarted import recorded_mention
from tests.bot.ingress.world import World, connected_world

LANGUAGES: tuple[Language, ...] = get_args(Language)
SILENT = {"bot", "deactivated", "foreign_app", "foreign_team"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_has_words_but_these_get_silence(language: Language) -> None:
    assert set(WORDS[language].refusals) == set(get_args(Reason)) - SILENT
    assert all(WORDS[language].refusals.values())


def test_no_two_languages_share_a_sentence() -> None:
    said = [each for words in WORDS.values() for each in (words.parked, *words.refusals.values())]
    assert len(set(said)) == len(said)


async def test_the_locale_of_the_author_reaches_the_turn(world: World) -> None:
    await world.say("cleo", "general", world.mention)
    await world.say("ann", "general", world.mention)
    await world.settle()

    assert {message.author_locale for message in world.front.messages} == {"de-DE", "en-GB"}


@pytest.mark.parametrize(
    ("text", "language"), [("status", "de"), ("What is the state of the report?", "en")]
)
async def test_a_refusal_is_in_the_language_of_the_post_or_else_of_its_author(
    text: str, language: Language
) -> None:
    async with connected_world(users=frozenset[str]()) as world:
        await world.say("cleo", "general", f"{world.mention} {text}")
        await world.settle()

        assert world.told("cleo") == [WORDS[language].refusals["user_not_listed"]]


async def test_that_a_post_has_to_wait_is_said_in_its_authors_language(world: World) -> None:
    ingress, arrival = await recorded_mention(world, "cleo")
    world.front.failures = 100
    await ingress.hand_over(arrival)

    assert world.bot_texts(arrival) == [WORDS["de"].parked]
