"""What becomes of a run's answer: in the asked form, in another one, and in a hostile one."""

import time
from collections.abc import Collection, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.schedules.schedule import PageRead
from bot.digests.report import MAX_LINE_CHARS, MAX_LINES, Report, address, divide, plain

ASKED_FORM = """\
# Battery storage grows in three countries
- Spain approves 2 GW, 20 November 2026, [El Mundo](https://elmundo.example/spain-2gw)
- A plant in Essen opens, 19 November 2026, [WAZ](https://waz.example/essen)
---
The market in Italy is quiet.

- A list in the details is no line.
"""
TASK = "battery storage"
MAX_S = 5.0
"""Far above what linear work takes, far below what quadratic work would."""


def page(number: int, title: str = "", date: str = "") -> PageRead:
    return PageRead(
        url=f"https://site.example/{number}", title=title or f"Page {number}", date=date
    )


def divided(
    answer: str,
    pages: Sequence[PageRead] = (),
    sources: Collection[str] = (),
    claims: Collection[str] = (),
) -> Report:
    return divide(answer, task=TASK, pages=pages, known_sources=sources, known_claims=claims)


def texts(report: Report) -> list[str]:
    return [finding.text for finding in report.findings]


def told_again(answer: str, *earlier: str) -> Report:
    """A run's report after the reports of those before it."""
    reports = [divided(each) for each in earlier]
    return divided(
        answer,
        sources=[source for report in reports for source in report.sources],
        claims=[claim for report in reports for claim in report.claims],
    )


def test_an_answer_in_the_asked_form_is_divided_into_its_parts() -> None:
    report = divided(ASKED_FORM)

    assert report.title == "Battery storage grows in three countries"
    assert texts(report) == [
        "Spain approves 2 GW, 20 November 2026, [El Mundo](https://elmundo.example/spain-2gw)",
        "A plant in Essen opens, 19 November 2026, [WAZ](https://waz.example/essen)",
    ]
    assert report.details == (
        "The market in Italy is quiet.\n\n- A list in the details is no line."
    )
    assert report.sources == ("elmundo.example/spain-2gw", "waz.example/essen")
    assert report.claims == (
        "Spain approves 2 GW, 20 November 2026, El Mundo",
        "A plant in Essen opens, 19 November 2026, WAZ",
    )
    assert report.is_news


@pytest.mark.parametrize(
    "answer",
    [
        "# Head\n\n- one\n- two\n\n---\n\nrest",
        "# Head\n* one\n* two\n***\nrest",
        "## Head ##\n+ one\n+ two\n- - -\nrest",
        "Head\n\n1. one\n2. two\n\nrest",
        "**Head**\n• one\n• two\n\nrest",
        "Head:\n- one\n- two\n\nrest",
        "---\n# Head\n---\n- one\n- two\n---\nrest",
        "# Head\n- one\n- two\nrest",
        "```markdown\n# Head\n- one\n- two\n---\nrest\n```",
        "# Head\r\n- one\r\n- two\r\n---\r\nrest\r\n",
    ],
)
def test_small_departures_from_the_form_are_forgiven(answer: str) -> None:
    report = divided(answer, pages=[page(1)])

    assert (report.title, texts(report), report.details) == ("Head", ["one", "two"], "rest")


def test_an_indented_line_goes_on_with_its_bullet() -> None:
    report = divided("# Head\n- one goes\n  on here\n- two\n---\nrest")

    assert texts(report) == ["one goes on here", "two"]


def test_the_headline_is_plain_words() -> None:
    report = divided("# **Bold** news from [a site](https://site.example/a) about C#\n- one")

    assert report.title == "Bold news from a site about C#"


@pytest.mark.parametrize("answer", ["- one\n- two", "#\n- one\n- two"])
def test_an_answer_without_a_headline_gets_the_task_for_one(answer: str) -> None:
    assert divided(answer).title == TASK


def test_lines_beyond_the_fifth_are_told_in_the_thread_and_remembered() -> None:
    answer = "# Head\n" + "\n".join(f"- fact {n}" for n in range(1, 8)) + "\n---\nrest"
    report = divided(answer)

    assert texts(report) == [f"fact {n}" for n in range(1, 6)]
    assert report.details == "- fact 6\n- fact 7\n\nrest"
    assert not told_again("# Head\n- fact 7", answer).is_news


def test_a_line_that_is_too_long_is_whole_in_the_thread() -> None:
    long = "word " * 100 + "[Source](https://site.example/long)"
    report = divided(f"# Head\n- {long}\n- short")

    assert texts(report)[0].endswith("word…")
    assert len(texts(report)[0]) <= MAX_LINE_CHARS
    assert report.details == f"- {long}"
    assert "site.example/long" in report.sources


