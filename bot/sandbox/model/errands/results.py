"""What came back from a call that acts: its JSON, the prose around it, and how it ended."""

import json
import re
from dataclasses import dataclass
from typing import Literal, cast

from bot.sandbox.model.conversation import Call
from bot.sandbox.model.wire import Json, as_list, as_object, as_text, walk

MAX_STARTS = 30
"""At most so many opening braces are tried in one result."""
MAX_REASON_CHARS = 300
Ending = Literal[
    "done", "rejected", "late", "unknown", "unconnected", "declined", "overtaken", "failed"
]
"""`unconnected`: there is no account; `declined`: and the person does not connect one;
`overtaken`: the person wrote before it was decided, and the call may be made again."""

LOST = re.compile(r"\b(?:may|might) or (?:may|might) not have\b|\bunknown whether\b", re.IGNORECASE)
REJECTED = re.compile(
    r"\b(?:(?:was|is|were|been) not (?:approved|allowed|permitted)|not approved|rejected|refused|"
    r"declined|denied|disapproved|blocked)\b",
    re.IGNORECASE,
)
UNAPPROVED = re.compile(rf"\bnot approved\b|{LOST.pattern}", re.IGNORECASE)
"""The only endings before a call that an app's own error is read as; others are the app's."""
LATE = re.compile(
    r"\b(?:in time|expired|timed out|nobody (?:approved|decided|answered)|no (?:one|decision)|"
    r"deadline|within \d+ minutes)\b",
    re.IGNORECASE,
)
REASON = re.compile(
    r"\breason(?: given| was)?\s*[:=]?\s*[\"“„](?P<a>[^\"”“]+)[\"”“]"
    r"|\breason(?: given| was)?\s*[:=]\s*(?P<b>[^\n]+)"
    r"|\b(?:because|saying|said|says)\s*[:,]?\s*[\"“„](?P<c>[^\"”“]+)[\"”“]"
    r"|\b(?:rejected|declined|refused|denied|not approved)\s*\((?P<f>.+)\)"
    r"|\b(?:rejected|declined|refused|denied|not approved)\b[^:.\n]{0,60}:\s*(?P<d>[^\n]+)"
    r"|\bbecause\s+(?P<e>[^\n]+)",
    re.IGNORECASE,
)
OVERTAKEN = re.compile(r"\bsomebody wrote\b|\bwrote in the thread (?:before|mean)", re.IGNORECASE)
DECLINED = re.compile(
    r"\bnot (?:want|wish) to connect|\bnot connected (?:in time|for the person)|"
    r"\bskipped\b.{0,40}\bconnect",
    re.IGNORECASE,
)
NO_ACCOUNT = re.compile(
    r"\bno (?:active )?connected account|\bnot connected|ConnectedAccountNotFound|"
    r"NoActiveConnection|\baccount (?:has )?(?:is )?(?:expired|inactive)",
    re.IGNORECASE,
)
BEFORE_THE_CALL: tuple[tuple[Ending, re.Pattern[str]], ...] = (
    ("unknown", LOST),
    ("overtaken", OVERTAKEN),
    ("declined", DECLINED),
    ("unconnected", NO_ACCOUNT),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a call ended, and why in the words of its result."""

    ending: Ending
    reason: str = ""
    data: Json | None = None
    """What the app answered, where the call was carried out."""
    account: str = ""
    """The account that acted, where the result tells it."""


def split_result(text: str) -> tuple[list[Json], str]:
    """The JSON objects that stand in a text, outermost only, and the text without them."""
    decoder = json.JSONDecoder()
    found: list[Json] = []
    prose: list[str] = []
    at, starts = 0, 0
    while (brace := text.find("{", at)) >= 0 and starts < MAX_STARTS:
        starts += 1
        prose.append(text[at:brace])
        try:
            value, at = decoder.raw_decode(text, brace)
            found.append(as_object(cast("object", value)))
        except ValueError:
            prose.append("{")
            at = brace + 1
    return found, " ".join("".join([*prose, text[at:]]).split())


def objects_of(call: Call) -> list[Json]:
    """Every JSON object in a call's result, outermost first."""
    return [entry for whole in split_result(call.result)[0] for entry in walk(whole)]


def read_outcome(call: Call, slug: str) -> Outcome:
    """How the call of one app tool within a batch ended.

    Only a result that says so counts as done: whatever cannot be understood has failed.
    """
    objects, prose = split_result(call.result)
    if LOST.search(prose):
        return Outcome(ending="unknown")
    answered = next((found for whole in objects if (found := _answered(whole, slug))), None)
    if answered is not None and not call.is_error:
        return answered
    failure = answered.reason if answered else ""
    return _in_words(prose or failure)


def _answered(whole: Json, slug: str) -> Outcome | None:
    """The outcome that a batch's JSON tells; None where it tells none."""
    entry = _entry(whole, slug)
    response = as_object(entry.get("response"))
    error = _first_text(entry.get("error"), response.get("error"))
    if error or response.get("successful") is False or (entry and not response):
        return _failed(error or as_text(whole.get("error")) or "the app gave no reason")
    if response.get("successful") is True:
        data = as_object(response.get("data")) or as_object(response.get("data_preview"))
        return Outcome(ending="done", data=data)
    if whole.get("successful") is False:
        return _failed(_first_text(whole.get("error")) or "the app gave no reason")
    return None


def _entry(whole: Json, slug: str) -> Json:
    """The batch's result for a tool: the one that names it, otherwise the first."""
    data = as_object(whole.get("data")) or whole
    entries = [as_object(entry) for entry in as_list(data.get("results"))]
    named = [entry for entry in entries if entry.get("tool_slug") == slug]
    return next(iter(named or entries), Json())


def _failed(reason: str) -> Outcome:
    if NO_ACCOUNT.search(reason):
        return Outcome(ending="unconnected", reason=_short(reason))
    return _in_words(reason) if UNAPPROVED.search(reason) else _plain_failure(reason)


def _in_words(text: str) -> Outcome:
    """The outcome that a text without JSON tells."""
    for ending, pattern in BEFORE_THE_CALL:
        if pattern.search(text):
            return Outcome(ending=ending, reason=_short(text))
    if not (REJECTED.search(text) or LATE.search(text)):
        return _plain_failure(text)
    match = REASON.search(text)
    reason = next(filter(None, match.groups()), "") if match else ""
    is_late = LATE.search(text) is not None and not reason
    return Outcome(ending="late" if is_late else "rejected", reason=_short(reason))


def _plain_failure(text: str) -> Outcome:
    return Outcome(ending="failed", reason=_short(text) or "no reason was given")


def _first_text(*values: object) -> str:
    """The first error among these: a text, or the message of an object."""
    texts = (as_text(v) or as_text(as_object(v).get("message")) for v in values)
    return next(filter(None, texts), "")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line[:MAX_REASON_CHARS].strip().rstrip(".").strip("\"“”„'")
