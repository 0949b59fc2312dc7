"""Small talk: what is answered without a model, and in which language."""

from collections.abc import Sequence
from datetime import datetime

from agent_core.classifier import Routed, asks_for_assent, is_thumbs_up
from agent_core.events import AnyEvent
from agent_core.messages import InboundMessage, Message, Text
from agent_core.prompts.language import Language, detect_language
from agent_core.prompts.small_talk import SmallTalk, phrase_language, small_talk
from agent_core.runtime.standing import progress_words, standing
from agent_core.sessions import StoredTurn
from agent_core.sessions.turns import TurnKind
from agent_core.words import CORE, Words

_AT_ONCE = frozenset[SmallTalk]({"empty", "emoji", "noise", "help", "status", "thanks"})


def small_talk_of(message: InboundMessage) -> SmallTalk | None:
    """Why there is nothing in a message to work on by itself; None where there is something."""
    if message.scheduled or message.attachments:
        return None
    return small_talk(message.text)


def kind_of(message: InboundMessage) -> TurnKind:
    """Whether a message waits its turn; a thumb up may be a yes to the turn before it."""
    small = small_talk_of(message)
    if small == "stop":
        return "stop"
    return "at_once" if small in _AT_ONCE and not is_thumbs_up(message.text) else "work"


def needs_no_model(turn: StoredTurn, earlier: Sequence[StoredTurn]) -> bool:
    """Whether the turn is small talk, which has its answer here.

    Args:
        turn: The turn to answer.
        earlier: The session's turns before it, oldest first.
    """
    kind = small_talk_of(turn.inbound)
    return kind is not None and not (kind == "emoji" and _is_assent(turn, last_work(earlier)))


def answer_small_talk(
    turn: StoredTurn, earlier: Sequence[StoredTurn], events: Sequence[AnyEvent], now: datetime
) -> Routed:
    """The answer to small talk.

    Args:
        turn: The turn to answer; it needs no model.
        earlier: The session's turns before it, oldest first.
        events: Of the one of them that `work_to_tell` names.
        now: When it is answered.
    """
    kind, before = small_talk_of(turn.inbound), work_to_tell(earlier)
    language = phrase_language(turn.inbound.text) or thread_language(turn, earlier)
    words = CORE.of(language)
    if before is not None and before.outcome is None and kind in ("empty", "status"):
        text = progress_words(standing(events), now, words)
    else:
        text = _answer(kind, turn, before, words)
    return Routed(
        route="SIMPLE",
        reason=str(kind),
        answer=Message(role="assistant", parts=(Text(text=text),)),
    )


def last_work(earlier: Sequence[StoredTurn]) -> StoredTurn | None:
    """The newest turn that there was something to do in."""
    return next(filter(_is_work, reversed(earlier)), None)


def work_to_tell(earlier: Sequence[StoredTurn]) -> StoredTurn | None:
    """What is at work, which messages may wait for; where nothing is, the newest work."""
    unfinished = (turn for turn in earlier if turn.outcome is None and _is_work(turn))
    return next(unfinished, None) or last_work(earlier)


def thread_language(turn: StoredTurn, earlier: Sequence[StoredTurn]) -> Language:
    """Of the message, of what was said in the thread, the asker's own words first, or of the asker.

    Args:
        turn: The turn that is answered.
        earlier: The session's turns before it, oldest first.
    """
    asker = turn.inbound.asker
    own = [each.inbound.text for each in earlier if each.inbound.asker == asker]
    said = [*own, *(each.inbound.background for each in (*earlier, turn))]
    others = [each.inbound.text for each in earlier if each.inbound.asker != asker]
    return detect_language(
        turn.inbound.text,
        "\n".join(said),
        "\n".join(others),
        locale=turn.inbound.author_locale,
    )


def _is_work(turn: StoredTurn) -> bool:
    return turn.outcome != "steered" and small_talk_of(turn.inbound) is None


def _is_assent(turn: StoredTurn, before: StoredTurn | None) -> bool:
    """A thumb up is a yes where the bot asked its giver one question, or stopped at a limit."""
    if before is None or before.inbound.asker != turn.inbound.asker:
        return False
    if not is_thumbs_up(turn.inbound.text):
        return False
    return before.outcome == "limited" or asks_for_assent(before.answer or "")


def _answer(
    kind: SmallTalk | None, turn: StoredTurn, before: StoredTurn | None, words: Words
) -> str:
    match kind:
        case "empty" | "status" if before is not None and before.outcome is not None:
            outcome = "answered" if before.outcome == "steered" else before.outcome
            return words(f"state-{outcome}")
        case "empty" | "help" | None:
            return words("answer-help")
        case "stop" | "status":
            return words("answer-nothing-running")
        case "emoji" | "thanks":
            return words("answer-thanks")
        case "noise":
            return words("answer-noise", n=len(turn.inbound.text))
