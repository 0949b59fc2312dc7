"""The answer of a turn and its questions as posts: smaller, or elsewhere, where Slack insists."""

import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from agent_core.events import QuestionAsked, TurnFinished
from agent_core.ids import UserId
from agent_core.words import Words
from bot.presenter.journal import Place
from bot.render import (
    Draft,
    IsLive,
    answer_drafts,
    defanged,
    limits,
    local_time,
    one_line,
    split,
    to_mrkdwn,
)
from bot.slack_api import ContentRefused, SlackApi, SlackRefused
from bot.threads import ThreadRef, parse_user

WHOLE_ANSWER_NAME = "answer.md"
NEAR = timedelta(days=1)
"""A deadline that is further away is no news to anybody."""

_log = logging.getLogger(__name__)


def answer_text(event: TurnFinished, words: Words) -> str:
    """The Markdown to show: never nothing, and a failure with what the operator finds it by."""
    if event.outcome != "failed":
        return event.answer.strip() or words("progress-no-answer")
    sentence = event.answer.strip() or words("progress-failure")
    if not event.reference or event.reference in sentence:
        return sentence
    return f"{sentence}\n\n{words('progress-reference', what=f'`{event.reference}`')}"


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
    rest = Draft(text=words("progress-whole-answer"))
    return [*drafts[: limits.ANSWER_POSTS - 1], rest], True


def question_drafts(event: QuestionAsked, words: Words) -> list[Draft]:
    """The question with its options numbered, and until when it waits if that is near.

    It names the person, and nothing else in it is live: what it asks for may come from outside.
    """
    _, user = parse_user(event.asker)
    parts = [f"<@{user}> {_inert(to_mrkdwn(event.question))}"]
    if event.options:
        numbered = enumerate(event.options, start=1)
        shown = [f"{n}. {_inert(one_line(each, limits.OPTION_CHARS))}" for n, each in numbered]
        parts.append("\n".join(shown))
    hints = [words("progress-choose")] if event.options else []
    if event.deadline - event.at < NEAR:
        hints.append(words("progress-answer-by", when=local_time(event.deadline)))
    if hints:
        parts.append("\n".join(f"_{hint}_" for hint in hints))
    return [Draft(text=text) for text in split("\n\n".join(parts), limits.TEXT_CHARS)]


def _inert(mrkdwn: str) -> str:
    return defanged(mrkdwn, lambda _url: False)


class AnswerPosts:
    """Posts an answer's parts in order."""

    def __init__(self, api: SlackApi, thread: ThreadRef, place: Place) -> None:
        self._api = api
        self._thread = thread
        self._place = place

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
        """As it is, or else without blocks and in shorter parts; not if Slack takes no form."""
        try:
            await self._post_draft(op, draft, words, asker)
        except ContentRefused as refused:
            _log.warning("posting smaller: %s", refused)
        else:
            return True
        try:
            for number, text in enumerate(split(draft.text, limits.TEXT_CHARS // 3)):
                await self._post_draft(f"{op}.{number}", Draft(text=text), words, asker)
        except ContentRefused:
            _log.exception("a part of an answer was refused in every form")
            return False
        return True

    async def _post_draft(self, op: str, draft: Draft, words: Words, asker: UserId) -> None:
        write, whisper = partial(self._write, draft), partial(self._whisper, draft, asker)
        await self._place.once(op, words, asker, write, otherwise=whisper)

    async def _write(self, draft: Draft, place: ThreadRef, op: str, may_exist: bool) -> None:
        await self._api.post(place, draft.text, blocks=draft.blocks, op_id=op, may_exist=may_exist)

    async def _whisper(self, draft: Draft, asker: UserId, _may_exist: bool) -> None:
        """The last place: nobody else sees it, and it is gone when Slack is loaded anew."""
        _, user = parse_user(asker)
        try:
            await self._api.post_ephemeral(
                self._thread.channel, user, draft.text, thread_ts=self._thread.root_ts
            )
        except SlackRefused:
            _log.exception("an answer could be posted nowhere")
