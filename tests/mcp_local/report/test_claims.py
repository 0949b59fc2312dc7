"""What sentences and cells claim is looked up on the sources they cite, by value."""

from dataclasses import replace
from datetime import date

import pytest

from mcp_local.report.claims import Trust, check_claims, read_claims, trust_in, warnings_of
from mcp_local.report.markdown import parse_markdown
from tests.mcp_local.report.reading import SOURCES, compose, read_html, source

EVIDENCE = """12 May 2026
The team of 47 engineers handled 1,250,000 requests in 2025 and cut costs by 3.5 percent.
About 5% complained. “A queue you cannot read is a queue you cannot trust,” the authors
wrote — it's that simple. Turnover rose from 1,234 to 1,481 million euros, a third of it abroad.
The new plant near Lyon, 10 kilometres away, opened on Tuesday; Maria Lindgren runs it with three
deputies. France pays two billion dollars. Orders for boards of 8 cm grew in the third quarter of
2025 and had grown by 40 percent in the first half of 2024. “Queues of Lyon: A Primer” names it."""
BILANZ = "Der Umsatz der Firma stieg 2025 auf 3,4 Milliarden Euro, der Gewinn auf zwölf Prozent."

ARRAYS = """Rivers carry 0.8-2.7 million tonnes. The plant made 58 hm³ and cost 212 million pounds.
Four in ten pieces were rope. The reef lies 10 m below the surface. Shares dropped on Thursday.

| Tidal arrays in Scotland | | | |
|---|---|---|---|
| Array | Capacity (MW) | Output 2025 (GWh) | Cost (£ million) |
|---|---|---|---|
| Minch | 33 | 0 | 212 |
| Bluemull Sound | 0.6 | 1.1 | 7 |
| Pentland | 6 | 13.8 | 51.3 |

| € million | 2026 | 2025 |
|---|---|---|
| Revenue | 1,284 | 1,174 |
| Cash flow | (12.3) | 44.0 |"""


def check(markdown: str) -> tuple[Trust, list[str]]:
    sources = [source(1, EVIDENCE), source(2, "Elsewhere 99 things happened."), source(3, BILANZ)]
    sources += [replace(source(4, ARRAYS), published=date(2026, 11, 5))]
    checked = check_claims(read_claims(parse_markdown(markdown)), sources)
    return trust_in(checked), warnings_of(checked, sources)


@pytest.mark.proves("report.by_value")
@pytest.mark.parametrize(
    "markdown",
    [
        "47 engineers. [1]", "It took 1250000 requests. [1]", "It took 1.250.000 requests. [1]",
        "It took 1 250 000 requests. [1]", "It took 1.25 million requests. [1]",
        "It took 1,3 Millionen Anfragen. [1]", "Costs fell by 3.5 %. [1]",
        "Costs fell by 3,5 Prozent. [1]", "Only 5 percent complained. [1]",
        "In 2025 all went well [1].", "No figure at all. [1]",
        "Both 47 and 99 are known. [1][2]", "Both 47 and 99 are known. [1, 2]",
        '"A queue you cannot read is a queue you cannot trust" [1]',
        "„a queue you cannot read“ [1]", '"A queue … you cannot trust" [1]',
        '"it\'s that simple" and more [1]', "As in the film “Heart of Gold”. [1]",
        "Turnover came to 1.5 billion euros. [1]", "Abroad it is 33 percent of turnover. [1]",
        "Turnover grew by 247 million euros. [1]", "Turnover grew by 20 percent. [1]",
        "The plant is six miles away. [1]", "It opened on 12 May 2026. [1]",
        "Das Werk wurde am 12. Mai 2026 eröffnet. [1]", "It has 3 deputies. [1]",
        "The plant is run by M. Lindgren. [1]", "France pays $2bn. [1]",
        "Turnover came to 3.4 billion euros, profit to 12 per cent. [3]",
        "Orders grew in Q3 2025. [1]", "Im dritten Quartal 2025 wuchsen die Aufträge. [1]",
        "Boards have 8 cm, and orders grew by 40 percent in H1 2024. [1]",
        "“Queues of Lyon: A Primer for Everybody” names the plant near Lyon. [1]",
        "Near Lyon, Département Rhône, the new plant opened on Tuesday. [1]",
        "Uncited: the three plants of 2025.", "## 48 things\n\nNothing more.",
        "A first sentence. Then 47 engineers. It is so. [1]",
        "47 engineers. [1]\n\n| What | Requests |\n|--|--|\n| Team | 1,250,000 |",
        "| Turnover (€ million) |\n|--|\n| 1,481 [1] |",
        "| a |\n|--|\n| 47 |\n| 99 |\n\nOf [1][2].", "Of it [1]:\n\n- 47 engineers\n- 3 deputies",
        "Der Umsatz der Firma stieg 2025 auf 3,4 Milliarden Euro. [3]",
        "Rivers carry between 800,000 and 2.7 million tonnes. [4]", "Up to 2.7 million tonnes. [4]",
        "It made 58 million cubic metres. [4]", "Se produjeron 58 millones de metros cúbicos. [4]",
        "El coste fue de 212 M£. [4]", "Cost 0,212 mil millones de libras. [4]",
        "40 percent was rope. [4]", "The reef lies ten metres below. [4]",
        "On 5 November 2026 the shares dropped. [4]", "Bluemull Sound has 600 kW. [4]",
        "Pentland made 13,800 MWh in 2025 for £51.3 million. [4]",
        "Cash flow in € million. [4]", "Umsatz in Millionen Euro. [3]",
        "Revenue grew from €1.174bn to 1.28 billion euros, by €110 million. [4]",
    ],
)  # fmt: skip
def test_what_stands_on_a_cited_source_in_any_form_is_not_warned_of(markdown: str) -> None:
    assert check(markdown)[1] == []


