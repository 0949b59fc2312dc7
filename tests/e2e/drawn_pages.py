"""A folder of saved pages about a drawn topic, each with figures that were drawn for it."""

import gzip
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SYLLABLES = ("bal", "dor", "fen", "gar", "hul", "kem", "lor", "mar", "nov", "pel", "rin", "sel",
             "tam", "ulm", "vek", "wen", "yar", "zol")  # fmt: skip
FILES = (
    "overview.html",
    "two words.html",
    "Prüfbericht (final).htm",
    "packed.html.gz",
    "year/2031/review.html",
    "year/2032/review.html",
    "deep folder/more of it/notes & figures.html",
    "deep folder/packed too.html.gz",
)
FILLERS = (
    "People in {place} speak about it with pride, and they show every visitor around.",
    "Nobody in {place} expected that the work would be finished before the winter.",
    "A small museum beside the station of {place} tells how all of it began.",
)
FIGURES = (
    ("{:,}", "The {topic} works in {place} delivered {figure} tonnes in their last full year."),
    ("{:.2f} million", "For {topic} the town of {place} paid {figure} crowns, more than ever."),
    ("{:.2f} percent", "In {place} {topic} made up {figure} of what was sold in the year."),
)
"""How a drawn number is written, and the sentence that tells it."""
PAGE = """<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head><body>
<div class="cookie-banner">We use cookies. <button>Accept all</button></div>
<main><article><h1>{title}</h1>{body}</article></main>
<aside><h3>Most read</h3><ul><li>Ten gardens to see</li><li>Weather for Sunday</li></ul></aside>
</body></html>"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPages:
    """What was drawn: the topic, and each figure with the file that holds it."""

    topic: str
    figures: dict[str, str]


def draw_pages(folder: Path, *, seed: int) -> DrawnPages:
    """Write the pages of a seed into `folder`, beside a file that is none."""
    chance = random.Random(seed)  # noqa: S311 (not for secrets)
    topic = f"{_word(chance)} {_word(chance)}"
    numbers = chance.sample(range(1_100, 9_900), len(FIGURES) * len(FILES))
    figures: dict[str, str] = {}
    for name in FILES:
        drawn = [_figure(form, numbers.pop()) for form, _ in FIGURES]
        figures |= dict.fromkeys(drawn, name)
        _write(folder / name, _page(topic, drawn, chance))
    (folder / "read me.txt").write_text("Saved from the web.", encoding="utf-8")
    return DrawnPages(topic=topic, figures=figures)


def _figure(form: str, number: int) -> str:
    return form.format(number if "," in form else number / 100)


def _word(chance: random.Random) -> str:
    return "".join(chance.choices(SYLLABLES, k=3))


def _page(topic: str, figures: Sequence[str], chance: random.Random) -> str:
    place = _word(chance).capitalize()
    fillers = [filler.format(place=place) for filler in FILLERS]
    told = [
        sentence.format(topic=topic, place=place, figure=figure)
        for (_, sentence), figure in zip(FIGURES, figures, strict=True)
    ]
    chance.shuffle(told)
    paragraphs = (fillers[0], f"{told[0]} {fillers[1]}", told[1], f"{told[2]} {fillers[2]}")
    body = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return PAGE.format(title=f"{topic.capitalize()} in {place}", body=body)


def _write(path: Path, html: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    content = html.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
