"""Brings payloads to the app: envelopes, the 3 s for the acknowledgement, the retry schedule."""

import asyncio
import json
from dataclasses import replace

from bot.sandbox.slack.background import Background
from bot.sandbox.slack.records import ACK_DEADLINE_S, Delivery
from bot.sandbox.slack.sockets import Sockets
from bot.sandbox.slack.state import State
from bot.sandbox.slack.wire import JsonObject

RETRY_PAUSES_S = (0.0, 60.0, 300.0)


class Deliverer:
    """Sends each payload to one socket and records every attempt in the state."""

    def __init__(self, state: State, sockets: Sockets, background: Background) -> None:
        self._state = state
        self._sockets = sockets
        self._background = background
        self.events_under_way = 0
        """How many events are neither acknowledged nor given up."""
        self.may_begin = asyncio.Event()
        """Cleared while events wait for an app's first connection; Slack would try for minutes."""
        self.may_begin.set()

    def start_event(self, payload: JsonObject) -> None:
        """Deliver an event in the background, with Slack's retries until it is acknowledged."""
        self.events_under_way += 1
        self._background.start(self._deliver_event(payload))

    async def _deliver_event(self, payload: JsonObject) -> None:
        await self.may_begin.wait()
        try:
            delivery = await self.attempt("events_api", payload)
            for attempt, pause_s in enumerate(RETRY_PAUSES_S, start=1):
                if delivery.acked_at_s is not None:
                    return
                await self._state.clock.sleep_until(delivery.failed_at_s + pause_s)
                delivery = await self.attempt("events_api", payload, attempt=attempt)
        finally:
            self.events_under_way -= 1

    async def attempt(
        self,
        envelope_type: str,
        payload: JsonObject,
        *,
        attempt: int = 0,
        reason: str | None = None,
        envelope_id: str | None = None,
        accepts_answer: bool = False,
    ) -> Delivery:
        """Send once and wait for the acknowledgement, at most 3 s by the stand-in's clock."""
        delivery = Delivery(
            envelope_id=envelope_id or self._state.ids.fresh_uuid(),
            type=envelope_type,
            payload=payload,
            attempt=attempt,
            sent_at_s=self._state.clock.now(),
            reached_socket=False,
        )
        envelope: JsonObject = {
            "envelope_id": delivery.envelope_id,
            "type": envelope_type,
            "accepts_response_payload": accepts_answer,
            "payload": payload,
        }
        if envelope_type == "events_api":
            retry_reason = reason or ("timeout" if attempt else "")
            envelope |= {"retry_attempt": attempt, "retry_reason": retry_reason}
        with self._sockets.expect_ack(delivery.envelope_id) as ack:
            reached = await self._sockets.send_text(json.dumps(envelope))
            delivery = replace(delivery, reached_socket=reached)
            self._state.note_delivery(delivery)
            return await self._await_ack(delivery, ack) if reached else delivery

    async def _await_ack(
        self, delivery: Delivery, ack: asyncio.Future[JsonObject | None]
    ) -> Delivery:
        clock = self._state.clock
        deadline = asyncio.ensure_future(clock.sleep_until(delivery.sent_at_s + ACK_DEADLINE_S))
        try:
            await asyncio.wait((ack, deadline), return_when=asyncio.FIRST_COMPLETED)
        finally:
            deadline.cancel()
        if ack.done():
            delivery = replace(delivery, acked_at_s=clock.now(), answer=ack.result())
            self._state.note_delivery(delivery)
        return delivery
