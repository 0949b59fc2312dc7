"""Text and blocks as Slack shows them. Pure: nothing here talks to anyone."""

from bot.render import limits
from bot.render.blocks import Draft, answer_drafts
from bot.render.defang import IsLive, defanged
from bot.render.escape import clean, escape, inert, literal, one_line
from bot.render.moments import local_time
from bot.render.mrkdwn import to_mrkdwn
from bot.render.split import split

__all__ = [
    "Draft",
    "IsLive",
    "answer_drafts",
    "clean",
    "defanged",
    "escape",
    "inert",
    "limits",
    "literal",
    "local_time",
    "one_line",
    "split",
    "to_mrkdwn",
]
