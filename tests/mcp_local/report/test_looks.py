"""A rich report in Chromium: accessible by day, by night and on a phone, its passages at hand."""

import re
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page, expect
from pypdfium2 import PdfDocument

from mcp_local.browser import Browsers
from mcp_local.prints import AUTHOR, with_author
from mcp_local.settings import Settings
from tests.browser import browser, browser_page, browser_window
from tests.mcp_local.report.reading import compose, source

__all__ = ["browser", "browser_page", "browser_window"]
pytestmark = pytest.mark.asyncio(loop_scope="module")

SAYS = "Nobody had asked before. The towers of the grid hold 33.8 gigawatts in May 2026. They grew."
RICH = f"""## Figures

> [!FIGURES] Key figures
> - **33.8 GW** are held by the towers of the grid [1]

The towers of the grid hold 33.8 gigawatts. [1]

> [!BAR] Power of the towers [1]
>
> | Year | Power | Change |
> |---|---|---|
> | 2025 | 21.4 GW | -3 |
> | 2026 | 33.8 GW | 0 |

> [!LINE] Near zero [1]
>
> | Year | Power |
> |---|---|
> | 2025 | 0.0000001 |
> | 2026 | 0 |

> [!TIMELINE] What happened when
> - **May 2026** The towers hold 33.8 gigawatts [1]

| {" | ".join(["A long heading of a column"] * 8)} |
{"|---" * 8}|
| {" | ".join(["33.8"] * 8)} |

```
{"a long line of code " * 20}
```
"""


@pytest_asyncio.fixture(loop_scope="module")
async def report(browser_page: Page, tmp_path: Path) -> Page:
    page = tmp_path / "report.html"
    page.write_text(compose(RICH, sources=[source(1, SAYS)]).html, encoding="utf-8")
    await browser_page.emulate_media(reduced_motion="reduce")
    await browser_page.goto(page.as_uri())
    return browser_page


@pytest.mark.proves("report.accessible")
@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 1280), ("light", 390)])
async def test_axe_finds_nothing_in_a_rich_report(report: Page, theme: Any, width: int) -> None:
    await report.set_viewport_size({"width": width, "height": 844})
    await report.emulate_media(color_scheme=theme)
    axe: Any = Axe()  # its annotations are partial
    assert (await axe.run(report)).response["violations"] == []
    assert await report.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.proves("report.passages")
async def test_a_citation_shows_the_passage_it_rests_on_with_its_sentence_marked(
    report: Page,
) -> None:
    citation = report.locator("p").filter(has_text="hold 33.8 gigawatts").locator(".citation")
    passage = report.locator(f"#{await citation.get_attribute('aria-describedby')}")
    await expect(passage).to_be_hidden()
    await citation.hover()
    await expect(passage).to_be_visible()
    assert await passage.locator("mark").inner_text() == (
        "The towers of the grid hold 33.8 gigawatts in May 2026."
    )
    assert "#:~:text=The%20towers" in (await passage.locator("a").get_attribute("href") or "")
    await report.mouse.move(0, 0)
    await expect(passage).to_be_hidden()
    await report.keyboard.press("Tab")
    await citation.focus()
    await expect(passage).to_be_visible()


@pytest.mark.proves("report.accessible")
async def test_a_table_says_that_it_scrolls_only_where_it_does(report: Page) -> None:
    await report.set_viewport_size({"width": 390, "height": 844})
    hints = await report.evaluate(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done("
        "[...document.querySelectorAll('.table')]"
        ".map(table => parseFloat(getComputedStyle(table, '::after').height) > 10)))))"
    )
    assert hints == [False, False, True]


@pytest.mark.proves("report.printed")
@pytest.mark.process("Chromium prints the page")
async def test_a_pdf_has_author_outline_tags_and_a_running_title_with_page_numbers() -> None:
    wrong = "## Wrong\n\nThe towers of the grid hold 99.9 gigawatts. [1]"
    more = "## More\n\nText. [1]\n\n" * 40
    page = compose(f"{wrong}\n\n{RICH}\n\n{more}", sources=[source(1, SAYS)])
    pdf = with_author(await Browsers(Settings()).print(page.html.encode(), session=Path()))
    document = PdfDocument(pdf)
    about: dict[str, str] = document.get_metadata_dict()
    assert (about["Title"], about["Author"]) == ("The topic", AUTHOR)
    assert b"/StructTreeRoot" in pdf
    whole: Any = document
    outline = list(whole.get_toc(max_depth=1))
    assert [mark.get_title() for mark in outline] == ["The topic"]
    pages: list[str] = [each.get_textpage().get_text_bounded() for each in whole]
    assert re.search(r"hold 99\.9 gigawatts\.\s*\[1\]\s*not found in the source", "\n".join(pages))
    second = whole[1].get_textpage()
    text: str = second.get_text_bounded()
    assert text.startswith("The topic")
    assert "November 21, 2026" in text
    assert re.search(rf"\b2 / {len(document)}\b", text)
