"""A question to a person as a post: a button for each option, and in the end who answered what."""

import logging
from datetime import timedelta

from agent_core.events import AnyEvent, MessageTaken, QuestionAsked, StepStarted, TurnFinished
from agent_core.ids import ROOT_RUN
from agent_core.messages import JsonObject
from agent_core.words import Words
from bot import clicks
from bot.clicks import QuestionClick, QuestionForm
from bot.presenter.answer import post_answer
from bot.presenter.journal import Destination
from bot.render import (
    PostDraft,
    actions,
    context,
    entry,
    foreign_line,
    limits,
    local_time,
    mention,
    none_live,
    sections,
    split,
    to_text,
)
from bot.slack_api import Op, SlackError

NEAR = timedelta(days=1)
"""A deadline that is further away is no news to anybody."""
ANSWER_CHARS = 3_000
_TAIL_CHARS = 1_000
"""Room for what stands below a question."""

_log = logging.getLogger(__name__)


def question_drafts(event: QuestionAsked, words: Words) -> list[PostDraft]:
    """The question with its buttons, and until when it waits if that is near.

    It names the person, and nothing else in it is live: what it asks for may come from outside.
    Options that are too long for a button are numbered, and so are the buttons.
    """
    default = words("question-default-option", what=event.default)
    labels = [default if option == event.default else option for option in event.options]
    is_short = all(len(label) <= limits.LABEL_CHARS for label in labels)
    numbered = "\n".join(
        f"{n}. {foreign_line(each, limits.OPTION_CHARS)}" for n, each in enumerate(labels, start=1)
    )
    hints = [words("question-choose")] if labels else []
    if event.deadline - event.at < NEAR:
        hints.append(words("question-answer-by", when=local_time(event.deadline)))
    small = "\n".join(f"_{hint}_" for hint in hints)
    shown = _asked(event) if is_short or not numbered else f"{_asked(event)}\n\n{numbered}"
    *before, last = split(shown, limits.TEXT_CHARS - _TAIL_CHARS)
    text = "\n\n".join(filter(None, [last, numbered if is_short else "", small]))
    if not labels:
        return [PostDraft(text=each) for each in (*before, text)]
    row: list[JsonObject] = []
    for n, label in enumerate(labels, start=1):
        option = QuestionClick(
            kind="question.option", turn=event.turn, call=event.call_id, option=n
        )
        row.append(clicks.button(label if is_short else str(n), option, number=n))
    other = QuestionClick(kind="question.other", turn=event.turn, call=event.call_id)
    row.append(clicks.button(words("question-other"), other))
    blocks = (*sections(last), actions(*row), context(small))
    return [*(PostDraft(text=each) for each in before), PostDraft(text=text, blocks=blocks)]


def ended_draft(event: QuestionAsked, said: str) -> PostDraft:
    """The end of the question's post once nobody is asked any more: how it ended, no buttons."""
    last = split(_asked(event), limits.TEXT_CHARS - _TAIL_CHARS)[-1]
    return PostDraft(text=f"{last}\n\n{said}", blocks=(*sections(last), context(said)))


def answer_form(about: QuestionForm, words: Words) -> JsonObject:
    """A modal for an answer in one's own words."""
    element = {"type": "plain_text_input", "multiline": True, "max_length": ANSWER_CHARS}
    return clicks.form(
        about,
        words("question-form-title"),
        words("question-form-send"),
        words("consent-cancel"),
        [entry("answer", words("question-form-label"), element)],
    )


class QuestionPosts:
    """The questions of one turn: each asked once, and edited once when it has ended."""

    def __init__(self, place: Destination) -> None:
        self._place = place
        self._open: QuestionAsked | None = None
        self._end = ""

    async def ask(self, event: QuestionAsked) -> None:
        """Raises SlackError where it could not be posted now."""
        drafts = question_drafts(event, self._place.board.words)
        await post_answer(self._place, _op(event), drafts)

    async def hear(self, event: AnyEvent) -> None:
        """Take the buttons away once a question is answered, or nobody waits for it any more.

        An edit that fails is made with a later event.
        """
        if isinstance(event, QuestionAsked):
            self._open, self._end = event, ""
        elif self._open and event.run == ROOT_RUN:
            self._end = self._end or self._said(self._open, event)
        if not self._open or not self._end:
            return
        try:
            await self._place.settle(_op(self._open), "ended", ended_draft(self._open, self._end))
        except SlackError as error:
            _log.warning("a question's end is shown later: %s", error)
        else:
            self._open = None

    def _said(self, asked: QuestionAsked, event: AnyEvent) -> str:
        """How it ended, if this event ends it."""
        words = self._place.board.words
        match event:
            case MessageTaken() if event.text:
                who = mention(event.author) if event.author else "…"
                what = foreign_line(event.text, limits.OPTION_CHARS)
                return words("question-answered", who=who, what=what)
            case StepStarted() if asked.default:
                what = foreign_line(asked.default, limits.OPTION_CHARS)
                return words("question-default-taken", what=what)
            case StepStarted() | TurnFinished():
                return words("question-unanswered")
            case _:
                return ""


def _asked(event: QuestionAsked) -> str:
    return f"{mention(event.asker)} {to_text(event.question, none_live)}"


def _op(event: QuestionAsked) -> Op:
    return Op(event.turn).part("question", event.call_id)
