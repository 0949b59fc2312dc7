"""Composio's error envelope."""

import secrets

from starlette.responses import JSONResponse


class RestError(Exception):
    """A request that is answered with an error; raised by the REST handlers."""

    def __init__(
        self, status: int, slug: str, message: str, *, fix: str = "", code: int | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.slug = slug
        self.message = message
        self.fix = fix
        self.code = code or status

    def as_response(self) -> JSONResponse:
        envelope = {
            "message": self.message,
            "slug": self.slug,
            "status": self.status,
            "code": self.code,
            "request_id": f"req_{secrets.token_hex(6)}",
            "suggested_fix": self.fix,
        }
        return JSONResponse({"error": envelope}, self.status)


def refuse_key() -> RestError:
    """The answer to a request without the right API key."""
    return RestError(
        401, "HTTP_Unauthorized", "Invalid API key", fix="Send your key in the header x-api-key."
    )


def refuse_account(user_id: str, toolkit: str) -> RestError:
    """The answer to a direct call for a person who has no usable account of the app."""
    return RestError(
        404,
        "ActionExecute_ConnectedAccountNotFound",
        f"No connected account found for user ID {user_id} for toolkit {toolkit}",
        fix="Connect an account for this user.",
        code=1810,
    )


def refuse_rate(retry_after_s: int) -> JSONResponse:
    """The answer to a request too many."""
    error = RestError(429, "HTTP_TooManyRequests", "Rate limit exceeded", fix="Wait and retry.")
    response = error.as_response()
    response.headers["Retry-After"] = str(retry_after_s)
    response.headers["X-RateLimit-Remaining"] = "0"
    return response


def refuse_size(what: str) -> RestError:
    """The answer to a request, or instead of a response, above the limit of the transport."""
    return RestError(413, "HTTP_PayloadTooLarge", f"The {what} is larger than 6 MB")
