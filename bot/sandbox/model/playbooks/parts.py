"""Playbook: the planner's one call, which has the sides of a comparison explored."""

from bot.sandbox.model.conversation import Dialogue
from bot.sandbox.model.message import StandInReply
from bot.sandbox.model.sentences import phrases

COMPARE = phrases("compare")
BETWEEN = phrases("between")
MAX_SIDES = 4
FIND_OUT = "Find out about {side}."


def sides_of(words: str) -> list[str]:
    """What is to be compared; nothing where no comparison is asked for."""
    comparison = COMPARE.match(words)
    return BETWEEN.split(comparison["sides"])[:MAX_SIDES] if comparison else []


def plan(conversation: Dialogue) -> StandInReply:
    """A sub-question for each side; no question to the person."""
    sides = sides_of(conversation.now.words)
    asked = [{"title": side, "question": FIND_OUT.format(side=side)} for side in sides]
    nothing = {"is_continuation": False, "question": "", "is_blocking": False, "default": ""}
    return (conversation.use("plan", **nothing, sub_questions=asked),)
