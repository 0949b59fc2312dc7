"""Texts in shapes that are slow to read for whoever looks at each sign again for each other one."""

from collections.abc import Mapping

UNITS: Mapping[str, str] = {
    "letters": "a",
    "blanks": " ",
    "lines": "word\n",
    "paragraphs": "w\n\n",
    "carriage returns": "a\r",
    "prose": "word and word. ",
    "tildes": "~~a",
    "stars": " *a",
    "bold": "**a",
    "underscores": " _a",
    "ticks": "`a",
    "uneven ticks": "`` a ` ",
    "fences": "```\na\n",
    "brackets": "[",
    "half links": "[a](",
    "pictures": "![",
    "quotes": "> ",
    "quoted lines": "> a\n",
    "list": "- a\n",
    "list in list": "- ",
    "rows": "|x|y|\n",
    "columns": "|a",
    "addresses": "https://x.org/a ",
    "hosts": "a.b",
    "hosts and brackets": "a.b/)]",
    "hosts and brackets in pieces": "a.b/)]" * 60 + " ",
    "mails": "a@b.",
    "ampersands": "&",
    "less-thans": "<",
    "half tags": "<a ",
    "comments": "<!--",
    "headings": "# a\n",
    "definitions": "[a]: x\n",
    "backslashes": "\\",
    "dots": ".",
    "digits": "1,111",
    "quotation marks": '"a',
    "citations": "[1,",
    "objects": '{"a":',
    "emoji": ":a:",
    "family": "\U0001f469\u200d",
    "accents": "\u0301",
    "no width": "\u200b",
    "ideographs": "\u6f22",
    "slashes": "\\/",
    "reads": "read a b c d ",
    "open links": "<a:b|",
    "spans": "`a` b`c` ",
    "addresses that touch": "https://a.b",
    "empty lines": "\n",
}
FRAMED: Mapping[str, tuple[str, str, str]] = {
    "a long label": ("[", "a", "](https://x.org)"),
    "a label of hosts": ("[", "a.", "](https://x.org)"),
    "a table": ("|a|b|\n|-|-|\n", "|x|y|\n", ""),
    "a tag": ("<", "a", "x"),
    "a tag that is blank": ("<", " ", "x"),
    "an address": ("[a](https://x.org/", "a", ""),
    "code that is cut": ("`", "a ", "`"),
}
"""What stands before and behind a unit."""


def shape(unit: str, chars: int, beginning: str = "", end: str = "") -> str:
    """A text of about so many characters."""
    return beginning + (unit * (chars // len(unit) + 1))[:chars] + end


def shapes(chars: int) -> dict[str, str]:
    """Every shape by its name."""
    plain = {name: shape(unit, chars) for name, unit in UNITS.items()}
    framed = {name: shape(unit, chars, a, z) for name, (a, unit, z) in FRAMED.items()}
    few = chars // 8
    wide = "\n".join(("|a" * few, "|-" * few, "|" * few * 2))
    nested = f"{'*_' * 2 * few}a{'_*' * 2 * few}"
    return {**plain, **framed, "a wide table": wide, "nested marks": nested}
