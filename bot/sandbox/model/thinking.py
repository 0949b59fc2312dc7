"""Thinking blocks: who gets them, how they are signed, and how a changed one is found out."""

import base64
import hashlib
import hmac
import json

from bot.sandbox.model.wire import Json, as_list, as_object, as_text, blocks_of

# A stand-in has nothing to hide: the key is fixed so that a history outlives a restart.
KEY = b"model stand-in of the sandbox"
MAC_BYTES = 16


def thinks(body: Json) -> bool:
    """Whether a reply to this request opens with a thinking block."""
    asked = as_text(as_object(body.get("thinking")).get("type"))
    if asked in ("adaptive", "enabled"):
        return True
    return asked != "disabled" and always_thinks(as_text(body.get("model")))


def always_thinks(model: str) -> bool:
    """The models whose thinking cannot be switched off."""
    return "-5-5" in model and "haiku" not in model


def thinking_block(body: Json, thought: str) -> Json:
    """A signed thinking block; its text is empty unless the request asked to see it."""
    shown = as_object(body.get("thinking")).get("display") in ("summarized", "updates")
    text = thought if shown else ""
    prefix = prefix_digest(body, len(as_list(body.get("messages"))))
    return {"type": "thinking", "thinking": text, "signature": _sign(text, prefix)}


def is_unchanged(block: Json) -> bool:
    """Whether the text of a thinking block is the one that was signed."""
    given = _decode(as_text(block.get("signature")))
    return hmac.compare_digest(given[:MAC_BYTES], _mac(as_text(block.get("thinking"))))


def is_bound_to(block: Json, prefix: str) -> bool:
    """Whether a thinking block was signed after exactly this prefix of the conversation."""
    return hmac.compare_digest(_decode(as_text(block.get("signature")))[MAC_BYTES:], _mac(prefix))


def prefix_digest(body: Json, messages: int) -> str:
    """A digest of tools, system and the first so many messages; cache marks do not count."""
    hasher = hashlib.sha256()
    for tool in as_list(body.get("tools")):
        hasher.update(_canonical(tool))
    for block in blocks_of(body.get("system")):
        hasher.update(_canonical(block))
    for message in as_list(body.get("messages"))[:messages]:
        entry = as_object(message)
        for block in blocks_of(entry.get("content")):
            hasher.update(str(entry.get("role")).encode() + _canonical(block))
    return hasher.hexdigest()


def _sign(text: str, prefix: str) -> str:
    return base64.b64encode(_mac(text) + _mac(prefix)).decode()


def _mac(text: str) -> bytes:
    data = text.encode("utf-8", "surrogatepass")
    return hmac.new(KEY, data, hashlib.sha256).digest()[:MAC_BYTES]


def _decode(signature: str) -> bytes:
    try:
        return base64.b64decode(signature, validate=True)
    except ValueError:
        return b""


def _canonical(block: object) -> bytes:
    kept = {k: v for k, v in as_object(block).items() if k != "cache_control" and v is not None}
    if isinstance(kept.get("content"), str):
        kept["content"] = blocks_of(kept["content"])
    return json.dumps(kept, sort_keys=True).encode()
