"""Which tool definitions ask for what no tool should be given: keys, passwords, private files.

A short list of patterns, no judge of character: what it finds is off until a person has looked at
it, and what it does not find may be bad all the same.
"""

import re
from collections.abc import Iterator
from typing import Any, cast

from agent_core.messages import JsonObject

_KEYS = (
    r"(?:api key|private key|ssh key|secret key|access key|signing key|password|passwd|passphrase"
    r"|secrets?|credentials?|(?:access|auth|bearer|session|refresh) token|session cookies?"
    r"|seed phrase)"
)
_FILES = (
    r"(?:id (?:rsa|dsa|ecdsa|ed25519)|ssh id|ssh config|aws credentials|etc (?:passwd|shadow)"
    r"|dot env|env file|keychain)"
)
_HAND_OVER = r"(?:read|cat|open|load|include|pass|send|paste|attach|append|copy|upload|put)"

_IN_NAMES = re.compile(rf"\b(?:{_KEYS}|{_FILES}|system prompt)\b")
_IN_TEXTS = re.compile(
    rf"\b(?:{_HAND_OVER}\w*(?: \w+){{0,6}} (?:{_KEYS}|{_FILES}|system prompt)"
    r"|(?:do not|don t|never|without) (?:tell|mention|inform|show)\w*(?: \w+){0,3} user)\b"
)
_DEPTH = 12


def suspicion_of(definition: JsonObject) -> str:
    """What is suspicious about a definition, as the end of "It is off because …"; "" if nothing."""
    if found := _IN_TEXTS.search(_plain(definition["description"])):
        return f"its description says “{found.group()}”"
    for name, text in _parameters(definition["input_schema"], _DEPTH):
        if _IN_NAMES.search(_plain(name)):
            return f"its parameter {name[:64]} asks for a secret"
        if found := _IN_TEXTS.search(_plain(text)):
            return f"its parameter {name[:64]} says “{found.group()}”"
    return ""


def _plain(text: str) -> str:
    """Small letters, one space for everything that is no letter or digit, and .env as words."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", text.replace(".env", " dot env "))
    return re.sub(r"[\W_]+", " ", spaced).lower()


def _parameters(schema: Any, depth: int) -> Iterator[tuple[str, str]]:
    """Every parameter's name and description, also of objects inside."""
    if depth == 0:
        return
    if isinstance(schema, list):
        for each in cast("list[Any]", schema):
            yield from _parameters(each, depth - 1)
    if not isinstance(schema, dict):
        return
    for key, value in cast("dict[str, Any]", schema).items():
        if key == "properties" and isinstance(value, dict):
            yield from _named(cast("dict[str, Any]", value))
        yield from _parameters(value, depth - 1)


def _named(properties: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, schema in properties.items():
        parts = cast("JsonObject", schema) if isinstance(schema, dict) else {}
        texts = (parts.get("title"), parts.get("description"))
        yield name, ". ".join(text for text in texts if isinstance(text, str))
