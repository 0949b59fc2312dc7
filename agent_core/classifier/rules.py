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
_CONTINUE_WORD = re.compile(r"^\W*(continue|weiter|contin[uú]a|resume|proceed)\b", re.IGNORECASE)


def rule_for(message: InboundMessage, *, has_unfinished_work: bool) -> str | None:
    """The rule that makes this message COMPLEX, by name; None when a model has to decide."""
    if message.scheduled:
        return "scheduled"
    if message.attachments:
        return "attachment"
    if continues(message.text):
        return "continue"
    if has_unfinished_work:
        return "unfinished_work"
    return None


def continues(text: str) -> bool:
    """Whether a text assents to earlier work: "continue", "yes, do it", "proceed: …"."""
    if _CONTINUE_WORD.match(text):
        return True
    return len(text.strip()) <= _SHORT_ASSENT_CHARS and _CONTINUE.match(text) is not None
