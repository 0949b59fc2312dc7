"""What a person's text asks for: tools or not, a report, an extension, and on which topic."""

import re
from itertools import pairwise

from bot.sandbox.model.language import CONTINUE, DEEP, REPORT, content_words, topic_words, words
from bot.sandbox.model.orders import read_request, topic_part

LONG_REQUEST_WORDS = 40
BARE_WORDS = 3
LONG_TEXT_CHARS = 2_000
MAX_REQUEST_CHARS = 400

ACTION = re.compile(
    r"\b(search|google|browse|crawl|fetch|download|look (?:\w+ ){0,2}up|find(?: out)?|research|"
    r"investigate|check|verify|monitor|send|e-?mail|mail|message|post|reply|forward|schedule|book|"
    r"remind|invite|upload|attach|save|export|open|read|run|execute|deploy|create|update|delete|"
    r"list|compare|collect|gather|suche?n?|finde|recherchiere|sende?|schicke?|lies|erstelle|prüfe|"
    r"cherche[rz]?|trouve[rz]?|envoie|envoye[rz]|vérifie|busca|encuentra|envía|revisa|comprueba)\b",
    re.IGNORECASE,
)
ACTS = re.compile(
    r"^\W*(?:please |can you |could you |bitte )*(?:send|e-?mail|mail|message|post|reply|forward|"
    r"schedule|book|remind|invite|create|delete|sende|schicke|envoie|envoye[rz]|envía)\b",
    re.IGNORECASE,
)
LOOKS_UP = re.compile(
    r"\b(search|find|look|research|google|browse|news|suche|finde|cherche|trouve|busca|encuentra)\b",
    re.IGNORECASE,
)
HOW_TO = re.compile(
    r"^\W*(how (?:do|does|can|should|to)|what (?:does|is|are)|why|explain|define|"
    r"was (?:ist|sind|bedeutet)|wie|warum|erkläre|comment|pourquoi|explique|cómo|por qué)\b",
    re.IGNORECASE,
)
FRESH = re.compile(
    r"\b(today|tonight|yesterday|tomorrow|now|right now|currently|latest|recent|recently|newest|"
    r"news|headlines?|breaking|this (?:week|month|year|morning)|last (?:week|month|year|night)|"
    r"weather|forecast|temperature in|time in|stock|share price|price of|exchange rate|score|live|"
    r"current (?:\w+ )?(?:time|price|weather|president|status|version|state|rate|temperature)|"
    r"heute|gestern|morgen|aktuell\w*|neueste\w*|nachrichten|wetter|kurs|"
    r"aujourd'hui|hier|demain|actuell\w*|dernière?s|actualités?|météo|"
    r"hoy|ayer|mañana|actual\w*|últim[oa]s?|noticias|clima)\b",
    re.IGNORECASE,
)
EVENT = re.compile(
    r"\b(announced?|launch(?:ed|es)?|released?|raised|acquired|happened|reported|according to|won|"
    r"published|sources?|citations?|said|says)\b",
    re.IGNORECASE,
)
FILES = re.compile(
    r"\b(file|files|folder|attachment|attached|spreadsheet|inbox|calendar|repo(?:sitory)?|ticket|"
    r"channel|thread|pdf|csv|datei|anhang|fichier|pièce jointe|archivo|adjunto)\b"
    r"|https?://|www\.|\b\w+\.(?:csv|pdf|xlsx?|docx?|md|txt|json|html?)\b",
    re.IGNORECASE,
)
STEPS = re.compile(
    r"\b(and then|then|after that|afterwards|finally|step by step|und dann|danach|puis|ensuite|"
    r"y luego|después)\b|^\s*\d+[.)]\s.+\n\s*\d+[.)]\s",
    re.IGNORECASE | re.MULTILINE,
)
GO_AHEAD = re.compile(
    r"^\W*(yes|yep|ok(?:ay)?|sure|do it|go ahead|proceed|ja|oui|sí|vas-y|adelante)\W*$",
    re.IGNORECASE,
)
RECENT_YEAR = re.compile(r"\b20[12]\d\b")

TOPIC = re.compile(
    r"\b(?:report|analysis|analyse|summary|overview|dossier|study|paper|briefing|research|"
    r"\w*bericht|zusammenfassung|überblick|rapport|résumé|synthèse|informe|análisis|resumen)\b"
    r"[^.:?!\n]{0,30}?\b(?:on|about|of|for|into|regarding|covering|über|zu|zum|zur|von|"
    r"sur|à propos de|du|des|sobre|acerca de|de)\b\s+(?P<topic>.+)",
    re.IGNORECASE | re.DOTALL,
)
ABOUT = re.compile(
    r"\b(?:about|regarding|concerning|on the topic of|search (?:\w+ )?for|find out|look up|"
    r"information on|über|sur|sobre)\b\s+(?P<topic>.+)",
    re.IGNORECASE | re.DOTALL,
)
TRAILING = re.compile(
    r"(?:,|;|\band\b|\bthen\b|\bund\b|\bet\b|\by\b)\s+(?:please\s+)?(?:then\s+)?"
    r"(?:write|send|e-?mail|post|upload|save|share|make|create|give|cite|include|"
    r"sende|schicke|envoie|envía)\b.*$"
    r"|\b(?:with|using|citing|from) (?:at least )?\w+ sources\b.*$|\bin (?:english|german|french|"
    r"spanish)\b.*$|\b(?:auf|in) (?:deutsch|englisch)\b.*$|\bplease\b\W*$",
    re.IGNORECASE | re.DOTALL,
)
NEW_SECTION = re.compile(
    r"\b(?:section|chapter|part|abschnitt|kapitel|chapitre|partie|sección|apartado|capítulo)\b"
    r"(?:\s+(?:named|called|titled|entitled))?\s*"
    r"(?:on|about|covering|for|over|über|zu|zum|zur|sur|sobre|de|del|:)?\s+(?P<topic>.+)",
    re.IGNORECASE | re.DOTALL,
)
WRITTEN_REPORT = re.compile(
    r"\b(?:reports?|dossiers?|white ?papers?|\w*berichte?|rapports?|informes?)\b", re.IGNORECASE
)
MAX_TOPIC_CHARS = 160


