"""What every language has to say about digests."""

from dataclasses import dataclass
from typing import Literal

Missing = Literal["time", "day", "task", "zone", "channel"]
Refusal = Literal[
    "unreadable", "unknown_zone", "too_often", "never", "over",
    "unknown_channel", "not_allowed", "bot_not_there", "asker_not_there",
    "team_full", "place_full", "person_full",
    "not_yours", "not_yours_yet", "not_there", "which", "already_running", "press_again",
]  # fmt: skip
Button = Literal["confirm", "change", "cancel", "pause", "resume", "run", "edit", "delete", "new"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """One language. Slots in braces are filled with what is ready to be shown."""

    understood: str
    """`{task}`, `{when}`, `{channel}`, `{next}`."""
    only_news: str
    says_no_news: str
    shall_i: str
    in_private: str
    """What stands for `{channel}` where it is the owner's direct conversation with the bot."""
    ask: dict[Missing, str]
    """Of a time: `{zone}`."""
    ask_which_rule: str
    """Where one order names several: `{first}`, `{second}`."""
    scheduled: str
    """`{n}`, `{task}`, `{when}`, `{channel}`, `{next}`, `{who}`."""
    not_scheduled: str
    refusals: dict[Refusal, str]
    buttons: dict[Button, str]
    listed: str
    more: str
    """`{n}`: so many are not shown."""
    none: str
    paused: str
    """`{n}`, `{task}`; so for the next four."""
    resumed: str
    deleted: str
    started: str
    changed: str
    is_paused: str
    is_paused_because: str
    """`{why}`."""
    is_over: str
    next_is: str
    """`{next}`."""
    why_paused: dict[str, str]
    """By the reason that is stored; each goes on behind a colon."""
    form_title: str
    form_task: str
    form_when: str
    form_channel: str
    form_news: str
    news_post: str
    news_say_so: str
    news_silent: str
    form_save: str
    form_unclear: str
    first: str
    news_since: str
    """`{count}`, `{of}`, `{when}`."""
    no_news_since: str
    late: str
    """`{when}`."""
    left_out: tuple[str, str]
    """One, and several: `{n}`."""
    new_mark: str
    by_hand: str
    footer: str
    """`{n}`, `{when}`, `{who}`."""
    failed: str
    """`{n}`, `{task}`."""
    paused_because: str
    """`{n}`, `{task}`, `{why}`."""

    def count(self, forms: tuple[str, str], n: int) -> str:
        """The form for so many, its `{n}` filled."""
        return forms[0 if n == 1 else 1].format(n=n)