@pytest.mark.parametrize(
    ("markdown", "part"),
    [
        ("There were 48 engineers. [1]", "The figure 48 does not stand on source [1]: There were"),
        ("47 engineers. [2]", "The figure 47 does not stand on source [2]"),
        ("Some 98 things. [1, 2]", "The figure 98 does not stand on source [1], [2]"),
        ("Only 7% complained. [1]", "The figure 7% does not stand on source [1]"),
        ("Costs fell by 35 percent. [1]", "The figure 35 percent does not"),
        ("Costs fell by 3.5 percentage points. [1]", "The figure 3.5 percentage points does not"),
        ("It took 1.25 billion requests. [1]", "The figure 1.25 billion does not"),
        ("The plant is 10 miles away. [1]", "The figure 10 miles does not"),
        ("It has five deputies. [1]", "The figure 5 does not"),
        ("France pays two billion euros. [1]", "The figure 2 billion euros does not"),
        ("It opened on 14 May 2026. [1]", "The date 14 May 2026 does not"),
        ("It opened on 12 June 2026. [1]", "The date 12 June 2026 does not"),
        ("Orders grew in Q2 2025. [1]", "The date Q2 2025 does not"),
        ("Orders for boards of 9 cm grew. [1]", "The figure 9 cm does not"),
        ("The team handled the requests in 2023. [1]", "The date 2023 does not"),
        ("| a |\n|--|\n| 48 [1] |", "The figure 48 does not"),
        ("47 [1]\n\n| a |\n|--|\n| 48 |", "The figure 48 does not"),
        ("> There were 48 engineers. [1]", "The figure 48 does not"),
        ("Here are 48 engineers. And it is so. [1]", "The figure 48 does not"),
        ("It took 1,234 days.", "The figure 1,234 days has no source"),
        ('"A queue you cannot see is no queue" [1]', 'The quote "A queue you cannot see'),
        ('They call it "that difficult". [1]', 'The quote "that difficult"'),
        ("The plant near Lyon is run by Maria Castellano. [1]", "The name Maria Castellano"),
        ("Turnover fell from 1,234 to 1,481 million euros. [1]", 'the opposite of "fell"'),
        ("Fine: 47. [1] Not fine: 46. [1]", "The figure 46"),
        ("Rivers carry 0.8-2.9 million tonnes. [4]", "The figure 2.9 million tonnes does not"),
        ("Es sind 3,4 Mrd. Dollar Umsatz. [3]", "The figure 3,4 Mrd. Dollar does not"),
        ("The plant cost 212 million euros. [4]", "The figure 212 million euros does not"),
        ("El coste fue de 212 millones de euros. [4]", "The figure 212 million de euros does not"),
        ("Pentland made 13.8 TWh in 2025. [4]", "The figure 13.8 TWh does not"),
        ("Pentland cost $51.3 million. [4]", "The figure $51.3 million does not"),
        ("Bluemull Sound cost £51.3 million. [4]", "The figure £51.3 million does not"),
        ("Cash flow was 12.3 billion euros. [4]", "The figure 12.3 billion euros does not"),
        ("In Q2 2026 the shares dropped. [4]", "The date Q2 2026 does not"),
        ("En el segundo trimestre de 2025 creció. [1]", "The date 2e trimestre de 2025 does not"),
    ],
)
def test_what_stands_on_none_is_named(markdown: str, part: str) -> None:
    (warning,) = check(markdown)[1]
    assert part in warning


