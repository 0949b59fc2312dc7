"""From an admitted post to the agent: names, earlier posts and files are added on the way."""

import logging
from datetime import UTC, datetime

from agent_core.messages import Attachment, InboundMessage, JsonObject
from bot.inbound import InboundPost, mentioned_users, plain_text, read_post
from bot.ingress.background import Background
from bot.ingress.gate import Admitted, Refused
from bot.ingress.seams import FileKeeper, Front, Ledger
from bot.slack_api import Identity, People, SlackApi, SlackError
from bot.threads import user_id

NO_WORDS = "(They mentioned you without adding any words.)"
UNREADABLE = "(The earlier posts of this thread could not be read.)"
PARKED = (
    "Something failed on my side, so I could not start on your message. "
    "I have kept it and will try again when I am next started."
)

_log = logging.getLogger(__name__)


class Handover:
    """Gives posts to the front door, and refusals to their authors."""

    def __init__(
        self,
        *,
        front: Front,
        ledger: Ledger,
        files: FileKeeper,
        api: SlackApi,
        people: People,
        identity: Identity,
    ) -> None:
        self._front = front
        self._ledger = ledger
        self._files = files
        self._api = api
        self._people = people
        self._identity = identity
        self._background = Background(api, people, identity)

    async def deliver(self, admitted: Admitted, *, again: bool = False) -> bool:
        """Hand a post to the agent; the ledger is settled once the agent has it.

        Say with `again` that an earlier try may have come some way. False if the agent had the
        post before.
        """
        turn = await self._front.handle(await self._message(admitted, again=again))
        await self._ledger.settle(admitted.post.key)
        return turn is not None

    async def dismiss(self, body: JsonObject) -> None:
        """A recorded payload that nobody will answer any more: settle it."""
        if post := read_post(body, bot_user=self._identity.bot_user):
            await self._ledger.settle(post.key)

    async def tell(self, refused: Refused) -> None:
        """Say to the author alone why there will be no answer."""
        post = refused.post
        thread_ts = post.thread.root_ts if post.is_reply else None
        try:
            await self._api.post_ephemeral(
                post.thread.channel, post.user, refused.sentence, thread_ts=thread_ts
            )
        except SlackError as error:
            _log.warning("could not tell a refusal: %s", error)

    async def tell_parked(self, admitted: Admitted) -> None:
        """Say once in the thread that the answer has to wait, over restarts too."""
        thread, op_id = admitted.post.thread, f"{admitted.post.key}:parked"
        try:
            if await self._api.find_post(thread, op_id) is None:
                await self._api.post(thread, PARKED, op_id=op_id)
        except SlackError as error:
            _log.warning("could not tell that a post has to wait: %s", error)

    async def _message(self, admitted: Admitted, *, again: bool) -> InboundMessage:
        """The earlier posts come first: keeping files makes the session, and it counts as known."""
        post = admitted.post
        earlier = await self._earlier(admitted, again=again)
        attachments = await self._attachments(post)
        return InboundMessage(
            session=post.thread.session,
            key=post.key,
            asker=user_id(post.thread.team, post.user),
            author_name=admitted.person.name,
            text=await self._text(post) or ("" if attachments else NO_WORDS),
            received_at=datetime.fromtimestamp(float(post.ts), UTC),
            background=earlier,
            attachments=attachments,
        )

    async def _text(self, post: InboundPost) -> str:
        bot = self._identity.bot_user
        try:
            names = await self._people.names(mentioned_users(post.wire_text) - {bot})
        except SlackError:
            names: dict[str, str] = {}
        return plain_text(post.wire_text, bot_user=bot, names=names)

    async def _earlier(self, admitted: Admitted, *, again: bool) -> str:
        post = admitted.post
        if not post.is_reply or await self._has_begun(post, again=again):
            return ""
        offset_s = admitted.person.utc_offset_s
        try:
            return await self._background.read(
                post.thread, before_ts=post.ts, utc_offset_s=offset_s
            )
        except SlackError as error:
            _log.warning("could not read a thread: %s", error)
            return UNREADABLE

    async def _has_begun(self, post: InboundPost, *, again: bool) -> bool:
        """Whether the agent knows the thread; an earlier try of this post may have made it known.

        Earlier posts that are given twice do less harm than some that are never given.
        """
        return not again and await self._front.knows(post.thread.session)

    async def _attachments(self, post: InboundPost) -> tuple[Attachment, ...]:
        if not post.files:
            return ()
        return await self._files.keep(post.thread.session, post.files)
