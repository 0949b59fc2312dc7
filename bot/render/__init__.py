"""Text and blocks as Slack shows them. Pure: nothing here talks to anyone."""

from bot.render import limits
from bot.render.blocks import Draft, answer_drafts, context, local_time, mention, section
from bot.render.escape import clean, escape, inert, literal, one_line
from bot.render.links import IsLive, defanged
from bot.render.mrkdwn import to_mrkdwn
from bot.render.split import split

__all__ = [
    "Draft",
    "IsLive",
    "answer_drafts",
    "clean",
    "context",
    "defanged",
    "escape",
    "inert",
    "limits",
    "literal",
    "local_time",
    "mention",
    "one_line",
    "section",
    "split",
    "to_mrkdwn",
]
