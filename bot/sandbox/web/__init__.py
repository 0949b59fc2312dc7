"""The small web of the sandbox: pages under made-up host names, served on loopback."""

from bot.sandbox.web.server import NoPagesError, Page, PageKind, SmallWeb

__all__ = ["NoPagesError", "Page", "PageKind", "SmallWeb"]
