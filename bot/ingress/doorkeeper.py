"""Who may press and send off: decided as for posts, and a refusal is said to the person alone."""

import logging
from dataclasses import replace

from agent_core.messages import JsonObject
from agent_core.prompts.language import detect_language
from bot.ingress.authorise import Denied, Facts, Rules, authorise, screen
from bot.ingress.gestures import Errors, Gesture, Press, first_input, read_facts
from bot.ingress.words import WORDS
from bot.slack_api import People, Person, SlackApi, SlackError

_log = logging.getLogger(__name__)


class Doorkeeper:
    """Decides on gestures."""

    def __init__(self, rules: Rules, people: People, api: SlackApi) -> None:
        self._rules = rules
        self._people = people
        self._api = api

    def screen(self, body: JsonObject) -> Denied | None:
        """Whether the payload alone rules its author out; Slack is not asked."""
        return screen(read_facts(body), self._rules)

    async def refuse(self, gesture: Gesture, body: JsonObject) -> Errors | None:
        """None for somebody whom the bot serves; others are told why it does not, if at all.

        What comes of a refusal is the answer to the gesture, perhaps an empty one.

        Raises:
            SlackError: Slack could not be asked who it is.
        """
        facts = read_facts(body)
        person = await self._people.person(gesture.user)
        verdict = authorise(facts, self._rules_at(facts), person)
        if not isinstance(verdict, Denied):
            return None
        _log.info("denied %s: %s", gesture.key, verdict.reason)
        sentence = _sentence(verdict, person)
        if isinstance(gesture, Press):
            await self._tell(gesture, sentence)
            return {}
        place = first_input(body)
        return {place: sentence} if place and sentence else {}

    def _rules_at(self, facts: Facts) -> Rules:
        """A view stands in no channel; what opened it was judged by its own."""
        return self._rules if facts.channel else replace(self._rules, channels=None)

    async def _tell(self, press: Press, sentence: str) -> None:
        if not sentence or not press.channel:
            return
        try:
            await self._api.post_ephemeral(
                press.channel, press.user, sentence, thread_ts=press.thread_ts or None
            )
        except SlackError as error:
            _log.warning("could not tell a refusal: %s", error)


def _sentence(denied: Denied, person: Person | None) -> str:
    language = detect_language(locale=person.locale if person else "")
    return WORDS[language].refusals.get(denied.reason, "")
