"""An approval as a post: what would be done, in full, and the buttons that decide it. Pure.

In foreign text all is to be seen: what cannot be seen becomes a name in `⟨⟩`, such as `⟨5000 ␣⟩` or
`⟨U+202E⟩`, and an argument cannot be misread as another one. Nothing is left out.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, Literal, cast, get_args

from agent_core.clock import find_zone
from agent_core.events import ApprovalDecided, ApprovalRequested, PlannedAction
from agent_core.masking import Exact
from agent_core.messages import JsonObject
from agent_core.runtime import moment_words, recipients_of, unpacked
from agent_core.words import Words
from bot.presenter.apps import Button, app_name, consent_button, deed, server_name
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
BLOCKS_FOR_DECIDING = 4
CHARS_FOR_DECIDING = 2_500
"""Room that is left for what stands below the actions, before and after the decision."""

_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d[\d:.]{0,10}(?:Z|[+-]\d\d:?\d\d)?")
_PLAIN_KEY = re.compile(r"[\w-]{1,80}")
_CONTINUED = "  │ "
_READS_AS_VALUE = re.compile(r'\s*+(?:[-+]?\d[\d.eE+-]*|true|false|null|["{\[].*)?\s*+', re.DOTALL)
_MOST = {" ": 4, "\n": 3, "\t": 0}
"""So many in a row stay as they are: people make no longer gaps."""
_NAMED = {" ": "␣", "\n": "⏎", "\t": "⇥"}
_RUNS = re.compile(r"[ \n\t]{2,}|\t|([^\w \n\t]|[\u115f\u1160\u3164\uffa0])\1*")
"""Gaps, and whatever is not surely a letter or a digit."""
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE0F)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
"""Seen as nothing, though their categories are those of letters, signs and accents."""


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
    texts = ((path, value) for path, value in _leaves("", arguments) if isinstance(value, str))
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
    row = actions(*(consent_button(name, words, event.consent) for name in names))
    blocks = [*_facts(event, words, form), context("\n".join(below)), row]
    return Draft(text=_fallback(event, words), blocks=tuple(blocks))


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
        lines = [
            _title(event, action, numbered, words),
            *_reaches(action, words, reached, is_whole),
        ]
        told = _sections("\n".join(lines))
        told += [] if form == "bare" else _arguments(action, words, share)
        chars += sum(len(_text_of(block)) for block in told)
        if form == "bare" and chars > SHOWN_CHARS:
            break
        blocks += told
        left -= 1
    if left:
        blocks.append(section(f"*… {words('consent-more', n=left)}*"))
    if times := [line for action in asking for line in _times(action, event.zone, words)]:
        left = len(times) - MAX_TIMES
        more = [words("consent-more", n=left)] if left > 0 else []
        blocks.append(context("\n".join([words("consent-times"), *times[:MAX_TIMES], *more])))
    if along := [action for action in event.actions if not action.asks]:
        blocks.append(context(words("consent-along", what=_deeds(along, words))))
    if event.is_tainted:
        blocks.append(context(f":warning: *{words('consent-tainted')}*"))
    return [*map(Exact, blocks)]


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


def _times(action: PlannedAction, zone: str, words: Words) -> Iterator[str]:
    """Each moment among the arguments with its weekday, on the asker's clock if that is known."""
    texts = [
        (path, value) for path, value in _leaves("", action.arguments) if isinstance(value, str)
    ]
    zones = [(_home(path), value) for path, value in texts if "zone" in path.lower()]
    for path, value in texts:
        if _TIME.fullmatch(value):
            beside = [named for home, named in zones if home == _home(path)]
            named = next(iter(beside or [named for _, named in zones]), "")
            shown = inline_code(made_visible(path)[: limits.OPTION_CHARS])
            yield f"{shown}: {_clock_words(value, named, zone, words)}"


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
        return f"{moment_words(moment.replace(tzinfo=known), shown, language)} ({shown})"
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


def argument_lines(arguments: JsonObject, *, max_chars: int | None = None) -> Iterator[str]:
    """One line for each value, as `name.inner[0]: value`; all of them, in their order.

    With `max_chars` long values and names are cut, for those who cannot show all of it anyway.

    A text of several lines stands below its name with a bar before each line, so that none of them
    looks like an argument of its own. A text that could be taken for another kind of value, or
    that begins or ends with a gap, is quoted. What is packed in base64 stands before it as it
    reads.
    """
    for path, value in _leaves("", arguments):
        text = value[:max_chars] if isinstance(value, str) else value
        if isinstance(value, str) and (plain := unpacked(value)):
            yield from _lines(path[:max_chars], plain[:max_chars], mark=" ⟨base64⟩")
        yield from _lines(path[:max_chars], text)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, inner in cast("JsonObject", value).items():
            name = key if _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
            yield from _leaves(f"{path}.{name}" if path else name, inner)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(cast("list[Any]", value)):
            yield from _leaves(f"{path}[{index}]", inner)
    elif path:
        yield path, value


def _lines(path: str, value: Any, *, mark: str = "") -> Iterator[str]:
    name = made_visible(path) + mark
    text = _text(value)
    if "\n" not in text:
        yield f"{name}: {text}"
        return
    yield f"{name}:"
    for line in text.split("\n"):
        yield f"{_CONTINUED}{line}"


def _text(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    if value != value.strip() or _READS_AS_VALUE.fullmatch(value):
        return f'"{made_visible(value)}"'
    return made_visible(value)


def made_visible(text: str) -> str:
    """The text with a name for whatever is not to be seen; short gaps stay as they are.

    The brackets of the names are ours: a text cannot pretend that something was named in it.
    """
    return _RUNS.sub(_seen, text)


def _seen(run: re.Match[str]) -> str:
    first, n = run[0][0], len(run[0])
    if first not in _MOST:
        return _name(f"U+{ord(first):04X}", n) if _is_hidden(first) or first in "⟨⟩" else run[0]
    is_long = run[0].count("\n") > _MOST["\n"]
    seen = ""
    for character, same in groupby(run[0]):
        n = len(list(same))
        stays = n <= _MOST[character] and not (is_long and character == "\n")
        seen += character * n if stays else _name(_NAMED[character], n)
    return f"{seen}\n" if is_long else seen


def _name(name: str, n: int) -> str:
    return f"⟨{n} {name}⟩" if n > 1 else f"⟨{name}⟩"


def exact_json(value: JsonObject) -> str:
    """The value as JSON for a file, in which what is not to be seen is written as an escape.

    The indentation is ours; behind it a long gap stands inside a string.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2)
    escaped = "".join(json.dumps(each)[1:-1] if _is_hidden(each) else each for each in text)
    return re.sub(r"(?<=[^ \n]) {5,}", lambda gap: "\\u0020" * len(gap[0]), escaped) + "\n"


def _is_hidden(character: str) -> bool:
    if character in " \n":
        return False
    return unicodedata.category(character)[0] in "CZ" or character in _BLANK
