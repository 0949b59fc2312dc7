"""Text and blocks as Slack shows them. Pure: nothing here talks to anyone."""

from bot.render import limits
from bot.render.blocks import (
    Draft,
    actions,
    answer_drafts,
    button,
    context,
    entry,
    local_time,
    mention,
    modal,
    plain_text,
    section,
)
from bot.render.escape import clean, escape, inert, literal, one_line
from bot.render.links import IsLive, defanged, link
from bot.render.mrkdwn import to_mrkdwn
from bot.render.split import split

__all__ = [
    "Draft",
    "IsLive",
    "actions",
    "answer_drafts",
    "button",
    "clean",
    "context",
    "defanged",
    "entry",
    "escape",
    "inert",
    "limits",
    "link",
    "literal",
    "local_time",
    "mention",
    "modal",
    "one_line",
    "plain_text",
    "section",
    "split",
    "to_mrkdwn",
]
