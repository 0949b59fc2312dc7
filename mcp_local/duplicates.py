"""Near-duplicates (MinHash over word shingles): one text of an agency that several sites print.

A fact is no surer for being printed twice, so a report counts such a text once.
"""

from collections.abc import Mapping, Sequence
from heapq import nsmallest
from zlib import crc32

from mcp_local.sources import NumberedSource

SHINGLE_WORDS = 4
SKETCH_SIZE = 256
MIN_WORDS = 40
"""Of shorter texts, such as snippets, too little is seen to call them the same."""
MIN_RESEMBLANCE = 0.5
"""Share of common shingles; sites add their own beginning and end."""


def copies_of(sources: Sequence[NumberedSource]) -> Mapping[int, int]:
    """By number of a source with nearly the text of an earlier one: that one's number."""
    originals: dict[int, frozenset[int]] = {}
    copies: dict[int, int] = {}
    for source in sources:
        sketch = _sketch(source.text)
        for number, other in originals.items():
            if sketch and _resemblance(sketch, other) >= MIN_RESEMBLANCE:
                copies[source.n] = number
                break
        else:
            originals[source.n] = sketch
    return copies


def _sketch(text: str) -> frozenset[int]:
    words = text.casefold().split()
    if len(words) < MIN_WORDS:
        return frozenset()
    shingles = zip(*(words[start:] for start in range(SHINGLE_WORDS)), strict=False)
    hashes = {crc32(" ".join(shingle).encode(errors="replace")) for shingle in shingles}
    return frozenset(nsmallest(SKETCH_SIZE, hashes))


def _resemblance(sketch: frozenset[int], other: frozenset[int]) -> float:
    """The estimated Jaccard index of the shingles."""
    sample = set(nsmallest(SKETCH_SIZE, sketch | other))
    return len(sample & sketch & other) / len(sample)
