"""The bot's words in the threads in which people talk about digests."""

from agent_core.messages import InboundMessage
from bot.render import Draft
from bot.slack_api import SlackApi
from bot.threads import parse_session


class Replies:
    """One answer to each message, however often it is taken up."""

    def __init__(self, api: SlackApi) -> None:
        self._api = api

    async def post(self, message: InboundMessage, draft: Draft) -> str:
        """Answer in the message's thread; the `ts` of the answer, be it an earlier one."""
        thread, op_id = parse_session(message.session), _op_id(message)
        found = await self._api.find_post(thread, op_id)
        return found or await self._api.post(thread, draft.text, op_id=op_id, blocks=draft.blocks)

    async def has_answered(self, message: InboundMessage) -> bool:
        """Whether the message's thread has its answer."""
        thread = parse_session(message.session)
        return await self._api.find_post(thread, _op_id(message)) is not None

    async def replace(self, message: InboundMessage, ts: str, draft: Draft) -> None:
        """Write something else into a post of that thread; buttons that it has go away."""
        section = {"type": "section", "text": {"type": "mrkdwn", "text": draft.text}}
        channel = parse_session(message.session).channel
        await self._api.update(channel, ts, draft.text, blocks=draft.blocks or (section,))


def _op_id(message: InboundMessage) -> str:
    return f"{message.key}:digest"
