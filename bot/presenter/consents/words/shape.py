"""What every language has to say about approvals and connections."""

from dataclasses import dataclass
from typing import Literal

Refusal = Literal[
    "not_yours", "not_your_link", "over", "decided", "unknown", "no_link", "tainted",
    "press_again", "not_connected_yet",
]  # fmt: skip
Button = Literal["approve", "approve_thread", "reject", "link", "skip", "check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """One language. Slots in braces are filled with what is ready to be shown."""

    conjunction: str
    """Between the last two of several names."""
    asked: str
    """`{who}`: what goes on behind it is what they asked for."""
    with_account: str
    """`{account}`."""
    reaches: tuple[str, str]
    """One recipient, and several: `{n}`, `{whom}`."""
    no_arguments: str
    along: str
    """`{what}`: what is done in the same batch and needs no approval."""
    more: str
    """`{n}`."""
    tainted: str
    until: str
    """`{when}`, `{digest}`."""
    in_file: str
    """`{file}`, `{digest}`."""
    cut: str
    not_shown: str
    """There is no way to show all of it, so it cannot be approved."""
    buttons: dict[Button, str]
    approved: str
    """`{who}`, `{when}`; so for the next three, and `{reason}` for the third."""
    approved_thread: str
    rejected: str
    rejected_because: str
    expired: str
    overtaken: str
    void: str
    reason_title: str
    reason_label: str
    reason_hint: str
    cancel: str
    to_connect: str
    """`{who}`, `{what}`, `{when}`."""
    link: str
    """`{what}`: told to the asker alone, above the buttons."""
    connect: str
    """`{what}`."""
    connected: tuple[str, str]
    """One app, and several: `{who}`, `{what}`; so for the next three."""
    skipped: tuple[str, str]
    not_in_time: tuple[str, str]
    left_off: tuple[str, str]
    refusals: dict[Refusal, str]

    def count(self, forms: tuple[str, str], n: int, **slots: str) -> str:
        """The form for so many, its slots filled."""
        return forms[0 if n == 1 else 1].format(n=n, **slots)
