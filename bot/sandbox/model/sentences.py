"""Whole sentences out of a page's text, letter by letter, without what is not worth quoting."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.sandbox.model.language import STOP_WORDS, words

MIN_WORDS = 5
MIN_WORDS_WITH_FIGURE = 4
MAX_WORDS = 60
SHORT_LINE_CHARS = 50
NEAR_CHARS = 24
"""How far to look around a full stop to see whether it ends a sentence."""

CJK_ENDS = "。\uff01\uff1f"
ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“„«])(?:[A-Za-zÀ-ÿ]|(?:[A-Za-z]\.)+[A-Za-z]|mr|mrs|ms|dr|prof|sr|jr|st|no|nr|vs|etc|"
    r"inc|ltd|co|corp|approx|ca|cf|fig|vol|pp?|al|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|"
    r"bzw|usw|ggf|evtl|inkl|zzgl|mio|mrd|tsd|abb|str|mme|mlle|av|env|sra|srta|dra|art|núm|pág|gen|"
    r"sen|rep|gov|lt|col|capt|sgt|u\.s|e\.g|i\.e|z\.b|d\.h|u\.a)$",
    re.IGNORECASE,
)
DAY_OF_MONTH = re.compile(
    r"\b(?:am|vom|zum|den|der|dem|des|bis|ab|seit|im|beim)\s+\d{1,2}$", re.IGNORECASE
)
MONTH_AHEAD = re.compile(
    r"(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)[a-zä]*\b", re.IGNORECASE
)
END = re.compile(r"[.!?…]+[\"'”\u2019»“)\]]*(?=\s|$)|[。\uff01\uff1f]+[」』”]?")
LEADING_DASH = re.compile(r"^[-\u2013\u2014*•]\s+")
OPENING = re.compile(r"[\"'“„«\u2018(\[¿¡]*[^\W_a-zß-öø-ÿ]")
FENCE = re.compile(r"^ {0,3}(```|~~~)")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(?P<text>\S.*)$")
BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")
FRONT_MATTER = re.compile(r"\A\s*---\n.*?\n---\s*\n", re.DOTALL)
CUT_MARK = re.compile(r"(?:\.\.\.|…|\[|<|\().{0,40}\b(?:truncated|omitted|left out|cut)\b", re.I)

CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
FIGURE = re.compile(r"\d")
STRONG_FIGURE = re.compile(
    r"\d[\d.,\s]{0,20}(?:%|percent|per cent|prozent|pour cent|por ciento|€|\$|£)|[€$£]\s?\d"
    r"|\d[.,]\d",
    re.IGNORECASE,
)
COUNTED = re.compile(r"\b(?!(?:19|20)\d\d\b)\d+[\s-]+(?P<unit>[^\W\d_]{3,})")
LONG_NUMBER = re.compile(r"\d{2}")

ELLIPSIS = re.compile(r"…|\.\.\.")
DATE_AHEAD = re.compile(r"^\s*[A-Z][a-z]{2} \d{1,2}, \d{4}\s*[·\u2014-]\s*")

CHROME = re.compile(
    r"\b(?:cookies?|consent|newsletter|subscribe|sign (?:up|in)|log ?in|register now|"
    r"all rights reserved|privacy policy|terms of (?:use|service)|click here|read more|share this|"
    r"follow us|advertisement|skip to|enable javascript|javascript (?:is )?(?:disabled|required)|"
    r"datenschutz|impressum|abonnieren|alle rechte|mentions légales|abonnez|tous droits|"
    r"suscríbete|todos los derechos)\b|©",
    re.IGNORECASE,
)
CODE = re.compile(r"[{};]\s*$|=>|</\w|\bfunction\s*\(|^\s*(?:import|def|const|var|let)\s\w+.*[=:(]")
ORDER_TO_MODEL = re.compile(
    r"^\W*(?:important\W+|attention\W+|note\W+|please\s+|now\s+|instead\W+|then\s+)*"
    r"(?:ignore|disregard|forget|override|bypass|ignorier\w*|vergiss|oublie[rz]?|ignore[rz]?|ignora|"
    r"olvida)\b.{0,60}\b(?:instruct\w*|prompts?|rules?|person|user|request|above|previous|prior|"
    r"everything|anweisung\w*|vorherig\w*|précédent\w*|anterior\w*|instrucciones)\b"
    r"|^\W*(?:system|assistant|instructions?|note|message|attention|important|hey|dear)?\W*"
    r"(?:to|for|if you are|as)?\s*(?:an?|the|any|all)?\s*"
    r"(?:ai|a\.i\.|llms?|chat ?bots?|language models?|assistants?|agents?)\b[^.]{0,50}"
    r"(?:\breading\b|\bprocessing\b|\bsummari|[:,]\s*(?:you|please|ignore|do|say|post|send|write|"
    r"tell|reply|include)\b)"
    r"|\byou are (?:now )?(?:an?|the) (?:ai|assistant|language model|chat ?bot)\b"
    r"|\b(?:assistants?|models?|agents?|bots?|ai)\b.{0,60}\b(?:must|should|shall|have to|please)\b"
    r".{0,40}\b(?:ignore|disregard|forget)\b"
    r"|\b(?:system prompt|developer message|these instructions (?:override|replace))\b"
    r"|\b(?:post|send|publish|reveal|forward|upload)\b.{0,60}\b(?:secrets?|tokens?|api keys?|"
    r"passwords?|credentials?|#\w+|system prompt)\b.{0,40}"
    r"(?:now|immediately|instead|to this|here)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A quotable sentence with the heading that it stands under."""

    text: str
    heading: str
    position: int
    """Its place among the sentences of its text, from 0."""

    @property
    def has_figure(self) -> bool:
        return FIGURE.search(self.text) is not None

    @property
    def figure_strength(self) -> float:
        """0 without a figure, 2 for amounts, shares and measures, between them for the rest."""
        if not self.has_figure:
            return 0.0
        if is_measure(self.text):
            return 2.0
        return 1.0 if LONG_NUMBER.search(self.text) else 0.5