def needs_tools(text: str) -> bool:
    """Whether an answer takes tools, fresh data or several steps, judged by the text alone."""
    if len(text) <= LONG_TEXT_CHARS and read_request(text).orders:
        return True
    rules = (REPORT, CONTINUE, DEEP, FRESH, FILES, STEPS, EVENT, GO_AHEAD, RECENT_YEAR)
    if any(rule.search(text) for rule in rules):
        return True
    if ACTION.search(text) and not HOW_TO.search(text):
        return True
    return len(words(text)) > LONG_REQUEST_WORDS


def wants_report(text: str) -> bool:
    """Whether the request holds a word that asks for a report or an analysis."""
    return bool(REPORT.search(text))


def wants_depth(text: str) -> bool:
    """Whether pages must be read in full, rather than search results cited."""
    return bool(DEEP.search(text))


def wants_action(text: str) -> bool:
    """Whether something is to be sent or changed, with no search or report before it."""
    rules = (REPORT, CONTINUE, LOOKS_UP, HOW_TO)
    return ACTS.search(text) is not None and not any(rule.search(text) for rule in rules)


def wants_continuation(text: str) -> bool:
    """Whether the request goes on with earlier work."""
    return bool(CONTINUE.search(text) or GO_AHEAD.search(text))


def topic_of(text: str) -> str:
    """The topic of a request in the person's own words, on one line."""
    first = topic_part(text.strip().split("\n\n")[0][:LONG_TEXT_CHARS])
    found = TOPIC.search(first) or ABOUT.search(first)
    topic = found["topic"] if found else _without_commands(first)
    return _tidy(topic) or _tidy(first)


def request_in(text: str) -> str:
    """The part of a text that asks for something; empty where no such part is found.

    Of a long text it is the first or the last paragraph, or the last sentence.
    """
    if len(text) <= LONG_TEXT_CHARS:
        return text
    paragraphs = [part.strip() for part in re.split(r"\n\s*\n", text.strip())]
    ends = [paragraphs[0], paragraphs[-1], re.split(r"(?<=[.!?])\s", text.strip())[-1]]
    return next((part for part in ends if _is_request(part)), "")


def _is_request(part: str) -> bool:
    asks = part.endswith("?") or REPORT.search(part) or ACTION.search(part)
    return len(part) <= MAX_REQUEST_CHARS and bool(asks)


def is_bare_continuation(text: str) -> bool:
    """Whether a text only says to go on, and not with what."""
    is_short = len(words(text)) <= BARE_WORDS and not new_section_of(text)
    return is_short and wants_continuation(text)


def new_section_of(text: str) -> str:
    """What a section that the person asks for is about; empty where none is named."""
    found = NEW_SECTION.search(text)
    return _tidy(found["topic"]) if found else ""


def search_query(topic: str) -> str:
    """A query for a search engine: the topic's content words in their order."""
    return " ".join(topic_words(topic) or content_words(topic) or words(topic))[:200]


def subtopics(topic: str, limit: int = 3) -> list[str]:
    """Narrower queries within a topic: its listed parts, or its words two by two."""
    parts = [search_query(p) for p in re.split(r",|;|\band\b|\bund\b|\bet\b|\by\b|:", topic)]
    parts = [part for part in parts if part]
    if len(parts) < 2:
        chosen = topic_words(topic) or content_words(topic)
        parts = [f"{a} {b}" for a, b in pairwise(chosen)]
    whole = search_query(topic)
    return [part for part in dict.fromkeys(parts) if part != whole][:limit]


def _without_commands(text: str) -> str:
    return re.sub(
        r"^\W*(?:(?:please|can you|could you|i (?:want|need)|write|give me|tell me|find|search|"
        r"research|investigate|look into|recherchiere?|untersuche?|"
        r"bitte|schreibe?|écris|escribe)\b[\s,]*)+",
        "",
        text,
        flags=re.IGNORECASE,
    )


def _tidy(topic: str) -> str:
    one_line = " ".join(TRAILING.sub("", topic).split())
    first_sentence = re.split(r"(?<=[^\W\d_]{3})[.?!](?:\s|$)", one_line)[0]
    return first_sentence.strip(" .,:;?!\"'“”„«»*_")[:MAX_TOPIC_CHARS].strip()
