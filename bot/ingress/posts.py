"""Posts, in both of Slack's shapes: `app_mention` for a mention, `message` for every post."""

from typing import Any

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.response import BoltResponse

from bot.ingress.gate import Arrival
from bot.ingress.ingress import Ingress
from bot.ingress.seams import Live
from bot.ingress.unheard import Unheard

EVENTS = ("app_mention", "message")
_ARRIVAL = "arrival"


def listen(bolt: AsyncApp, ingress: Ingress, unheard: Unheard, live: Live) -> None:
    """Take posts from Bolt, and what became of them later.

    The middleware runs before Bolt acknowledges, the listener after it. An error in the middleware
    leaves the payload unacknowledged, so Slack delivers it again.
    """
    app: Any = bolt  # Bolt's decorators are not typed

    async def decide(
        body: dict[str, Any], context: dict[str, Any], next_: Any
    ) -> BoltResponse | None:
        if body.get("type") == "event_callback" and body["event"].get("type") in EVENTS:
            context[_ARRIVAL] = await receive(body)
            if context[_ARRIVAL] is None:
                unheard.note(body)
                return BoltResponse(status=200, body="")
        await next_()
        return None

    async def receive(body: dict[str, Any]) -> Arrival | None:
        try:
            arrival = await ingress.receive(body)
        except Exception:
            live.lose()
            raise
        live.note(body, is_taken=arrival is not None)
        return arrival

    async def hand_over(context: dict[str, Any]) -> None:
        arrival: Arrival = context[_ARRIVAL]
        if arrival.post is not None and ingress.waits_its_turn(arrival.post):
            await live.let_earlier_pass(arrival.post)
        await ingress.hand_over(arrival)

    app.use(decide)
    for event in EVENTS:
        app.event(event)(hand_over)
