"""Faults of a JSON payload: where, of which kind, and in Slack's words."""

from dataclasses import dataclass

from bot.sandbox.slack.wire import JsonObject, without_none


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One fault. `constraint` names the rule with what it expects and what it got."""

    message: str
    pointer: str
    code: str = "failed_constraint"
    constraint: JsonObject | None = None

    @property
    def sentence(self) -> str:
        """The form in `errors` of chat methods and, marked as an error, of view methods."""
        return f"{self.message} [json-pointer:{self.pointer}]"

    def show(self) -> JsonObject:
        """The form in which the validating methods tell it."""
        return without_none(
            {
                "pointer": self.pointer,
                "code": self.code,
                "message": self.message,
                "constraint": self.constraint,
            }
        )


def rule(kind: str, expected: object, got: object) -> JsonObject:
    """The `constraint` of a problem, such as a `max_length` of 3000 that got 3400."""
    return {"type": kind, "expected": expected, "got": got}
