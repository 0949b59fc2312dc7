"""The small web of the sandbox: pages under made-up host names, served on loopback."""

from bot.sandbox.web.search import PageKind, PageLoader, SearchEngine, WebPage, no_pages
from bot.sandbox.web.server import NoPagesError, SmallWeb

__all__ = [
    "NoPagesError",
    "PageKind",
    "PageLoader",
    "SearchEngine",
    "SmallWeb",
    "WebPage",
    "no_pages",
]
