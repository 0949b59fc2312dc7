"""Reads an act as the browser sends it: JSON, or a form with JSON and files. Bounded."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from aiohttp import BodyPartReader, web
from aiohttp.http_exceptions import HttpProcessingError
from pydantic_core import from_json

from bot.sandbox.page.person import Refused
from bot.sandbox.slack.gestures import TypedFile
from bot.sandbox.slack.wire import JsonObject, as_object

MAX_JSON_BYTES = 2**20
MAX_FILES = 10
MAX_FILES_BYTES = 2**30
_CHUNK_BYTES = 2**20
_TOO_LONG = f"That is too much: an act may have at most {MAX_JSON_BYTES // 2**20} MB beside files."
_BROKEN = (ValueError, AssertionError, RuntimeError, LookupError, HttpProcessingError)
"""What aiohttp raises for a form that is not well formed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What came in: the fields of the act, and the files that go with it."""

    fields: JsonObject
    files: tuple[TypedFile, ...] = ()


async def read_sent(request: web.Request) -> Sent:
    """Read the whole request. Raises Refused."""
    if request.content_type == "application/json":
        try:
            return Sent(fields=_parse(await request.read()))
        except web.HTTPRequestEntityTooLarge:
            raise Refused(_TOO_LONG) from None
    if request.content_type == "multipart/form-data":
        try:
            return await _read_form(request)
        except _BROKEN:
            raise Refused("That is no form that can be read.") from None
    raise Refused("An act is sent as JSON, or as a form with files.")


def _parse(body: bytes) -> JsonObject:
    try:
        fields = as_object(from_json(body, allow_inf_nan=False))
    except ValueError:
        raise Refused("That is no JSON that can be read.") from None
    if fields is None:
        raise Refused("An act is a JSON object.")
    return fields


async def _read_form(request: web.Request) -> Sent:
    fields: JsonObject = {}
    files: list[TypedFile] = []
    left_bytes = MAX_FILES_BYTES
    async for part in _parts(request):
        if part.name == "body":
            fields = _parse(await _read_part(part, MAX_JSON_BYTES, _TOO_LONG))
        elif part.name == "file":
            if len(files) == MAX_FILES:
                raise Refused(f"A message has at most {MAX_FILES} files.")
            content = await _read_part(part, left_bytes, "Files of more than 1 GB do not go.")
            left_bytes -= len(content)
            files.append((_name_of(part), content, part.headers.get("Content-Type")))
    return Sent(fields=fields, files=tuple(files))


async def _parts(request: web.Request) -> AsyncIterator[BodyPartReader]:
    async for part in await request.multipart():
        if isinstance(part, BodyPartReader):
            yield part


async def _read_part(part: BodyPartReader, max_bytes: int, too_long: str) -> bytes:
    content = bytearray()
    while chunk := await part.read_chunk(_CHUNK_BYTES):
        content += chunk
        if len(content) > max_bytes:
            raise Refused(too_long)
    return bytes(content)


def _name_of(part: BodyPartReader) -> str:
    """The file's name without a path."""
    return (part.filename or "").replace("\\", "/").rpartition("/")[2] or "file"
