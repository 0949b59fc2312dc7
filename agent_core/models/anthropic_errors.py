"""Maps what the Anthropic SDK and its HTTP client raise to the errors of the core, in one place."""

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from agent_core.errors import ModelError, ModelRejected, ModelUnavailable, RequestTooLarge
from agent_core.messages import JsonObject
from agent_core.models.strict_json import as_object

_PASSING_KINDS = frozenset({"api_error", "overloaded_error", "rate_limit_error", "timeout_error"})
_HOPELESS_KINDS = frozenset(
    {"authentication_error", "billing_error", "invalid_request_error", "not_found_error"}
    | {"permission_error"}
)
_PASSING_STATUSES = frozenset({408, 409, 429, 499})
_FIRST_SERVER_ERROR = 500
_OK = 200
_CONTENT_TOO_LARGE = 413
_TOO_LONG = ("prompt is too long", "exceed context limit")


@contextmanager
def mapped_errors() -> Generator[None]:
    """Within it, whatever the SDK or its transport raises becomes a ModelError."""
    import anthropic
    import httpx2

    try:
        yield
    except anthropic.APIStatusError as error:
        raise _error_for(
            error.api_message or error.message,
            status=error.status_code,
            kind=error.type or "",
            code=error.error_code or "",
            request_id=error.request_id or "",
            wait_s=retry_after_s(error.response.headers, now=datetime.now(UTC)),
        ) from error
    except (anthropic.APITimeoutError, httpx2.TimeoutException) as error:
        raise ModelUnavailable("The model did not answer in time.", kind="timeout") from error
    except (anthropic.APIConnectionError, httpx2.HTTPError, httpx2.StreamError, OSError) as error:
        raise ModelUnavailable(f"The connection broke: {error}", kind="connection") from error
    except (
        anthropic.APIResponseValidationError,
        json.JSONDecodeError,
        UnicodeDecodeError,
    ) as error:
        raise ModelUnavailable("The model's answer cannot be read.", kind="malformed") from error
    except anthropic.AnthropicError as error:
        raise ModelRejected(str(error), kind=type(error).__name__) from error


def stream_error(event: JsonObject, request_id: str) -> ModelError:
    """What an `error` event in mid-stream means; it comes under the status 200 of its stream."""
    said = as_object(event.get("error"))
    return _error_for(
        str(said.get("message") or "an error in mid-stream"),
        status=_OK,
        kind=str(said.get("type") or ""),
        code=str(as_object(said.get("details")).get("error_code") or ""),
        request_id=str(event.get("request_id") or request_id),
    )


def _error_for(
    message: str,
    *,
    status: int,
    kind: str,
    code: str,
    request_id: str,
    wait_s: float | None = None,
) -> ModelError:
    name = code or kind
    text = f"The model's provider said {status} {name}: {message}"
    is_too_large = status == _CONTENT_TOO_LARGE or kind == "request_too_large"
    if is_too_large or any(words in message.lower() for words in _TOO_LONG):
        return RequestTooLarge(
            text,
            status=status,
            kind=name,
            request_id=request_id,
        )
    if status == _OK:
        may_pass = kind not in _HOPELESS_KINDS
    else:
        may_pass = status in _PASSING_STATUSES or status >= _FIRST_SERVER_ERROR
    if code == "enforced_spend_limit_reached" or not (may_pass or kind in _PASSING_KINDS):
        return ModelRejected(
            text,
            status=status,
            kind=name,
            request_id=request_id,
        )
    return ModelUnavailable(
        text,
        retry_after_s=wait_s,
        status=status,
        kind=name,
        request_id=request_id,
    )


def retry_after_s(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """The wait that the provider asks for, in ms, in seconds or as a date; None without one."""
    if (milliseconds := _number(headers.get("retry-after-ms"))) is not None:
        return max(milliseconds / 1000, 0.0)
    wish = headers.get("retry-after")
    if (seconds := _number(wish)) is not None:
        return max(seconds, 0.0)
    try:
        return max((parsedate_to_datetime(wish or "") - now).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return None


def _number(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None
