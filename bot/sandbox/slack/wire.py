"""JSON and text as they travel: narrowing, escapes and links, Slack's refusal of a call."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

JsonObject = dict[str, Any]
JsonArray = list[Any]
_ANGLE = re.compile(r"(<(?:[@#!][^<>\s][^<>]*|(?:https?://|mailto:)[^<>\s][^<>]*)>)")
_BARE_URL = re.compile(r"(?<![<|\w])https?://[^\s<>|]*[^\s<>|.,;:!?)\]}'\"*_~`]")
_NAME = re.compile(r"(?<![\w@#])[@#][\w.-]*\w")
_LONE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt);)")


def as_object(value: object) -> JsonObject | None:
    """The value as a JSON object; None for anything else."""
    return cast("JsonObject", value) if isinstance(value, dict) else None


def as_array(value: object) -> JsonArray | None:
    """The value as a JSON array; None for anything else."""
    return cast("JsonArray", value) if isinstance(value, list) else None


def without_none(fields: Mapping[str, Any]) -> JsonObject:
    """A copy without the fields whose value is None, as Slack leaves out unset fields."""
    return {name: value for name, value in fields.items() if value is not None}


class ApiError(Exception):
    """Carries Slack's error code, further fields of the answer, and headers with a 429."""

    def __init__(
        self,
        code: str,
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        **fields: object,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.status = status
        self.headers = headers or {}
        self.body: JsonObject = {"ok": False, "error": code, **fields}


def invalid_arguments(*problems: str) -> ApiError:
    """The refusal of a call whose arguments have these faults."""
    return ApiError("invalid_arguments", response_metadata={"messages": problems})


def type_text(text: str, references: Mapping[str, str]) -> str:
    """The wire form of typed text: known names become references, the rest is escaped.

    `references` are the wire forms by typed form, such as `<@U1>` by `@ann`.
    """
    escaped = _escape_angles(text.replace("&", "&amp;"))
    named = _NAME.sub(lambda match: references.get(match[0], match[0]), escaped)
    return _link_urls(named)


def settle_text(text: str) -> str:
    """The form in which Slack keeps an app's text: stray signs escaped, URLs linked."""
    parts = _ANGLE.split(text)
    # Every second part is a reference or a link, which stays as it is.
    for index in range(0, len(parts), 2):
        plain = _LONE_AMPERSAND.sub("&amp;", parts[index])
        plain = _escape_angles(plain)
        parts[index] = _link_urls(plain)
    return "".join(parts)


def _escape_angles(text: str) -> str:
    text = text.replace("<", "&lt;")
    return text.replace(">", "&gt;")


def _link_urls(text: str) -> str:
    return _BARE_URL.sub(r"<\g<0>>", text)


def mentions_user(text: str, user: str) -> bool:
    """Whether the wire text mentions the user, with or without a label."""
    return f"<@{user}>" in text or f"<@{user}|" in text


def texts_in(value: object) -> Iterator[str]:
    """Every text in a payload, at any depth, in its order."""
    if isinstance(value, list | tuple):
        for item in cast("Sequence[object]", value):
            yield from texts_in(item)
        return
    fields = as_object(value) or {}
    for name, item in fields.items():
        if name == "text" and isinstance(item, str):
            yield item
        else:
            yield from texts_in(item)
