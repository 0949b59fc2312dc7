"""The reading process: one request a frame on standard input, one article a frame on output."""

import re
import resource
import sys
from contextlib import suppress
from typing import BinaryIO

from mcp_local.extract.html import extract_html
from mcp_local.extract.reader import FRAME_HEADER, Article, Request

MAX_MEMORY_BYTES = 2_000_000_000


def extract_page(request: Request) -> Article:
    """The article of a page of either kind."""
    if request.kind == "text":
        return extract_text(request.text)
    return extract_html(request.text, request.url)


def serve(incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Say with an empty frame that the imports are done, then answer until the other end closes."""
    _send(outgoing, b"")
    while header := incoming.read(FRAME_HEADER.size):
        body = incoming.read(FRAME_HEADER.unpack(header)[0])
        article = extract_page(Request.model_validate_json(body))
        _send(outgoing, article.model_dump_json().encode())


def _send(outgoing: BinaryIO, body: bytes) -> None:
    outgoing.write(FRAME_HEADER.pack(len(body)) + body)
    outgoing.flush()


def main() -> None:
    """Serve within a memory limit; a page that breaks it ends the process, which is replaced."""
    # Some systems know no such limit; the time limit of the other end holds everywhere.
    with suppress(ValueError, OSError):
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, hard))
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()


_HEADING = re.compile(r"^##? (.+)$", re.M)
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def extract_text(text: str) -> Article:
    """The text with plain line ends; the title is its first heading or first line."""
    lines = (_CONTROLS.sub("", line).rstrip() for line in text.splitlines())
    plain = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
    if not plain:
        return Article(lack="no text on the page")
    heading = _HEADING.search(plain)
    title = heading[1].strip("# ") if heading else plain.partition("\n")[0]
    return Article(title=title[:200], markdown=plain)