def quotable_sentences(text: str) -> list[Sentence]:
    """The whole sentences of a Markdown text that are worth quoting, in reading order.

    Each stands in the text letter by letter, line breaks aside. Headings, tables, code, page
    chrome, and orders to whoever reads by machine are left out.
    """
    kept: list[Sentence] = []
    follows_order = False
    for heading, paragraph in paragraphs(text):
        for place, sentence in enumerate(split_sentences(paragraph)):
            is_order = ORDER_TO_MODEL.search(sentence) is not None
            is_bad = is_order or (follows_order and not FIGURE.search(sentence))
            follows_order = is_order
            if not is_bad and is_quotable(sentence, opens_paragraph=place == 0):
                kept.append(Sentence(text=sentence, heading=heading, position=len(kept)))
    return kept


def is_quotable(sentence: str, *, opens_paragraph: bool = False) -> bool:
    """Whether a text is one whole sentence of sensible length that is not page chrome or code.

    A figure at the start of a paragraph may stand in a sentence without a capital letter.
    """
    may_be_small = opens_paragraph and FIGURE.search(sentence) is not None
    count = len(words(sentence)) + len(CJK.findall(sentence)) // 2
    least = MIN_WORDS_WITH_FIGURE if FIGURE.search(sentence) else MIN_WORDS
    if not least <= count <= MAX_WORDS or not _is_whole(sentence, may_be_small):
        return False
    is_chrome = CHROME.search(sentence) and not is_measure(sentence)
    return not (is_chrome or CODE.search(sentence) or CUT_MARK.search(sentence))


def whole_parts(snippet: str) -> str:
    """The text of a search result without its date and without sentences that were cut."""
    first, *rest = ELLIPSIS.split(DATE_AHEAD.sub("", snippet))
    after_cuts = [" ".join(split_sentences(part)[1:]) for part in rest]
    return "\n\n".join(part.strip() for part in [first, *after_cuts])


def is_measure(text: str) -> bool:
    """Whether a text holds an amount, a share, or a number of something."""
    units = (match["unit"].casefold() for match in COUNTED.finditer(text))
    return STRONG_FIGURE.search(text) is not None or any(unit not in STOP_WORDS for unit in units)


def split_sentences(paragraph: str) -> list[str]:
    """A paragraph's sentences; where the end is unsure two sentences stay together."""
    found: list[str] = []
    start = 0
    for end in END.finditer(paragraph):
        if _is_end(paragraph, end):
            found.append(paragraph[start : end.end()].strip())
            start = end.end()
    found.append(paragraph[start:].strip())
    bare = (LEADING_DASH.sub("", sentence) for sentence in found)
    return [sentence for sentence in bare if sentence]


def paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """The paragraphs and list items of a Markdown text, each with the heading above it."""
    heading = ""
    lines: list[str] = []
    for line in _prose_lines(text):
        titled = HEADING.match(line)
        if lines and (titled or not line.strip() or BULLET.match(line) or _is_label(lines[-1])):
            yield heading, " ".join(lines)
            lines = []
        if titled:
            heading = titled["text"].rstrip("# ")
        elif line.strip():
            lines.append(BULLET.sub("", line).strip().removeprefix("> ").strip())
    if lines:
        yield heading, " ".join(lines)


def _prose_lines(text: str) -> Iterator[str]:
    """The lines outside code fences and tables."""
    in_fence = False
    for line in FRONT_MATTER.sub("", text.replace("\r\n", "\n")).split("\n"):
        if FENCE.match(line):
            in_fence = not in_fence
            yield ""
        elif in_fence or _is_table_row(line) or _is_indented_code(line):
            yield ""
        else:
            yield line


def _is_table_row(line: str) -> bool:
    bare = line.strip()
    framed = len(bare) > 1 and bare.startswith("|") and bare.endswith("|")
    return framed or ("|" in bare and set(bare) <= set(" :|-"))


def _is_indented_code(line: str) -> bool:
    return line.startswith(("    ", "\t")) and not BULLET.match(line)


def _is_label(line: str) -> bool:
    """A short line that ends nothing, such as a byline: what follows is no part of it."""
    return len(line) < SHORT_LINE_CHARS and line[-1:].isalnum()


def _is_end(paragraph: str, end: re.Match[str]) -> bool:
    if end.end() == len(paragraph) or end[0][0] in CJK_ENDS:
        return True
    ahead = paragraph[end.end() : end.end() + NEAR_CHARS].lstrip()
    if not OPENING.match(LEADING_DASH.sub("", ahead)):
        return False
    if end[0] != ".":
        return True
    before = paragraph[max(0, end.start() - NEAR_CHARS) : end.start()]
    if DAY_OF_MONTH.search(before) or (before[-1:].isdigit() and MONTH_AHEAD.match(ahead)):
        return False
    return ABBREVIATION.search(before) is None


def _is_whole(sentence: str, may_be_small: bool) -> bool:
    if sentence.startswith(("…", "...")) or sentence.endswith(("…", "...", ":")):
        return False
    starts = may_be_small or OPENING.match(sentence) is not None
    return starts and re.search(r"[.!?。\uff01\uff1f][\"'”\u2019»“)\]]*$", sentence) is not None
