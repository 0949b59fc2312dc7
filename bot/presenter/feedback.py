"""The rows below an answer: what one may ask next, and what it was worth."""

from collections.abc import Sequence

from agent_core.events import REPORT, ArtifactSaved
from agent_core.ids import TurnId
from agent_core.messages import JsonObject
from agent_core.words import Words
from bot.render import actions, button, limits, plain_line, plain_text

PREFIX = "feedback."
"""Of the names of the buttons and the form about answers."""
FOLLOW = "follow."
"""Of the names of the buttons that ask a question."""


def follow_up_rows(files: Sequence[ArtifactSaved]) -> list[JsonObject]:
    """What the reader of the last report may ask next, as buttons; what they say is asked."""
    reports = [file for file in files if file.mimetype == REPORT]
    told = reports[-1].follow_ups if reports else ()
    shown = [plain_line(question, limits.LABEL_CHARS) for question in told]
    buttons = [button(f"{FOLLOW}{n}", text, text) for n, text in enumerate(filter(None, shown))]
    return [actions(*buttons[: limits.FOLLOW_UPS])] if buttons else []


def feedback_block(turn: TurnId, words: Words) -> JsonObject:
    """A block for the end of a turn's answer, in its language."""
    up, down = (
        {
            "text": plain_text(words(f"feedback-{verdict}")),
            "value": f"{verdict} {turn}",
            "accessibility_label": words(f"feedback-{verdict}"),
        }
        for verdict in ("up", "down")
    )
    row = {"type": "feedback_buttons", "action_id": f"{PREFIX}give"}
    row |= {"positive_button": up, "negative_button": down}
    return {"type": "context_actions", "elements": [row]}
