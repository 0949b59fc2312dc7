"""An approval as a post: what would be done, in full, and the buttons that decide it. Pure."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from agent_core.consent.recipients import recipients_of
from agent_core.events import ApprovalDecided, ApprovalRequested, PlannedAction
from agent_core.ids import UserId
from agent_core.messages import JsonObject
from bot.presenter.consents.apps import app_name, deed, server_name
from bot.presenter.consents.arguments import argument_lines
from bot.presenter.consents.buttons import buttons
from bot.presenter.consents.visible import exact_json, made_visible
from bot.presenter.consents.words import Button, Words
from bot.render import Draft, limits, local_time, one_line, split
from bot.render.escape import code, inline_code
from bot.threads import parse_user

Form = Literal["whole", "cut", "bare"]
"""`cut`: as much as fits; `bare`: no arguments. Both name the file that holds everything."""

DIGEST_CHARS = 12
MAX_ACTIONS = 20
"""Of those that ask: so many are told when not all fit."""
MAX_ALONG = 8
MAX_RECIPIENTS = 10
"""Of one action, when not all fit."""
SHARED_CHARS = 7_000
"""Of all arguments together, when not all fit."""
HOPELESS_CHARS = 60_000
"""So much does not fit, however much of it is white space that becomes a short name."""
BLOCKS_FOR_DECIDING = 4
CHARS_FOR_DECIDING = 2_500
"""Room that is left for what stands below the actions, before and after the decision."""


def fitting_forms(event: ApprovalRequested, words: Words) -> list[Form]:
    """The forms in which it may be posted, best first; none that Slack cannot take."""
    return ["whole", "cut", "bare"] if _fits(event, words) else ["cut", "bare"]


def _fits(event: ApprovalRequested, words: Words) -> bool:
    if sum(len(json.dumps(action.arguments)) for action in event.actions) > HOPELESS_CHARS:
        return False
    blocks = _facts(event, words, "whole")
    chars = sum(len(_text_of(block)) for block in blocks)
    return (
        len(blocks) <= limits.BLOCKS_PER_POST - BLOCKS_FOR_DECIDING
        and chars <= limits.BLOCK_TEXT_CHARS - CHARS_FOR_DECIDING
    )


def approval_file(event: ApprovalRequested) -> tuple[str, bytes]:
    """Name and content of the file with everything, exactly as it would be sent."""
    content = exact_json(
        {
            "digest": event.digest,
            "tool": event.tool,
            "actions": [
                {
                    "tool": action.tool,
                    "toolkit": action.toolkit,
                    "account": action.account,
                    "needs_approval": action.asks,
                    "arguments": action.arguments,
                }
                for action in event.actions
            ],
        }
    )
    return file_name(event), content.encode()


def file_name(event: ApprovalRequested) -> str:
    """The name by which post and file know each other."""
    return f"approval-{event.digest[:DIGEST_CHARS]}.json"


def approval_draft(
    event: ApprovalRequested, words: Words, form: Form, *, is_attached: bool
) -> Draft:
    """The post while it is undecided; without the file, what does not fit cannot be approved."""
    is_all_shown = form == "whole" or is_attached
    slots = {"file": file_name(event), "digest": event.digest[:DIGEST_CHARS]}
    below = [words.until.format(when=local_time(event.deadline), **slots)]
    if form != "whole":
        below.insert(0, words.in_file.format(**slots) if is_attached else words.not_shown)
    names: list[Button] = ["approve", "reject"] if is_all_shown else ["reject"]
    if is_all_shown and event.may_allow_thread:
        names.append("approve_thread")
    row = buttons(tuple(names), words, event.consent)
    blocks = [*_facts(event, words, form), _context("\n".join(below)), row]
    return Draft(text=_fallback(event, words), blocks=tuple(blocks))


def decided_draft(
    event: ApprovalRequested, decided: ApprovalDecided, words: Words, form: Form
) -> Draft:
    """The post once it is decided: the same facts, and the decision in the place of the buttons."""
    said = decision(decided, words)
    facts = _facts(event, words, form)
    mark = _context(f"`{event.digest[:DIGEST_CHARS]}`")
    text = "\n".join([_fallback(event, words), said])
    return Draft(
        text=split(text, limits.TEXT_CHARS)[0], blocks=(*facts, mark, _section(f"*{said}*"))
    )


def decision(decided: ApprovalDecided, words: Words) -> str:
    """One sentence on how it ended, who ended it, and when."""
    slots = {
        "who": _mention(decided.by) if decided.by else "…",
        "when": local_time(decided.at),
        "reason": one_line(made_visible(decided.reason), limits.COMMENT_CHARS),
    }
    match decided.verdict:
        case "approved":
            form = words.approved_thread if decided.for_thread else words.approved
        case "rejected":
            form = words.rejected_because if decided.reason.strip() else words.rejected
        case "expired":
            form = words.expired
        case "overtaken":
            form = words.overtaken
        case "void":
            form = words.void
    return form.format(**slots)


def _facts(event: ApprovalRequested, words: Words, form: Form) -> list[JsonObject]:
    """All blocks above those of the deciding."""
    asking = [action for action in event.actions if action.asks]
    shown = asking if form == "whole" else asking[:MAX_ACTIONS]
    share = SHARED_CHARS // max(1, len(shown))
    blocks = [_section(words.asked.format(who=_mention(event.asker)))]
    for number, action in enumerate(shown, start=1):
        numbered = f"{number}. " if len(asking) > 1 else ""
        blocks += _sections(_head(event, action, numbered, words, form))
        blocks += _arguments(action, words, form, share)
    if left := len(asking) - len(shown):
        blocks.append(_section(f"*… {words.more.format(n=left)}*"))
    if along := [action for action in event.actions if not action.asks]:
        blocks.append(_context(words.along.format(what=_deeds(along, words))))
    if event.is_tainted:
        blocks.append(_context(f":warning: *{words.tainted}*"))
    return blocks


def _head(
    event: ApprovalRequested, action: PlannedAction, numbered: str, words: Words, form: Form
) -> str:
    """What is done, with which app and account, and everybody whom it reaches."""
    lines = [_title(event, action, numbered, words)]
    whom = recipients_of(action.arguments)
    if whom:
        max_chars = None if form == "whole" else limits.OPTION_CHARS
        shown = whom if form == "whole" else whom[:MAX_RECIPIENTS]
        named = [inline_code(made_visible(each)[:max_chars]) for each in shown]
        if left := len(whom) - len(shown):
            named.append(words.more.format(n=left))
        lines.append(words.count(words.reaches, len(whom), whom=", ".join(named)))
    return "\n".join(lines)


def _title(event: ApprovalRequested, action: PlannedAction, numbered: str, words: Words) -> str:
    parts = [f"*{numbered}{deed(action.tool, action.toolkit)}*"]
    if where := app_name(action.toolkit) if action.toolkit else server_name(event.tool):
        parts.append(where)
    if action.account:
        account = inline_code(made_visible(action.account)[: limits.OPTION_CHARS])
        parts.append(words.with_account.format(account=account))
    return " · ".join(parts)


def _arguments(action: PlannedAction, words: Words, form: Form, share: int) -> list[JsonObject]:
    if form == "bare":
        return []
    if not action.arguments:
        return [_context(words.no_arguments)]
    if form == "whole":
        text = code("\n".join(argument_lines(action.arguments)))
    else:
        text = _beginning(action, words, max(share, 40))
    return _sections(f"```\n{text}\n```")


def _beginning(action: PlannedAction, words: Words, max_chars: int) -> str:
    """As many lines as there is room for."""
    lines: list[str] = []
    chars = 0
    for line in argument_lines(action.arguments, max_chars=max_chars):
        lines.append(line)
        chars += len(line)
        if chars > max_chars:
            break
    text = code("\n".join(lines))
    return f"{split(text, max_chars)[0]}\n{words.cut}" if len(text) > max_chars else text


def _deeds(actions: Sequence[PlannedAction], words: Words) -> str:
    counted = Counter(_short(action) for action in actions)
    named = [f"{what} ({n})" if n > 1 else what for what, n in counted.items()]
    shown = named[:MAX_ALONG]
    if left := len(named) - len(shown):
        shown.append(words.more.format(n=left))
    return ", ".join(shown)


def _short(action: PlannedAction) -> str:
    what = deed(action.tool, action.toolkit)
    return f"{app_name(action.toolkit)}: {what}" if action.toolkit else what


def _fallback(event: ApprovalRequested, words: Words) -> str:
    """For notifications: who, and what in short; the arguments stand in the blocks alone."""
    lines = [words.asked.format(who=_mention(event.asker))]
    asking = [action for action in event.actions if action.asks]
    lines += [_title(event, action, "", words) for action in asking[:MAX_ACTIONS]]
    return split("\n".join(lines), limits.TEXT_CHARS)[0]


def _sections(text: str) -> list[JsonObject]:
    return [_section(part) for part in split(text, limits.SECTION_CHARS)]


def _section(text: str) -> JsonObject:
    return {"type": "section", "text": _mrkdwn(text)}


def _context(text: str) -> JsonObject:
    return {"type": "context", "elements": [_mrkdwn(text)]}


def _mrkdwn(text: str) -> JsonObject:
    """Slack makes no link, mention or channel of anything that does not say so by itself."""
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def _text_of(block: JsonObject) -> str:
    return str(block["text"]["text"] if "text" in block else block["elements"][0]["text"])


def _mention(user: UserId) -> str:
    return f"<@{parse_user(user)[1]}>"
