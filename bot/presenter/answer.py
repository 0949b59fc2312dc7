"""The answer of a turn in its thread: posts once each, smaller or elsewhere where Slack insists."""

import logging
from collections.abc import Sequence
from functools import partial

from agent_core.events import TurnFinished
from agent_core.ids import UserId
from bot.presenter.direct import DirectPlace
from bot.presenter.journal import Journal
from bot.presenter.words import Words
from bot.render import Draft, IsLive, answer_drafts, limits, split
from bot.slack_api import ContentRefused, PlaceRefused, SlackApi, SlackAuthRefused, SlackRefused
from bot.threads import ThreadRef, parse_user

WHOLE_ANSWER_NAME = "answer.md"

_log = logging.getLogger(__name__)


def answer_text(event: TurnFinished, words: Words) -> str:
    """The Markdown to show: never nothing, and a failure with what the operator finds it by."""
    if event.outcome != "failed":
        return event.answer.strip() or words.no_answer
    sentence = event.answer.strip() or words.failure
    if not event.reference or event.reference in sentence:
        return sentence
    return f"{sentence}\n\n{words.reference.format(what=f'`{event.reference}`')}"


def is_silent(event: TurnFinished) -> bool:
    """Whether nobody waits for an answer of this turn: taken back, or answered by another."""
    return event.outcome == "steered" or (event.outcome == "stopped" and not event.answer)


def live_links(event: TurnFinished) -> IsLive:
    """Which addresses of the answer may be live: all, or those that the session came by."""
    known = {_comparable(source) for source in event.sources}
    return lambda url: not event.is_tainted or _comparable(url) in known


def _comparable(url: str) -> str:
    return url.partition("#")[0].rstrip("/")


def thread_drafts(markdown: str, words: Words, is_live: IsLive) -> tuple[list[Draft], bool]:
    """As many posts as a thread bears, and whether something was left out."""
    drafts = answer_drafts(markdown[: limits.ANSWER_CHARS], is_live)
    if len(markdown) <= limits.ANSWER_CHARS and len(drafts) <= limits.ANSWER_POSTS:
        return drafts, False
    return [*drafts[: limits.ANSWER_POSTS - 1], Draft(text=words.whole_answer)], True


class AnswerPosts:
    """Posts an answer's parts in order."""

    def __init__(
        self, api: SlackApi, thread: ThreadRef, journal: Journal, direct: DirectPlace
    ) -> None:
        self._api = api
        self._thread = thread
        self._journal = journal
        self._direct = direct

    async def post(self, op: str, drafts: Sequence[Draft], words: Words, asker: UserId) -> bool:
        """Post the answer's parts and say whether Slack took them all.

        Raises:
            SlackError: Slack gave no answer, or refused the token; the rest can be posted later.
        """
        is_whole = True
        for number, draft in enumerate(drafts):
            is_whole &= await self._post_part(f"{op}:{number}", draft, words, asker)
        return is_whole

    async def _post_part(self, op: str, draft: Draft, words: Words, asker: UserId) -> bool:
        """Whether the part is to be read somewhere; not if Slack takes it in no form."""
        try:
            if await self._direct.known():
                await self._post_directly(op, draft, words, asker)
            else:
                await self._post_fitting(self._thread, op, draft)
        except PlaceRefused as refused:
            _log.warning("answering directly: %s", refused)
            await self._post_directly(op, draft, words, asker)
        except ContentRefused:
            _log.exception("a part of an answer was refused in every form")
            return False
        return True

    async def _post_fitting(self, place: ThreadRef, op: str, draft: Draft) -> None:
        """As it is, or else without blocks and in shorter parts."""
        try:
            await self._post_draft(place, op, draft)
        except ContentRefused as refused:
            _log.warning("posting smaller: %s", refused)
            for number, text in enumerate(split(draft.text, limits.TEXT_CHARS // 3)):
                await self._post_draft(place, f"{op}.{number}", Draft(text=text))

    async def _post_draft(self, place: ThreadRef, op: str, draft: Draft) -> None:
        await self._journal.once(op, partial(self._write, place, op, draft))

    async def _write(self, place: ThreadRef, op: str, draft: Draft, may_exist: bool) -> None:
        await self._api.post(place, draft.text, blocks=draft.blocks, op_id=op, may_exist=may_exist)

    async def _post_directly(self, op: str, draft: Draft, words: Words, asker: UserId) -> None:
        """The thread takes no posts: the asker gets the answer as a direct message."""
        try:
            place = await self._direct.open(op, words, asker)
            await self._post_fitting(place, f"{op}:direct", draft)
        except SlackAuthRefused:
            raise
        except SlackRefused as refused:
            _log.warning("answering for the asker's eyes: %s", refused)
            await self._journal.once(f"{op}:ephemeral", partial(self._whisper, draft, asker))

    async def _whisper(self, draft: Draft, asker: UserId, may_exist: bool) -> None:
        """The last place: nobody else sees it, and it is gone when Slack is loaded anew."""
        _, user = parse_user(asker)
        thread = self._thread
        try:
            await self._api.post_ephemeral(
                thread.channel, user, draft.text, thread_ts=thread.root_ts
            )
        except SlackRefused:
            _log.exception("an answer could be posted nowhere")