def test_an_address_is_never_cut_and_costs_a_line_nothing() -> None:
    link = f"[Source](https://site.example/{'a' * 400})"
    text = f"{'word ' * 50}{link} [Other](https://site.example/b)"

    assert texts(divided(f"# Head\n- {text}")) == [text]


def test_words_without_a_list_make_way_for_the_pages_that_were_read() -> None:
    answer = "# Head\n\nBatteries are a wide field.\n\n- one\n- two"
    report = divided(answer, pages=[page(1, date="2026-11-20"), page(2)])

    assert texts(report) == [
        "[Page 1](<https://site.example/1>) (2026-11-20)",
        "[Page 2](<https://site.example/2>)",
    ]
    assert report.title == "Head"
    assert report.details == answer
    assert report.claims == ()
    assert report.sources == ("site.example/1", "site.example/2")


def test_words_without_list_or_pages_are_told_by_their_beginning() -> None:
    answer = "# Head\n\nBatteries *are* a wide field.\n\nMuch is going on."
    first, second = divided(answer), told_again(answer, answer)

    assert texts(first) == ["Batteries are a wide field."]
    assert first.is_news
    assert first.details == answer
    assert not second.is_news


def test_a_headline_over_an_empty_list_says_that_there_is_nothing_new() -> None:
    report = divided("# Nothing new\n---\nI looked at ten pages.", pages=[page(1), page(2)])

    assert report.findings == ()
    assert not report.is_news
    assert report.details == "I looked at ten pages."
    assert report.sources == ()


@pytest.mark.parametrize("answer", ["", " \n\t\n", "---", "```\n```"])
def test_an_empty_answer_is_a_report_without_news(answer: str) -> None:
    report = divided(answer)

    assert report.title == TASK
    assert report.findings == ()
    assert not report.is_news


def test_the_same_answer_again_is_no_news() -> None:
    report = told_again(ASKED_FORM, ASKED_FORM)

    assert [finding.is_new for finding in report.findings] == [False, False]
    assert not report.is_news


def test_in_the_second_run_what_is_new_comes_first() -> None:
    second = ASKED_FORM.replace(
        "---", "- Chile builds, 21 November 2026, [Emol](https://emol.example/c)\n---"
    )
    report = told_again(second, ASKED_FORM)

    assert [finding.is_new for finding in report.findings] == [True, False, False]
    assert texts(report)[0].startswith("Chile builds")


def test_in_the_third_run_both_runs_before_it_count() -> None:
    second = "# More\n- Chile builds, [Emol](https://emol.example/c)"
    third = "# Even more\n- Chile builds, [Emol](https://emol.example/c)\n- Spain, [E](https://elmundo.example/spain-2gw)"

    assert not told_again(third, ASKED_FORM, second).is_news
    assert told_again(third, ASKED_FORM).is_news


def test_new_lines_crowd_out_old_ones() -> None:
    old = "# Old\n" + "\n".join(f"- old {n}" for n in range(5))
    both = old + "\n" + "\n".join(f"- new {n}" for n in range(5))

    assert texts(told_again(both, old)) == [f"new {n}" for n in range(5)]


@pytest.mark.parametrize(
    ("line", "is_new"),
    [
        ("Spain approves 2 GW.", False),
        ("*Spain* approves **2 GW**.", False),
        ("Spain approves `2 GW`.", False),
        ("Spain approves 3 GW.", True),
        ("Other words, [Same](https://site.example/spain)", False),
        ("Spain approves 2 GW. [Other](https://site.example/other)", True),
        ("Two, [Same](https://site.example/spain), [Other](https://site.example/other)", True),
    ],
)
def test_a_line_is_known_by_its_sources_or_else_by_its_words(line: str, is_new: bool) -> None:
    first = "# Head\n- Spain approves 2 GW.\n- Spain, [S](https://site.example/spain)"

    assert told_again(f"# Head\n- {line}", first).is_news is is_new


@pytest.mark.parametrize(
    "url",
    [
        "https://site.example/news/Essen",
        "https://site.example/news/Essen/",
        "http://site.example/news/Essen",
        "HTTPS://WWW.Site.Example/news/Essen",
        "https://www.site.example/news/Essen#part-2",
        "https://site.example/news/Essen/#",
    ],
)
@pytest.mark.parametrize("form", ["[Link]({})", "[Link](<{}>)", '[Link]({} "title")', "<{}>", "{}"])
def test_a_page_is_the_same_however_its_address_is_written(url: str, form: str) -> None:
    first = "# Head\n- Essen, [WAZ](https://site.example/news/Essen)"

    assert not told_again(f"# Head\n- Essen, {form.format(url)}", first).is_news


