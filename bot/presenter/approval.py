"""An approval as a post: what would be done, in full, and the buttons that decide it. Pure.

It shows each action as people know it, or else its arguments as they are sent: nothing is left out.
Where that is more than a post holds, it says what and whom, and a file beside it holds everything.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

from agent_core.clock import find_zone
from agent_core.events import ApprovalDecided, ApprovalRequested, PlannedAction, SentFile
from agent_core.masking import Exact
from agent_core.messages import JsonObject
from agent_core.runtime import moment_words, recipients_of, unpacked
from agent_core.words import Words
from bot.presenter.apps import Button, app_name, consent_button, deed, server_name
from bot.presenter.previews import (
    ZONE_NAMES,
    Part,
    argument_lines,
    editable_parts,
    exact_json,
    leaves,
    made_visible,
    names_all_recipients,
    parts_of,
    preview,
)
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

DIGEST_CHARS = 12
MAX_ACTIONS = 20
"""Of those that ask: so many are told when not all fit."""
MAX_ALONG = 8
MAX_TIMES = 10
MAX_RECIPIENTS = 10
"""Of one action, when not all fit."""
REACHED_CHARS = 6_000
"""Of all recipients together, when not all fit."""
SHOWN_CHARS = 9_000
"""The same of all actions, so that Slack takes them."""
HOPELESS_CHARS = 60_000
"""So much does not fit, however much of it is white space that becomes a short name."""
MAX_BLOCKS = 100
"""Of a modal."""
BLOCKS_FOR_DECIDING = 4
CHARS_FOR_DECIDING = 2_500
"""Room that is left for what stands below the actions, before and after the decision."""

_OWN = {"correct_my_answer": "consent-own-correct", "remove_my_post": "consent-own-remove"}
"""What the bot does to its own posts; nobody is reached by it."""

_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]{0,10}(?:Z|[+-]\d\d:?\d\d)?")


def is_short(event: ApprovalRequested, words: Words) -> bool:
    """Whether Slack takes a post with all arguments."""
    if sum(len(json.dumps(action.arguments)) for action in event.actions) > HOPELESS_CHARS:
        return False
    blocks = _facts(event, words, is_whole=True)
    return (
        len(blocks) <= limits.BLOCKS_PER_POST - BLOCKS_FOR_DECIDING
        and sum(map(_chars, blocks)) <= limits.BLOCK_TEXT_CHARS - CHARS_FOR_DECIDING
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
    event: ApprovalRequested,
    words: Words,
    *,
    is_whole: bool,
    is_attached: bool = False,
    unseen: Sequence[SentFile] = (),
    edited: ApprovalDecided | None = None,
) -> Draft:
    """The post while it is undecided; what neither it nor a file shows cannot be approved.

    Of the files that would be sent along nobody can look at those that are `unseen`; `edited` tells
    who made it of an earlier request.
    """
    digest = event.digest[:DIGEST_CHARS]
    below = [words("consent-until", when=local_time(event.deadline), digest=digest)]
    if is_attached:
        below.insert(0, words("consent-in-file", file=file_name(event), digest=digest))
    elif not is_whole:
        below.insert(0, words("consent-not-shown"))
    if files := unseen or event.files:
        named = [inline_code(made_visible(file.name)[: limits.OPTION_CHARS]) for file in files]
        told = words(f"consent-sent-{'hidden' if unseen else 'shown'}", files=", ".join(named))
        below.insert(0, told)
    if edited:
        below.insert(0, decision(edited, words))
    is_seen = (is_whole or is_attached) and not unseen
    names: list[Button] = ["approve", "reject"] if is_seen else ["reject"]
    if "approve" in names and event.may_allow_thread:
        names.append("approve_thread")
    if is_whole and len(event.actions) == 1 and editable_parts(event.actions[0]):
        names.insert(1, "edit")
    if is_whole and any(_picture(action, event, words) for action in _asking(event.actions)):
        names.append("details")
    row = actions(*(consent_button(name, words, event.consent) for name in names))
    facts = _facts(event, words, is_whole=is_whole)
    blocks = (*facts, context("\n".join(below)), row)
    return Draft(text=_fallback(event, words), blocks=blocks)


def details_form(actions: Sequence[PlannedAction], words: Words) -> JsonObject:
    """A modal with all arguments as they are sent, as far as a modal holds them."""
    blocks: list[JsonObject] = []
    for action in _asking(actions):
        blocks.append(section(f"*{deed(action.tool, action.toolkit)}*"))
        blocks += _arguments(action, words)
    return {
        "type": "modal",
        "title": plain_text(words("consent-button-details"), limits.TITLE_CHARS),
        "close": plain_text(words("consent-close"), limits.TITLE_CHARS),
        "blocks": [*map(Exact, blocks[:MAX_BLOCKS])],
    }


def decided_draft(event: ApprovalRequested, decided: ApprovalDecided, words: Words) -> Draft:
    """The post once it is decided: the same facts, and how it ended in place of the buttons."""
    said = decision(decided, words)
    text = split("\n".join([_fallback(event, words), said]), limits.TEXT_CHARS)[0]
    below = (context(f"`{event.digest[:DIGEST_CHARS]}`"), section(f"*{said}*"))
    facts = _facts(event, words, is_whole=is_short(event, words))
    return Draft(text=text, blocks=(*facts, *below))


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


def _facts(event: ApprovalRequested, words: Words, *, is_whole: bool) -> list[JsonObject]:
    """All blocks above those of the deciding."""
    asking = _asking(event.actions)
    shown = asking if is_whole else asking[:MAX_ACTIONS]
    room = None if is_whole else REACHED_CHARS // max(1, len(shown))
    blocks = [section(words("consent-asked", who=mention(event.asker)))]
    left, chars = len(asking), 0
    for number, action in enumerate(shown, start=1):
        numbered = f"{number}. " if len(asking) > 1 else ""
        lines = [_title(event, action, numbered, words)]
        picture = _picture(action, event, words) if is_whole else None
        if event.tool not in _OWN and (picture is None or not names_all_recipients(action)):
            lines += _reaches(action, words, room)
        told = _sections("\n".join(lines))
        chars += sum(map(_chars, told))
        if not is_whole and chars > SHOWN_CHARS:
            break
        blocks += told
        if is_whole:
            blocks += _arguments(action, words) if picture is None else picture
        left -= 1
    if left:
        blocks.append(section(f"*… {words('consent-more', n=left)}*"))
    if times := [line for action in asking for line in _times(action, event.zone, words, is_whole)]:
        told = _counted(times, MAX_TIMES, words)
        blocks.append(context("\n".join([words("consent-times"), *told])))
    if along := [action for action in event.actions if not action.asks]:
        blocks.append(context(words("consent-along", what=_deeds(along, words))))
    if event.is_tainted and not all(map(_is_for_oneself, asking)):
        blocks.append(context(f":warning: *{_warning(event, words)}*"))
    return [*map(Exact, blocks)]


def _asking(actions: Sequence[PlannedAction]) -> list[PlannedAction]:
    return [action for action in actions if action.asks]


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


def _reaches(action: PlannedAction, words: Words, room: int | None) -> Iterator[str]:
    """Everybody whom it reaches, if anybody, or as many as there is room for."""
    whom = recipients_of(action.arguments)
    if not whom:
        return
    max_chars = None if room is None else limits.OPTION_CHARS
    named = [inline_code(made_visible(each)[:max_chars]) for each in whom]
    named = named if room is None else named[:MAX_RECIPIENTS]
    while room is not None and sum(map(len, named)) > room:
        named.pop()
    if left := len(whom) - len(named):
        named.append(words("consent-more", n=left))
    yield words("consent-reaches", n=len(whom), whom=", ".join(named))


def _title(event: ApprovalRequested, action: PlannedAction, numbered: str, words: Words) -> str:
    own = _OWN.get(event.tool)
    parts = [f"*{numbered}{words(own) if own else deed(action.tool, action.toolkit)}*"]
    if where := app_name(action.toolkit) if action.toolkit else server_name(event.tool):
        parts.append(where)
    if action.account:
        account = inline_code(made_visible(action.account)[: limits.OPTION_CHARS])
        parts.append(words("consent-with-account", account=account))
    return " · ".join(parts)


def _arguments(action: PlannedAction, words: Words) -> list[JsonObject]:
    """A line for each."""
    if not action.arguments:
        return [context(words("consent-no-arguments"))]
    text = code("\n".join(argument_lines(action.arguments)))
    return _sections(f"```\n{text}\n```")


def _times(action: PlannedAction, zone: str, words: Words, is_whole: bool) -> Iterator[str]:
    """Each moment among the arguments with its weekday, but for those of an event's picture."""
    pictured = {part.name for part in parts_of(action.arguments)} if is_whole else set[str]()
    for path, value in leaves("", action.arguments):
        if path not in pictured and isinstance(value, str) and _TIME.fullmatch(value):
            shown, named = (
                inline_code(made_visible(path)[: limits.OPTION_CHARS]),
                _zone(action, path),
            )
            told = "" if named is None else _clock_words(value, named, zone, words)
            yield f"{shown}: {told or inline_code(value)}"


