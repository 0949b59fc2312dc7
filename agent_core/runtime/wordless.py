"""Messages without a word in them: how they are told, and what is answered without a model."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

from agent_core.classifier import Routed, asks_for_assent, is_thumbs_up
from agent_core.messages import InboundMessage, Message, Text
from agent_core.prompts.language import Language, detect_language
from agent_core.runtime.phrases import PHRASES, Phrases
from agent_core.sessions import StoredTurn

Wordless = Literal["empty", "emoji", "noise"]

NOISE_CHARS = 20
"""From this length on, one letter over and over, or marks alone, are a text with a length."""

_SHORTCODE = re.compile(r":[^\s:]+:|[0-9#*]\ufe0f?\u20e3")
"""An emoji as Slack writes it, or a key cap, which would count as a digit."""


def wordless(message: InboundMessage) -> Wordless | None:
    """Why there is nothing in a message to work on; None where there is something."""
    if message.scheduled or message.attachments:
        return None
    text = "".join(message.text.split())
    rest = _SHORTCODE.sub("", text)
    if any(unicodedata.category(letter)[0] in "LN" for letter in rest):
        return "noise" if len(text) >= NOISE_CHARS and len(set(text)) == 1 else None
    if rest != text or any(unicodedata.category(letter) == "So" for letter in rest):
        return "emoji"
    return "noise" if len(text) >= NOISE_CHARS else "empty"


def is_answered_at_once(message: InboundMessage) -> bool:
    """Whether its answer waits for nothing: a thumb up may be a yes to the turn before it."""
    return wordless(message) is not None and not is_thumbs_up(message.text)


def answer_wordless(turn: StoredTurn, earlier: Sequence[StoredTurn]) -> Routed | None:
    """The answer to a wordless turn; None where a model is to work on it.

    Args:
        turn: The turn to answer.
        earlier: The session's turns before it, oldest first.
    """
    kind = wordless(turn.inbound)
    if kind is None:
        return None
    before = last_work(earlier)
    if kind == "emoji" and _is_assent(turn, before):
        return None
    phrases = PHRASES[_language(turn, earlier)]
    return Routed(
        route="SIMPLE",
        reason=kind,
        answer=Message(role="assistant", parts=(Text(text=_words(kind, turn, before, phrases)),)),
    )


def last_work(earlier: Sequence[StoredTurn]) -> StoredTurn | None:
    """The newest turn that there was something to do in."""
    return next((turn for turn in reversed(earlier) if wordless(turn.inbound) is None), None)


def _is_assent(turn: StoredTurn, before: StoredTurn | None) -> bool:
    """A thumb up is a yes where the bot asked its giver one question, or stopped at a limit."""
    if before is None or before.inbound.asker != turn.inbound.asker:
        return False
    if not is_thumbs_up(turn.inbound.text):
        return False
    return before.outcome == "limited" or asks_for_assent(before.answer or "")


def _words(kind: Wordless, turn: StoredTurn, before: StoredTurn | None, phrases: Phrases) -> str:
    match kind:
        case "emoji":
            return phrases.emoji
        case "noise":
            return phrases.noise.format(n=phrases.number(len(turn.inbound.text)))
        case "empty":
            return phrases.state(before.outcome) if before else phrases.help


def _language(turn: StoredTurn, earlier: Sequence[StoredTurn]) -> Language:
    """Of what was said in the thread, the asker's own words first; or else of the asker."""
    own = [each.inbound.text for each in earlier if each.inbound.asker == turn.inbound.asker]
    said = [*own, *(each.inbound.background for each in (*earlier, turn))]
    return detect_language("\n".join(said), locale=turn.inbound.author_locale)
