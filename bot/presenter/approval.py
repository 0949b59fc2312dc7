"""An approval as a post: what would be done, in full, and the buttons that decide it. Pure.

It shows each action as people know it, or else its arguments as they are sent: nothing is left out.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Literal, get_args

from agent_core.clock import find_zone
from agent_core.events import ApprovalDecided, ApprovalRequested, PlannedAction
from agent_core.masking import Exact
from agent_core.messages import JsonObject
from agent_core.runtime import moment_words, recipients_of, unpacked
from agent_core.words import Words
from bot.presenter.apps import Button, app_name, consent_button, deed, server_name
from bot.presenter.arguments import argument_lines, exact_json, leaves, made_visible
from bot.presenter.previews import Part, editable_parts, names_all_recipients, parts_of, preview
from bot.render import (
    Draft,
    actions,
    code,
    context,
    foreign_line,
    inline_code,
    limits,
    local_time,
    mention,
    plain_text,
    section,
    split,
)

Form = Literal["whole", "cut", "bare"]
"""`cut`: as much as fits; `bare`: no arguments. Both name the file that holds everything."""

FORMS = get_args(Form)
DIGEST_CHARS = 12
MAX_ACTIONS = 20
"""Of those that ask: so many are told when not all fit."""
MAX_ALONG = 8
MAX_TIMES = 10
MAX_RECIPIENTS = 10
"""Of one action, when not all fit."""
SHARED_CHARS = 7_000
"""Of all arguments together, when not all fit."""
REACHED_CHARS = 6_000
"""Of all recipients together in the last form, so that Slack takes that one."""
SHOWN_CHARS = 9_000
"""The same of all actions."""
HOPELESS_CHARS = 60_000
"""So much does not fit, however much of it is white space that becomes a short name."""
MAX_BLOCKS = 100
"""Of a modal."""
BLOCKS_FOR_DECIDING = 4
CHARS_FOR_DECIDING = 2_500
"""Room that is left for what stands below the actions, before and after the decision."""

_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]{0,10}(?:Z|[+-]\d\d:?\d\d)?")


def fitting_forms(event: ApprovalRequested, words: Words) -> list[Form]:
    """The forms to post it in, best first: the next one where Slack refuses one."""
    return ["whole", "cut", "bare"] if _fits(event, words) else ["cut", "bare"]


def _fits(event: ApprovalRequested, words: Words) -> bool:
    """Whether Slack takes a post with all arguments."""
    if sum(len(json.dumps(action.arguments)) for action in event.actions) > HOPELESS_CHARS:
        return False
    blocks = _facts(event, words, "whole")
    chars = sum(len(_text_of(block)) for block in blocks)
    return (
        len(blocks) <= limits.BLOCKS_PER_POST - BLOCKS_FOR_DECIDING
        and chars <= limits.BLOCK_TEXT_CHARS - CHARS_FOR_DECIDING
    )


def approval_file(event: ApprovalRequested) -> bytes:
    """The file with everything, exactly as it would be sent."""
    done = [
        {
            "tool": action.tool,
            "toolkit": action.toolkit,
            "account": action.account,
            "needs_approval": action.asks,
            "arguments": action.arguments,
            **_in_plain_words(action.arguments),
        }
        for action in event.actions
    ]
    return exact_json({"digest": event.digest, "tool": event.tool, "actions": done}).encode()


def _in_plain_words(arguments: JsonObject) -> JsonObject:
    """What is packed in the arguments, by its place; nothing where nothing is."""
    texts = ((path, value) for path, value in leaves("", arguments) if isinstance(value, str))
    found = {path: plain for path, text in texts if (plain := unpacked(text))}
    return {"unpacked": found} if found else {}


def file_name(event: ApprovalRequested) -> str:
    """The name by which post and file know each other."""
    return f"approval-{event.digest[:DIGEST_CHARS]}.json"


def approval_draft(
    event: ApprovalRequested, words: Words, form: Form, *, is_attached: bool = False
) -> Draft:
    """The post while it is undecided; without the file, what does not fit cannot be approved."""
    is_all_shown = form == "whole" or is_attached
    digest = event.digest[:DIGEST_CHARS]
    below = [words("consent-until", when=local_time(event.deadline), digest=digest)]
    if is_attached:
        below.insert(0, words("consent-in-file", file=file_name(event), digest=digest))
    elif form != "whole":
        below.insert(0, words("consent-not-shown"))
    names: list[Button] = ["approve", "reject"] if is_all_shown else ["reject"]
    if is_all_shown and event.may_allow_thread:
        names.append("approve_thread")
    asking = [action for action in event.actions if action.asks]
    if form == "whole" and len(event.actions) == 1 and editable_parts(event.actions[0]):
        names.insert(1, "edit")
    if form == "whole" and any(_picture(action, event, words) for action in asking):
        names.append("details")
    row = actions(*(consent_button(name, words, event.consent) for name in names))
    blocks = [*_facts(event, words, form), context("\n".join(below)), row]
    return Draft(text=_fallback(event, words), blocks=tuple(blocks))


def details_form(actions: Sequence[PlannedAction], words: Words) -> JsonObject:
    """A modal with all arguments as they are sent, as far as a modal holds them."""
    blocks: list[JsonObject] = []
    for action in actions:
        blocks.append(section(f"*{deed(action.tool, action.toolkit)}*"))
        blocks += _arguments(action, words, None)
    return {
        "type": "modal",
        "title": plain_text(words("consent-button-details"), limits.TITLE_CHARS),
        "close": plain_text(words("consent-close"), limits.TITLE_CHARS),
        "blocks": [*map(Exact, blocks[:MAX_BLOCKS])],
    }


def decided_draft(
    event: ApprovalRequested, decided: ApprovalDecided, words: Words, form: Form
) -> Draft:
    """The post once it is decided: the same facts, and the decision in the place of the buttons."""
    said = decision(decided, words)
    mark = context(f"`{event.digest[:DIGEST_CHARS]}`")
    text = split("\n".join([_fallback(event, words), said]), limits.TEXT_CHARS)[0]
    blocks = (*_facts(event, words, form), mark, section(f"*{said}*"))
    return Draft(text=text, blocks=blocks)


def decided_drafts(event: ApprovalRequested, decided: ApprovalDecided, words: Words) -> list[Draft]:
    """The same in every form that may fit, best first."""
    return [decided_draft(event, decided, words, form) for form in fitting_forms(event, words)]


def decision(decided: ApprovalDecided, words: Words) -> str:
    """One sentence on how it ended, who ended it, and when."""
    verdict: str = decided.verdict
    if decided.verdict == "approved" and decided.for_thread:
        verdict = "approved-thread"
    elif decided.verdict == "rejected" and decided.reason.strip():
        verdict = "rejected-because"
    return words(
        f"consent-decided-{verdict}",
        who=mention(decided.by) if decided.by else "…",
        when=local_time(decided.at),
        reason=foreign_line(made_visible(decided.reason), limits.COMMENT_CHARS),
    )


def _facts(event: ApprovalRequested, words: Words, form: Form) -> list[JsonObject]:
    """All blocks above those of the deciding; of what is not whole only the beginning."""
    is_whole = form == "whole"
    asking = [action for action in event.actions if action.asks]
    shown = asking if is_whole else asking[:MAX_ACTIONS]
    share = None if is_whole else SHARED_CHARS // max(1, len(shown))
    reached = REACHED_CHARS // max(1, len(shown)) if form == "bare" else None
    blocks = [section(words("consent-asked", who=mention(event.asker)))]
    left, chars = len(asking), 0
    for number, action in enumerate(shown, start=1):
        numbered = f"{number}. " if len(asking) > 1 else ""
        lines = [_title(event, action, numbered, words)]
        picture = _picture(action, event, words) if is_whole else None
        if picture is None or not names_all_recipients(action):
            lines += _reaches(action, words, reached, is_whole)
        told = _sections("\n".join(lines))
        if form != "bare":
            told += _arguments(action, words, share) if picture is None else picture
        chars += sum(len(_text_of(block)) for block in told)
        if form == "bare" and chars > SHOWN_CHARS:
            break
        blocks += told
        left -= 1
    if left:
        blocks.append(section(f"*… {words('consent-more', n=left)}*"))
    if times := [line for action in asking for line in _times(action, event.zone, words, is_whole)]:
        left = len(times) - MAX_TIMES
        more = [words("consent-more", n=left)] if left > 0 else []
        blocks.append(context("\n".join([words("consent-times"), *times[:MAX_TIMES], *more])))
    if along := [action for action in event.actions if not action.asks]:
        blocks.append(context(words("consent-along", what=_deeds(along, words))))
    if event.is_tainted and not all(map(_is_for_oneself, asking)):
        blocks.append(context(f":warning: *{_warning(event, words)}*"))
    return [*map(Exact, blocks)]


def _picture(
    action: PlannedAction, event: ApprovalRequested, words: Words
) -> list[JsonObject] | None:
    return preview(action, words, partial(_moment, action, event, words))


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


def _reaches(
    action: PlannedAction, words: Words, room: int | None, is_whole: bool
) -> Iterator[str]:
    """Everybody whom it reaches, if anybody, or as many as there is room for."""
    whom = recipients_of(action.arguments)
    if not whom:
        return
    max_chars = None if is_whole else limits.OPTION_CHARS
    shown = whom if is_whole else whom[:MAX_RECIPIENTS]
    named = [inline_code(made_visible(each)[:max_chars]) for each in shown]
    while room is not None and sum(map(len, named)) > room:
        named.pop()
    if left := len(whom) - len(named):
        named.append(words("consent-more", n=left))
    yield words("consent-reaches", n=len(whom), whom=", ".join(named))


def _title(event: ApprovalRequested, action: PlannedAction, numbered: str, words: Words) -> str:
    parts = [f"*{numbered}{deed(action.tool, action.toolkit)}*"]
    if where := app_name(action.toolkit) if action.toolkit else server_name(event.tool):
        parts.append(where)
    if action.account:
        account = inline_code(made_visible(action.account)[: limits.OPTION_CHARS])
        parts.append(words("consent-with-account", account=account))
    return " · ".join(parts)


def _arguments(action: PlannedAction, words: Words, max_chars: int | None) -> list[JsonObject]:
    """A line for each, as far as there is room."""
    if not action.arguments:
        return [context(words("consent-no-arguments"))]
    text = ""
    for line in argument_lines(action.arguments, max_chars=max_chars):
        text += f"{line}\n"
        if max_chars and len(text) > max_chars:
            break
    text = code(text.removesuffix("\n"))
    if max_chars and len(text) > max_chars:
        text = f"{split(text, max_chars)[0]}\n{words('consent-cut')}"
    return _sections(f"```\n{text}\n```")


def _times(action: PlannedAction, zone: str, words: Words, is_whole: bool) -> Iterator[str]:
    """Each moment among the arguments with its weekday, but for those of an event's picture."""
    pictured = {part.name for part in parts_of(action.arguments)} if is_whole else set[str]()
    for path, value in leaves("", action.arguments):
        if path not in pictured and isinstance(value, str) and _TIME.fullmatch(value):
            shown = inline_code(made_visible(path)[: limits.OPTION_CHARS])
            yield f"{shown}: {_clock_words(value, _zone_of(action, path), zone, words)}"