def _moment(action: PlannedAction, event: ApprovalRequested, words: Words, part: Part) -> str:
    """A moment of a picture in words; empty for anything else."""
    if not isinstance(part.value, str) or not _TIME.fullmatch(part.value):
        return ""
    named = _zone(action, part.name)
    return "" if named is None else _clock_words(part.value, named, event.zone, words)


def _zone(action: PlannedAction, path: str) -> str | None:
    """The zone that stands with a moment; empty where none does, None where it may be another's."""
    zones = [
        (*other.rpartition("."), value)
        for other, value in leaves("", action.arguments)
        if isinstance(value, str) and "zone" in other.lower()
    ]
    beside = [zone for zone in zones if zone[0] == path.rpartition(".")[0]] or zones
    named = {value for *_, value in beside}
    is_sure = len(named) < 2 and all(name in ZONE_NAMES for _, _, name, _ in beside)
    return "".join(named) if is_sure else None


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
    counted = Counter(
        f"{app_name(each.toolkit)}: {told}" if each.toolkit else told
        for each in actions
        for told in [deed(each.tool, each.toolkit)]
    )
    named = [f"{what} ({n})" if n > 1 else what for what, n in counted.items()]
    return ", ".join(_counted(named, MAX_ALONG, words))


def _counted(named: Sequence[str], most: int, words: Words) -> list[str]:
    """The first of them, and how many more there are."""
    left = len(named) - most
    return [*named[:most], *([words("consent-more", n=left)] if left > 0 else [])]


def _fallback(event: ApprovalRequested, words: Words) -> str:
    """For notifications: who, and what in short; the arguments stand in the blocks alone."""
    lines = [words("consent-asked", who=mention(event.asker))]
    lines += [_title(event, action, "", words) for action in _asking(event.actions)[:MAX_ACTIONS]]
    return split("\n".join(lines), limits.TEXT_CHARS)[0]


def _sections(text: str) -> list[JsonObject]:
    return [section(part) for part in split(text, limits.SECTION_CHARS)]


def _chars(block: JsonObject) -> int:
    return len(block["text"]["text"] if "text" in block else block["elements"][0]["text"])
