"""What people write while work goes on: their own words, out of what a program says around them."""

import re

MAX_ASSENT_CHARS = 80
HEAD = re.compile(
    r"\A\s*(?=[^\n]*\b(?:wrote|writes|said|says|added|adds|posted)\b)"
    r"[^\n]*?\bwhile you were (?:still )?(?:working|at work|busy)\b(?:[^\n]*:[ \t]*\n|[^\n:]*:)",
    re.IGNORECASE,
)
ADVICE = re.compile(
    r"\n[ \t]*\n[^\n]*\btake (?:it|this|that|them) into account\b[^\n]*\s*\Z", re.IGNORECASE
)
SAYS_YES = (
    r"(?:done|ok(?:ay)?|yes|yep|yeah|ja|sure|fine|good|great|perfect|thanks?(?: you)?|please|danke|"
    r"bitte|fertig|erledigt|gut|passt|einverstanden|freigegeben|genehmigt|lgtm|go ahead|"
    r"(?:i(?:\Wve| have)? |it(?:\Ws| is) |ich habe )?(?:approved?|connected|verbunden)"
    r"(?: (?:it|this|that))?|i(?:\Wm| am) done|ich bin fertig|"
    r"(?:it |this |that |all )?looks? (?:good|great|fine|ok(?:ay)?)(?: to me)?|sieht gut aus)"
)
ASSENT = re.compile(rf"\W*(?:{SAYS_YES}\b\W*)*", re.IGNORECASE)


def quoted_words(text: str) -> str | None:
    """The words of the person in a text that passes them on; None for any other text."""
    head = HEAD.match(text)
    return ADVICE.sub("", text[head.end() :]).strip() if head else None


def adds_nothing(words: str) -> bool:
    """Whether words only say yes, or that something is done, and ask for nothing."""
    return len(words) <= MAX_ASSENT_CHARS and ASSENT.fullmatch(words) is not None
