"""The words that a report's page adds to the text: a Fluent catalogue (`de.ftl`) a language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from fluent.runtime import FluentBundle

ReportPart = Literal["summary", "contents", "sources"]

LANGUAGES = tuple(sorted(file.stem for file in Path(__file__).parent.glob("*.ftl")))
_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")
_RIGHT_TO_LEFT = ("ar", "fa", "he", "ur", "yi")


@dataclass(frozen=True, slots=True)
class Labels:
    """The page's own words for a tag such as `de` or `pt-BR`, in English where it has none."""

    language: str

    @property
    def direction(self) -> str:
        """`rtl` or `ltr`, for the page's dir attribute."""
        return "rtl" if self.language.split("-")[0] in _RIGHT_TO_LEFT else "ltr"

    def words(self, key: str, **slots: int) -> str:
        """One sentence, its slots filled. Raises KeyError where there is none."""
        bundle = _bundle(self._known)
        pattern = bundle.get_message(key).value
        if pattern is None:
            raise KeyError(key)
        sentence, _ = bundle.format_pattern(pattern, slots)
        return str(sentence)

    def write_date(self, day: date) -> str:
        """The day as readers of the language write it."""
        from babel.dates import format_date

        return format_date(day, "long", locale=self._known)

    @property
    def _known(self) -> str:
        code = self.language.split("-")[0].lower()
        return code if code in LANGUAGES else "en"


def labels_for(language: str) -> Labels:
    """The labels of a language's tag; what is no tag counts as English."""
    return Labels(language if _TAG.fullmatch(language) else "en")


@cache
def headings_of(part: ReportPart) -> frozenset[str]:
    """How authors head a part that the page makes by itself, in lower case, in all languages."""
    named = (Labels(language).words(f"{part}-names") for language in LANGUAGES)
    return frozenset(name.strip() for names in named for name in names.split(","))


@cache
def _bundle(language: str) -> FluentBundle:
    from fluent.runtime import FluentBundle, FluentResource

    source = Path(__file__).with_name(f"{language}.ftl").read_text(encoding="utf-8")
    bundle = FluentBundle([language], use_isolating=False)
    bundle.add_resource(FluentResource(source))
    return bundle
