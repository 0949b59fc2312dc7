"""What the words of an order say: to whom, under which title, with which text, where."""

import re
from dataclasses import dataclass

from bot.sandbox.model.errands.times import without_times
from bot.sandbox.model.orders import ADDRESS, CHANNEL, CONTENT, Order

MAX_TITLE_WORDS = 9
MAX_TITLE_CHARS = 70
FOUND_ADDRESS = re.compile(ADDRESS)
ME = re.compile(
    r"(?:^\W*[\w-]+|\b(?:and|to|und|an|du|also|auch|bitte))\s+(?:me|myself|us|mir|mich|uns)\b", re.I
)
NAMED = re.compile(
    r"(?:\b(?i:to|an|for|für)\s+|^(?i:send|e-?mail|mail|maile|schick\w*|schreibe?|write|give|drop)\s+|"
    r"^(?i:kannst|könntest) du\s+)@?(?P<name>[A-ZÄÖÜ][\w-]+(?:\s[A-ZÄÖÜ][\w-]+)?)(?!\S*@)"
)
NO_NAME = re.compile(r"(?:e-?)?mail|gmail|\w*bericht|report|i|notion|github|slack", re.IGNORECASE)
QUOTE = re.compile(r"[\"“„«]\s*(?P<words>[^\"“”„«»]+?)\s*[\"”“»]")
SUBJECT = re.compile(
    r"[,;]?\s*(?:\b(?:and|und|with|mit)\s+)?(?:(?:the|a|dem) )?\b(?:subject(?: line)?|betreff|"
    r"title[d]?|titel|called|named)\b[:\s]+"
    r"(?:[\"“„«](?P<quoted>[^\"“”„«»]+)[\"”“»]|(?P<plain>.+?)(?=\s+(?:and|und|with|mit)\s+"
    r"(?:the |dem )?(?:text|message|body|inhalt)|"
    r"\s+(?:saying|that says|in der|in|on|am|at|um|for)\b|[,;.]|$))",
    re.IGNORECASE,
)
ABOUT = re.compile(r"\b(?:about|regarding|concerning|über|wegen)\s+(?P<topic>.+)", re.IGNORECASE)
REFERS = re.compile(
    r"\b(?:(?:it|this|that|these|them|es|das|ihn|sie|dies\w*)\b(?!\s+(?-i:[A-ZÄÖÜ]))|(?:the|that|this|my|our|den|der|die|"
    r"diesen|diese)\s+(?:\w+\s+)?(?:reports?|files?|summary|results?|findings|answer|overview|"
    r"analysis|document|attachment|\w*bericht|datei|zusammenfassung|ergebnis\w*|antwort|analyse|"
    r"anhang|überblick))\b",
    re.IGNORECASE,
)
SAYS_FILE = re.compile(
    r"\b(?:reports?|files?|attach\w*|documents?|\w*bericht|datei|anhang|angehängt\w*|summary|"
    r"zusammenfassung|dossier|analysis|analyse)\b",
    re.IGNORECASE,
)
REPOSITORY = re.compile(
    r"(?:https?://)?(?:github\.com/)?(?<![\w@.-])(?P<owner>[A-Za-z0-9][\w-]*)/(?P<repo>[\w.-]*\w)"
)
PLACE = re.compile(
    r"\s*\b(?:(?:in|into|to|on|onto|at|im|ins|auf|an)\s+)?(?:(?:the|my|our|dem|das|meinen?|unseren?|"
    r"den)\s+)?(?:(?:repo(?:sitory)?|github|notion|gitlab|jira|linear)\b\s*)*"
    r"(?:https?://\S+|[A-Za-z0-9][\w-]*/[\w.-]*\w)(?:\s+repo(?:sitory)?)?",
    re.IGNORECASE,
)
CALENDAR = re.compile(
    r"\b(?:(?:in|into|to|on|onto)\s+)?(?:my|our|the|meinen|unseren|den)\s+(?:\w+\s+)?"
    r"(?:calendar|kalender)\b(?:\s+(?:ein|an))?",
    re.IGNORECASE,
)
HEAD = re.compile(
    r"^\W*(?:[\w-]+)\s+(?:me\s+|mir\s+|uns\s+|bitte\s+)?(?:(?:an?|the|ein|einen|eine|das|den|die)\s+)?"
    r"(?:new\s+|neues?\s+)?(?:(?:github|gitlab|jira|linear|notion|calendar)[\s-]*)?"
    r"(?:issue|ticket|page|seite|event|entry|invite|invitation|appointment|termin|kalendereintrag)\b"
    r"\s*(?:(?:for|about|on|that|titled|called|für|über|zu|zum|zur|dass)\b|:)?\s*",
    re.IGNORECASE,
)
REPORTED = re.compile(r"\b(?:that|dass|daß)\b", re.IGNORECASE)
SUBORDINATE = re.compile(r"\bda(?:ss|ß)\b", re.IGNORECASE)
ARTICLE = re.compile(r"^(?:the|an?|den|die|das|einen?|eine[rm]?)\s+", re.IGNORECASE)
VERB = re.compile(r"^\W*[\w-]+\s+(?:(?:an?|the|ein|einen|eine|das|den|die|my|our)\s+)?", re.I)
MEETING_VERB = re.compile(
    r"^\W*[\w-]+\s+(?:me\s+|mir\s+)?(?:an?|the|eine?n?)\s+"
    r"(?=meeting|besprechung|(?:termin|appointment|event)\s+(?:mit|with)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What an order says of itself; empty where it says nothing."""

    addresses: tuple[str, ...]
    names: tuple[str, ...]
    """People who are named without an address."""
    to_me: bool
    title: str
    content: str
    """A text that the order dictates."""
    about: str
    refers: bool
    """Whether it speaks of something else, such as the report."""
    says_file: bool
    channel: str
    owner: str
    repo: str


def read_wording(order: Order) -> Wording:
    """Read an order's words."""
    subject = SUBJECT.search(order.clause)
    clause = SUBJECT.sub("", order.clause, count=1) if subject else order.clause
    marker = CONTENT.search(clause) if order.kind in ("mail", "message", "issue") else None
    head = clause[: marker.start()] if marker else clause
    content = _content(clause[marker.end() :], marker[0]) if marker else ""
    if order.kind == "mail" and not content and (quoted := QUOTE.search(head)):
        head, content = head[: quoted.start()], _content(quoted["words"])
    about = ABOUT.search(head)
    place, channel = REPOSITORY.search(FOUND_ADDRESS.sub("", clause)), re.search(CHANNEL, head)
    named = (subject["quoted"] or subject["plain"] or "").strip() if subject else ""
    return Wording(
        addresses=tuple(dict.fromkeys(FOUND_ADDRESS.findall(head))),
        names=_names(head),
        to_me=ME.search(head) is not None,
        title=named or _title(order, head, content),
        content=content,
        about=about["topic"].strip(" .!") if about else "",
        refers=REFERS.search(head) is not None,
        says_file=SAYS_FILE.search(head) is not None,
        channel=channel[0] if channel else "",
        owner=place["owner"] if place else "",
        repo=place["repo"] if place else "",
    )


def short_title(text: str) -> str:
    """The first words of a text as a title."""
    line = re.split(r"[.!?]\s|\n", text.strip())[0]
    words = line.split()[:MAX_TITLE_WORDS]
    return _capital(" ".join(words)[:MAX_TITLE_CHARS].strip(" .,:;!?\"“”„«»'"))


def _names(head: str) -> tuple[str, ...]:
    found = (match["name"] for match in NAMED.finditer(head))
    return tuple(dict.fromkeys(name for name in found if not NO_NAME.fullmatch(name)))


def _content(text: str, marker: str = "") -> str:
    """A dictated text as sentences, after the words that it was dictated with."""
    quoted = QUOTE.fullmatch(text.strip(" ."))
    words = (quoted["words"] if quoted else text).strip()
    if not words:
        return ""
    if REPORTED.search(marker):
        words = words.rstrip(" ?")
    if SUBORDINATE.search(marker):
        words = f"Kurz Bescheid, dass {words}"
    return _capital(words if words.endswith((".", "!", "?")) else f"{words}.")


def _title(order: Order, head: str, content: str) -> str:
    """What an event, an issue or a page is called, by the words around its kind."""
    quoted = QUOTE.search(head)
    if quoted:
        return quoted["words"]
    if order.kind in ("mail", "message"):
        return ""
    bare = CALENDAR.sub(" ", without_times(PLACE.sub(" ", head)))
    for start in (MEETING_VERB, HEAD, VERB):
        if match := start.match(bare):
            bare = bare[match.end() :]
            break
    named = " ".join(re.sub(r"(?:^|\s+)(?:ein|an)\s*$", "", bare.rstrip(" .!?,")).split())
    return "" if REFERS.fullmatch(named) else short_title(ARTICLE.sub("", named) or content)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
