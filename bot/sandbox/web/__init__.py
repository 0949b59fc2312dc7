"""The small web of the sandbox: pages under made-up host names, served on loopback."""

from bot.sandbox.web.server import NoPagesError, PageKind, SmallWeb, WebPage

__all__ = ["NoPagesError", "PageKind", "SmallWeb", "WebPage"]
