"""Rules that decide a route without a model call. All of them say COMPLEX."""

import re

from agent_core.messages import InboundMessage

_CONTINUE = re.compile(
    r"""^\W*(
        continue | go\ on | go\ ahead | carry\ on | keep\ going | proceed | resume
      | yes | yep | yeah | ok(ay)? | sure | do\ it
      | weiter | mach\ weiter | fortfahren | ja | genau
      | continue[rz] | vas-y | oui | d'accord
      | contin[uú]a(r)? | sigue | adelante | s[ií] | vale
    )(?!\w)""",
    re.IGNORECASE | re.VERBOSE,
)
_SHORT_ASSENT_CHARS = 40
LONG_TEXT_CHARS = 12_000
"""A longer message is a document: it is saved as a file, and the full agent gets it."""

_THUMBS_UP = re.compile(
    "(?::(?:\\+1|thumbsup|thumbs_up):|\N{THUMBS UP SIGN}\ufe0f?)"
    "(?::skin-tone-\\d:|[\U0001f3fb-\U0001f3ff])?"
)
_OFFER = re.compile(
    r"""(?:^|[.!?:…]\s+)[¿\s*_]*(?:
        (?:shall|should|may)\ (?:i|we) | (?:do\ you\ want|would\ you\ like|want)\ me
      | soll(?:te)?\ ich | darf\ ich | (?:möchtest|willst)\ du,\ dass\ ich
      | dois-je | puis-je | (?:voulez-vous|veux-tu|souhaitez-vous)\ que\ je
      | debo | puedo | (?:quieres|quiere|deseas|desea)\ que
    )\b[^.!?\n]*\?\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_CHOICE = re.compile(r"\b(?:or|oder|ou|o|u)\b", re.IGNORECASE)
_CONTINUE_WORD = re.compile(r"^\W*(continue|weiter|contin[uú]a|resume|proceed)\b", re.IGNORECASE)


def rule_for(message: InboundMessage, *, has_unfinished_work: bool) -> str | None:
    """The rule that makes this message COMPLEX, by name; None when a model has to decide."""
    if message.scheduled:
        return "scheduled"
    if message.attachments:
        return "attachment"
    if continues(message.text) or is_thumbs_up(message.text):
        return "continue"
    if len(message.text) > LONG_TEXT_CHARS:
        return "long_text"
    if has_unfinished_work:
        return "unfinished_work"
    return None


def continues(text: str) -> bool:
    """Whether a text assents to earlier work: "continue", "yes, do it", "proceed: …"."""
    if _CONTINUE_WORD.match(text):
        return True
    return len(text.strip()) <= _SHORT_ASSENT_CHARS and _CONTINUE.match(text) is not None


def is_thumbs_up(text: str) -> bool:
    """Whether a text is one thumb up and nothing else, in Slack's spelling or Unicode's."""
    return _THUMBS_UP.fullmatch(text.strip()) is not None


def asks_for_assent(answer: str) -> bool:
    """Whether an answer ends with one question, an offer without a choice: a yes settles it."""
    offer = _OFFER.search(answer.strip().rpartition("\n")[2])
    return offer is not None and answer.count("?") == 1 and not _CHOICE.search(offer[0])
