"""Playbook: read a handful of demo orders for digests, as the tool `read_order` wants them."""

import re

from bot.sandbox.model.conversation import Dialogue
from bot.sandbox.model.message import StandInReply
from bot.sandbox.model.sentences import phrases
from bot.sandbox.model.wire import Json

SAID = re.compile(r"<message>\s*(?P<words>.*?)\s*</message>", re.DOTALL)
CHANNELS = re.compile(r"^Channels in the message: (?P<names>.*)$", re.MULTILINE)
NUMBER = re.compile(r"\b(?:digest|number)\s+#?(?P<n>\d+)\b", re.IGNORECASE)
COMMANDS = ("pause", "resume", "run", "delete", "list")
"""What is to be done with a digest that there is, each by its phrases."""
WHEN = phrases("when")
CLOCK = phrases("clock")
TASK = phrases("task")
CORRECTS = phrases("corrects")


def read(conversation: Dialogue) -> StandInReply:
    """One call of `read_order`; whatever is no demo order is none."""
    told = conversation.exchanges[-1].asked
    said = SAID.search(told)
    draft = _draft(said["words"] if said else told, told)
    return (conversation.use("read_order", **draft),)


def _draft(words: str, told: str) -> Json:
    number, task = NUMBER.search(words), TASK.search(words)
    draft: Json = {"which": int(number["n"])} if number else {}
    when = _rrule(words)
    if not when:
        for intent in COMMANDS:
            if phrases(intent).search(words):
                return {"intent": intent, **draft}
    is_change = CORRECTS.search(words) is not None
    if not (is_change or (task and when) or (task and "digest" in words.casefold())):
        return {"intent": "none"}
    if "only when there is something new" in words.casefold():
        draft["only_when_new"] = True
    named = CHANNELS.search(told)
    if named and named["names"] != "(none)":
        draft["channel"] = named["names"].split()[0]
    if is_change and not task:
        pending = re.search(r"FREQ=[A-Z0-9=;,+-]*?(?=;BYHOUR|[\"|\s])", told)
        clock = _clock(words)
        known = pending[0] if pending else ""
        draft |= {"rrule": when or f"{known}{clock}"} if when or (known and clock) else {}
        return {"intent": "change", **draft}
    draft |= {"intent": "order", "task": task["task"].strip() if task else "", "rrule": when}
    return draft if when else {**draft, "question": "On which days, and at what time?"}


def _rrule(words: str) -> str:
    found = WHEN.search(words)
    if found is None:
        return ""
    every = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR" if found["weekday"] else "FREQ=DAILY"
    if found["day"]:
        every = f"FREQ=WEEKLY;BYDAY={found['day'][:2].upper()}"
    return every + _clock(words)


def _clock(words: str) -> str:
    found = CLOCK.search(words)
    if found is None:
        return ""
    hour = int(found["h"])
    if found["half"]:
        hour = hour % 12 + (12 if found["half"].casefold() == "pm" else 0)
    return f";BYHOUR={hour};BYMINUTE={int(found['m'] or 0)}"
