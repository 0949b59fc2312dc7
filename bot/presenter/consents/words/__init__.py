"""What is said about approvals and connections, in the languages that we have words for. Pure."""

from agent_core.prompts.language import Language
from bot.presenter.consents.words.english import ENGLISH
from bot.presenter.consents.words.french import FRENCH
from bot.presenter.consents.words.german import GERMAN
from bot.presenter.consents.words.shape import Button, Refusal, Words
from bot.presenter.consents.words.spanish import SPANISH

__all__ = ["WORDS", "Button", "Refusal", "Words"]

WORDS: dict[Language, Words] = {"en": ENGLISH, "de": GERMAN, "fr": FRENCH, "es": SPANISH}
