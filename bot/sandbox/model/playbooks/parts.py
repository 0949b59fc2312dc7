"""Playbook: the planner's one call, which has the sides of a comparison explored."""

from bot.sandbox.model.dialogue import Dialogue
from bot.sandbox.model.message import StandInReply
from bot.sandbox.model.sentences import phrases

COMPARE = phrases("compare")
BETWEEN = phrases("between")
MAX_SIDES = 4
FIND_OUT = "Find out about {side}."


def sides_of(words: str) -> list[str]:
    """The sides of a comparison; none where no comparison is asked for."""
    comparison = COMPARE.match(words)
    return BETWEEN.split(comparison["sides"])[:MAX_SIDES] if comparison else []


def plan(dialogue: Dialogue) -> StandInReply:
    """A sub-question for each side; no question to the person."""
    sides = sides_of(dialogue.now.words)
    call = dialogue.use(
        "plan",
        is_continuation=False,
        question="",
        is_blocking=False,
        default="",
        sub_questions=[{"title": side, "question": FIND_OUT.format(side=side)} for side in sides],
    )
    return (call,)
