"""From an admitted post to the agent: names, earlier posts and files are added on the way."""

import logging
from datetime import UTC, datetime

from cachetools import LRUCache

from agent_core.messages import Attachment, InboundMessage
from agent_core.prompts.small_talk import asks_for_nothing
from bot.inbound import InboundPost
from bot.ingress.background import Background
from bot.ingress.corrections import Corrections
from bot.ingress.gate import Admitted, Refused
from bot.ingress.left_out import left_out_note, left_out_notice
from bot.ingress.reading import Reading
from bot.ingress.seams import FileKeeper, Front, Ledger, LeftOut
from bot.ingress.words import WORDS, post_language
from bot.render import escape
from bot.slack_api import SlackApi, SlackError
from bot.threads import user_id

UNREADABLE = "(The earlier posts of this thread could not be read.)"

MAX_TOLD = 1_000

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
        background: Background,
        reading: Reading,
        corrections: Corrections,
    ) -> None:
        self._front = front
        self._ledger = ledger
        self._files = files
        self._api = api
        self._background = background
        self._reading = reading
        self._corrections = corrections
        self._told_parked: LRUCache[str, None] = LRUCache(MAX_TOLD)

    async def deliver(self, admitted: Admitted, *, again: bool = False) -> bool:
        """Hand a post to the agent; the ledger is settled once the agent has it.

        Say with `again` that an earlier try may have come some way. False if the agent had the
        post before, and if there is nothing in it for the agent.
        """
        key = admitted.post.key
        message = await self._message(admitted, again=again)
        is_new = message is not None and await self._give(message)
        await self._ledger.settle(key)
        return is_new

    async def leave(self, post: InboundPost) -> None:
        """A recorded post is not for the bot, as it stands now."""
        await self._ledger.forget(post.key, post.second_key)

    async def dismiss(self, post: InboundPost) -> None:
        """Nobody will answer a recorded post: settle it."""
        await self._ledger.settle(post.key)

    async def tell(self, refused: Refused) -> None:
        """Say to the author alone why there will be no answer, where there is a word for it."""
        post = refused.post
        if not refused.sentence:
            return
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
        if op_id in self._told_parked:
            return
        words = WORDS[post_language(admitted.post, admitted.person)]
        try:
            if await self._api.find_post(thread, op_id) is None:
                await self._api.post(thread, words.parked, op_id=op_id)
        except SlackError as error:
            _log.warning("could not tell that a post has to wait: %s", error)
            return
        self._told_parked[op_id] = None

    async def _give(self, message: InboundMessage) -> bool:
        """A post may be deleted before the agent has it, or while it takes it."""
        if self._corrections.is_gone(message.key):
            return False
        turn = await self._front.handle(message)
        if self._corrections.is_gone(message.key):
            by = self._corrections.called_off_by(message.key)
            await self._front.withdraw(message.key, by=by)
        return turn is not None

    async def _message(self, admitted: Admitted, *, again: bool) -> InboundMessage | None:
        """The earlier posts come first: keeping files makes the session, and it counts as known.

        None where files could not be had and no word is left to work on; the person was told.
        """
        post = admitted.post
        earlier = await self._earlier(admitted, again=again)
        files = await self._files.keep(post.thread.session, post.files) if post.files else ()
        attachments = tuple(file for file in files if isinstance(file, Attachment))
        left_out = tuple(file for file in files if isinstance(file, LeftOut))
        text = await self._reading.text(self._corrections.newest(post))
        has_more = bool(attachments) or not asks_for_nothing(text)
        if left_out:
            language = post_language(post, admitted.person, earlier)
            notice = left_out_notice(left_out, language, has_more=has_more)
            await self._tell_left_out(post, notice, again=again)
        if left_out and not has_more:
            return None
        newest = self._corrections.newest(post)
        text = await self._reading.text(newest)
        return InboundMessage(
            session=post.thread.session,
            key=post.key,
            asker=user_id(post.thread.team, post.user),
            author_name=admitted.person.name,
            text="\n\n".join(filter(None, [text, left_out_note(left_out)])),
            received_at=datetime.fromtimestamp(float(newest.said_ts), UTC),
            background=earlier,
            attachments=attachments,
            author_locale=admitted.person.locale,
            author_zone=admitted.person.zone,
            places=(post.thread.channel, f"{post.thread.team}:{post.thread.channel}"),
        )

    async def _tell_left_out(self, post: InboundPost, notice: str, *, again: bool) -> None:
        """Said at once and in the thread; a later try looks whether an earlier one has said it."""
        op_id = f"{post.key}:files"
        try:
            if not again or await self._api.find_post(post.thread, op_id) is None:
                await self._api.post(post.thread, escape(notice), op_id=op_id)
        except SlackError as error:
            _log.warning("could not tell that files were left out: %s", error)

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
