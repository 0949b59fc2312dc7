"""The reading process: one request a frame on standard input, one article a frame on output."""

import resource
import sys
from contextlib import suppress
from typing import BinaryIO

from mcp_local.extract.article import FRAME_HEADER, Article, Request
from mcp_local.extract.html import extract_html
from mcp_local.extract.text import extract_text

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
