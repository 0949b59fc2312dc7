"""The only opener of foreign URLs: addresses are checked when dialled, pages are bounded."""

from typing import Literal

TextKind = Literal["html", "text", "pdf"]
