"""The posts that the bot makes, ready to send: text, and blocks where text is not enough. Pure."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from agent_core.ids import UserId
from agent_core.messages import JsonObject
from bot.render import limits
from bot.render.links import IsLive, all_live, defanged
from bot.render.mrkdwn import Piece, pieces
from bot.render.split import split
from bot.render.tables import table_block
from bot.threads import parse_user


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A post to be made. With blocks, `text` says the same to notifications and search."""

    text: str
    blocks: tuple[JsonObject, ...] = ()


def answer_drafts(markdown: str, is_live: IsLive = all_live) -> list[Draft]:
    """An answer as posts, in order; none for an empty answer.

    An address that `is_live` does not let through is shown as text.

    Text alone, in parts of at most `TEXT_CHARS`. An answer that fits into one post and has one
    small table gets Slack's table block; in all others tables are aligned code.
    """
    parts = [replace(part, text=defanged(part.text, is_live)) for part in pieces(markdown)]
    text = "\n\n".join(part.text for part in parts)
    tables = [part.table for part in parts if part.table is not None]
    if (
        len(tables) == limits.TABLES_PER_POST
        and tables[0].is_small
        and len(text) <= limits.TEXT_CHARS
    ):
        return [Draft(text=text, blocks=_blocks(parts))]
    return [Draft(text=part) for part in split(text, limits.TEXT_CHARS)]


def _blocks(parts: list[Piece]) -> tuple[JsonObject, ...]:
    blocks: list[JsonObject] = []
    run: list[str] = []
    for part in parts:
        if part.table is None:
            run.append(part.text)
        else:
            blocks += [*_sections(run), table_block(part.table)]
            run = []
    return (*blocks, *_sections(run))


def section(text: str) -> JsonObject:
    """A block of mrkdwn."""
    return {"type": "section", "text": _mrkdwn(text)}


def context(text: str) -> JsonObject:
    """A block of small mrkdwn."""
    return {"type": "context", "elements": [_mrkdwn(text)]}


def local_time(moment: datetime) -> str:
    """Day and time for whoever reads it; in UTC where nobody's zone is known."""
    plain = moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"<!date^{int(moment.timestamp())}^{{date_short_pretty}}, {{time}}|{plain}>"


def mention(user: UserId) -> str:
    """A person's name, live."""
    return f"<@{parse_user(user)[1]}>"


def _mrkdwn(text: str) -> JsonObject:
    """Slack makes no link, mention or channel of anything that does not say so by itself."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def _sections(texts: list[str]) -> list[JsonObject]:
    joined = "\n\n".join(texts)
    return [
        {"type": "section", "text": {"type": "mrkdwn", "text": text}}
        for text in split(joined, limits.SECTION_CHARS)
    ]
