"""The one error of the Web API side: a method refuses, and the server answers `ok: false`."""

from collections.abc import Sequence

from bot.sandbox.slack.wire import JsonObject


class ApiError(Exception):
    """Carries Slack's error code, further fields of the answer, and headers with a 429."""

    def __init__(
        self,
        code: str,
        *,
        messages: Sequence[str] = (),
        errors: Sequence[object] = (),
        fields: JsonObject | None = None,
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.status = status
        self.headers = headers or {}
        self.body: JsonObject = {"ok": False, "error": code, **(fields or {})}
        if errors:
            self.body["errors"] = list(errors)
        if messages:
            self.body["response_metadata"] = {"messages": list(messages)}


def missing_field(name: str) -> ApiError:
    """The refusal of a call without a required argument."""
    return ApiError("invalid_arguments", messages=[f"[ERROR] missing required field: {name}"])


def missing_scope(needed: str, provided: Sequence[str]) -> ApiError:
    """The refusal of a call for which the app lacks the scope."""
    return ApiError("missing_scope", fields={"needed": needed, "provided": ",".join(provided)})


def rate_limited(retry_after_s: int) -> ApiError:
    """The refusal of a call that came too soon: 429 with `Retry-After`."""
    return ApiError("ratelimited", status=429, headers={"Retry-After": str(retry_after_s)})
