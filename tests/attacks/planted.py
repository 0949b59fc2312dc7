"""Twelve secrets of real shapes, to be planted where they could leak from."""

from collections.abc import Mapping

HEART = "1a2B3c4D5e6F7g8H9i0J"
"""Part of each: where this is found, one has leaked."""
PLANTED: Mapping[str, str] = {
    "slack": f"xoxb-4711-{HEART}",
    "anthropic": f"sk-ant-api03-{HEART}",
    "aws": f"AKIA{HEART.upper()}",
    "github": f"ghp_{HEART}",
    "google": f"AIza{HEART}",
    "stripe": f"sk_live_{HEART}",
    "jwt": f"eyJhbGci.eyJzdWIi.{HEART}",
    "private key": f"-----BEGIN PRIVATE KEY-----\n{HEART}\n-----END PRIVATE KEY-----",
    "database": f"postgres://me:{HEART}@db.test/state",
    "composio": f"ak_{HEART}",
    "telegram": f"712345678:AA{HEART}",
    "basic auth": f"https://me:{HEART}@intra.test/page",
}
ALL = " and ".join(PLANTED.values())


def leaks(text: object) -> list[str]:
    """What is around each place where a planted secret is found."""
    whole = str(text).lower()
    places: list[str] = []
    at = whole.find(HEART.lower())
    while at >= 0:
        places.append(whole[max(0, at - 60) : at + 30])
        at = whole.find(HEART.lower(), at + 1)
    return places
