"""Small talk: what is answered without a model, and in which language."""

from collections.abc import Sequence

from agent_core.classifier import Routed, asks_for_assent, is_thumbs_up
from agent_core.messages import InboundMessage, Message, Text
from agent_core.prompts.language import Language, detect_language
from agent_core.prompts.small_talk import SmallTalk, phrase_language, small_talk
from agent_core.runtime.phrases import PHRASES, Phrases
from agent_core.sessions import StoredTurn

_AT_ONCE = frozenset[SmallTalk]({"empty", "emoji", "noise", "help", "thanks"})


def small_talk_of(message: InboundMessage) -> SmallTalk | None:
    """Why there is nothing in a message to work on by itself; None where there is something."""
    if message.scheduled or message.attachments:
        return None
    return small_talk(message.text)


def is_answered_at_once(message: InboundMessage) -> bool:
    """Whether its answer waits for nothing: a thumb up may be a yes to the turn before it."""
    return small_talk_of(message) in _AT_ONCE and not is_thumbs_up(message.text)


def answer_small_talk(turn: StoredTurn, earlier: Sequence[StoredTurn]) -> Routed | None:
    """The answer to small talk; None where a model is to work on the turn.

    Args:
        turn: The turn to answer.
        earlier: The session's turns before it, oldest first.
    """
    kind, before = small_talk_of(turn.inbound), last_work(earlier)
    if kind is None or (kind == "emoji" and _is_assent(turn, before)):
        return None
    language = phrase_language(turn.inbound.text) or thread_language(turn, earlier)
    text = _words(kind, turn, before, PHRASES[language])
    return Routed(
        route="SIMPLE",
        reason=kind,
        answer=Message(role="assistant", parts=(Text(text=text),)),
    )


def last_work(earlier: Sequence[StoredTurn]) -> StoredTurn | None:
    """The newest turn that there was something to do in."""
    return next((turn for turn in reversed(earlier) if small_talk_of(turn.inbound) is None), None)


def thread_language(turn: StoredTurn, earlier: Sequence[StoredTurn]) -> Language:
    """Of the message, of what was said in the thread, the asker's own words first, or of the asker.

    Args:
        turn: The turn that is answered.
        earlier: The session's turns before it, oldest first.
    """
    own = [each.inbound.text for each in earlier if each.inbound.asker == turn.inbound.asker]
    said = [*own, *(each.inbound.background for each in (*earlier, turn))]
    return detect_language(turn.inbound.text, "\n".join(said), locale=turn.inbound.author_locale)


def _is_assent(turn: StoredTurn, before: StoredTurn | None) -> bool:
    """A thumb up is a yes where the bot asked its giver one question, or stopped at a limit."""
    if before is None or before.inbound.asker != turn.inbound.asker:
        return False
    if not is_thumbs_up(turn.inbound.text):
        return False
    return before.outcome == "limited" or asks_for_assent(before.answer or "")


def _words(kind: SmallTalk, turn: StoredTurn, before: StoredTurn | None, phrases: Phrases) -> str:
    match kind:
        case "empty":
            return phrases.state(before.outcome) if before else phrases.help
        case "help":
            return phrases.help
        case "stop":
            return phrases.nothing_running
        case "emoji" | "thanks":
            return phrases.thanks
        case "noise":
            return phrases.noise.format(n=phrases.number(len(turn.inbound.text)))
