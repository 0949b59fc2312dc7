"""Text in posts: mrkdwn, Markdown, rich text, dates, emoji; what is shown and what stays inert."""

import pytest
from playwright.async_api import expect

from tests.bot.sandbox.page.render_harness import Harness

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOON = 1_789_986_600  # 2026-09-21 12:30 in Berlin; the harness' clock says 16:13 of that day


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*bold* _italic_ ~gone~", "<strong>bold</strong> <em>italic</em> <s>gone</s>"),
        ("_*both*_", "<em><strong>both</strong></em>"),
        ("(*a*), *b*.", "(<strong>a</strong>), <strong>b</strong>."),
        ("snake_case_name 2*3*4 a~b~c", "snake_case_name 2*3*4 a~b~c"),
        ("* not bold* *nor this * **nor** this", "* not bold* *nor this * **nor** this"),
        ("*no\nbreak*", "*no<br>break*"),
        ("a\u200b*b*\u200bc", "a\u200b<strong>b</strong>\u200bc"),
        ("`*literal*`", '<code class="k-code">*literal*</code>'),
        ("*a `*` b*", '<strong>a <code class="k-code">*</code> b</strong>'),
        ("&lt;b&gt; &amp;amp;", "&lt;b&gt; &amp;amp;"),
        (":unheard_of: 10:30:45", ":unheard_of: 10:30:45"),
        ("> one\n> two\nthree", '<blockquote class="k-quote">one<br>two</blockquote>three'),
        ("&gt;&gt;&gt; all\nof it", '<blockquote class="k-quote">all<br>of it</blockquote>'),
    ],
)
async def test_mrkdwn_marks_only_at_the_borders_of_words(
    harness: Harness, text: str, html: str
) -> None:
    assert await harness.show("mrkdwn", text) == html


async def test_a_code_block_keeps_its_lines_and_nothing_in_it_is_markup(harness: Harness) -> None:
    await harness.show(
        "mrkdwn", "before\n```\nif *x*:\n    <@U2> <https://a.example|a>\n```\nafter"
    )
    block = harness.main.locator("pre")
    assert await block.inner_text() == "if *x*:\n    @Ben Bell a"
    assert await harness.main.inner_text() == "before\nif *x*:\n    @Ben Bell a\nafter"
    await expect(block.locator("strong, .k-mention")).to_have_count(0)


async def test_a_mention_shows_the_name_and_opens_the_person(harness: Harness) -> None:
    await harness.show("mrkdwn", "<@U2> <@U1> <@U404|old name> <#C1> <#C404|gone>")
    assert await harness.main.inner_text() == "@Ben Bell @ann @old name #general #gone"
    await expect(harness.main.locator(".k-mention-me")).to_have_text("@ann")
    await harness.main.get_by_text("@Ben Bell").click()
    await harness.main.get_by_text("#general").click()
    assert await harness.said() == [{"user": "U2"}, {"channel": "C1"}]


async def test_broadcasts_and_groups_are_mentions_without_a_link(harness: Harness) -> None:
    await harness.show("mrkdwn", "<!here> <!channel> <!everyone> <!subteam^S1|@ops> <!subteam^S2>")
    assert await harness.main.inner_text() == "@here @channel @everyone @ops @S2"
    await expect(harness.main.locator("a")).to_have_count(0)


@pytest.mark.parametrize("kind", ["mrkdwn", "markdown"])
async def test_links_lead_outside_without_a_trace(harness: Harness, kind: str) -> None:
    await harness.show(kind, "<https://a.example/?x=1&y=2> and https://b.example/c_d_e.")
    links = harness.main.get_by_role("link")
    assert await links.all_inner_texts() == [
        "https://a.example/?x=1&y=2",
        "https://b.example/c_d_e",
    ]
    for link in await links.all():
        assert await link.get_attribute("rel") == "noopener noreferrer"
        assert await link.get_attribute("target") == "_blank"


