"""Token counts (about four characters a token) and the arithmetic of the prompt cache."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bot.sandbox.model.wire import Json, as_list, as_object, blocks_of

LOOK_BACK_BLOCKS = 20
TTL_S = {"5m": 300.0, "1h": 3600.0}
MIN_CACHED_TOKENS = 512
OLDER_MIN_CACHED_TOKENS = (
    ("haiku-4-5", 4096),
    ("opus-4-5", 4096),
    ("opus-4-6", 4096),
    ("opus-4-7", 2048),
    ("-4-", 1024),
    ("sonnet-5", 1024),
)


def estimate_tokens(text: str) -> int:
    """About four characters a token, at least one."""
    return max(1, (len(text) + 3) // 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefix:
    """The prompt up to the end of one block."""

    digest: str
    tokens: int
    ttl: str | None
    """The cache breakpoint that the block carries, if any."""


class PromptCache:
    """Remembers prefixes of prompts; says what a request reads from the cache and writes to it."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._expiry_s: dict[str, float] = {}

    def account(self, body: Json) -> Json:
        """The input side of `usage` for a request; what it marks is cached from here on."""
        prefixes = list(_prefixes(body))
        total = prefixes[-1].tokens if prefixes else 0
        marked = [p for p in prefixes if p.ttl and p.tokens >= _min_tokens(body)]
        read = self._read(prefixes, marked)
        written = {"5m": 0, "1h": 0}
        done = read
        for prefix in marked:
            written[prefix.ttl or "5m"] += max(0, prefix.tokens - done)
            done = max(done, prefix.tokens)
            self._store(prefix)
        return _input_usage(total=total, cached=done, read=read, written=written)

    def _read(self, prefixes: list[Prefix], marked: list[Prefix]) -> int:
        for prefix in reversed(marked):
            end = prefixes.index(prefix) + 1
            for candidate in reversed(prefixes[max(0, end - LOOK_BACK_BLOCKS) : end]):
                if self._expiry_s.get(candidate.digest, 0.0) > self._now_s():
                    return candidate.tokens
        return 0

    def _store(self, prefix: Prefix) -> None:
        self._expiry_s[prefix.digest] = self._now_s() + TTL_S[prefix.ttl or "5m"]


def count_input_tokens(body: Json) -> int:
    """What a request's tools, system and messages cost, without the cache."""
    return max((p.tokens for p in _prefixes(body)), default=1)


def _input_usage(*, total: int, cached: int, read: int, written: dict[str, int]) -> Json:
    return {
        "input_tokens": max(1, total - cached) if total else 0,
        "cache_creation_input_tokens": sum(written.values()),
        "cache_read_input_tokens": read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": written["5m"],
            "ephemeral_1h_input_tokens": written["1h"],
        },
    }


def _min_tokens(body: Json) -> int:
    model = str(body.get("model", ""))
    if "5-5" in model:
        return MIN_CACHED_TOKENS
    return next((n for part, n in OLDER_MIN_CACHED_TOKENS if part in model), MIN_CACHED_TOKENS)


def _prefixes(body: Json) -> Iterator[Prefix]:
    hasher = hashlib.sha256(str(body.get("model", "")).encode())
    tokens = 0
    parts = list(_parts(body))
    automatic = as_object(body.get("cache_control"))
    for place, (label, block) in enumerate(parts):
        text = label + json.dumps(_unmarked(block), sort_keys=True, ensure_ascii=False)
        hasher.update(text.encode("utf-8", "surrogatepass"))
        tokens += estimate_tokens(text)
        mark = as_object(block.get("cache_control"))
        if automatic and place == len(parts) - 1:
            mark = mark or automatic
        ttl = str(mark.get("ttl", "5m")) if mark else None
        yield Prefix(digest=hasher.hexdigest(), tokens=tokens, ttl=ttl)


def _parts(body: Json) -> Iterator[tuple[str, Json]]:
    for tool in as_list(body.get("tools")):
        yield "tool", as_object(tool)
    for block in blocks_of(body.get("system")):
        yield "system", block
    for message in as_list(body.get("messages")):
        entry = as_object(message)
        for block in blocks_of(entry.get("content")):
            yield str(entry.get("role")), block


def _unmarked(block: Json) -> Json:
    return {key: value for key, value in block.items() if key != "cache_control"}
