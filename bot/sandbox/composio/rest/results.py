"""How a tool's outcome is told over REST: in sessions by its result type, directly by a flag."""

import json
import secrets
from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse, Response

from bot.sandbox.composio.errors import refuse_size
from bot.sandbox.composio.faults import Faults
from bot.sandbox.composio.outcome import Data, Outcome
from bot.sandbox.composio.rest.bodies import MAX_BYTES
from bot.sandbox.composio.sessions import read_option

QUESTION = "q1"
BLOCKED = "A hook of this session blocked the call."


class Results:
    """Writes answers, and lets the faults that were set speak in them."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._states: dict[str, str] = {}

    def hold_back(
        self, slug: str, state: str | None, responses: Mapping[str, Any]
    ) -> Response | None:
        """The answer to a call that does not run: blocked, asked about or declined; else None."""
        match self._faults.result_types.get(slug):
            case "blocked":
                return _answer({"data": {}, "error": None, **_block("request_blocked")})
            case "input_required" if state is None:
                return self._ask(slug)
            case "input_required" if self._states.pop(state or "", None) != slug:
                return _fail("The request state is not one of this call.")
            case "input_required" if not _is_approved(responses):
                return _fail("The call was declined.")
            case _:
                return None

    def answer(self, slug: str, outcome: Outcome) -> Response:
        """The answer to a call that ran in a session."""
        base = {"data": outcome.data, "error": outcome.error, "log_id": make_log_id()}
        match self._faults.result_types.get(slug):
            case "failed":
                return _answer({**base, "data": {}, "error": None, "result_type": "failed"})
            case "response_blocked":
                return _answer({**base, "data": {}, **_block("response_blocked")})
            case _:
                kind = "completed" if outcome.successful else "failed"
                return _answer({**base, "result_type": kind})

    def answer_direct(self, outcome: Outcome) -> Response:
        """The answer to a call that ran without a session."""
        return _answer({**outcome.as_json(), "log_id": make_log_id()})

    def _ask(self, slug: str) -> Response:
        state = secrets.token_hex(12)
        self._states[state] = slug
        decision = {"type": "string", "enum": ["approve", "always_approve", "deny"]}
        schema = {"type": "object", "properties": {"decision": decision}, "required": ["decision"]}
        question = {
            "type": "elicitation",
            "mode": "form",
            "message": f"Approve {slug}?",
            "requested_schema": schema,
        }
        return _answer(
            {
                "result_type": "input_required",
                "request_state": state,
                "input_requests": {QUESTION: question},
                "log_id": make_log_id(),
            }
        )


def make_log_id() -> str:
    """The id under which the service would find the call in its logs."""
    return f"log_{secrets.token_hex(6)}"


def _is_approved(responses: Mapping[str, Any]) -> bool:
    given = responses.get(QUESTION)
    decision = read_option(read_option(given, "content"), "decision")
    return read_option(given, "action") == "accept" and decision in {"approve", "always_approve"}


def _block(kind: str) -> Data:
    return {
        "result_type": "blocked",
        "reason": {"type": kind, "hook_id": "h1"},
        "message": BLOCKED,
        "log_id": make_log_id(),
        "hook_results": [{"id": "h1", "status": "evaluated", "outcome": "block"}],
    }


def _fail(error: str) -> Response:
    answer: Data = {"data": {}, "error": error, "log_id": make_log_id(), "result_type": "failed"}
    return _answer(answer)


def _answer(body: Data) -> Response:
    """Raises RestError: the answer is more than the transport carries."""
    if len(json.dumps(body, ensure_ascii=False).encode()) > MAX_BYTES:
        raise refuse_size("response")
    return JSONResponse(body)
