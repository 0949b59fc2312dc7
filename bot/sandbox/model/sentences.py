"""What words mean here, and what of a page is worth quoting.

The first is read from `phrases.toml`; the second are paragraphs and lists as whole sentences, and
tables.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_LISTS = tomllib.loads(Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8"))


def phrases(name: str) -> re.Pattern[str]:
    """The pattern of a list, which holds in any case of letters."""
    return re.compile(_LISTS[name].replace("\n", ""), re.IGNORECASE)


MIN_WORDS = 4
MAX_WORDS = 60
WORD = re.compile(r"[^\W_]+(?:[-'\u2019][^\W_]+)*")
STOP = frozenset(_LISTS["stop_words"].split())
END = re.compile(r"(?:(?<=[.!?…])|(?<=[.!?…][\"”)\]]))\s+(?=[\"'“\u2018(\[]*[^\Wa-z_])")
ABBREVIATION = phrases("abbreviation")
WHOLE = re.compile(r"^[\"'“\u2018(\[]*[^\Wa-z_].*[.!?][\"'”\u2019)\]]*$", re.DOTALL)
FIGURE = re.compile(r"\d[\d.,]*")
DATE = phrases("date")
CHROME = phrases("chrome")
ORDER_TO_MODEL = phrases("order_to_model")
LEANS_BACK = phrases("leans_back")
FRONT_MATTER = re.compile(r"\A\s*---\n.*?\n---\s*\n", re.DOTALL)
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(?:\d+[.)]\s+)?(?P<text>\S.*?)[\s#¶:]*$")
BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?=\S)")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
MARKUP = re.compile(r"[*`]{1,3}(\S(?:.*?\S)?)[*`]{1,3}|(?<!\w)_{1,3}(\S(?:.*?\S)?)_{1,3}(?!\w)")
NOTE_MARK = re.compile(r"(?:\[(?:\d+|edit)\])+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBlock:
    """Sentences of a page that stand together: a paragraph, the items of a list, or a table."""

    n: int
    """The number of the page."""
    place: int
    """Which passage of its page it is, from 0."""
    heading: str
    sentences: tuple[str, ...]
    kind: str = "paragraph"

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedPage:
    """A page that was read, as it may be cited."""

    n: int
    url: str
    title: str
    text: str

    def passages(self) -> list[PageBlock]:
        """What is worth quoting, in reading order."""
        found: list[PageBlock] = []
        for heading, kind, lines in _blocks(self.text):
            told = lines if kind == "table" else map(self._untitled, _quotable(lines, kind))
            if sentences := tuple(told):
                passage = PageBlock(
                    n=self.n, place=len(found), heading=heading, sentences=sentences, kind=kind
                )
                found.append(passage)
        return found

    def _untitled(self, sentence: str) -> str:
        """A sentence without the page's title before it, where the two ran together."""
        rest = sentence[len(self.title) :].lstrip(" .:|-\u2013\u2014")
        is_titled = " " in self.title and sentence.casefold().startswith(self.title.casefold())
        return rest if is_titled and WHOLE.match(rest) else sentence


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word cut down so that its common forms meet: bot and bots, retry and retries."""
    plain = word.casefold().removesuffix("'s").removesuffix("\u2019s")
    for suffix, rest in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if plain.endswith(suffix) and len(plain) - len(suffix) >= 3 and not plain.endswith("ss"):
            return plain[: -len(suffix)] + rest
    return plain


def content_words(text: str) -> list[str]:
    """The words that carry meaning, as written, each stem once, in order."""
    kept: dict[str, str] = {}
    for word in WORD.findall(text):
        if word.casefold() not in STOP and (len(word) > 1 or word.isdigit()):
            kept.setdefault(stem(word), word)
    return list(kept.values())


@lru_cache(maxsize=10_000)
def stems(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning; of those with hyphens, joined and in parts."""
    parts = [
        part
        for word in content_words(text)
        for part in (word, word.replace("-", ""), *word.split("-"))
    ]
    return frozenset(stem(part) for part in parts if part.casefold() not in STOP)


def share(wanted: frozenset[str], text: str) -> float:
    """How much of what is wanted a text holds, from 0 to 1."""
    return len(wanted & stems(text)) / len(wanted) if wanted else 0.0


def is_about(wanted: frozenset[str], text: str, few: int = 2) -> bool:
    """Whether a text holds half of the wanted words; of so few, all."""
    return bool(wanted) and share(wanted, text) >= (1.0 if len(wanted) <= few else 0.5)


def figures(text: str) -> frozenset[str]:
    """The numbers in a text, less its dates."""
    return frozenset(match.rstrip(".,") for match in FIGURE.findall(DATE.sub(" ", text)))


def stands_alone(sentence: str) -> bool:
    """Whether a sentence is understood without the one before it."""
    return LEANS_BACK.match(sentence) is None and not sentence.endswith("?")


def split_sentences(paragraph: str) -> list[str]:
    """A paragraph's sentences; one that ends with an abbreviation goes on."""
    found: list[str] = []
    for part in END.split(paragraph.strip()):
        if found and ABBREVIATION.search(found[-1]):
            found[-1] += f" {part}"
        else:
            found.append(part)
    return found


def _quotable(lines: list[str], kind: str) -> Iterator[str]:
    """The whole sentences; none of a paragraph that gives orders to whoever reads by machine."""
    if ORDER_TO_MODEL.search(" ".join(lines)):
        return
    is_told = False
    parts = lines if kind == "list" else split_sentences(" ".join(lines))
    for place, part in enumerate(parts, start=1):
        is_sized = MIN_WORDS <= len(WORD.findall(DATE.sub(" ", part))) <= MAX_WORDS
        is_clear = is_told or LEANS_BACK.match(part) is None
        is_clear &= place < len(parts) or not part.endswith("?")
        is_told = bool(is_sized and is_clear and WHOLE.match(part) and not CHROME.search(part))
        if is_told:
            yield part


def _blocks(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """The headings, kinds and lines of paragraphs, lists and tables; code is left out."""
    heading, kind, lines, in_fence = "", "paragraph", list[str](), False
    for line in [*FRONT_MATTER.sub("", text).splitlines(), ""]:
        is_fence = line.lstrip().startswith(("```", "~~~"))
        in_fence = in_fence != is_fence
        titled = HEADING.match(line)
        here = _kind(line)
        if lines and (titled or not line.strip() or in_fence or (here != kind and here != "more")):
            yield heading, kind, lines
            lines = []
        if titled:
            heading = _plain(titled["text"])
        elif line.strip() and not in_fence and not is_fence:
            kind = here if here != "more" or not lines else kind
            kind = "paragraph" if kind == "more" else kind
            lines.append(line.strip() if kind == "table" else _plain(line))


def _kind(line: str) -> str:
    if BULLET.match(line):
        return "list"
    return "table" if line.strip().startswith("|") else "more"


def _plain(line: str) -> str:
    bare = BULLET.sub("", line).strip().removeprefix("> ").strip()
    bare = NOTE_MARK.sub("", LINK.sub(r"\1", bare))
    return MARKUP.sub(r"\1\2", bare)
