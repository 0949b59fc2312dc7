"""The row below an answer in which people say what it was worth to them."""

from agent_core.ids import TurnId
from agent_core.messages import JsonObject
from agent_core.words import Words
from bot.render import plain_text

PREFIX = "feedback."
"""Of the names of the buttons and the form about answers."""


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
