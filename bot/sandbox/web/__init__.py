"""The small web of the sandbox: pages under made-up host names, served on loopback."""

from bot.sandbox.web.server import SmallWeb
from bot.sandbox.web.site import NoPagesError, Page, PageKind

__all__ = ["NoPagesError", "Page", "PageKind", "SmallWeb"]
