"""An approval as a post: what would be done, in full, and the buttons that decide it. Pure.

In foreign text all is to be seen: what cannot be seen becomes a name in `⟨⟩`, such as `⟨5000 ␣⟩` or
`⟨U+202E⟩`, and an argument cannot be misread as another one. Nothing is left out.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Literal, cast

from agent_core.events import ApprovalDecided, ApprovalRequested, PlannedAction
from agent_core.messages import JsonObject
from agent_core.runtime import recipients_of
from agent_core.words import Words
from bot.presenter.apps import Button, app_name, consent_button, deed, server_name
from bot.render import (
    Draft,
    actions,
    code,
    context,
    inline_code,
    limits,
    local_time,
    mention,
    one_line,
    section,
    split,
)

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

_PLAIN_KEY = re.compile(r"[\w-]{1,80}")
_CONTINUED = "  │ "
_READS_AS_VALUE = re.compile(r'\s*(?:[-+]?\d[\d.eE+-]*|true|false|null|["{\[].*)?\s*', re.DOTALL)
_BRACKETS = re.compile("[\u27e8\u27e9]")
"""They are ours: a text cannot pretend that something was named in it."""
_NAMED = {" ": "␣", "\n": "⏎", "\t": "⇥"}
_MAX_SPACES = 4
_MAX_LINE_BREAKS = 3
_LONG_GAPS = re.compile(r"[ \n\t]{4,}|\t[ \n\t]*|[ \n]{1,3}\t[ \n\t]*")
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE0F)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
"""Seen as nothing, though their categories are those of letters, signs and accents."""


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
    digest = event.digest[:DIGEST_CHARS]
    below = [words("consent-until", when=local_time(event.deadline), digest=digest)]
    if form != "whole":
        below.insert(
            0,
            words("consent-in-file", file=file_name(event), digest=digest)
            if is_attached
            else words("consent-not-shown"),
        )
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
    facts = _facts(event, words, form)
    mark = context(f"`{event.digest[:DIGEST_CHARS]}`")
    text = "\n".join([_fallback(event, words), said])
    return Draft(
        text=split(text, limits.TEXT_CHARS)[0], blocks=(*facts, mark, section(f"*{said}*"))
    )


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
        reason=one_line(made_visible(decided.reason), limits.COMMENT_CHARS),
    )


def _facts(event: ApprovalRequested, words: Words, form: Form) -> list[JsonObject]:
    """All blocks above those of the deciding."""
    asking = [action for action in event.actions if action.asks]
    shown = asking if form == "whole" else asking[:MAX_ACTIONS]
    share = SHARED_CHARS // max(1, len(shown))
    blocks = [section(words("consent-asked", who=mention(event.asker)))]
    for number, action in enumerate(shown, start=1):
        numbered = f"{number}. " if len(asking) > 1 else ""
        blocks += _sections(_head(event, action, numbered, words, form))
        blocks += _arguments(action, words, form, share)
    if left := len(asking) - len(shown):
        blocks.append(section(f"*… {words('consent-more', n=left)}*"))
    if along := [action for action in event.actions if not action.asks]:
        blocks.append(context(words("consent-along", what=_deeds(along, words))))
    if event.is_tainted:
        blocks.append(context(f":warning: *{words('consent-tainted')}*"))
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
            named.append(words("consent-more", n=left))
        lines.append(words("consent-reaches", n=len(whom), whom=", ".join(named)))
    return "\n".join(lines)


def _title(event: ApprovalRequested, action: PlannedAction, numbered: str, words: Words) -> str:
    parts = [f"*{numbered}{deed(action.tool, action.toolkit)}*"]
    if where := app_name(action.toolkit) if action.toolkit else server_name(event.tool):
        parts.append(where)
    if action.account:
        account = inline_code(made_visible(action.account)[: limits.OPTION_CHARS])
        parts.append(words("consent-with-account", account=account))
    return " · ".join(parts)


def _arguments(action: PlannedAction, words: Words, form: Form, share: int) -> list[JsonObject]:
    if form == "bare":
        return []
    if not action.arguments:
        return [context(words("consent-no-arguments"))]
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
    return f"{split(text, max_chars)[0]}\n{words('consent-cut')}" if len(text) > max_chars else text


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
    that begins or ends with a gap, is quoted.
    """
    for path, value in _leaves("", arguments):
        text = value[:max_chars] if isinstance(value, str) else value
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


def _lines(path: str, value: Any) -> Iterator[str]:
    name = made_visible(path)
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
    """The text with a name for whatever is not to be seen; short gaps stay as they are."""
    escaped = _BRACKETS.sub(lambda bracket: _name(_code(bracket[0]), 1), text)
    spaced = _LONG_GAPS.sub(lambda gap: _gap(gap[0]), escaped)
    if spaced.replace("\n", "").isprintable() and _BLANK.isdisjoint(spaced):
        return spaced
    return "".join(_shown(character, len(list(run))) for character, run in groupby(spaced))


def exact_json(value: JsonObject) -> str:
    """The value as JSON for a file, in which what is not to be seen is written as an escape."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    lines = [_escaped_line(line) for line in text.split("\n")]
    return "\n".join(lines) + "\n"


def _gap(gap: str) -> str:
    """A gap that is no longer than people make them stays; of others each part is counted."""
    runs = [(character, len(list(run))) for character, run in groupby(gap)]
    if gap.count("\n") > _MAX_LINE_BREAKS:
        return "".join(_counted(character, n) for character, n in runs) + "\n"
    return "".join(
        character * n if character == "\n" else _counted(character, n) for character, n in runs
    )


def _counted(character: str, n: int) -> str:
    if character == " " and n <= _MAX_SPACES:
        return " " * n
    return _name(_NAMED[character], n)


def _shown(character: str, n: int) -> str:
    if not _is_hidden(character):
        return character * n
    return _name(_code(character), n)


def _name(name: str, n: int) -> str:
    return f"⟨{n} {name}⟩" if n > 1 else f"⟨{name}⟩"


def _is_hidden(character: str) -> bool:
    if character in " \n":
        return False
    category = unicodedata.category(character)
    return category[0] in "CZ" or character in _BLANK


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"


def _escaped_line(line: str) -> str:
    """The indentation is ours; behind it a long gap stands inside a string."""
    indent = len(line) - len(line.lstrip(" "))
    rest = re.sub(r" {5,}", lambda gap: "\\u0020" * len(gap[0]), line[indent:])
    return line[:indent] + "".join(_as_escape(each) for each in rest)


def _as_escape(character: str) -> str:
    if not _is_hidden(character):
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    pairs = (units[at : at + 2] for at in range(0, len(units), 2))
    return "".join(f"\\u{int.from_bytes(pair, 'big'):04x}" for pair in pairs)
