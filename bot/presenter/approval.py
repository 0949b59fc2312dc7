"""The card of an approval: what would be done, in full, with the buttons to decide it. Pure.

It shows each action as people know it, or else its arguments as they are sent: nothing is left out.
Where that is more than a post holds, it says what and whom, and a file beside it holds everything.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from agent_core.events import (
    ApprovalRequested,
    AskDecided,
    PlannedAction,
    SentFile,
)
from agent_core.ids import AskId, SessionId
from agent_core.masking import Exact
from agent_core.messages import JsonObject
from agent_core.runtime import recipients_of
from agent_core.words import Words
from bot import clicks
from bot.clicks import (
    ApprovalButton,
    ApprovalClick,
    ApprovalForm,
    ApprovalMenu,
    ConnectionClick,
)
from bot.presenter.previews import (
    FIXED,
    LONG,
    MomentWords,
    argument_lines,
    attachment_line,
    changes,
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
    limits,
    literal,
    local_time,
    mention,
    one_line,
    plain_text,
    section,
    sections,
    split,
    text_entry,
)

DIGEST_CHARS = 12
MAX_ACTIONS = 20
"""Of those that ask: so many are named when not all fit."""
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
_STYLES = {"consent.link": "primary"}
_OWN = {
    "correct_my_answer": "consent-own-correct",
    "remove_my_post": "consent-own-remove",
    "my_account": "consent-own-account",
    "read_channel": "consent-own-read",
}
"""What the bot does by the rights of its asker, without an app."""


def is_short(event: ApprovalRequested, words: Words) -> bool:
    """Whether Slack takes a post with all arguments."""
    arguments = [action.arguments for action in event.actions]
    if len(json.dumps(arguments)) > HOPELESS_CHARS:
        return False
    blocks = _facts(
        event,
        words,
        is_whole=True,
    )
    if len(blocks) > limits.BLOCKS_PER_POST - BLOCKS_FOR_DECIDING:
        return False
    return _chars(blocks) <= limits.BLOCK_TEXT_CHARS - CHARS_FOR_DECIDING


def approval_file(event: ApprovalRequested, words: Words) -> bytes:
    """The file with everything that would be sent, as `argument_lines`."""
    whole: JsonObject = {
        "digest": event.digest,
        "tool": event.tool,
        "actions": [asdict(action) for action in event.actions],
    }
    lines = argument_lines(
        whole,
        moments(
            whole,
            event.zone,
            words,
        ),
    )
    return "\n".join(lines).encode()


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
) -> PostDraft:
    """The card while it is undecided; what neither it nor a file shows cannot be approved.

    Of the files that would be sent along nobody can look at those that are `unseen`.
    """
    notes: list[str] = []
    if unseen:
        notes.append(words("consent-sent-hidden", files=_names(unseen)))
    elif event.files and not _are_named(event, words):
        notes.append(words("consent-sent-shown", files=_names(event.files)))
    if is_attached:
        notes.append(words("consent-in-file", file=file_name(event)))
    elif not is_whole:
        notes.append(words("consent-not-shown"))
    notes.append(words("consent-until", when=local_time(event.deadline)))
    is_seen = (is_whole or is_attached) and not unseen
    buttons = [
        consent_button(ApprovalClick(kind=kind, ask=event.ask), words)
        for kind in _buttons(
            event,
            is_seen=is_seen,
            is_whole=is_whole,
        )
    ]
    more: list[tuple[str, ApprovalMenu]] = []
    if is_whole:
        details = ApprovalMenu(ask=event.ask, choice="details")
        more.append((words("consent-button-details"), details))
    if is_seen and event.may_allow_thread:
        for_thread = ApprovalMenu(ask=event.ask, choice="approve_thread")
        more.append((words("consent-button-approve-thread"), for_thread))
    if more:
        buttons.append(clicks.dots_menu(more))
    blocks = _facts(
        event,
        words,
        is_whole=is_whole,
    )
    blocks.append(context("\n".join(notes)))
    blocks.append(actions(*buttons))
    return PostDraft(text=_fallback(event, words), blocks=tuple(blocks))


def decided_draft(event: ApprovalRequested, decided: AskDecided, words: Words) -> PostDraft:
    """The card once it is decided: the same facts, and how it ended in place of the buttons."""
    ending = decision(decided, words)
    blocks = _facts(
        event,
        words,
        is_whole=is_short(event, words),
    )
    blocks.append(section(f"*{ending}*"))
    fallback = _fallback(event, words)
    text, *_ = split(f"{fallback}\n{ending}", limits.TEXT_CHARS)
    return PostDraft(text=text, blocks=tuple(blocks))


def decision(decided: AskDecided, words: Words) -> str:
    """One sentence on how it ended, who ended it, when, and why."""
    sentence = f"consent-decided-{decided.verdict.replace('_', '-')}"
    if decided.reason.strip():
        sentence += "-because"
    reason = made_visible(decided.reason)
    return words(
        sentence,
        who=mention(decided.by) if decided.by else "…",
        when=local_time(decided.at),
        reason=foreign_line(reason, limits.COMMENT_CHARS),
    )


def _buttons(
    event: ApprovalRequested,
    *,
    is_seen: bool,
    is_whole: bool,
) -> Iterator[ApprovalButton]:
    if is_seen:
        yield "consent.approve"
    first, *others = event.actions
    if is_whole and not others and editable_parts(first):
        yield "consent.edit"
    yield "consent.reject"


def _facts(event: ApprovalRequested, words: Words, *, is_whole: bool) -> list[JsonObject]:
    """All blocks above those of the deciding."""
    asking = asking_actions(event.actions)
    asked = words("consent-asked", who=mention(event.asker))
    blocks = [section(asked)]
    differing: list[str] = []
    for earlier, action in zip(
        event.before,
        event.actions,
        strict=False,
    ):
        if earlier.tool == action.tool:
            differing += changes(
                earlier.arguments,
                action.arguments,
                words,
            )
    blocks += sections("\n".join(differing))
    actions_shown = _actions(
        event,
        words,
        is_whole=is_whole,
    )
    for action_blocks in actions_shown:
        blocks += action_blocks
    left = len(asking) - len(actions_shown)
    if left:
        blocks.append(section(f"*… {words('consent-more', n=left)}*"))
    along: dict[str, None] = {}
    for action in event.actions:
        if not action.asks:
            along[deed(action.tool, action.toolkit)] = None
    if along:
        what = _counted(
            [*along][:MAX_ALONG],
            len(along),
            words,
        )
        line = words("consent-along", what=what)
        blocks.append(context(line))
    if event.is_tainted:
        blocks.append(context(f":warning: *{words('consent-tainted')}*"))
    if event.owner_only:
        blocks.append(context(words("consent-owner-only", who=mention(event.asker))))
    return [Exact(block) for block in blocks]


def _actions(event: ApprovalRequested, words: Words, *, is_whole: bool) -> list[list[JsonObject]]:
    """The blocks of each action that asks; or of the first ones what and whom, while they fit."""
    asking = asking_actions(event.actions)
    done: list[list[JsonObject]] = []
    chars = 0
    for number, action in enumerate(asking, start=1):
        title = _title(
            event,
            action,
            f"{number}. " if len(asking) > 1 else "",
            words,
        )
        if is_whole:
            done.append(
                _whole_action(
                    event,
                    action,
                    title,
                    words,
                )
            )
            continue
        whom = recipients_of(action.arguments)
        title += _reaches(
            whom,
            [_named(each) for each in whom[:MAX_RECIPIENTS]],
            words,
        )
        blocks = sections(title)
        chars += _chars(blocks)
        if number > MAX_ACTIONS or chars > SHOWN_CHARS:
            break
        done.append(blocks)
    return done


def _whole_action(
    event: ApprovalRequested,
    action: PlannedAction,
    title: str,
    words: Words,
) -> list[JsonObject]:
    """An action with all its arguments; of a file that is posted above the storage key is left."""
    moment_text = moments(
        action.arguments,
        event.zone,
        words,
    )
    picture = preview(
        action,
        words,
        moment_text,
        event.files,
    )
    if picture is None:
        whom = recipients_of(action.arguments)
        title += _reaches(
            whom,
            [literal(made_visible(each)) for each in whom],
            words,
        )
        picture = argument_blocks(
            action,
            moment_text,
            words,
        )
    return [*sections(title), *picture]


def _reaches(whom: Sequence[str], named: Sequence[str], words: Words) -> str:
    """A line with those who are named, and how many more it reaches; empty where nobody."""
    if not whom:
        return ""
    counted = _counted(
        named,
        len(whom),
        words,
    )
    return f"\n{words('consent-reaches', n=len(whom), whom=counted)}"


def _title(
    event: ApprovalRequested,
    action: PlannedAction,
    number: str,
    words: Words,
) -> str:
    own = _OWN.get(event.tool)
    what = words(own) if own else deed(action.tool, action.toolkit)
    parts = [f"*{number}{what}*"]
    where = server_name(event.tool)
    if action.toolkit:
        where = app_name(action.toolkit)
    if where:
        parts.append(where)
    if action.account:
        parts.append(words("consent-with-account", account=_named(action.account)))
    return " · ".join(parts)


def _named(text: str) -> str:
    """A foreign name in one line, as long as an option may be."""
    return one_line(made_visible(text), limits.OPTION_CHARS)


def _are_named(event: ApprovalRequested, words: Words) -> bool:
    """Whether the card has the line of an attachment, by its name, kind and size."""
    values = [value for action in event.actions for value in action.arguments.values()]
    return any(attachment_line(value, event.files, words) for value in values)


def _names(files: Sequence[SentFile]) -> str:
    return ", ".join(_named(file.name) for file in files)


def _counted(named: Sequence[str], total: int, words: Words) -> str:
    """Those that are named, and how many more there are."""
    left = total - len(named)
    if left:
        named = [*named, words("consent-more", n=left)]
    return ", ".join(named)


def _fallback(event: ApprovalRequested, words: Words) -> str:
    """For notifications: who, and what in short; the arguments stand in the blocks alone."""
    lines = [words("consent-asked", who=mention(event.asker))]
    asking = asking_actions(event.actions)
    lines += [
        _title(
            event,
            action,
            "",
            words,
        )
        for action in asking
    ]
    text, *_ = split("\n".join(lines), limits.TEXT_CHARS)
    return text


def _chars(blocks: Sequence[JsonObject]) -> int:
    chars = 0
    for block in blocks:
        text = block["text"] if "text" in block else block["elements"][0]
        chars += len(text["text"])
    return chars


MAX_EDIT_CHARS = 3_000


def details_form(actions: Sequence[PlannedAction], digest: str, words: Words) -> JsonObject:
    """A modal with all arguments as they are sent, as far as a modal holds them.

    Its first line is the fingerprint that the approval is bound to.
    """
    fingerprint = words("consent-fingerprint", digest=digest[:DIGEST_CHARS])
    blocks: list[JsonObject] = [context(fingerprint)]
    for action in asking_actions(actions):
        moment_text = moments(
            action.arguments,
            "",
            words,
        )
        blocks.append(section(f"*{deed(action.tool, action.toolkit)}*"))
        blocks += argument_blocks(
            action,
            moment_text,
            words,
        )
    return {
        "type": "modal",
        "title": plain_text(words("consent-button-details"), limits.TITLE_CHARS),
        "close": plain_text(words("consent-close"), limits.TITLE_CHARS),
        "blocks": [Exact(block) for block in blocks[: limits.BLOCKS_PER_VIEW]],
    }


def edit_form(action: PlannedAction, ask: AskId, session: SessionId, words: Words) -> JsonObject:
    """A modal with the texts of an action."""
    blocks: list[JsonObject] = []
    for label, name in editable_parts(action).items():
        element = {
            "type": "plain_text_input",
            "multiline": label in LONG,
            "max_length": MAX_EDIT_CHARS,
            "initial_value": written(action.arguments[name]),
        }
        blocks.append(
            Exact(
                entry(
                    name,
                    words(f"consent-part-{label}"),
                    element,
                )
            )
        )
    return clicks.form(
        ApprovalForm(
            kind="consent.edit_form",
            ask=ask,
            session=session,
        ),
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


def reason_form(ask: AskId, session: SessionId, words: Words) -> JsonObject:
    """A modal for the reason of a rejection; `session` is where it was pressed."""
    title = words("consent-reason-title")
    reason = text_entry(
        "reason",
        words("consent-reason-label"),
        limits.COMMENT_CHARS,
        optional=True,
        hint=plain_text(words("consent-reason-hint")),
    )
    about = ApprovalForm(
        kind="consent.reason_form",
        ask=ask,
        session=session,
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


def argument_blocks(
    action: PlannedAction, moment_text: MomentWords, words: Words
) -> list[JsonObject]:
    """A line for each argument, as it is sent."""
    if not action.arguments:
        return [context(words("consent-no-arguments"))]
    lines = argument_lines(action.arguments, moment_text)
    text = code("\n".join(lines))
    return sections(f"```\n{text}\n```")


def consent_button(click: ApprovalClick | ConnectionClick, words: Words) -> JsonObject:
    """A button of an approval or a connection."""
    name = click.kind.partition(".")[2]
    label = words(f"consent-button-{name.replace('_', '-')}")
    return clicks.button(
        label,
        click,
        _STYLES.get(click.kind, ""),
    )