def test_a_citation_after_the_full_stop_belongs_to_the_sentence_before() -> None:
    tokens = parse_markdown("First one. [1] Second one [2]. Third. [1][2] Fourth.")
    claims = [(claim.text, claim.numbers) for claim in read_claims(tokens)]
    assert claims[:3] == [("First one.", (1,)), ("Second one.", (2,)), ("Third.", (1, 2))]


def test_a_flood_of_warnings_is_cut_and_counted() -> None:
    _, warnings = check(" ".join(f"Item {n} is new. [1]" for n in range(200, 260)))
    assert len(warnings) == 21
    assert warnings[-1] == "40 more of the same kind."


@pytest.mark.proves("report.unfound")
def test_the_reader_sees_which_sentence_stands_on_no_source_and_how_many_do() -> None:
    markdown = (
        "## S\n\nThe team has 47 engineers. [1] It made 99.9 GW. [1] It *grew* "
        "by 247 million euros. [1]"
        "\n\n| Year | Requests |\n|--|--|\n| 2025 | 77,000 [1] |"
    )
    report = compose(markdown, summary="So it is. [1]", sources=[source(1, EVIDENCE)])
    page = read_html(report.html)
    first, second = page.all("small", class_="unfound")
    assert first.text == second.text == "not found in the source"
    assert first.attrs["title"] == "not found in the source: 99.9 GW"
    assert "It made 99.9 GW.[1] not found in the source It grew" in " ".join(page.text.split())
    assert page.one("p", class_="trust").text == (
        "5 claims, 2 found word for word or by value, 1 derived, 2 not found"
    )
    guess = read_html(compose("## S\n\nWe guess 300 euros. It is so.").html)
    assert guess.one("small", class_="unfound").attrs["title"] == "no source named: 300 euros"
    counts = page.one("section", id="sources").attrs
    assert (counts["data-sources"], counts["data-publishers"], counts["data-unfound"]) == (
        "1", "1", "2",
    )  # fmt: skip
    assert report.trust == Trust(claims=5, found=2, derived=1, unfound=2)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "none of its sources was read in full"),
        ("de", "Keine Quelle wurde ganz gelesen"),
        ("fr", "aucune source n'a été lue"),
        ("es", "ninguna fuente se leyó por completo"),
    ],
)
def test_a_report_on_search_results_alone_says_so_above_everything(
    language: str, words: str
) -> None:
    snippets = [source(n, kind="snippet") for n in (1, 2)]
    report = compose("## S\n\nText. [2]", language=language, sources=snippets)
    page = read_html(report.html)
    assert words in page.one("aside", class_="box warning").text
    assert any("None of the cited sources was read in full" in each for each in report.warnings)


def test_a_report_with_one_page_that_was_read_says_nothing_of_the_kind() -> None:
    sources = [*SOURCES[:8], source(9, kind="snippet")]
    report = compose("## S\n\nText. [1, 9]", sources=sources)
    assert "none of its sources" not in report.html
    assert report.warnings == []


def test_a_cited_passage_says_a_claim_before_the_rest_of_its_source() -> None:
    filler = "Nothing of note is told in this long paragraph about the garden. " * 4
    text = f"The plant has 47 engineers.\n\n{filler}\n\nThe new plant has 47 engineers in Lyon."
    claims = read_claims(parse_markdown("The plant has 47 engineers. [1#2]"))
    (checked,) = check_claims(claims, [source(1, text)])
    assert not checked.verdict.doubts
    assert checked.supports[1, 2].sentence == "The new plant has 47 engineers in Lyon."
