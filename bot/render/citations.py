"""Citations of an answer: numbered marks in its text, and one line of their sources below. Pure.

A mark is small so that a text with many of them reads well; the line shows the host behind each, so
that no mark hides where it leads.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from bot.render.escape import (
    IsLive,
    all_live,
    clean,
    foreign_line,
    link,
    literal,
    one_line,
    real_host,
)

TITLE = "\x02"
"""Begins the title of a page that is cited right behind it."""
CITED = "\x03"
"""Ends such a title."""
MARKED = "\x04"
"""Stands before a mark of ours. No foreign text can hold these three here: `clean` drops them."""

_MARK = rf"{MARKED}(?:<[^<>|]*\|\[\d+\]>|\[\d+\])"
_CITATION = rf"(?:{TITLE}[^{TITLE}{CITED}]*{CITED}[ ]?)?{_MARK}"
_IN_PARENTHESES = re.compile(rf"\(\s*({_CITATION}(?:\s*[,;·]?\s*{_CITATION})*)\s*\)")
_WITH_TITLE = re.compile(rf"{TITLE}[^{TITLE}{CITED}]*{CITED}[ ]?")
_BETWEEN = re.compile(rf"({_MARK})\s*[,;·]\s*(?={_MARK})")
_AGAIN = re.compile(rf"({_MARK})(?:\s*\1)+")
_OURS = re.compile(rf"[{TITLE}{CITED}{MARKED}]")
_NAME_CHARS = 60
_TEXT_FRAGMENT = ":~:text="
"""In an address: the sentence of its page that browsers scroll to."""

AboutSources = Mapping[str, tuple[str, str]]
"""By address a source's publisher, and the day of its publication in words; both may be empty."""


@dataclass(slots=True)
class Footnotes:
    """Numbers the sources of an answer in the order in which they are first cited."""

    urls: Sequence[str] = ()
    """What `[1]`, `[2]`, … stand for in the Markdown; an empty one is not known."""
    is_live: IsLive = all_live
    about: AboutSources = field(default_factory=dict[str, tuple[str, str]])
    _numbers: dict[str, int] = field(default_factory=dict[str, int])

    def url_of(self, number: int) -> str:
        """The address that a mark of the Markdown stands for; empty without one."""
        if not 0 < number <= len(self.urls):
            return ""
        return self.urls[number - 1]

    def number_of(self, url: str) -> int:
        """The number of a source in the posts, whichever of its sentences a mark leads to."""
        page, _, _ = url.partition(_TEXT_FRAGMENT)
        page = page.removesuffix("#")
        if page not in self._numbers:
            self._numbers[page] = len(self._numbers) + 1
        return self._numbers[page]

    def mark(self, url: str) -> str:
        """A source's number in brackets; a link where the address may be live."""
        number = self.number_of(url)
        label = f"[{number}]"
        if self.is_linked(url):
            label = link_to(url, label)
        return f"{MARKED}{label}"

    def is_linked(self, url: str) -> bool:
        shown = link(url, "", self.is_live)
        return shown.startswith("<")

    def line(self) -> str:
        """Every source that has a number, once, as mrkdwn; empty without one."""
        sources: list[str] = []
        for url, number in self._numbers.items():
            publisher, day = self.about.get(url, ("", ""))
            source = f"{number} {self._name(url, publisher)}"
            if day:
                source += f", {day}"
            sources.append(source)
        return " · ".join(sources)

    def _name(self, url: str, publisher: str) -> str:
        """Its publisher or host as a link; of one that may not be live the name alone.

        The host stands beside a publisher's name that is not in it: no mark hides where it leads.
        """
        host = host_of(url)
        name = one_line(publisher, _NAME_CHARS)
        beside = plain_host(host)
        is_in_host = _letters(publisher) in _letters(host)
        if name and self.is_linked(url):
            linked = link_to(url, name.replace("|", "\u00a6"))
            return linked if is_in_host else f"{linked} ({beside})"
        if self.is_linked(url):
            return link(url, host, self.is_live)
        if host:
            return beside
        name = PurePosixPath(clean(url)).name
        return foreign_line(name, _NAME_CHARS)


def _letters(text: str) -> str:
    return re.sub(r"\W", "", text).casefold()


def host_of(url: str) -> str:
    """The host without `www.`; empty where there is none."""
    host = real_host(url)
    if host is None:
        return ""
    return host.removeprefix("www.")


def link_to(url: str, label: str) -> str:
    """A live link whose label is ours: the line of sources shows its host."""
    shown = link(url, "")
    target, _, _ = shown.strip("<>").partition("|")
    return f"<{target}|{label}>"


def plain_host(host: str) -> str:
    """A host as words of which Slack makes no link, and which needs no code."""
    words = literal(host)
    return words.replace(".", ".\u2060")


def _marks_alone(match: re.Match[str]) -> str:
    inside = match[1]
    return _WITH_TITLE.sub("", inside)


def tidied(line: str) -> str:
    """A line with its marks: in no parentheses, equal neighbours merged.

    A page's title goes where it stood in parentheses with its mark: `([Title](address))`.
    """
    line = _IN_PARENTHESES.sub(_marks_alone, line)
    line = _BETWEEN.sub(r"\1", line)
    line = _AGAIN.sub(r"\1", line)
    return _OURS.sub("", line)
