"""The answer of a turn as posts, and the rows below: what one may ask next, what it was worth."""

import logging
import re
from collections.abc import Sequence

from agent_core.events import REPORT, ArtifactSaved, TurnFinished
from agent_core.ids import TurnId
from agent_core.messages import JsonObject
from agent_core.words import Words
from bot import clicks
from bot.clicks import FeedbackClick, FollowUpClick
from bot.presenter.journal import Destination
from bot.render import (
    IsLive,
    PostDraft,
    actions,
    answer_drafts,
    limits,
    plain_line,
    plain_text,
    split,
)
from bot.slack_api import ContentRefused, Op

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
) -> tuple[list[PostDraft], bool]:
    """The answer's posts or, of more than a thread bears, its beginning; and whether it is cut."""
    drafts = answer_drafts(
        markdown[: limits.ANSWER_CHARS], is_live, sources=sources, is_plain=is_plain
    )
    drafts = drafts or [PostDraft(text=words("progress-no-answer"))]  # such as an empty code block
    if len(markdown) <= limits.ANSWER_CHARS and len(drafts) <= limits.ANSWER_POSTS:
        return drafts, False
    return [*drafts[:1], PostDraft(text=words("progress-whole-answer"))], True


async def post_answer(destination: Destination, op: Op, drafts: Sequence[PostDraft]) -> None:
    """Post an answer's parts in order: each as it is, or else less of it.

    That is without charts, or without blocks and in shorter parts.

    Raises ContentRefused if Slack takes a part in no form, SlackError where it gave no answer or
    refused the token; the rest can be posted later.
    """
    for number, draft in enumerate(drafts):
        part = op.part(number)
        try:
            await _post(destination, part, draft)
        except ContentRefused as refused:
            _log.warning("posting smaller: %s", refused)
            for n, text in enumerate(split(draft.whole or draft.text, limits.TEXT_CHARS // 3)):
                await destination.post(part.part("smaller", n), PostDraft(text=text))


async def _post(destination: Destination, op: Op, draft: PostDraft) -> None:
    try:
        await destination.post(op, draft)
    except ContentRefused:
        if draft.without_charts == draft:
            raise
        await destination.post(op, draft.without_charts)


def follow_up_rows(files: Sequence[ArtifactSaved]) -> list[JsonObject]:
    """What the reader of the last report may ask next, as buttons; what they say is asked."""
    reports = [file for file in files if file.mimetype == REPORT]
    questions = reports[-1].follow_ups if reports else ()
    labels = [plain_line(question, limits.LABEL_CHARS) for question in questions]
    labels = [label for label in labels if label][: limits.FOLLOW_UPS]
    buttons = [
        clicks.button(label, FollowUpClick(question=label), number=number)
        for number, label in enumerate(labels)
    ]
    return [actions(*buttons)] if buttons else []


def feedback_block(turn: TurnId, words: Words) -> JsonObject:
    """A block for the end of a turn's answer, in its language."""
    up = FeedbackClick(turn=turn, verdict="up")
    down = FeedbackClick(turn=turn, verdict="down")
    row = {
        "type": "feedback_buttons",
        "action_id": up.kind,
        "positive_button": _verdict_button(up, words),
        "negative_button": _verdict_button(down, words),
    }
    return {"type": "context_actions", "elements": [row]}


def _verdict_button(click: FeedbackClick, words: Words) -> JsonObject:
    label = words(f"feedback-{click.verdict}")
    return {"text": plain_text(label), "value": click.encoded(), "accessibility_label": label}
