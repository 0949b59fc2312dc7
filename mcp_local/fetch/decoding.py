"""Undoing gzip, deflate and brotli piece by piece, never beyond a limit."""

import zlib
from collections.abc import Iterator
from typing import Protocol, cast

import brotli

from mcp_local.errors import FetchFailed

ACCEPT_ENCODING = "gzip, deflate, br"
_PIECE_BYTES = 256 * 1024


class Decoder(Protocol):
    """Turns received bytes into decoded pieces of bounded size."""

    def pieces(self, received: bytes) -> Iterator[bytes]:
        """The decoded bytes of one more received chunk; FetchFailed when it is damaged."""
        ...


class _Decompressor(Protocol):
    """What brotli's module offers, which comes without types."""

    def process(self, data: bytes, /, *, output_buffer_limit: int) -> bytes: ...

    def can_accept_more_data(self) -> bool: ...


_BrotliError = cast("type[Exception]", brotli.error)  # pyright: ignore[reportUnknownMemberType]


class Identity:
    """For bodies that are not compressed."""

    def pieces(self, received: bytes) -> Iterator[bytes]:
        """The bytes as they came."""
        yield received


class Zlib:
    """gzip, and deflate with or without its header."""

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
        self._fresh = True

    def pieces(self, received: bytes) -> Iterator[bytes]:
        """At most 256 KiB at a time, so that a caller can stop a bomb early."""
        pending = received
        while pending and not self._inflater.eof:
            try:
                yield self._inflate(pending)
            except zlib.error:
                raise FetchFailed("the page is damaged") from None
            pending = self._inflater.unconsumed_tail

    def _inflate(self, pending: bytes) -> bytes:
        try:
            piece = self._inflater.decompress(pending, _PIECE_BYTES)
        except zlib.error:
            if not self._fresh:
                raise
            # Some servers send deflate without the zlib header.
            self._inflater = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
            piece = self._inflater.decompress(pending, _PIECE_BYTES)
        self._fresh = False
        return piece


class Brotli:
    """Brotli."""

    def __init__(self) -> None:
        self._decompressor = cast("_Decompressor", brotli.Decompressor())  # pyright: ignore[reportUnknownMemberType]

    def pieces(self, received: bytes) -> Iterator[bytes]:
        """At most about 256 KiB at a time, so that a caller can stop a bomb early."""
        try:
            yield self._process(received)
            while not self._decompressor.can_accept_more_data():
                yield self._process(b"")
        except _BrotliError:
            raise FetchFailed("the page is damaged") from None

    def _process(self, received: bytes) -> bytes:
        return self._decompressor.process(received, output_buffer_limit=_PIECE_BYTES)


def decoder_for(content_encoding: str) -> Decoder:
    """The decoder of one Content-Encoding header; stacked encodings are refused."""
    match content_encoding.strip().lower():
        case "" | "identity":
            return Identity()
        case "gzip" | "x-gzip" | "deflate":
            return Zlib()
        case "br":
            return Brotli()
        case other:
            raise FetchFailed(f"the page is packed in a way we do not read ({other[:40]})")
