"""The headers of the Messages API: what a request must carry and what an answer tells."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime

from bot.sandbox.model.errors import RefusedError

LIMITS = {
    "requests": 4000,
    "tokens": 4_000_000,
    "input-tokens": 2_000_000,
    "output-tokens": 400_000,
}
ORGANIZATION_ID = "00000000-0000-4000-8000-000000000000"


def check_headers(headers: Mapping[str, str], versions: Collection[str]) -> None:
    """Refuse a request without a key, or with no API version that is served here."""
    bearer = headers.get("Authorization", "").removeprefix("Bearer ").strip()
    if not (bearer or headers.get("x-api-key")):
        raise RefusedError("Authorization header is required", status=401)
    version = headers.get("anthropic-version")
    if version is None:
        raise RefusedError("anthropic-version: header is required")
    if version not in versions:
        raise RefusedError(f'anthropic-version: "{version}" is not a valid version')


def rate_headers() -> dict[str, str]:
    """Rate-limit headers of an account that is nowhere near its limits."""
    reset = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    headers = {"anthropic-organization-id": ORGANIZATION_ID}
    for name, limit in LIMITS.items():
        headers[f"anthropic-ratelimit-{name}-limit"] = str(limit)
        headers[f"anthropic-ratelimit-{name}-remaining"] = str(limit)
        headers[f"anthropic-ratelimit-{name}-reset"] = reset
    return headers
