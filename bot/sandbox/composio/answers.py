"""Writes the short answer above web results: sentences of the pages, each with its link."""

import re

from bot.sandbox.composio.index import Hit
from bot.sandbox.composio.terms import read_terms

MAX_SENTENCES = 3
STEM_CHARS = 5
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_])")
SENTENCE_CHARS = range(40, 320)


def write_answer(query: str, hits: list[Hit]) -> str:
    """The best sentence of each of the first pages as Markdown, or "" without any."""
    sentences = ((hit, choose_sentence(query, hit)) for hit in hits[:MAX_SENTENCES])
    return " ".join(
        f"{text} ([{hit.page.title}]({hit.page.url}))" for hit, text in sentences if text
    )


def choose_sentence(query: str, hit: Hit) -> str:
    """The page's sentence that shares the most words with the query; the earliest of equals."""
    stems = {term[:STEM_CHARS] for term in read_terms(query)}
    lines = hit.page.text.splitlines()
    sentences = [sentence for line in lines for sentence in SENTENCE_END.split(line)]
    fitting = [sentence for sentence in sentences if _is_whole(sentence)]
    return max(fitting, key=lambda sentence: _overlap(sentence, stems), default="")


def _is_whole(sentence: str) -> bool:
    """Whether it reads as a sentence, unlike a heading or a line of links."""
    return sentence.endswith((".", "!", "?")) and len(sentence) in SENTENCE_CHARS


def _overlap(sentence: str, stems: set[str]) -> int:
    return len(stems & {term[:STEM_CHARS] for term in read_terms(sentence)})
