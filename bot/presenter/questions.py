"""A question to a person as a post: a button for each option, and in the end who answered what.

A button carries the id of the turn, that of the call that asks, and the number of its option.
"""

import logging
from datetime import timedelta

from agent_core.events import AnyEvent, MessageTaken, QuestionAsked, StepStarted, TurnFinished
from agent_core.ids import ROOT_RUN, ToolCallId, TurnId
from agent_core.messages import JsonObject
from agent_core.words import Words
from bot.presenter.answer import post_answer
from bot.presenter.journal import Destination
from bot.render import (
    PostDraft,
    actions,
    button,
    context,
    entry,
    foreign_line,
    limits,
    local_time,
    mention,
    modal,
    none_live,
    sections,
    split,
    to_text,
)
from bot.slack_api import Op, SlackError

PREFIX = "question."
"""Of the names of the buttons and the form."""
OPTION, OTHER = f"{PREFIX}option", f"{PREFIX}other"
NEAR = timedelta(days=1)
"""A deadline that is further away is no news to anybody."""
ANSWER_CHARS = 3_000
_TAIL_CHARS = 1_000
"""Room for what stands below a question."""

_log = logging.getLogger(__name__)


def read_value(value: str) -> tuple[TurnId, ToolCallId, int]:
    """Of a button: turn and call that ask, and the option's number from 1 on, 0 for none."""
    number, _, asked = value.partition(" ")
    turn, _, call = asked.partition(" ")
    return TurnId(turn), ToolCallId(call), int(number) if number.isdecimal() else 0


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
    asked = f"{event.turn} {event.call_id}"
    row = [
        button(f"{OPTION}.{n}", label if is_short else str(n), f"{n} {asked}")
        for n, label in enumerate(labels, start=1)
    ]
    row.append(button(OTHER, words("question-other"), f"0 {asked}"))
    blocks = (*sections(last), actions(*row), context(small))
    return [*(PostDraft(text=each) for each in before), PostDraft(text=text, blocks=blocks)]


def ended_draft(event: QuestionAsked, said: str) -> PostDraft:
    """The end of the question's post once nobody is asked any more: how it ended, no buttons."""
    last = split(_asked(event), limits.TEXT_CHARS - _TAIL_CHARS)[-1]
    return PostDraft(text=f"{last}\n\n{said}", blocks=(*sections(last), context(said)))


def answer_form(value: str, words: Words, *, place: str, language: str) -> JsonObject:
    """A modal for an answer in one's own words; `value` is the button's, `place` its post's."""
    element = {"type": "plain_text_input", "multiline": True, "max_length": ANSWER_CHARS}
    return modal(
        f"{PREFIX}form",
        words("question-form-title"),
        words("question-form-send"),
        words("consent-cancel"),
        private_metadata=f"{language} {place} {value}",
        blocks=[entry("answer", words("question-form-label"), element)],
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
