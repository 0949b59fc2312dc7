"""A question to a person as posts: it names them, and nothing else in it is live. Pure."""

from datetime import timedelta

from agent_core.events import QuestionAsked
from bot.presenter.words import Words
from bot.render import Draft, defanged, limits, local_time, one_line, split, to_mrkdwn
from bot.threads import parse_user

NEAR = timedelta(days=1)
"""A deadline that is further away is no news to anybody."""


def question_drafts(event: QuestionAsked, words: Words) -> list[Draft]:
    """The question with its options numbered, and until when it waits if that is near."""
    _, user = parse_user(event.asker)
    parts = [f"<@{user}> {_inert(to_mrkdwn(event.question))}"]
    if event.options:
        parts.append("\n".join(_numbered(event.options)))
    if hints := _hints(event, words):
        parts.append("\n".join(f"_{hint}_" for hint in hints))
    return [Draft(text=text) for text in split("\n\n".join(parts), limits.TEXT_CHARS)]


def _hints(event: QuestionAsked, words: Words) -> list[str]:
    hints = [words.choose] if event.options else []
    if event.deadline - event.at < NEAR:
        hints.append(words.answer_by.format(when=local_time(event.deadline)))
    return hints


def _numbered(options: tuple[str, ...]) -> list[str]:
    return [
        f"{number}. {_inert(one_line(option, limits.OPTION_CHARS))}"
        for number, option in enumerate(options, start=1)
    ]


def _inert(mrkdwn: str) -> str:
    """What a question asks for may come from outside, so no address in it is live."""
    return defanged(mrkdwn, lambda _url: False)
