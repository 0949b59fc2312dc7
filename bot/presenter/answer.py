"""The answer of a turn as posts: smaller, or elsewhere, where Slack insists."""

import logging
import re
from collections.abc import Sequence
from functools import partial

from agent_core.events import TurnFinished
from agent_core.words import Words
from bot.presenter.journal import Place, whisper
from bot.render import (
    Draft,
    IsLive,
    answer_drafts,
    limits,
    split,
)
from bot.slack_api import ContentRefused, SlackAuthRefused, SlackRefused

WHOLE_ANSWER_NAME = "answer.md"

_POST = re.compile(r"archives/[A-Z0-9]+/p\d+(?:\?thread_ts=[\d.]+&cid=[A-Z0-9]+)?")
"""A post's place below the team's address."""

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


def live_links(event: TurnFinished, home: str) -> IsLive:
    """Which addresses of the answer may be live: all, or those that the session came by.

    Of the team's own pages in Slack, whose address is `home`, each post is one of these.
    """
    known = {_comparable(source) for source in event.sources}

    def is_live(url: str) -> bool:
        is_post = bool(home) and url.startswith(home) and _POST.fullmatch(url[len(home) :])
        return not event.is_tainted or bool(is_post) or _comparable(url) in known

    return is_live


def _comparable(url: str) -> str:
    return url.partition("#")[0].rstrip("/")


def thread_drafts(
    markdown: str,
    words: Words,
    is_live: IsLive,
    *,
    sources: Sequence[str] = (),
    is_plain: bool = False,
) -> tuple[list[Draft], bool]:
    """The answer's posts or, of more than a thread bears, its beginning; and whether it is cut."""
    drafts = answer_drafts(
        markdown[: limits.ANSWER_CHARS], is_live, sources=sources, is_plain=is_plain
    )
    drafts = drafts or [Draft(text=words("progress-no-answer"))]  # such as an empty code block
    if len(markdown) <= limits.ANSWER_CHARS and len(drafts) <= limits.ANSWER_POSTS:
        return drafts, False
    return [*drafts[:1], Draft(text=words("progress-whole-answer"))], True


async def post_answer(place: Place, op: str, drafts: Sequence[Draft]) -> bool:
    """Post an answer's parts in order and say whether Slack took them all.

    Each as it is, or else without blocks and in shorter parts; not if Slack takes no form. Raises
    SlackError where Slack gave no answer or refused the token; the rest can be posted later.
    """
    is_whole = True
    for number, draft in enumerate(drafts):
        part_op = f"{op}:{number}"
        try:
            await _post(place, part_op, draft)
        except ContentRefused as refused:
            _log.warning("posting smaller: %s", refused)
            is_whole &= await _post_smaller(place, part_op, draft.whole or draft.text)
    return is_whole


async def _post(place: Place, op: str, draft: Draft) -> None:
    """In its place or, where thread and direct conversation take nothing, for the asker alone."""
    try:
        await place.post(op, draft)
    except (SlackAuthRefused, ContentRefused):
        raise
    except SlackRefused as refused:
        _log.warning("the asker cannot be written to: %s", refused)
        await place.journal.once(f"{op}:ephemeral", partial(_whisper, place, draft))


async def _whisper(place: Place, draft: Draft, _may_exist: bool) -> None:
    """The last place: nobody else sees it, and it is gone when Slack is loaded anew."""
    try:
        await whisper(place.api, place.thread, place.board.asker, Draft(text=draft.text))
    except SlackRefused:
        _log.exception("an answer could be posted nowhere")


async def _post_smaller(place: Place, op: str, text: str) -> bool:
    try:
        for number, part in enumerate(split(text, limits.TEXT_CHARS // 3)):
            await _post(place, f"{op}.{number}", Draft(text=part))
    except ContentRefused:
        _log.exception("a part of an answer was refused in every form")
        return False
    return True
