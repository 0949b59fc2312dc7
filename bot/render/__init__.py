"""Text and blocks as Slack shows them. Pure: nothing here talks to anyone."""

from bot.render import limits
from bot.render.blocks import (
    Draft,
    actions,
    answer_drafts,
    button,
    card,
    context,
    entry,
    local_time,
    mention,
    menu,
    modal,
    plain_text,
    section,
    sections,
)
from bot.render.escape import clean, code, escape, inert, inline_code, one_line, plain_line
from bot.render.links import IsLive, defanged, foreign_line, link, none_live
from bot.render.markdown import to_markdown
from bot.render.mrkdwn import to_mrkdwn
from bot.render.split import split

__all__ = [  # noqa: RUF022 (by module)
    "Draft", "actions", "answer_drafts", "button", "card", "context", "entry", "limits",
    "local_time", "mention", "menu", "modal", "plain_text", "section", "sections",
    "clean", "code", "escape", "inert", "inline_code", "one_line", "plain_line",
    "IsLive", "defanged", "foreign_line", "link", "none_live", "to_markdown", "to_mrkdwn", "split",
]  # fmt: skip
