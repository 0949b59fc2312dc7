"""The reading process: one request a frame on standard input, one article a frame on output."""

import resource
import sys
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
    """Answer requests until the other end closes."""
    while header := incoming.read(FRAME_HEADER.size):
        body = incoming.read(FRAME_HEADER.unpack(header)[0])
        article = extract_page(Request.model_validate_json(body))
        answer = article.model_dump_json().encode()
        outgoing.write(FRAME_HEADER.pack(len(answer)) + answer)
        outgoing.flush()


def main() -> None:
    """Serve within a memory limit; a page that breaks it ends the process, which is replaced."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, hard))
    serve(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
