"""An envelope's way through Bolt, and the acknowledgement that comes of it."""

import json
import logging
from collections.abc import Sequence
from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from agent_core.messages import JsonObject
from bot.socket.connection import MAX_SHOWN_CHARS, Envelope

FOR_BOLT = frozenset({"events_api", "interactive", "slash_commands"})

_logger = logging.getLogger(__name__)


async def acknowledge(app: AsyncApp, envelope: Envelope) -> JsonObject | None:
    """The acknowledgement of an envelope that Bolt has dealt with.

    None where Bolt failed with it or has nobody for it: Slack then delivers it again. What nobody
    could ever read is acknowledged, since it would come again and again.
    """
    if envelope.type not in FOR_BOLT or envelope.payload is None:
        shown = envelope.type[:MAX_SHOWN_CHARS]
        _logger.warning("an envelope of the type %r cannot be read and is left", shown)
        return {"envelope_id": envelope.id}
    try:
        request = _request(envelope, envelope.payload)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        _logger.warning("a payload cannot be read and is left (%s)", type(error).__name__)
        return {"envelope_id": envelope.id}
    return _read_response(envelope.id, await app.async_dispatch(request))


def _request(envelope: Envelope, payload: JsonObject) -> AsyncBoltRequest:
    headers: dict[str, str | Sequence[str]] = {}
    if envelope.retry_attempt is not None:
        headers["x-slack-retry-num"] = str(envelope.retry_attempt)
    if envelope.retry_reason is not None:
        headers["x-slack-retry-reason"] = envelope.retry_reason
    return AsyncBoltRequest(mode="socket_mode", body=payload, headers=headers or None)


def _read_response(envelope_id: str, response: BoltResponse) -> JsonObject | None:
    if response.status != 200:
        _logger.info("a payload was not taken (status %s)", response.status)
        return None
    if not response.body:
        return {"envelope_id": envelope_id}
    headers: dict[str, Any] = response.headers
    is_json = str(headers.get("content-type", [""])[0]).startswith("application/json")
    answer = json.loads(response.body) if is_json else {"text": response.body}
    return {"envelope_id": envelope_id, "payload": answer}
