"""The card of a question: a button for each option, and in the end who answered what. Pure."""

from datetime import timedelta

from agent_core.events import (
    AnyEvent,
    MessageTaken,
    QuestionAsked,
    StepStarted,
    TurnFinished,
)
from agent_core.messages import JsonObject
from agent_core.words import Words
from bot import clicks
from bot.clicks import QuestionClick, QuestionForm
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

NEAR = timedelta(days=1)
"""A deadline that is further away is no news to anybody."""
ANSWER_CHARS = 3_000
_TAIL_CHARS = 1_000
"""Room for what stands below a question."""


def question_drafts(event: QuestionAsked, words: Words) -> list[PostDraft]:
    """The question with its buttons, and until when it waits if that is near.

    It names the person, and nothing else in it is live: what it asks for may come from outside.
    Options that are too long for a button are numbered, and so are the buttons.
    """
    labels = list(event.options)
    if event.default in labels:
        default = labels.index(event.default)
        labels[default] = words("question-default-option", what=event.default)
    is_numbered = any(len(label) > limits.LABEL_CHARS for label in labels)
    lines: list[str] = []
    for number, label in enumerate(labels, start=1):
        option = foreign_line(label, limits.OPTION_CHARS)
        lines.append(f"{number}. {option}")
    numbered = "\n".join(lines)
    hint = _hint(event, words)
    text = _asked(event)
    below = [numbered, hint]
    if is_numbered:
        text = f"{text}\n\n{numbered}"
        below = [hint]
    *before, last = split(text, limits.TEXT_CHARS - _TAIL_CHARS)
    whole = "\n\n".join(filter(None, [last, *below]))
    drafts = [PostDraft(text=each) for each in before]
    if not labels:
        return [*drafts, PostDraft(text=whole)]
    row: list[JsonObject] = []
    for number, label in enumerate(labels, start=1):
        click = QuestionClick(kind="question.option", ask=event.ask, option=number)
        if is_numbered:
            label = str(number)
        row.append(clicks.button(label, click, number=number))
    other = QuestionClick(kind="question.other", ask=event.ask)
    row.append(clicks.button(words("question-other"), other))
    blocks = (*sections(last), actions(*row), context(hint))
    return [*drafts, PostDraft(text=whole, blocks=blocks)]


def question_ending(asked: QuestionAsked, event: AnyEvent, words: Words) -> str:
    """How the question ended, if this event of the root run ends it."""
    match event:
        case MessageTaken() if event.text:
            who = "…"
            if event.author:
                who = mention(event.author)
            what = foreign_line(event.text, limits.OPTION_CHARS)
            return words("question-answered", who=who, what=what)
        case StepStarted() if asked.default:
            what = foreign_line(asked.default, limits.OPTION_CHARS)
            return words("question-default-taken", what=what)
        case StepStarted() | TurnFinished():
            return words("question-unanswered")
        case _:
            return ""


def question_ended_draft(event: QuestionAsked, ending: str) -> PostDraft:
    """The last part of the question once nobody is asked any more: how it ended, no buttons."""
    last = split(_asked(event), limits.TEXT_CHARS - _TAIL_CHARS)[-1]
    return PostDraft(text=f"{last}\n\n{ending}", blocks=(*sections(last), context(ending)))


def answer_form(words: Words, about: QuestionForm) -> JsonObject:
    """A modal for an answer in one's own words."""
    element = {"type": "plain_text_input", "multiline": True, "max_length": ANSWER_CHARS}
    return clicks.form(
        about,
        words("question-form-title"),
        words("question-form-send"),
        words("consent-cancel"),
        [entry("answer", words("question-form-label"), element)],
    )


def _hint(event: QuestionAsked, words: Words) -> str:
    hints: list[str] = []
    if event.options:
        hints.append(words("question-choose"))
    if event.deadline - event.at < NEAR:
        hints.append(words("question-answer-by", when=local_time(event.deadline)))
    return "\n".join(f"_{hint}_" for hint in hints)


def _asked(event: QuestionAsked) -> str:
    return f"{mention(event.asker)} {to_text(event.question, none_live)}"
