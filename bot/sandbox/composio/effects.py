"""The record of what app tools did: who, which tool, which arguments, through whose account."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One app tool that ran for a person."""

    user_id: str
    """Whose session, or whose user id, the call named."""
    slug: str
    arguments: Mapping[str, Any]
    account_id: str | None
    """None for a toolkit that needs no account."""
    account_user_id: str | None
    """Whom the account belongs to."""
    identity: str
    at: datetime
    reads_only: bool
    error: str | None
    """The app's refusal; a call that was refused changed nothing."""

    @property
    def is_effect(self) -> bool:
        return not self.reads_only and self.error is None
