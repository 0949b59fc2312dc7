"""What is taken from a page: Markdown that reads like it, without link targets and emphasis."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Article:
    """The main text of a page as plain-reading Markdown."""

    title: str = ""
    description: str = ""
    markdown: str = ""
    lack: Literal["", "needs a browser", "no text on the page"] = ""
    """Why `markdown` is empty, if it is."""


class Element(Protocol):
    """An element of an HTML page, or of trafilatura's simpler tree."""

    tag: object
    """The name; comments and processing instructions have something else here."""
    text: str | None
    tail: str | None

    def __iter__(self) -> Iterator["Element"]: ...

    def extend(self, elements: "list[Element]", /) -> None: ...

    def get(self, key: str, default: str, /) -> str: ...

    def iter(self, *tags: str) -> Iterator["Element"]: ...

    def iterancestors(self) -> Iterator["Element"]: ...

    def iterchildren(self, *tags: str) -> Iterator["Element"]: ...

    def itertext(self) -> Iterator[str]: ...


def line_of(text: str | None) -> str:
    """Text on one line, each run of white space one space."""
    return " ".join((text or "").split())


_HEADING_MARKS = {"h1": "#", "h2": "##", "h3": "###", "h4": "####", "h5": "#####", "h6": "######"}


def render_blocks(body: Element) -> list[str]:
    """The blocks of the tree in their order, to be joined by empty lines."""
    return [block for block in _blocks(body) if block]


def _blocks(element: Element) -> Iterator[str]:
    """Each block below an element; text between blocks counts as a paragraph."""
    yield line_of(element.text)
    for child in element:
        yield from _block(child)
        yield line_of(child.tail)


def _block(element: Element) -> Iterator[str]:
    match element.tag:
        case "head":
            yield _heading(element)
        case "list":
            yield "\n".join(_items(element, ""))
        case "table":
            yield _table(element)
        case "quote":
            lines = "\n\n".join(block for block in _blocks_or_text(element) if block).splitlines()
            yield "\n".join(f"> {line}".rstrip() for line in lines)
        case "code":
            yield _code(element)
        case "p":
            yield from _paragraph(element)
        case "div" | "body" | "main" | "article" | "section":
            yield from _blocks(element)
        case _:
            yield _text(element)


def _heading(element: Element) -> str:
    text = _text(element).replace("\n", " ")
    return f"{_HEADING_MARKS.get(element.get('rend', ''), '##')} {text}" if text else ""


def _items(element: Element, indent: str) -> Iterator[str]:
    for item in element.iterchildren("item"):
        nested = list(item.iterchildren("list"))
        text = _text(item, without=nested).replace("\n", " ")
        if text:
            yield f"{indent}- {text}"
        for inner in nested:
            yield from _items(inner, f"{indent}  ")


def _table(element: Element) -> str:
    rows = [[_cell(cell) for cell in row.iterchildren("cell")] for row in element.iter("row")]
    rows = [row for row in rows if any(row)]
    width = max((len(row) for row in rows), default=0)
    if width < 2:
        return "\n\n".join(cell for row in rows for cell in row if cell)
    head, *rest = [row + [""] * (width - len(row)) for row in rows]
    lines = [head, ["---"] * width, *rest]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(element: Element) -> str:
    return _text(element).replace("\n", " ").replace("|", "\\|")


def _code(element: Element) -> str:
    text = "".join(element.itertext()).strip("\n")
    if "\n" not in text:
        return text.strip()
    fence = "````" if "```" in text else "```"
    return f"{fence}\n{text}\n{fence}"


def _paragraph(element: Element) -> Iterator[str]:
    if any(child.tag in {"list", "table", "quote", "code"} for child in element):
        yield from _blocks_or_text(element)
    else:
        yield _text(element)


def _blocks_or_text(element: Element) -> Iterator[str]:
    """Blocks where there are any, else the running text in one piece."""
    if any(child.tag in {"p", "head", "list", "table", "quote", "div"} for child in element):
        yield from _blocks(element)
    else:
        yield _text(element)


def _text(element: Element, without: list[Element] | None = None) -> str:
    """The running text; line breaks stay, every other white space becomes one space."""
    pieces = "".join(_pieces(element, without or []))
    lines = (line_of(line) for line in pieces.split("\v"))
    return "\n".join(line for line in lines if line)


def _pieces(element: Element, without: list[Element]) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag == "lb":
            yield "\v"
        elif child not in without and isinstance(child.tag, str):
            yield from _pieces(child, without)
            if child.tag in {"p", "item", "cell", "head", "row"}:
                yield "\v"
        yield child.tail or ""
