"""An order to stop: what it calls off and ends beside the work of its own thread."""

from agent_core.prompts.small_talk import small_talk
from bot.inbound import InboundPost
from bot.ingress.corrections import Corrections
from bot.ingress.gate import Admitted
from bot.ingress.reading import Reading
from bot.ingress.seams import Front


class Stopping:
    """Carries orders to stop out. The work of its own thread an order ends by its turn."""

    def __init__(self, front: Front, corrections: Corrections, reading: Reading) -> None:
        self._front = front
        self._corrections = corrections
        self._reading = reading

    def is_order(self, post: InboundPost) -> bool:
        """Whether a post is the word to stop, and nothing else."""
        return not post.files and small_talk(self._reading.words(post)) == "stop"

    async def carry_out(self, order: Admitted) -> bool:
        """Call off what is still being handed over, and stop what an order at the top ends.

        True if something was stopped: it says so itself, and the order needs no turn.
        """
        post = order.post
        place, name = post.thread, order.person.name
        self._corrections.call_off(lambda other: _concerns(post, other), by=name, before_ts=post.ts)
        if not _is_for_all(post):
            return False
        return await self._front.stop_channel(place.team, place.channel, name, before_ts=post.ts)


def _concerns(order: InboundPost, post: InboundPost) -> bool:
    if _is_for_all(order):
        return post.thread.channel == order.thread.channel
    return post.thread == order.thread


def _is_for_all(order: InboundPost) -> bool:
    """Each post at the top of a direct conversation begins a thread, and all are one person's."""
    return order.channel_type == "im" and not order.is_reply
