"""How the page looks, as far as the description says."""

import pytest

from tests.mcp_local.report.drafts import page


@pytest.mark.proves("report.gradient")
def test_the_head_of_the_page_stands_on_a_gradient() -> None:
    style = page("## S\n\nText. [1]").one("style").text
    assert "linear-gradient(" in style
