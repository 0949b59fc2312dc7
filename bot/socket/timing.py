"""How long the socket waits for what."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """With the defaults a deaf socket is found out within 25 s."""

    ping_interval_s: float = 5.0
    deaf_after_s: float = 15.0
    """How long a ping may go without its pong."""
    greeting_limit_s: float = 10.0
    """From the handshake to Slack's hello."""
    drain_s: float = 3.0
    """For acknowledging what came, before a connection is closed."""
    close_limit_s: float = 2.0
    """For the other side's part in closing."""
    quiet_after_s: float = 60.0
    """Without any payload for this long, Slack is asked whether it still knows the bot."""
