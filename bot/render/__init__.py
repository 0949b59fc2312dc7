"""Text and blocks as Slack shows them. Pure: nothing here talks to anyone."""

from bot.render import limits
from bot.render.blocks import (
    PostDraft,
    actions,
    answer_drafts,
    card,
    context,
    entry,
    local_time,
    mention,
    plain_text,
    section,
    sections,
    split,
    text_entry,
)
from bot.render.citations import AboutSources, Footnotes, plain_host
from bot.render.escape import (
    QUOTE_BAR,
    IsLive,
    all_live,
    clean,
    code,
    escape,
    foreign_line,
    inert,
    inline_code,
    link,
    literal,
    none_live,
    one_line,
    plain_line,
    quoted,
    real_host,
)
from bot.render.markdown import as_text, fenced, to_markdown, to_text

__all__ = [  # noqa: RUF022 (by module)
    "PostDraft", "actions", "answer_drafts", "card", "context", "entry", "limits",
    "local_time", "mention", "plain_text", "section", "sections", "split", "text_entry",
    "IsLive", "QUOTE_BAR", "all_live", "as_text", "clean", "code", "escape", "foreign_line",
    "inert", "inline_code", "link", "literal", "none_live", "one_line", "plain_line", "quoted",
    "real_host", "fenced", "to_markdown", "to_text", "AboutSources", "Footnotes",
    "plain_host",
]  # fmt: skip
