"""Searching the sources: whole passages, letter by letter, from more than one source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_local.passages import MAX_PASSAGE_CHARS, find_passages, sentence_spans, split_passages
from mcp_local.sources import NumberedSource


def source(n: int, text: str, title: str = "Untitled") -> NumberedSource:
    return NumberedSource(
        n=n, url=f"https://{n}.test/", title=title, kind="page", ok=True, text=text, path="x.md"
    )


def test_the_passage_that_answers_comes_first() -> None:
    sources = [
        source(1, "Bees live in hives.\n\nThe queue drained in 47 seconds after the restart."),
        source(2, "Restarting is easy.\n\nQueues are lines of people."),
        source(3, "Nothing of interest here."),
    ]
    best = find_passages(sources, "how long did the queue take to drain after the restart?", 3)
    assert best[0].source.n == 1
    assert "47 seconds" in best[0].text


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("They retried the failing requests.", "request failed"),
        ("Vier Weißstörche.", "WEISSSTÖRCHE Weißstörche"),
    ],
)
def test_inflected_words_and_those_of_other_alphabets_are_found(text: str, query: str) -> None:
    passages = find_passages([source(1, text)], query, 5)
    assert [passage.source.n for passage in passages] == [1]


def test_words_in_the_title_and_the_heading_count() -> None:
    sources = [
        source(1, "It has three of them.", title="Octopus"),
        source(2, "## The octopus\n\nIt is blue."),
        source(3, "It is green."),
    ]
    assert {passage.source.n for passage in find_passages(sources, "octopus", 5)} == {1, 2}
    assert find_passages(sources, "octopus", 5)[0].heading in ("", "The octopus")


def test_one_long_source_does_not_silence_the_others() -> None:
    many = "\n\n".join(
        f"Retries and jitter, note {n}: retries need jitter and more words to fill a paragraph "
        "beyond the size at which short ones are joined, which takes a while to write down, and "
        "then some more of the same kind follows until it is long enough."
        for n in range(20)
    )
    sources = [source(1, many), source(2, "Retries need care."), source(3, "Jitter is random.")]
    found = find_passages(sources, "retries jitter", 8)
    assert {passage.source.n for passage in found} == {1, 2, 3}


def test_a_query_in_another_script_finds_its_passage() -> None:
    sources = [source(1, "東京は日本の首都です。"), source(2, "大阪は西にあります。")]
    assert [p.source.n for p in find_passages(sources, "日本の首都", 1)] == [1]


@pytest.mark.parametrize("query", ["", "the of and", "?!", "xylophone"])
def test_a_query_without_a_match_finds_nothing(query: str) -> None:
    assert find_passages([source(1, "Plain words here.")], query, 5) == []


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    sentence = "This sentence holds exactly enough words to be seen as one, number {}."
    text = " ".join(sentence.format(n) for n in range(60))
    pieces = [passage for _, passage in split_passages(text)]
    assert len(pieces) > 1
    assert all(len(piece) <= MAX_PASSAGE_CHARS for piece in pieces)
    assert all(piece.endswith(".") for piece in pieces)
    assert " ".join(pieces) == text


def test_headings_name_their_passages_and_are_not_passages() -> None:
    text = "Intro.\n\n# One\nBody of one.\n\n## Two\n\nBody of two.\n\n# Empty\n"
    assert split_passages(text) == [
        ("", "Intro."),
        ("One", "Body of one."),
        ("Two", "Body of two."),
    ]


WORDS = st.text(alphabet="ab .!\n#äß。", max_size=400)


@given(WORDS | st.text(max_size=200))
def test_every_passage_stands_in_the_text_and_no_word_is_lost(text: str) -> None:
    passages = split_passages(text)
    assert all(passage in text and passage.strip() for _, passage in passages)
    kept = "".join(passage for _, passage in passages) + "".join(h for h, _ in passages)
    bare = [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    assert all(word in kept for line in bare for word in line.split())


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It rose by 3.5 percent. Then it fell.", ["It rose by 3.5 percent.", "Then it fell."]),
        ("Dr. Smith agrees. So do I.", ["Dr. Smith agrees.", "So do I."]),
        ("The U.S. Navy came. It left.", ["The U.S. Navy came.", "It left."]),
        ('He said "Stop." Then he left.', ['He said "Stop."', "Then he left."]),
        ("e.g. this one. And that.", ["e.g. this one.", "And that."]),
        ("no end", ["no end"]),
        ("首都です。次の文。", ["首都です。", "次の文。"]),
        ("", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: list[str]) -> None:
    assert sentences_of(text) == sentences


def sentences_of(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@given(st.text(max_size=200))
def test_sentences_lose_nothing_but_white_space(text: str) -> None:
    assert "".join("".join(sentences_of(text)).split()) == "".join(text.split())
