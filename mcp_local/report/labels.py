"""The words that a report's page adds to the text, in the languages we have them in."""

import re
from dataclasses import dataclass, replace
from datetime import date

_RIGHT_TO_LEFT = ("ar", "fa", "he", "ur", "yi")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")

SUMMARY_NAMES = frozenset(
    {"executive summary", "summary", "management summary", "zusammenfassung", "kurzfassung"}
    | {"résumé", "synthèse", "resumen", "resumen ejecutivo"}
)
CONTENTS_NAMES = frozenset(
    {"table of contents", "contents", "toc", "inhalt", "inhaltsverzeichnis"}
    | {"sommaire", "table des matières", "índice", "contenido"}
)
SOURCES_NAMES = frozenset(
    {"sources", "references", "bibliography", "sources cited", "works cited", "citations"}
    | {"sources and references", "references and sources", "quellen", "quellenverzeichnis"}
    | {"références", "bibliographie", "fuentes", "referencias", "bibliografía"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The page's own words in one language."""

    language: str
    summary: str
    contents: str
    sources: str
    snippet: str
    """Marks a source of which only the search result was read."""
    unread: str
    """Stands above a report that cites nothing else."""
    report: str
    source_count: tuple[str, str]
    """One source; several, with {n}."""
    reading_time: str
    top: str
    footer: str
    date_form: str
    months: str

    @property
    def direction(self) -> str:
        """`rtl` or `ltr`, for the page's dir attribute."""
        return "rtl" if self.language.split("-")[0] in _RIGHT_TO_LEFT else "ltr"

    def count_sources(self, n: int) -> str:
        """`1 source`, `7 sources`."""
        return self.source_count[n != 1].format(n=n)

    def write_date(self, day: date) -> str:
        """The day as readers of the language write it."""
        month = self.months.split()[day.month - 1]
        return self.date_form.format(day=day.day, month=month, year=day.year)


def labels_for(language: str) -> Labels:
    """The labels of a tag such as `de` or `pt-BR`; English words where we have no others."""
    tag = language if _LANGUAGE.fullmatch(language) else "en"
    known = _LABELS.get(tag.split("-")[0].lower(), _ENGLISH)
    return replace(known, language=tag)


_ENGLISH = Labels(
    language="en",
    summary="Executive summary",
    contents="Contents",
    sources="Sources",
    snippet="search result, not read in full",
    unread="This report rests on search results alone: none of its sources was read in full.",
    report="Research report",
    source_count=("1 source", "{n} sources"),
    reading_time="{n} min read",
    top="Back to top",
    footer="Numbers in brackets lead to the source a sentence rests on.",
    date_form="{month} {day}, {year}",
    months="January February March April May June July August September October November December",
)
_GERMAN = Labels(
    language="de",
    summary="Zusammenfassung",
    contents="Inhalt",
    sources="Quellen",
    snippet="Suchergebnis, nicht vollständig gelesen",
    unread="Dieser Bericht beruht nur auf Suchergebnissen: Keine Quelle wurde ganz gelesen.",
    report="Recherchebericht",
    source_count=("1 Quelle", "{n} Quellen"),
    reading_time="{n} Min. Lesezeit",
    top="Nach oben",
    footer="Zahlen in Klammern führen zur Quelle, auf der ein Satz beruht.",
    date_form="{day}. {month} {year}",
    months="Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
)
_FRENCH = Labels(
    language="fr",
    summary="Résumé",
    contents="Sommaire",
    sources="Sources",
    snippet="résultat de recherche, non lu en entier",
    unread="Ce rapport repose sur les seuls résultats de recherche : aucune source n'a été lue "
    "en entier.",
    report="Rapport de recherche",
    source_count=("1 source", "{n} sources"),
    reading_time="{n} min de lecture",
    top="Haut de page",
    footer="Les numéros entre crochets mènent à la source de chaque phrase.",
    date_form="{day} {month} {year}",
    months="janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
)
_SPANISH = Labels(
    language="es",
    summary="Resumen ejecutivo",
    contents="Contenido",
    sources="Fuentes",
    snippet="resultado de búsqueda, no leído por completo",
    unread="Este informe se basa solo en resultados de búsqueda: ninguna fuente se leyó por "
    "completo.",
    report="Informe de investigación",
    source_count=("1 fuente", "{n} fuentes"),
    reading_time="{n} min de lectura",
    top="Volver arriba",
    footer="Los números entre corchetes llevan a la fuente de cada frase.",
    date_form="{day} de {month} de {year}",
    months="enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
)
_LABELS = {"en": _ENGLISH, "de": _GERMAN, "fr": _FRENCH, "es": _SPANISH}