@pytest.mark.parametrize(
    "url",
    [
        "https://site.example/news/essen",
        "https://site.example/news",
        "https://site.example/news/Essen?page=2",
        "https://other.example/news/Essen",
    ],
)
def test_another_page_is_another_source(url: str) -> None:
    first = "# Head\n- Essen, [WAZ](https://site.example/news/Essen)"

    assert told_again(f"# Head\n- Essen, [WAZ]({url})", first).is_news


@pytest.mark.parametrize(
    "line",
    [
        "see https://site.example/a.",
        "see (https://site.example/a)",
        "see **https://site.example/a**",
        "see “https://site.example/a”",
        "see [a [b] c](https://site.example/a)",
        "see [https://other.example](https://site.example/a)",
    ],
)
def test_an_address_is_found_among_punctuation(line: str) -> None:
    assert divided(f"# Head\n- {line}").sources == ("site.example/a",)


def test_brackets_in_an_address_belong_to_it() -> None:
    answer = "# Head\n- a [A](https://wiki.example/Cell_(battery))\n- b https://wiki.example/B_(b)"

    assert divided(answer).sources == ("wiki.example/Cell_(battery)", "wiki.example/B_(b)")


@pytest.mark.parametrize(
    "line",
    [
        "[x](javascript:alert(1))",
        "[x](data:text/html,hi)",
        "`https://site.example/a`",
        "<b>x</b> <script>alert(1)</script>",
    ],
)
def test_what_nobody_can_follow_is_no_source(line: str) -> None:
    report = divided(f"# Head\n- {line}")

    assert report.sources == ()
    assert texts(report) == [line]


def test_what_a_page_calls_itself_is_no_markup() -> None:
    hostile = PageRead(
        url="https://site.example/a b>c",
        title="Win](https://evil.example) `x` <!channel> [now",
        date="[today](https://evil.example)",
    )
    report = divided("Words.", pages=[hostile])

    assert report.sources == ("site.example/a%20b%3Ec",)
    assert plain(texts(report)[0]) == "Win]( `x` <!channel> [now ([today]("


def test_a_page_without_a_title_shows_its_address() -> None:
    assert texts(
        divided("Words.", pages=[PageRead(url="https://a.example", title="", date="")])
    ) == ["[https://a.example](<https://a.example>)"]


def test_ten_thousand_bullets_give_five_lines() -> None:
    report = divided("# Head\n" + "\n".join(f"- fact {n}" for n in range(10_000)))

    assert texts(report) == [f"fact {n}" for n in range(MAX_LINES)]
    assert report.details.endswith("- fact 9999")


def test_bullets_that_say_the_same_are_one() -> None:
    assert texts(divided("# Head\n- one\n- one\n- two")) == ["one", "two"]


def test_an_answer_of_headings_only_loses_nothing() -> None:
    answer = "# One\n# Two\n## Three"
    report = divided(answer)

    assert (report.title, report.details) == ("One", answer)
    assert [plain(text) for text in texts(report)] == ["Two ## Three"]


@pytest.mark.parametrize(
    "unit",
    ["[", "](http://", "[a](http://a ", "# ", "- ", "-", " ", "#", "* ", "`", "<", "![", "\\",
     "---\n", "- a\n",
     "- [a](http://a.b/c)\n", "  a\n", "# a\n", "https://a", "http://a.b/((", "_a "],
)  # fmt: skip
@pytest.mark.parametrize("head", ["", "# Head\n- ", "# Head\n- a\n---\n"])
def test_a_hostile_answer_of_100_000_characters_takes_no_time(head: str, unit: str) -> None:
    answer = head + unit * (100_000 // len(unit)) + "x"
    begun = time.perf_counter()

    report = divided(answer, pages=[page(1)])

    assert time.perf_counter() - begun < MAX_S
    assert len(report.findings) <= MAX_LINES


@given(st.text(), st.text())
def test_any_answer_becomes_a_report(answer: str, claim: str) -> None:
    report = divided(answer, pages=[page(1)], sources=[claim], claims=[claim])

    assert report.title
    assert len(report.findings) <= MAX_LINES
    assert all("\n" not in finding.text for finding in report.findings)


@given(st.text())
def test_an_address_of_an_address_is_the_same(url: str) -> None:
    assert address(address(url)) == address(url)


@given(st.lists(st.text(alphabet="ab *_`[]()<>#-\n:/.h", max_size=60), max_size=8))
def test_no_answer_is_news_twice(lines: list[str]) -> None:
    answer = "# Head\n" + "\n".join(f"- {line}" for line in lines)

    assert not told_again(answer, answer).is_news
