"""What the command line asks of the sandbox."""

from dataclasses import dataclass
from pathlib import Path

from bot.sandbox.model import Pace
from bot.sandbox.moments import Moment

PAGE_PORT = 8899
UNHURRIED = Pace(first_token_s=0.4, tokens_per_s=150.0)
"""The pace for those who watch: progress is seen growing, and a report takes some seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxOptions:
    """What the command line asked for."""

    asks: tuple[str, ...]
    out: Path | None
    web: Path | None
    as_json: bool
    first_token_s: float | None = None
    """How long the stand-in model thinks; None: a little for the page, not at all with asks."""
    tokens_per_s: float | None = None
    """How fast it writes; 0: as fast as it can; None: unhurried for the page alone."""
    port: int | None = None
    """Where to serve the page; None: at the usual port, and not at all when there are asks."""
    kill_at: tuple[str, ...] = ()
    """Fault points: the bot is killed at the first, then at the second, and so on."""
    clicks: tuple[str, ...] = ()
    """Names of buttons that the asker presses, one after another: each as soon as the bot waits for
    an approval or a connection, and those that are left after the asks."""
    moment: Moment | None = None
    """What time it is at the first ask; None for the machine's own time."""
    until_posts: int = 0
    """How many posts of the bot outside of threads to wait for, while time is put forward."""

    @property
    def page_port(self) -> int | None:
        """The port to try first; None when no page is wanted."""
        if self.port is None and self.asks:
            return None
        return PAGE_PORT if self.port is None else self.port

    @property
    def pace(self) -> Pace:
        """The stand-in model's: as given, else unhurried where a person watches the page."""
        usual = Pace() if self.asks else UNHURRIED
        first_token_s, tokens_per_s = self.first_token_s, self.tokens_per_s
        return Pace(
            first_token_s=usual.first_token_s if first_token_s is None else first_token_s,
            tokens_per_s=usual.tokens_per_s if tokens_per_s is None else tokens_per_s or None,
        )
