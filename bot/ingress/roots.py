"""How threads began, remembered: with a word to the bot, or among people."""

import asyncio
from collections import OrderedDict
from weakref import WeakValueDictionary

from bot.inbound import mentioned_users
from bot.slack_api import Identity, PostRecord, SlackApi
from bot.threads import ThreadRef

MAX_THREADS = 10_000


class Roots:
    """Answers whether a thread is the bot's own; each thread is looked up once."""

    def __init__(self, api: SlackApi, identity: Identity) -> None:
        self._api = api
        self._identity = identity
        self._known: OrderedDict[ThreadRef, bool] = OrderedDict()
        self._asking: WeakValueDictionary[ThreadRef, asyncio.Lock] = WeakValueDictionary()

    def known(self, thread: ThreadRef) -> bool | None:
        """Whether the thread is the bot's own, where that is known already."""
        return self._known.get(thread)

    async def is_ours(self, thread: ThreadRef) -> bool:
        """Whether the first post mentions the bot or is the bot's own.

        Raises:
            SlackError: Slack could not be asked.
        """
        async with self._asking.setdefault(thread, asyncio.Lock()):
            if thread not in self._known:
                root = await self._api.root_post(thread)
                self._keep(thread, root is not None and self._is_to_the_bot(root))
            return self._known[thread]

    def _is_to_the_bot(self, root: PostRecord) -> bool:
        bot = self._identity.bot_user
        return root.user == bot or bot in mentioned_users(root.text)

    def _keep(self, thread: ThreadRef, ours: bool) -> None:
        self._known[thread] = ours
        if len(self._known) > MAX_THREADS:
            self._known.popitem(last=False)
