"""The small web of the sandbox: pages under made-up host names, served on loopback."""

from bot.sandbox.web.page import Page, PageKind
from bot.sandbox.web.server import SmallWeb
from bot.sandbox.web.site import NoPagesError

__all__ = ["NoPagesError", "Page", "PageKind", "SmallWeb"]
