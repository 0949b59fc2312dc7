"""What is said about digests, in the languages that we have words for. Pure."""

from agent_core.prompts.language import Language
from bot.digests.words.english import ENGLISH
from bot.digests.words.french import FRENCH
from bot.digests.words.german import GERMAN
from bot.digests.words.shape import Button, Missing, Refusal, Words
from bot.digests.words.spanish import SPANISH

__all__ = ["WORDS", "Button", "Missing", "Refusal", "Words"]

WORDS: dict[Language, Words] = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "es": SPANISH}
