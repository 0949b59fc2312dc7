"""Playbook: read a handful of demo orders for digests, as the tool `read_order` wants them."""

import re

from bot.sandbox.model.dialogue import Dialogue
from bot.sandbox.model.message import StandInReply
from bot.sandbox.model.sentences import phrases
from bot.sandbox.model.wire import Json

MESSAGE = re.compile(r"<message>\s*(?P<words>.*?)\s*</message>", re.DOTALL)
CHANNELS = re.compile(r"^Channels in the message: (?P<names>.*)$", re.MULTILINE)
NUMBER = re.compile(r"\b(?:digest|number)\s+#?(?P<n>\d+)\b", re.IGNORECASE)
PENDING = re.compile(r"FREQ=[A-Z0-9=;,+-]*?(?=;BYHOUR|[\"|\s])")
COMMANDS = ("pause", "resume", "run", "delete", "list")
"""Intents about a digest that exists; `phrases.toml` has a list for each."""
WHEN = phrases("when")
CLOCK = phrases("clock")
TASK = phrases("task")
CORRECTS = phrases("corrects")
WHICH_DAYS = "On which days, and at what time?"
NOON = 12


def read(dialogue: Dialogue) -> StandInReply:
    """One call of `read_order`; any text that is no demo order has the intent `none`."""
    request = dialogue.exchanges[-1].asked
    message = MESSAGE.search(request)
    words = message["words"] if message else request
    draft = _command(words) or _draft(words, request) or {"intent": "none"}
    return (dialogue.use("read_order", **draft),)


def _command(words: str) -> Json | None:
    """What to do with a digest that exists, by its number."""
    if WHEN.search(words):
        return None
    for intent in COMMANDS:
        if phrases(intent).search(words):
            return {"intent": intent, **_number(words)}
    return None


def _draft(words: str, request: str) -> Json | None:
    """A new order, or a change of the pending one."""
    task = TASK.search(words)
    rule = _rrule(words)
    is_change = CORRECTS.search(words) is not None
    is_order = task is not None and (rule or "digest" in words.casefold())
    if not is_change and not is_order:
        return None
    draft = _number(words)
    if "only when there is something new" in words.casefold():
        draft["only_when_new"] = True
    channels = CHANNELS.search(request)
    if channels and channels["names"] != "(none)":
        draft["channel"] = channels["names"].split()[0]
    if task is None:
        draft["intent"] = "change"
        rule = rule or _changed_rule(words, request)
        if rule:
            draft["rrule"] = rule
        return draft
    draft |= {"intent": "order", "task": task["task"].strip(), "rrule": rule}
    if not rule:
        draft["question"] = WHICH_DAYS
    return draft


def _number(words: str) -> Json:
    match = NUMBER.search(words)
    return {"which": int(match["n"])} if match else {}


def _rrule(words: str) -> str:
    """The recurrence rule of an order; empty where it names no days."""
    match = WHEN.search(words)
    if match is None:
        return ""
    days = "FREQ=DAILY"
    if match["weekday"]:
        days = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"
    if match["day"]:
        days = f"FREQ=WEEKLY;BYDAY={match['day'][:2].upper()}"
    return days + _clock(words)


def _changed_rule(words: str, request: str) -> str:
    """The pending rule at another time; empty where there is none, or no time is named."""
    pending = PENDING.search(request)
    clock = _clock(words)
    return pending[0] + clock if pending and clock else ""


def _clock(words: str) -> str:
    match = CLOCK.search(words)
    if match is None:
        return ""
    hour = int(match["h"])
    half = (match["half"] or "").casefold()
    if half:
        hour %= NOON
    if half == "pm":
        hour += NOON
    return f";BYHOUR={hour};BYMINUTE={int(match['m'] or 0)}"
