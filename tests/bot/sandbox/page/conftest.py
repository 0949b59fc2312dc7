"""What the tests of the page share: a browser, and the renderer in it."""

from tests.bot.sandbox.page.render_harness import harness, harness_page
from tests.browser import browser, browser_page

__all__ = ["browser", "browser_page", "harness", "harness_page"]
