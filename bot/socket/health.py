"""What is known of the socket at a moment."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SocketHealth:
    """Whether Slack's payloads reach the bot."""

    connected: bool
    last_heard_s: float | None
    """Seconds since the last frame or pong of the newest connection; None before the first."""
    reason: str = ""
    """What is wrong, in words for the operator; empty when all is well."""

    @property
    def ok(self) -> bool:
        return self.connected and not self.reason
