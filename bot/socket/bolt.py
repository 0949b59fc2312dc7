"""An envelope's way through Bolt, and the acknowledgement that comes of it."""

import json
import logging

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest

from agent_core.messages import JsonObject
from bot.socket.connection import MAX_SHOWN_CHARS, Envelope

FOR_BOLT = frozenset({"events_api", "interactive"})

_logger = logging.getLogger(__name__)


async def acknowledge(app: AsyncApp, envelope: Envelope) -> JsonObject | None:
    """The acknowledgement of an envelope that Bolt has dealt with.

    None where Bolt failed with it or has nobody for it: Slack then delivers it again. What nobody
    could ever read is acknowledged, since it would come again and again.
    """
    payload = envelope.payload
    if envelope.type not in FOR_BOLT or payload is None:
        shown = envelope.type[:MAX_SHOWN_CHARS]
        _logger.warning("an envelope of the type %r cannot be read and is left", shown)
        return {"envelope_id": envelope.id}
    if payload.get("type") == "app_rate_limited":
        _logger.error("Slack holds back events: more than 30,000 came within an hour")
        return {"envelope_id": envelope.id}
    try:
        if payload.get("type") == "event_callback" and not isinstance(payload["event"], dict):
            raise TypeError  # noqa: TRY301 (as what Bolt itself cannot read)
        request = AsyncBoltRequest(mode="socket_mode", body=payload)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        _logger.warning("a payload cannot be read and is left (%s)", type(error).__name__)
        return {"envelope_id": envelope.id}
    response = await app.async_dispatch(request)
    if response.status != 200:
        _logger.info("a payload was not taken (status %s)", response.status)
        return None
    if not response.body:
        return {"envelope_id": envelope.id}
    return {"envelope_id": envelope.id, "payload": json.loads(response.body)}
