"""Replies in a thread of several people: the small model says whether one is meant for the bot.

What people wrote is material: whatever stands there, all that comes of it is a yes or a no.
"""

import logging
import re
from dataclasses import dataclass

from pydantic import BaseModel

from agent_core.errors import ModelError
from agent_core.messages import Payer, user_message
from agent_core.models import Model, ModelRequest, ToolSpec, filled_form
from agent_core.prompts import prompt

JUDGE_REPLY = "judge_reply"
PATIENCE_S = 6.0
MAX_POST_CHARS = 600
MAX_ANSWER_CHARS = 1_500

_FENCE = re.compile(r"<(?=\s*+/?\s*+(?:thread|reply)\b)", re.IGNORECASE)
_INDENT = "    "
_log = logging.getLogger(__name__)


class ReplyVerdict(BaseModel):
    """What the tool is called with."""

    is_for_bot: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One post, as people read it."""

    author: str
    """A person's name; empty for the bot."""
    text: str
    age: str = ""
    """How long before the reply it was posted, such as `5 min 10 s`; empty for the reply."""
    is_answer: bool = False
    """The bot's last answer, of which the model reads more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A reply, and what it stands in."""

    bot: str
    """What the bot is called."""
    earlier: tuple[Line, ...]
    """Posts before it, oldest first: the root, the bot's last answer, and the newest."""
    reply: Line
    has_spoken: bool = False
    """The bot has posted in the thread."""
    asked: tuple[str, ...] = ()
    """Whose answer or decision the bot waits for."""
    works_for: tuple[str, ...] = ()
    """For whom it is at work."""
    payer: Payer | None = None


class ReplyReader:
    """Asks the small model once for a reply."""

    def __init__(self, model: Model, *, patience_s: float = PATIENCE_S) -> None:
        self._model = model
        self._patience_s = patience_s

    async def is_for_bot(self, talk: Talk) -> bool | None:
        """Whether the reply is meant for the bot; None without a verdict, late or failing."""
        request = ModelRequest(
            system=prompt("judge_reply"),
            messages=(user_message(briefing(talk)),),
            tools=(JUDGE_REPLY_SPEC,),
            must_call=JUDGE_REPLY,
            max_tokens=500,
            effort="low",
            payer=talk.payer,
        )
        try:
            verdict, _ = await filled_form(
                self._model, request, ReplyVerdict, patience_s=self._patience_s
            )
        except (ModelError, TimeoutError) as error:
            _log.warning("a reply was not judged: %s", type(error).__name__)
            return None
        return verdict.is_for_bot if verdict is not None else None


def briefing(talk: Talk) -> str:
    """All that the model is told of a thread. No post ends the passage that it stands in."""
    lines = [
        f"You are called: {talk.bot}",
        f"You have written in this thread: {'yes' if talk.has_spoken else 'no'}",
        f"You wait for an answer of: {', '.join(talk.asked) or '(nobody)'}",
        f"You are at work for: {', '.join(talk.works_for) or '(nobody)'}",
        "<thread>",
    ]
    lines.extend(map(_quoted, talk.earlier))
    lines.append("</thread>")
    lines.append("<reply>")
    lines.append(_quoted(talk.reply))
    lines.append("</reply>")
    return "\n".join(lines)


def _quoted(line: Line) -> str:
    """Only a post's first line begins at the margin, so none can speak in another's name."""
    author = " ".join(line.author.split()) or "you"
    if line.author and author.casefold() == "you":
        author = "(a person)"
    if line.age:
        author = f"{author} ({line.age} before)"
    text = line.text
    limit = MAX_ANSWER_CHARS if line.is_answer else MAX_POST_CHARS
    if len(text) > limit:
        text = f"{text[:limit]} …"
    indented = f"\n{_INDENT}".join(text.splitlines())
    return _FENCE.sub("(", f"{author}: {indented}")


JUDGE_REPLY_SPEC = ToolSpec(
    name=JUDGE_REPLY,
    description="Says whether the reply is meant for you.",
    input_schema=ReplyVerdict.model_json_schema(),
)