async def test_verbatim_text_links_no_bare_address(harness: Harness) -> None:
    text = {"type": "mrkdwn", "text": "https://a.example <https://b.example>"}
    for is_verbatim, count in ((False, 2), (True, 1)):
        section = {"type": "section", "text": text | {"verbatim": is_verbatim}}
        await harness.blocks(section)
        await expect(harness.main.get_by_role("link")).to_have_count(count)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("mrkdwn", "<javascript:alert(1)|click> <data:text/html,x|me> <//a.example|now>"),
        ("markdown", "[click](javascript:alert(1)) [me](data:text/html,x) [now](//a.example)"),
        ("markdown", "<img src=x onerror=alert(1)> <a href='javascript:alert(1)'>x</a>"),
        ("markdown", "![x](javascript:alert(1)) [x][1]\n\n[1]: javascript:alert(1)"),
    ],
)
async def test_only_web_and_mail_addresses_are_live(harness: Harness, kind: str, text: str) -> None:
    await harness.show(kind, text)
    await expect(harness.main.locator("a, img, script")).to_have_count(0)
    assert "javascript:alert(1)" in await harness.main.inner_text() or "//a.example" in text


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("{date_num}", "2026-09-21"),
        ("{date}", "September 21st, 2026"),
        ("{date_short}", "Sep 21, 2026"),
        ("{date_long}", "Monday, September 21st, 2026"),
        ("{date_pretty}", "today"),
        ("{date_short_pretty}", "today"),
        ("{date_long_pretty} at {time}", "today at 12:30 PM"),
        ("{time_secs}", "12:30:00 PM"),
        ("{ago}", "3 hours ago"),
        ("{other} {time}", "{other} 12:30 PM"),
    ],
)
async def test_a_date_is_written_by_its_tokens_in_the_readers_zone(
    harness: Harness, token: str, words: str
) -> None:
    await harness.show("mrkdwn", f"<!date^{NOON}^{token}^https://a.example|a fallback>")
    await expect(harness.main.get_by_role("link")).to_have_text(words)


async def test_a_date_that_is_none_shows_its_fallback(harness: Harness) -> None:
    await harness.show(
        "mrkdwn", "<!date^soon^{date}|one day> <!date^99999999999999999^{date}|never>"
    )
    assert await harness.main.inner_text() == "one day never"


async def test_days_near_today_have_names(harness: Harness) -> None:
    days = await harness.page.evaluate(
        "(noon) => [-1, 1, 2].map((day) => window.render.dates.dayText(noon + day * 86400, noon))",
        NOON,
    )
    assert days == ["yesterday", "tomorrow", "Sep 23, 2026"]


async def test_emoji_have_names_for_those_who_do_not_see_them(harness: Harness) -> None:
    await harness.show("mrkdwn", ":tada: :wave::skin-tone-3:")
    image = harness.main.get_by_role("img")
    await expect(image).to_have_text(["🎉", "👋🏼"])
    await expect(image.first).to_have_accessible_name("tada emoji")
    emoji = "['tada', 'thumbsup::skin-tone-6', 'nothing'].map(window.render.emoji.emoji)"
    assert await harness.page.evaluate(emoji.replace("emoji.emoji", "emoji")) == [
        "🎉",
        "👍🏿",
        ":nothing:",
    ]


@pytest.mark.parametrize(
    ("text", "html"),
    [
        (
            "**a** __b__ *c* _d_ ~~e~~",
            "<strong>a</strong> <strong>b</strong> <em>c</em> <em>d</em> <s>e</s>",
        ),
        ("***a** b*", "<em><strong>a</strong> b</em>"),
        ("snake_case_name 2 * 3 * 4", "snake_case_name 2 * 3 * 4"),
        (r"\*a\* &amp; &lt;b&gt;", "*a* &amp; &lt;b&gt;"),
        ("`` a`b ``", '<code class="k-code">a`b</code>'),
        ("one\ntwo", "one<br>two"),
        ("*open **never closed", "*open **never closed"),
        ("*foo**bar*", "<em>foo**bar</em>"),
    ],
)
async def test_markdown_inside_a_line(harness: Harness, text: str, html: str) -> None:
    assert await harness.show("markdown", text) == f'<p class="k-p">{html}</p>'


async def test_markdown_lists_nest_and_count_from_their_start(harness: Harness) -> None:
    await harness.show(
        "markdown", "3. three\n   - inner\n     1. deep\n4. four\n\n- [x] done\n- [ ] open"
    )
    outer = harness.page.locator("main > ol")
    await expect(outer).to_have_attribute("start", "3")
    await expect(outer.locator("> li > ul > li > ol > li")).to_have_text("deep")
    await expect(outer.locator("> li")).to_have_count(2)
    boxes = harness.main.get_by_role("checkbox")
    await expect(boxes).to_have_count(2)
    await expect(boxes.first).to_be_checked()
    await expect(boxes.last).not_to_be_checked()