def _moment(action: PlannedAction, event: ApprovalRequested, words: Words, part: Part) -> str:
    """A moment of a picture in words; empty for anything else."""
    if not isinstance(part.value, str) or not _TIME.fullmatch(part.value):
        return ""
    return _clock_words(part.value, _zone_of(action, part.name), event.zone, words)


def _zone_of(action: PlannedAction, path: str) -> str:
    """The zone that stands with a moment, if any."""
    zones = [
        (_home(other), value)
        for other, value in leaves("", action.arguments)
        if isinstance(value, str) and "zone" in other.lower()
    ]
    beside = [named for home, named in zones if home == _home(path)]
    return next(iter(beside or [named for _, named in zones]), "")


def _home(path: str) -> str:
    return path.rpartition(".")[0]


def _clock_words(value: str, named: str, zone: str, words: Words) -> str:
    """A moment of the arguments in words; `named` is the zone that stands with it, if any."""
    language, shown = words("consent-language"), next(filter(find_zone, (zone, named)), "UTC")
    try:
        moment = datetime.fromisoformat(value)
        known = moment.tzinfo or find_zone(named)
        if known is None:
            where = foreign_line(made_visible(named), limits.PROGRESS_WORD_CHARS)
            told = moment_words(moment.replace(tzinfo=UTC), "UTC", language)
            return f"{told} ({where or words('consent-no-zone')})"
        moment = moment.replace(tzinfo=known)
        told = [
            f"{moment_words(moment, each, language)} ({each})"
            for each in (shown, named)
            if find_zone(each)
        ]
        return " = ".join(dict.fromkeys(told))
    except (ValueError, OverflowError):
        return inline_code(value)


def _deeds(actions: Sequence[PlannedAction], words: Words) -> str:
    counted = Counter(_short(action) for action in actions)
    named = [f"{what} ({n})" if n > 1 else what for what, n in counted.items()]
    shown = named[:MAX_ALONG]
    if left := len(named) - len(shown):
        shown.append(words("consent-more", n=left))
    return ", ".join(shown)


def _short(action: PlannedAction) -> str:
    what = deed(action.tool, action.toolkit)
    return f"{app_name(action.toolkit)}: {what}" if action.toolkit else what


def _fallback(event: ApprovalRequested, words: Words) -> str:
    """For notifications: who, and what in short; the arguments stand in the blocks alone."""
    lines = [words("consent-asked", who=mention(event.asker))]
    asking = [action for action in event.actions if action.asks]
    lines += [_title(event, action, "", words) for action in asking[:MAX_ACTIONS]]
    return split("\n".join(lines), limits.TEXT_CHARS)[0]


def _sections(text: str) -> list[JsonObject]:
    return [section(part) for part in split(text, limits.SECTION_CHARS)]


def _text_of(block: JsonObject) -> str:
    return str(block["text"]["text"] if "text" in block else block["elements"][0]["text"])
