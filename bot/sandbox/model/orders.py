"""The orders in a request: what is to be sent or entered somewhere, beside what is to be found out.

Told by the person's own words alone, in English and German.
"""

import re
from dataclasses import dataclass
from typing import Literal

from bot.sandbox.model.language import REPORT

Kind = Literal["mail", "event", "issue", "message", "page"]

ADDRESS = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
CHANNEL = r"(?<!\w)#[\w-]+"
STARTS = (
    r"(?:^\W*(?:@\w+\s+)?|[.!?;,\n]\s*|\s(?:and|then|und|dann|danach|anschließend)\s+)"
    r"(?:(?:please|bitte|also|auch|and|und|then|dann|now|jetzt|nun|finally|can you|"
    r"could you|would you|will you|kannst du|könntest du|"
    r"i (?:want|need|would like) (?:you )?to|i'd like (?:you )?to)\s+)*"
)
VERBS = (
    r"(?:e-?mail|mail|send|forward|share|deliver|give|post|create|open|file|put|add|enter|schedule|"
    r"write|make|book|maile|schick\w*|sende|leite|gib|poste|erstelle?|trag\w*|setz\w*|schreibe?)"
)
GAP = rf"(?:(?!\s(?:and|und|then|dann)\s+{VERBS}\b)[^.!?\n:;]){{0,120}}?"
SENDS = (
    r"(?:send|forward|share|deliver|give|schick\w*|sende|senden|leite|maile?|e-?mail|"
    r"write|drop|schreibe?)"
)
GIVES = r"(?:send|forward|share|deliver|give|schick\w*|sende|senden|leite|gib)"
MAKES = (
    r"(?:create|open|file|raise|make|add|submit|write|erstelle?|öffne|eröffne|leg\w*|mach\w*|"
    r"schreibe?)"
)
ENTERS = (
    r"(?:put|add|enter|write|schedule|book|block|create|make|trag\w*|setz\w*|stell\w*|leg\w*|"
    r"schreibe?|plane?|erstelle?|mach\w*)"
)
A_MAIL = (
    r"\b(?:an?|the|eine|die)\s+(?:\w+\s+)?(?:e-?mail|mail)"
    r"(?=\s*(?:$|[,.:;!?\n]|(?:to|that|which|saying|telling|with|about|and|for|dass|an|mit|über|in|"
    r"und|wegen|at|schicken|senden|schreiben)\b))"
)
BY_MAIL = r"\b(?:by|via|per|als|as an?)\s+(?:e-?mail|mail)\b"
WHOM = (
    rf"(?:{ADDRESS}|(?:me|us|him|her|them|it|this|that|the|my|our|a|an|mir|uns|ihm|ihr|es|das|den|"
    r"die|einen?)\b(?!-)|(?-i:[A-ZÄÖÜ]\w+)(?=\s+(?:that|the|a|an|about|saying|my|our|it|this|dass|"
    r"den|die|das|einen?)\b|\s*[,:]))"
)
A_MEETING = (
    r"(?:an?|the|einen?|den|eine)\s+(?:\w+\s+)?(?:(?:calendar )?(?:event|entry|invite|invitation)|"
    r"meeting|appointment|termin|kalendereintrag|besprechung)\b"
    r"(?!\s+(?:summary|report|notes|minutes|agenda|plan))"
)
IN_CALENDAR = (
    r"\b(?:in|into|to|on|onto)\s+(?:my|our|the|meinen|unseren|den)\s+(?:\w+\s+)?"
    r"(?:calendar|kalender)\b"
)
AN_ISSUE = (
    r"(?:me\s+|mir\s+|bitte\s+)?(?:an?|the|ein|einen|das)?\s*(?:new\s+|neues?\s+)?"
    r"(?:(?:github|gitlab|jira|linear)[\s-]*)?(?:issue|ticket)\b"
)
ORDERS: tuple[tuple[Kind, str], ...] = (
    ("event", rf"{ENTERS}\s+(?:me\s+|mir\s+|uns\s+)?{A_MEETING}"),
    ("event", rf"{ENTERS}\b{GAP}{IN_CALENDAR}"),
    ("issue", rf"{MAKES}\s+{AN_ISSUE}"),
    ("message", rf"(?:post|poste|{GIVES}|write|schreibe?|teile)\b(?!{GAP}\bdigest){GAP}{CHANNEL}"),
    ("page", rf"{MAKES}\b[^.!?\n:;]{{0,40}}?\bnotion[\s-]*(?:page|seite)\b"),
    ("mail", rf"(?:e-?mail|maile?)\s+{WHOM}"),
    ("mail", rf"{SENDS}\b{GAP}(?:{A_MAIL}|\b{ADDRESS})"),
    ("mail", rf"{GIVES}\b{GAP}{BY_MAIL}"),
    ("mail", rf"(?:kannst|könntest)\s+du\s+{GAP}{A_MAIL}"),
)
ORDER = re.compile(
    STARTS + "(?P<order>" + "|".join(f"(?P<k{n}>{p})" for n, (_, p) in enumerate(ORDERS)) + ")",
    re.IGNORECASE,
)
REFUSED = re.compile(r"^\w+\s+(?:\w+\s+)?(?:nothing|nobody|no|nichts|niemand\w*|kein\w*)\b", re.I)
ASKS_HOW = re.compile(
    r"^\W*(?:how|what|why|when|who|explain|define|was|wie|warum|wann|wer|erkläre)\b", re.IGNORECASE
)
RECURS = re.compile(
    r"\b(?:every|each|jede[nrs]?)\s+(?:\w+\s+)?(?:\w*day|morning|evening|hour|week|month|tag|"
    r"\w+tag|morgen|abend|stunde|woche|monat|mittwoch)\b|\b(?:daily|weekly|täglich|wöchentlich)\b",
    re.IGNORECASE,
)
RESEARCH = re.compile(
    r"\b(?:research|search|find|look|investigate|google|browse|compare|news|recherchiere?|such\w*|"
    r"finde|untersuche?|vergleiche?|informiere?)\b|\?",
    re.IGNORECASE,
)
NEW_REPORT = re.compile(
    r"\b(?:an?|einen?)\s+(?:[\w-]+\s+){0,3}?(?:reports?|summary|overview|analysis|dossier|"
    r"\w*bericht|zusammenfassung|überblick|analyse)\s+(?:on|about|of|for|über|zu|zum|zur|von)\b"
    r"|\bnews\s+(?:on|about)\b|\bnachrichten\s+(?:über|zu)\b",
    re.IGNORECASE,
)
INSTEAD = re.compile(r"\b(?:instead|stattdessen|lieber)\b", re.IGNORECASE)
JOINT = re.compile(
    r"(?:[\s,;]|\b(?:and|then|please|und|dann|danach|bitte|also|auch|can you|could you|would you|"
    r"kannst du|könntest du)\b)+$",
    re.IGNORECASE,
)
QUOTED = re.compile(r"[\"“„«][^\"“”„«»]*[\"”“»]")
CONTENT = re.compile(
    r"\s*(?:[,;]?\s*(?:\b(?:that|which) (?:just )?says?\b|\b(?:saying|dass|daß)\b|"
    r"\b(?:telling|to tell) (?:him|her|them|\w+)\b|\bin der steht\b|"
    r"\b(?:with|and|mit|und) (?:the |dem |der )?(?:text|message|body|words|inhalt|nachricht)\b|"
    r"\bthat\b(?!\s+(?:reports?|files?|document|summary|one|page|to|by|via|into?)\b|\s*[.!?]?$))"
    r"|:\s)\s*:?\s*(?:(?:that|dass)\b)?[\s,]*",
    re.IGNORECASE,
)
"""What a dictated text begins after."""
COLON = re.compile(r":\s")
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One thing to be done in an app."""

    kind: Kind
    clause: str
    """The words of the order, from its verb to where the next order or question begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request, taken apart."""

    orders: tuple[Order, ...]
    rest: str
    """What stands beside the orders."""

    @property
    def asks_for_research(self) -> bool:
        """Whether something has to be found out before the orders can be carried out."""
        beside = RESEARCH.search(self.rest) or REPORT.search(self.rest)
        return bool(beside or any(NEW_REPORT.search(head_of(o.clause)) for o in self.orders))


def read_request(text: str) -> Request:
    """The orders in a text, in their order; none where it asks how to do it, or to do it for ever.

    Words in quotation marks and what follows a colon are content and hold no orders.
    """
    text = text.strip()
    starts = [m for m in _matches(text) if not REFUSED.search(m["order"])]
    if RECURS.search(head_of(text)):
        starts = []
    ends = [m.start() for m in starts[1:]] + [len(text)] * bool(starts)
    orders: list[Order] = []
    rest = [text[: starts[0].start("order")]] if starts else [text]
    for match, end in zip(starts, ends, strict=True):
        clause, left = _cut_at_question(text[match.start("order") : end])
        if INSTEAD.search(clause):
            orders = [order for order in orders if order.kind != _kind(match)]
        orders.append(Order(kind=_kind(match), clause=clause))
        rest.append(left)
    return Request(orders=tuple(orders), rest=" ".join(filter(None, map(_without_joint, rest))))


def topic_part(text: str) -> str:
    """The part of a request that names its topic: without its orders, where they do not name it."""
    request = read_request(text)
    names_topic = RESEARCH.search(request.rest) or REPORT.search(request.rest)
    return request.rest if request.orders and names_topic else text


def head_of(clause: str) -> str:
    """An order without the content that it dictates."""
    content = CONTENT.search(clause)
    return clause[: content.start()] if content else clause


def _matches(text: str) -> list[re.Match[str]]:
    """Where orders begin; nothing within quotation marks, a question or a dictated text counts."""
    plain = QUOTED.sub(lambda quoted: "x" * len(quoted[0]), text)
    found: list[re.Match[str]] = []
    for match in ORDER.finditer(plain):
        before = plain[found[-1].start("order") : match.start("order")] if found else ""
        if not (COLON.search(before) or _is_asked_about(plain, match)):
            found.append(match)
    return found


def _is_asked_about(text: str, match: re.Match[str]) -> bool:
    """Whether an order only stands in a question, such as how to do it."""
    start = max(text.rfind(mark, 0, match.start("order")) for mark in ".!?\n") + 1
    end = re.search(r"[.!?\n](?:\s|$)|$", text[match.start("order") :])
    is_question = end is not None and end[0].startswith("?")
    return is_question and ASKS_HOW.search(text[start : match.start("order")]) is not None


def _cut_at_question(text: str) -> tuple[str, str]:
    """An order's words, and the later sentences that ask to find something out."""
    if COLON.search(text):
        return text.strip(), ""
    for gap in SENTENCE.finditer(text):
        following = SENTENCE.split(text[gap.end() :])[0]
        if RESEARCH.match(following) or following.endswith("?"):
            return text[: gap.start()].strip(), text[gap.end() :]
    return text.strip(), ""


def _without_joint(text: str) -> str:
    """Text without the words that tied it to the order after it."""
    return JOINT.sub("", text).strip()


def _kind(match: re.Match[str]) -> Kind:
    return next(kind for n, (kind, _) in enumerate(ORDERS) if match[f"k{n}"])
