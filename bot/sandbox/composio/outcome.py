"""What a tool call gives back, before it is wrapped for MCP or REST."""

from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import ValidationError

Data = dict[str, Any]
Cause = Literal["tool", "no_account", "not_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Data, or an error, or both where only a part went wrong."""

    data: Data = field(default_factory=dict[str, Any])
    error: str | None = None
    cause: Cause = "tool"
    """Where an error comes from: the tool itself, a missing account, or before it all."""

    @property
    def successful(self) -> bool:
        return self.error is None

    def as_json(self) -> Data:
        return {"data": self.data, "error": self.error, "successful": self.successful}


def describe_invalid(slug: str, error: ValidationError) -> str:
    """One line that names each argument at fault, for the model to put right."""
    faults = (f"{_locate(fault['loc'])}: {fault['msg']}" for fault in error.errors())
    return f"Invalid arguments for {slug}: {'; '.join(faults)}"


def _locate(location: tuple[int | str, ...]) -> str:
    return ".".join(str(part) for part in location) or "arguments"