async def test_markdown_headings_fences_quotes_rules_and_images(harness: Harness) -> None:
    source = "## Title *x*\nText\n\n~~~py\n# no heading\n~~~\n> quoted\ngoing on\n\n---\n![alt](https://a.example/i.png)"
    await harness.show("markdown", source)
    await expect(harness.main.get_by_role("heading", level=2)).to_have_text("Title x")
    await expect(harness.main.locator("pre")).to_have_text("# no heading")
    assert await harness.main.locator("blockquote").inner_text() == "quoted\ngoing on"
    await expect(harness.main.get_by_role("separator")).to_have_count(1)
    await expect(harness.main.get_by_role("link", name="alt")).to_have_attribute(
        "href", "https://a.example/i.png"
    )


async def test_a_markdown_table_has_heads_alignments_and_formatted_cells(harness: Harness) -> None:
    await harness.show("markdown", "| A | B |\n|:--|--:|\n| `x|y` | **2** |\n| a \\| b |")
    table = harness.main.get_by_role("table")
    await expect(table.get_by_role("columnheader")).to_have_text(["A", "B"])
    await expect(table.get_by_role("cell")).to_have_text(["x|y", "2", "a | b", ""])
    await expect(table.locator("td strong")).to_have_text("2")
    await expect(table.locator("td").nth(1)).to_have_class("k-right")


async def test_links_by_label_are_found_wherever_they_are_defined(harness: Harness) -> None:
    await harness.show(
        "markdown", "See [the docs][D] and [1].\n\n[d]: https://a.example\n[1]: https://b.example"
    )
    links = harness.main.get_by_role("link")
    await expect(links).to_have_text(["the docs", "1"])
    assert await harness.main.inner_text() == "See the docs and 1."


async def test_a_link_in_a_links_label_is_no_link_of_its_own(harness: Harness) -> None:
    await harness.show("markdown", "[https://a.example **x**](https://b.example)")
    await expect(harness.main.get_by_role("link")).to_have_text("https://a.example x")


async def test_half_a_streamed_text_is_shown_as_far_as_it_goes(harness: Harness) -> None:
    text = "# T\n\n- one\n- **two\n\n```py\nx = 1\n```\n| a | b |\n|--|--|\n| 1 | [l](https://a.ex"
    for end in range(len(text)):
        await harness.show("markdown", text[: end + 1])
        await expect(harness.main.locator(".unknown")).to_have_count(0)
    assert "[l](https://a.ex" in await harness.main.inner_text()


async def test_rich_text_shows_every_leaf_in_its_style(harness: Harness) -> None:
    leaves = [
        {"type": "text", "text": "a", "style": {"bold": True, "italic": True}},
        {"type": "text", "text": "*b*", "style": {"code": True}},
        {"type": "link", "url": "https://a.example", "text": "c", "style": {"strike": True}},
        {"type": "user", "user_id": "U2"},
        {"type": "usergroup", "usergroup_id": "S1"},
        {"type": "channel", "channel_id": "C1"},
        {"type": "broadcast", "range": "here"},
        {"type": "emoji", "name": "not_in_table", "unicode": "1f389"},
        {"type": "date", "timestamp": NOON, "format": "{time}", "fallback": "x"},
        {"type": "color", "value": "#ff0000"},
        {"type": "team", "team_id": "T1"},
        {"type": "hologram", "depth": 3},
    ]
    await harness.blocks(
        {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": leaves}]}
    )
    section = harness.main.locator(".k-rich-section")
    await expect(section).to_contain_text("a*b*c@Ben Bell@S1#general@here🎉12:30 PM#ff0000@T1")
    await expect(section.locator("em > strong")).to_have_text("a")
    await expect(section.locator("s > a")).to_have_text("c")
    await expect(section.get_by_role("figure")).to_contain_text("Unknown leaf: hologram")


async def test_rich_text_lists_quotes_and_code(harness: Harness) -> None:
    def line(text: str) -> dict[str, object]:
        return {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}

    await harness.blocks(
        {
            "type": "rich_text",
            "elements": [
                {
                    "type": "rich_text_list",
                    "style": "ordered",
                    "offset": 2,
                    "elements": [line("c")],
                },
                {"type": "rich_text_list", "style": "bullet", "indent": 1, "elements": [line("d")]},
                {"type": "rich_text_quote", "elements": line("q")["elements"]},
                {"type": "rich_text_preformatted", "elements": line("p\n  p")["elements"]},
            ],
        }
    )
    await expect(harness.main.locator("ol")).to_have_attribute("start", "3")
    await expect(harness.main.locator("ul.k-indent-1 > li")).to_have_text("d")
    await expect(harness.main.locator("blockquote")).to_have_text("q")
    assert await harness.main.locator("pre").inner_text() == "p\n  p"
