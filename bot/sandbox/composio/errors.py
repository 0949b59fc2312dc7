"""Composio's error envelope."""

import secrets

from starlette.responses import JSONResponse


class RestError(Exception):
    """A request that is answered with an error; raised by the REST handlers."""

    def __init__(self, status: int, slug: str, message: str, *, fix: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.slug = slug
        self.message = message
        self.fix = fix

    def as_response(self) -> JSONResponse:
        envelope = {
            "message": self.message,
            "slug": self.slug,
            "status": self.status,
            "code": self.status,
            "request_id": f"req_{secrets.token_hex(6)}",
            "suggested_fix": self.fix,
        }
        return JSONResponse({"error": envelope}, self.status)


def refuse_key() -> RestError:
    """The answer to a request without the right API key."""
    return RestError(
        401, "HTTP_Unauthorized", "Invalid API key", fix="Send your key in the header x-api-key."
    )
