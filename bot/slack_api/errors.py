"""What can go wrong with a call to Slack.

SlackError
├── SlackLimited        too many calls; `retry_after_s` may say how long to wait
├── SlackUnavailable    no usable answer (time-out, cut, 5xx): the effect is not known
├── SlackRefused        Slack said no, and will say no again
│   ├── SlackAuthRefused    the token is wrong, revoked, or lacks a scope (`needed`)
│   ├── PlaceRefused        the channel or thread is gone, archived or closed to the bot
│   └── ContentRefused      the text or the blocks break a limit
└── DownloadRefused     a file could not be fetched, or is not what was promised
    └── FileTooBig          more came of it than may be taken
"""

from agent_core.errors import AgentError


class SlackError(AgentError):
    """Root of the tree.

    Attributes:
        method: The Web API method that was called.
        code: Slack's own word for the error; empty when there was no answer.
    """

    def __init__(
        self,
        method: str,
        code: str = "",
        *,
        needed: str = "",
        detail: str = "",
    ) -> None:
        lacks = f" (needs the scope {needed})" if needed else ""
        super().__init__(f"{method}: {code or detail or 'no answer'}{lacks}")
        self.method = method
        self.code = code


class SlackLimited(SlackError):
    """Slack asked for a pause of `retry_after_s` seconds, or of any for None: nothing was done."""

    def __init__(self, method: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(method, "ratelimited")
        self.retry_after_s = retry_after_s


class SlackUnavailable(SlackError):
    """There was no usable answer. Whether the call had its effect is not known."""


class SlackRefused(SlackError):
    """Slack understood the call and declined it."""


class SlackAuthRefused(SlackRefused):
    """The token is wrong, revoked, or lacks a scope."""


class PlaceRefused(SlackRefused):
    """The channel or thread does not take the call: gone, archived, or closed to the bot."""


class ContentRefused(SlackRefused):
    """The text or the blocks break one of Slack's limits."""


class DownloadRefused(SlackError):
    """A file could not be fetched, or a sign-in page came instead."""


class FileTooBig(DownloadRefused):
    """The file has more bytes than may be taken."""


_KINDS: dict[type[SlackError], str] = {
    SlackLimited: "ratelimited rate_limited message_limit_exceeded",
    SlackUnavailable: (
        "fatal_error internal_error messaging_processing_failed request_timeout "
        "service_unavailable team_added_to_org"
    ),
    SlackAuthRefused: (
        "account_inactive invalid_auth missing_scope no_permission not_allowed_token_type "
        "not_authed token_expired token_revoked"
    ),
    PlaceRefused: (
        "cannot_reply_to_message channel_not_found is_archived messages_tab_disabled "
        "not_in_channel posting_to_channel_denied thread_not_found user_not_in_channel"
    ),
    ContentRefused: (
        "invalid_blocks invalid_blocks_format metadata_too_large msg_blocks_too_long msg_too_long "
        "no_text"
    ),
}
"""Slack's words for each kind of error; what is not among these is refused."""

_KIND_OF = {code: kind for kind, codes in _KINDS.items() for code in codes.split()}


def refusal(
    method: str,
    code: str,
    *,
    needed: str = "",
    retry_after_s: float | None = None,
) -> SlackError:
    """The error of the tree for one of Slack's codes."""
    kind = _KIND_OF.get(code, SlackRefused) if code else SlackUnavailable
    if code.startswith("restricted_action"):
        kind = PlaceRefused
    if kind is SlackLimited:
        return SlackLimited(method, retry_after_s=retry_after_s)
    return kind(method, code, needed=needed)
