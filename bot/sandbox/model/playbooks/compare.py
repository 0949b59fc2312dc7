"""Playbook: compare several things, each looked into by a sub-agent of its own, side by side."""

import re

from bot.sandbox.model.conversation import Conversation
from bot.sandbox.model.message import Reply
from bot.sandbox.model.playbooks import report

COMPARE = re.compile(
    r"^\W*(?:please |can you |could you )*compare\s+(?P<sides>.+?)"
    r"(?:\s+(?:for|in terms of|with regard to)\s(?P<purpose>.+?))?[.?!\s]*$",
    re.IGNORECASE | re.DOTALL,
)
BETWEEN = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+(?:and|with|to|versus|vs\.?)\s+", re.IGNORECASE)
MAX_SIDES = 5


def decide(conversation: Conversation) -> Reply | None:
    """The next step of a comparison; None where nothing is to be compared."""
    asked = COMPARE.match(conversation.now.words)
    sides = [side for side in BETWEEN.split(asked["sides"]) if side][:MAX_SIDES] if asked else []
    if asked is None or len(sides) < 2:
        return None
    if step := report.search(conversation, sides):
        return step
    hits = {side: report.find_hits(conversation, [side]) for side in sides}
    tasks = conversation.now.done("Task")
    if not tasks and conversation.may_call_tools and any(hits.values()):
        branches = [
            report.task(
                conversation,
                report.Brief(request=conversation.now.words, topic=side, is_branch=True),
                hits[side],
            )
            for side in sides
            if hits[side]
        ]
        return conversation.call(*branches, thought=f"Looking into {len(branches)} sides at once.")
    found = {
        report.Brief.read(str(task.arguments.get("prompt"))).topic: report.linked(
            task.result.partition("COMPLIANCE:")[0]
        )
        for task in tasks
    }
    told = [
        f"**{side[:1].upper()}{side[1:]}**\n{found.get(side) or report.NOTHING.format(topic=side)}"
        for side in sides
    ]
    if asked["purpose"]:
        told.append(
            f"What fits {asked['purpose']} is for you to weigh: I only quote what pages say."
        )
    return conversation.say("\n\n".join(told))
