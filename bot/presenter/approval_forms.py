"""The forms of an approval: details, other texts for a call, the reason of a rejection. Pure."""

import re
from collections.abc import Mapping, Sequence

from agent_core.events import PlannedAction
from agent_core.masking import Exact
from agent_core.messages import JsonObject
from agent_core.words import Words
from bot import clicks
from bot.clicks import ApprovalForm
from bot.presenter.previews import (
    FIXED,
    LONG,
    MomentWords,
    argument_lines,
    items_of,
    moments,
    parts_of,
    written,
)
from bot.presenter.tools import deed
from bot.render import (
    code,
    context,
    entry,
    limits,
    plain_text,
    section,
    sections,
)

MAX_EDIT_CHARS = 3_000


def details_form(actions: Sequence[PlannedAction], words: Words) -> JsonObject:
    """A modal with all arguments as they are sent, as far as a modal holds them."""
    blocks: list[JsonObject] = []
    for action in asking_actions(actions):
        tell = moments(action.arguments, "", words)
        blocks.append(section(f"*{deed(action.tool, action.toolkit)}*"))
        blocks += argument_blocks(action, tell, words)
    return {
        "type": "modal",
        "title": plain_text(words("consent-button-details"), limits.TITLE_CHARS),
        "close": plain_text(words("consent-close"), limits.TITLE_CHARS),
        "blocks": [Exact(block) for block in blocks[: limits.BLOCKS_PER_VIEW]],
    }


def edit_form(action: PlannedAction, words: Words, about: ApprovalForm) -> JsonObject:
    """A modal with the texts of an action; `about` says which it is."""
    blocks: list[JsonObject] = []
    for label, name in editable_parts(action).items():
        element = {
            "type": "plain_text_input",
            "multiline": label in LONG,
            "max_length": MAX_EDIT_CHARS,
            "initial_value": written(action.arguments[name]),
        }
        blocks.append(Exact(entry(name, words(f"consent-part-{label}"), element)))
    return clicks.form(
        about,
        words("consent-edit-title"),
        words("consent-edit-save"),
        words("consent-cancel"),
        blocks,
    )


def read_changes(action: PlannedAction, values: Mapping[str, str]) -> dict[str, str | list[str]]:
    """What was changed in that modal, by argument."""
    changes: dict[str, str | list[str]] = {}
    for name in editable_parts(action).values():
        text = values.get(name, "")
        value = action.arguments[name]
        if text == written(value):
            continue
        if isinstance(value, list):
            items = [item.strip() for item in re.split(r"[,;\n]", text)]
            changes[name] = [item for item in items if item]
        else:
            changes[name] = text
    return changes


def reason_form(words: Words, about: ApprovalForm) -> JsonObject:
    """A modal for the reason of a rejection; `about` says of what, and where it was pressed."""
    title = words("consent-reason-title")
    reason = entry(
        "reason",
        words("consent-reason-label"),
        {"type": "plain_text_input", "multiline": True, "max_length": limits.COMMENT_CHARS},
        optional=True,
        hint=plain_text(words("consent-reason-hint")),
    )
    return clicks.form(
        about,
        title,
        title,
        words("consent-cancel"),
        [reason],
    )


def editable_parts(action: PlannedAction) -> dict[str, str]:
    """Arguments whose texts a person may change before they approve, by what they are for."""
    parts: dict[str, str] = {}
    for label, name in parts_of(action.arguments).items():
        value = action.arguments[name]
        is_text = all(isinstance(item, str) for item in items_of(value))
        if is_text and label not in FIXED and len(written(value)) <= MAX_EDIT_CHARS:
            parts[label] = name
    return parts


def asking_actions(actions: Sequence[PlannedAction]) -> list[PlannedAction]:
    """Those that need an approval of their own."""
    return [action for action in actions if action.asks]


def argument_blocks(action: PlannedAction, tell: MomentWords, words: Words) -> list[JsonObject]:
    """A line for each argument, as it is sent."""
    if not action.arguments:
        return [context(words("consent-no-arguments"))]
    lines = argument_lines(action.arguments, tell)
    text = code("\n".join(lines))
    return sections(f"```\n{text}\n```")
