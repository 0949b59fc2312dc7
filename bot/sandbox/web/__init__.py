"""The small web of the sandbox: pages under made-up host names, served on loopback."""

from bot.sandbox.web.server import (
    NoPagesError,
    PageKind,
    PageLoader,
    SmallWeb,
    WebPage,
    no_pages,
)

__all__ = ["NoPagesError", "PageKind", "PageLoader", "SmallWeb", "WebPage", "no_pages"]
