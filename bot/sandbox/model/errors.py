"""The errors that the Messages API answers with, as values of one exception."""

from bot.sandbox.model.wire import Json

TYPE_OF_STATUS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


class RefusedError(Exception):
    """The request is answered with an error of the given status and type."""

    def __init__(
        self, message: str, *, status: int = 400, type: str = "", code: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.type = type or TYPE_OF_STATUS.get(status, "api_error")
        self.code = code


def error_body(error: RefusedError, request_id: str) -> Json:
    """The JSON body of an error answer, and of an `error` event in a stream."""
    inner: Json = {"type": error.type, "message": error.message}
    if error.code:
        inner["details"] = {"error_code": error.code}
    return {"type": "error", "error": inner, "request_id": request_id}
