"""Playbooks of digests: demo orders are read, and a channel is told what is new on a topic."""

import re

from bot.sandbox.model.dialogue import Dialogue, say
from bot.sandbox.model.message import Json, StandInReply
from bot.sandbox.model.playbooks import research
from bot.sandbox.model.playbooks.research import LISTED, NOTHING, linked
from bot.sandbox.model.quoting import capitalised, phrases, share, stems, table

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
ONLY_NEW = "only when there is something new"
WHICH_DAYS = "On which days, and at what time?"
DAYS = table("days")
SUMS_UP = phrases("sums_up")
OWN = re.compile(r"(?m)^(\d+)\. (.+?) \| ")
"""A digest of the person's in the request: its number and its task."""
NOON = 12
MAX_LINES = 5
CITED = re.compile(r"(?P<text>\S[^\[\]]*?[.!?][\"”]?) \[(?P<n>\d+)\]")


def read_order(dialogue: Dialogue) -> StandInReply:
    """One call of `read_order`; any text that is no demo order has the intent `none`."""
    request = dialogue.exchanges[-1].asked
    message = MESSAGE.search(request)
    words = message["words"] if message else request
    draft = _draft(words, request)
    number = NUMBER.search(words)
    if number:
        draft["which"] = int(number["n"])
    elif draft["intent"] in COMMANDS:
        draft |= _which(words, request)
    channels = CHANNELS.search(request)
    names: list[str] = []
    if channels and channels["names"] != "(none)":
        names = channels["names"].split()
    if names and SUMS_UP.search(words):
        draft["reads"] = names.pop(0)
    if names:
        draft["channel"] = names[0]
    if ONLY_NEW in words.casefold():
        draft["only_when_new"] = True
    return (dialogue.use("read_order", **draft),)


def _draft(words: str, request: str) -> Json:
    """The intent, with the task and the rule of an order or of a change."""
    task = TASK.search(words) or SUMS_UP.search(words)
    rule = _rrule(words)
    commands = [intent for intent in COMMANDS if phrases(intent).search(words)]
    if commands and not rule:
        return {"intent": commands[0]}
    is_change = CORRECTS.search(words) is not None
    if task and (rule or is_change or "digest" in words.casefold()):
        draft = {"intent": "order", "task": task["task"].strip(), "rrule": rule}
        return draft if rule else {**draft, "question": WHICH_DAYS}
    if not is_change:
        return {"intent": "none"}
    pending = PENDING.search(request)
    clock = _clock(words)
    if pending and clock:
        rule = rule or pending[0] + clock
    return {"intent": "change", "rrule": rule} if rule else {"intent": "change"}


def _which(words: str, request: str) -> Json:
    """The digest whose topic the words name; the one of the thread where they name none."""
    shares: dict[int, float] = {}
    for number, task in OWN.findall(request):
        common = share(task, words)
        if common:
            shares[int(number)] = common
    if not shares:
        return {}
    best = max(shares, key=shares.__getitem__)
    return {"which": best}


def _rrule(words: str) -> str:
    """The recurrence rule of an order; empty where it names no days."""
    match = WHEN.search(words)
    if match is None:
        return ""
    named = match["day"] or "day"
    name = named.casefold().split()[-1]
    singular = name.removesuffix("s")
    days = DAYS.get(name) or DAYS.get(singular)
    if days is None:
        return ""
    rule = "FREQ=DAILY" if days == "daily" else f"FREQ=WEEKLY;BYDAY={days}"
    return rule + _clock(words)


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


def decide(dialogue: Dialogue) -> StandInReply | None:
    """The next step of a digest: search, have a report written, then publish what of it is new."""
    if "publish_digest" not in dialogue.tools:
        return None
    if dialogue.now.done("publish_digest"):
        return say("The digest is published.")
    brief = research.read_brief(dialogue)
    step = research.search(dialogue, [brief.topic])
    if step:
        return step
    hits = research.find_hits(dialogue, [brief.topic])
    if hits and dialogue.may_call_tools:
        step = research.delegate(dialogue, brief, hits)
    return step or _publish(dialogue, brief.topic)


def _publish(dialogue: Dialogue, topic: str) -> StandInReply:
    result = "".join(call.result for call in dialogue.now.done("Task")[-1:])
    urls = {n: url for n, _, url in LISTED.findall(result)}
    facts = CITED.findall(result)
    known = stems(dialogue.now.asked)
    lines: list[Json] = []
    for text, n in facts:
        if not stems(text) <= known:
            lines.append({"text": text, "source": urls.get(n, ""), "is_new": True})
    lines = lines[:MAX_LINES]
    news = f"{len(lines)} things to know" if lines else "nothing new"
    publish = dialogue.use(
        "publish_digest",
        headline=f"{capitalised(topic)}: {news}",
        lines=lines,
        details=linked(result) if facts else NOTHING.format(topic=topic),
    )
    return (publish,)
