"""One request on its way through the server, collected for the call log."""

from datetime import UTC, datetime

from bot.sandbox.model.log import ModelCall
from bot.sandbox.model.wire import Json, as_list, as_object, as_text


class Exchange:
    """What is known of a request so far; `as_call` is its entry in the log."""

    def __init__(self, *, request_id: str) -> None:
        self.request_id = request_id
        self.body: Json = {}
        self.digest = ""
        self.kind = "rejected"
        self.called: tuple[str, ...] = ()
        self.status = 200
        self.error = ""
        self.retry_after: float | None = None
        self._at = datetime.now(UTC)
        self._stop_reason: str | None = None
        self._usage: Json = {}

    def finish(self, message: Json) -> None:
        self._stop_reason = message["stop_reason"]
        self._usage = message["usage"]

    def as_call(self, *, keep_body: bool) -> ModelCall:
        tools = tuple(as_text(as_object(t).get("name")) for t in as_list(self.body.get("tools")))
        return ModelCall(
            model=as_text(self.body.get("model")),
            tools=tools,
            kind=self.kind,
            stop_reason=self._stop_reason,
            usage=self._usage,
            at=self._at,
            status=self.status,
            error=self.error,
            digest=self.digest,
            called=self.called,
            body=self.body if keep_body else None,
        )
