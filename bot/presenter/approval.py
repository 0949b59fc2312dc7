"""An approval as a post: what would be done, in full, and the buttons and forms of it. Pure.

It shows each action as people know it, or else its arguments as they are sent: nothing is left out.
Where that is more than a post holds, it says what and whom, and a file beside it holds everything.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from agent_core.events import ApprovalDecided, ApprovalRequested, PlannedAction, SentFile
from agent_core.masking import Exact
from agent_core.messages import JsonObject
from agent_core.runtime import recipients_of
from agent_core.words import Words
from bot import clicks
from bot.clicks import ApprovalClick, ApprovalForm
from bot.presenter.ask_buttons import consent_button
from bot.presenter.previews import (
    FIXED,
    LONG,
    MomentWords,
    argument_lines,
    items_of,
    made_visible,
    moments,
    parts_of,
    preview,
    written,
)
from bot.presenter.tools import app_name, deed, server_name
from bot.render import (
    PostDraft,
    actions,
    code,
    context,
    entry,
    foreign_line,
    inline_code,
    limits,
    local_time,
    mention,
    plain_text,
    section,
    sections,
    split,
)

MAX_EDIT_CHARS = 3_000
DIGEST_CHARS = 12
MAX_ACTIONS = 20
"""Of those that ask: so many are told when not all fit."""
MAX_ALONG = 8
MAX_RECIPIENTS = 5
"""Of one action, when not all fit."""
SHOWN_CHARS = 9_000
"""Of all actions, when not all fit."""
HOPELESS_CHARS = 60_000
"""So much does not fit, however much of it is white space that becomes a short name."""
BLOCKS_FOR_DECIDING = 4
CHARS_FOR_DECIDING = 2_500
"""Room that is left for what stands below the actions, before and after the decision."""
_OWN = {"correct_my_answer": "consent-own-correct", "remove_my_post": "consent-own-remove"}
"""What the bot does to an answer of its own."""


def is_short(event: ApprovalRequested, words: Words) -> bool:
    """Whether Slack takes a post with all arguments."""
    if sum(len(json.dumps(action.arguments)) for action in event.actions) > HOPELESS_CHARS:
        return False
    blocks = _facts(event, words, is_whole=True)
    return (
        len(blocks) <= limits.BLOCKS_PER_POST - BLOCKS_FOR_DECIDING
        and sum(map(_chars, blocks)) <= limits.BLOCK_TEXT_CHARS - CHARS_FOR_DECIDING
    )


def approval_file(event: ApprovalRequested, words: Words) -> bytes:
    """The file with everything that would be sent, as `argument_lines`."""
    done = [asdict(action) for action in event.actions]
    told = {"digest": event.digest, "tool": event.tool, "actions": done}
    return "\n".join(argument_lines(told, moments(told, event.zone, words))).encode()


def file_name(event: ApprovalRequested) -> str:
    """The name by which post and file know each other."""
    return f"approval-{event.digest[:DIGEST_CHARS]}.txt"


def approval_draft(
    event: ApprovalRequested,
    words: Words,
    *,
    is_whole: bool,
    is_attached: bool = False,
    unseen: Sequence[SentFile] = (),
    edited: ApprovalDecided | None = None,
) -> PostDraft:
    """The post while it is undecided; what neither it nor a file shows cannot be approved.

    Of the files that would be sent along nobody can look at those that are `unseen`; `edited` tells
    who made it of an earlier request.
    """
    digest, below = event.digest[:DIGEST_CHARS], [decision(edited, words)] if edited else []
    if files := unseen or event.files:
        named = [inline_code(made_visible(file.name)[: limits.OPTION_CHARS]) for file in files]
        shown = "hidden" if unseen else "shown"
        below.append(words(f"consent-sent-{shown}", files=", ".join(named)))
    if is_attached:
        below.append(words("consent-in-file", file=file_name(event), digest=digest))
    elif not is_whole:
        below.append(words("consent-not-shown"))
    below.append(words("consent-until", when=local_time(event.deadline), digest=digest))
    is_seen = (is_whole or is_attached) and not unseen
    facts = _facts(event, words, is_whole=is_whole)
    row = actions(*_buttons(event, words, is_seen=is_seen, is_whole=is_whole))
    blocks = (*facts, context("\n".join(below)), row)
    return PostDraft(text=_fallback(event, words), blocks=blocks)


def _buttons(
    event: ApprovalRequested, words: Words, *, is_seen: bool, is_whole: bool
) -> Iterator[JsonObject]:
    if is_seen:
        approve = ApprovalClick(kind="consent.approve", ask=event.ask)
        yield consent_button(approve, words)
    if is_whole and len(event.actions) == 1 and editable_parts(event.actions[0]):
        edit = ApprovalClick(kind="consent.edit", ask=event.ask)
        yield consent_button(edit, words)
    reject = ApprovalClick(kind="consent.reject", ask=event.ask)
    yield consent_button(reject, words)
    if is_seen and event.may_allow_thread:
        approve_thread = ApprovalClick(kind="consent.approve_thread", ask=event.ask)
        yield consent_button(approve_thread, words)
    if is_whole:
        details = ApprovalClick(kind="consent.details", ask=event.ask)
        yield consent_button(details, words)


def details_form(actions: Sequence[PlannedAction], words: Words) -> JsonObject:
    """A modal with all arguments as they are sent, as far as a modal holds them."""
    blocks: list[JsonObject] = []
    for action in _asking(actions):
        blocks.append(section(f"*{deed(action.tool, action.toolkit)}*"))
        blocks += _arguments(action, moments(action.arguments, "", words), words)
    return {
        "type": "modal",
        "title": plain_text(words("consent-button-details"), limits.TITLE_CHARS),
        "close": plain_text(words("consent-close"), limits.TITLE_CHARS),
        "blocks": [*map(Exact, blocks[: limits.BLOCKS_PER_VIEW])],
    }


def editable_parts(action: PlannedAction) -> dict[str, str]:
    """Those whose texts a person may change before they approve."""
    return {
        label: name
        for label, name in parts_of(action.arguments).items()
        if label not in FIXED
        and len(written(action.arguments[name])) <= MAX_EDIT_CHARS
        and all(isinstance(each, str) for each in items_of(action.arguments[name]))
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
        blocks.append(entry(name, words(f"consent-part-{label}"), element))
    return clicks.form(
        about,
        words("consent-edit-title"),
        words("consent-edit-save"),
        words("consent-cancel"),
        [*map(Exact, blocks)],
    )


def reason_form(words: Words, about: ApprovalForm) -> JsonObject:
    """A modal for the reason of a rejection; `about` says of what, and where it was pressed."""
    element = {"type": "plain_text_input", "multiline": True, "max_length": limits.COMMENT_CHARS}
    label, hint = words("consent-reason-label"), plain_text(words("consent-reason-hint"))
    title = words("consent-reason-title")
    asked = entry("reason", label, element, optional=True, hint=hint)
    return clicks.form(about, title, title, words("consent-cancel"), [asked])


def read_changes(action: PlannedAction, values: Mapping[str, str]) -> dict[str, str | list[str]]:
    """What was changed in that modal, by argument."""
    changes: dict[str, str | list[str]] = {}
    for name in editable_parts(action).values():
        text, value = values.get(name, ""), action.arguments[name]
        if text != written(value):
            items = [each.strip() for each in re.split(r"[,;\n]", text) if each.strip()]
            changes[name] = items if isinstance(value, list) else text
    return changes


def decided_draft(event: ApprovalRequested, decided: ApprovalDecided, words: Words) -> PostDraft:
    """The post once it is decided: the same facts, and how it ended in place of the buttons."""
    said = decision(decided, words)
    text = split("\n".join([_fallback(event, words), said]), limits.TEXT_CHARS)[0]
    below = (context(f"`{event.digest[:DIGEST_CHARS]}`"), section(f"*{said}*"))
    facts = _facts(event, words, is_whole=is_short(event, words))
    return PostDraft(text=text, blocks=(*facts, *below))


def decision(decided: ApprovalDecided, words: Words) -> str:
    """One sentence on how it ended, who ended it, when, and why."""
    is_wide = decided.verdict == "approved" and decided.for_thread
    more = "-thread" if is_wide else "-because" if decided.reason.strip() else ""
    return words(
        f"consent-decided-{decided.verdict}{more}",
        who=mention(decided.by) if decided.by else "…",
        when=local_time(decided.at),
        reason=foreign_line(made_visible(decided.reason), limits.COMMENT_CHARS),
    )


def _facts(event: ApprovalRequested, words: Words, *, is_whole: bool) -> list[JsonObject]:
    """All blocks above those of the deciding."""
    asking = _asking(event.actions)
    blocks = [section(words("consent-asked", who=mention(event.asker)))]
    left, chars = len(asking), 0
    for number, action in enumerate(asking if is_whole else asking[:MAX_ACTIONS], start=1):
        numbered = f"{number}. " if len(asking) > 1 else ""
        tell = moments(action.arguments, event.zone, words)
        picture = preview(action, words, tell) if is_whole else None
        lines = [_title(event, action, numbered, words)]
        if picture is None:
            lines += _reaches(action, words, is_whole=is_whole)
        told = sections("\n".join(lines))
        chars += sum(map(_chars, told))
        if not is_whole and chars > SHOWN_CHARS:
            break
        blocks += told
        if is_whole:
            blocks += _arguments(action, tell, words) if picture is None else picture
        left -= 1
    if left:
        blocks.append(section(f"*… {words('consent-more', n=left)}*"))
    if along := [action for action in event.actions if not action.asks]:
        deeds = [*dict.fromkeys(deed(action.tool, action.toolkit) for action in along)]
        what = _counted(deeds, MAX_ALONG, words)
        blocks.append(context(words("consent-along", what=what)))
    if event.is_tainted and not all(map(_is_for_oneself, asking)):
        blocks.append(context(f":warning: *{_warning(event, words)}*"))
    return [*map(Exact, blocks)]


def _asking(actions: Sequence[PlannedAction]) -> list[PlannedAction]:
    return [action for action in actions if action.asks]


def _is_for_oneself(action: PlannedAction) -> bool:
    """Whether it reaches nobody but the owner of the account that it is done with."""
    whom = {each.casefold() for each in recipients_of(action.arguments)}
    return bool(whom) and whom == {action.account.casefold()}


def _warning(event: ApprovalRequested, words: Words) -> str:
    """That outside text may have asked for it, and which."""
    pages = [each for each in event.outside if "://" in each]
    named = [inline_code(made_visible(page)[: limits.OPTION_CHARS]) for page in pages]
    named += [app_name(each.partition("_")[0]) for each in event.outside if each.isupper()]
    if not named:
        return words("consent-tainted")
    return words("consent-tainted-by", what=", ".join(dict.fromkeys(named)))


def _reaches(action: PlannedAction, words: Words, *, is_whole: bool) -> Iterator[str]:
    """Everybody whom it reaches, if anybody, or some of them."""
    if whom := recipients_of(action.arguments):
        chars, most = (None, len(whom)) if is_whole else (limits.OPTION_CHARS, MAX_RECIPIENTS)
        named = [inline_code(made_visible(each)[:chars]) for each in whom]
        yield words("consent-reaches", n=len(whom), whom=_counted(named, most, words))


def _title(event: ApprovalRequested, action: PlannedAction, numbered: str, words: Words) -> str:
    own = _OWN.get(event.tool)
    parts = [f"*{numbered}{words(own) if own else deed(action.tool, action.toolkit)}*"]
    if where := app_name(action.toolkit) if action.toolkit else server_name(event.tool):
        parts.append(where)
    if action.account:
        account = inline_code(made_visible(action.account)[: limits.OPTION_CHARS])
        parts.append(words("consent-with-account", account=account))
    return " · ".join(parts)


def _arguments(action: PlannedAction, tell: MomentWords, words: Words) -> list[JsonObject]:
    """A line for each."""
    if not action.arguments:
        return [context(words("consent-no-arguments"))]
    text = code("\n".join(argument_lines(action.arguments, tell)))
    return sections(f"```\n{text}\n```")


def _counted(named: Sequence[str], most: int, words: Words) -> str:
    """The first of them, and how many more there are."""
    left = len(named) - most
    return ", ".join([*named[:most], *([words("consent-more", n=left)] if left > 0 else [])])


def _fallback(event: ApprovalRequested, words: Words) -> str:
    """For notifications: who, and what in short; the arguments stand in the blocks alone."""
    lines = [words("consent-asked", who=mention(event.asker))]
    lines += [_title(event, action, "", words) for action in _asking(event.actions)]
    return split("\n".join(lines), limits.TEXT_CHARS)[0]


def _chars(block: JsonObject) -> int:
    return len(block["text"]["text"] if "text" in block else block["elements"][0]["text"])
