"""Switches by which a test makes the stand-in misbehave in the ways the real service does."""

from dataclasses import dataclass, field
from typing import Literal

WebShape = Literal["citations", "organic"]
"""`citations`: what the current slug gives. `organic`: the nesting of its older relatives."""
ResultType = Literal["failed", "blocked", "response_blocked", "input_required"]


@dataclass(slots=True, kw_only=True)
class Faults:
    """All off at first; set and unset at any time. Keys named `slug` are app tools' slugs."""

    refusals: dict[str, str] = field(default_factory=dict[str, str])
    """slug -> the app's own words, such as `channel_not_found`: the call ran and was refused."""
    item_errors: dict[str, str] = field(default_factory=dict[str, str])
    """slug -> an error beside a batch item that never ran."""
    result_types: dict[str, ResultType] = field(default_factory=dict[str, ResultType])
    """slug -> how a REST call ends. Of these only `response_blocked` has had its effect;
    `input_required` runs when the same call comes with an accepted answer."""
    lower_case_statuses: bool = False
    """Whether REST names the statuses of accounts in lower case."""
    upper_case_statuses: bool = False
    """Whether the tool that manages connections names its statuses in upper case."""
    web_shape: WebShape = "citations"
    nested_news: bool = False
    """Whether news results lie one level deeper, under `results`."""
    preview_above_chars: int | None = None
    """Responses of batch items longer than this come as `data_preview` and a remote file."""
    file_form: Literal["content", "file"] = "content"
    """How a remote file is handed over: its content, or a file that was downloaded already."""
    bare_batch_items: bool = False
    """Whether batch results lack index, slug and counts, as older answers do."""
    rate_limited: int = 0
    """How many of the next requests are refused with 429."""
    retry_after_s: int = 1
