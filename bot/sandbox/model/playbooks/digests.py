"""Playbooks of digests: demo orders are read, and a channel is told what is new on a topic."""

import re

from bot.sandbox.model.dialogue import Dialogue
from bot.sandbox.model.message import Json
from bot.sandbox.model.phrases import find, line
from bot.sandbox.model.playbooks import research
from bot.sandbox.model.playbooks.days import clock_in, days_in
from bot.sandbox.model.playbooks.pages import read_passages, search
from bot.sandbox.model.playbooks.posts import as_list, posts_in
from bot.sandbox.model.quoting import Quote, capitalised, quotes_on, share, stems

MESSAGE = re.compile(r"<message>\s*(?P<words>.*?)\s*</message>", re.DOTALL)
CHANNELS = re.compile(r"^Channels in the message: (?P<names>.*)$", re.MULTILINE)
NUMBER = re.compile(r"\b(?:digest|number)\s+#?(?P<n>\d+)\b", re.IGNORECASE)
RULE = re.compile(
    r"(?P<days>FREQ=[A-Z0-9=;,+-]*?)(?:;BYHOUR=(?P<h>\d+);BYMINUTE=(?P<m>\d+))?(?=[\"|\s])"
)
DAY_MINUTES = 24 * 60
COMMANDS = ("pause", "resume", "run", "delete", "list")
"""Intents about a digest that exists; `phrases.toml` has a list for each."""
OWN = re.compile(r"(?m)^(\d+)\. (.+?) \| ")
"""A digest of the person's in the request: its number and its task."""
MATERIAL = re.compile(r"(?s)Posts in the channel since [^\n]*, as material:\n(.*?)(?:\n\n|\Z)")
MAX_LINES = 5


def read_order(dialogue: Dialogue) -> Json:
    """The arguments of `read_order`; any text that is no demo order has the intent `none`."""
    request = dialogue.exchanges[-1].asked
    message = MESSAGE.search(request)
    words = message["words"] if message else request
    if find("sets", words):
        return {"intent": "none"}
    draft = _draft(words, request)
    number = NUMBER.search(words)
    if number:
        draft["which"] = int(number["n"])
    elif draft["intent"] in COMMANDS:
        draft |= _best(
            "which",
            words,
            request,
            least=0.1,
        )
    elif draft["intent"] == "order":
        draft |= _best(
            "same_as",
            draft["task"],
            request,
            least=1.0,
        )
    channels = CHANNELS.search(request)
    names = re.findall(r"#\S+", channels["names"]) if channels else []
    if names and find("sums_up", words):
        draft["reads"] = names.pop(0)
    if names:
        draft["channel"] = names[0]
    if "only when there is something new" in words.casefold():
        draft["only_when_new"] = True
    return draft


def read_setting(dialogue: Dialogue) -> Json:
    """The arguments of `read_setting`: what the demo sentences set for a channel."""
    match = find("sets", MESSAGE.findall(dialogue.exchanges[-1].asked)[-1])
    values = match.groupdict("") if match else {}
    changes = {name: value for name, value in values.items() if value}
    if "gone" in changes:
        changes = {"instructions": ""}
    return {"is_about_settings": match is not None, "changes": changes}


def _draft(words: str, request: str) -> Json:
    """The intent, with the task and the rule of an order or of a change."""
    task = find("task", words) or find("sums_up", words)
    rule = _rrule(words)
    commands = [intent for intent in COMMANDS if find(intent, words)]
    if commands and not rule:
        return {"intent": commands[0]}
    is_change = find("corrects", words) is not None
    if task and (rule or is_change or "digest" in words.casefold()):
        draft = {
            "intent": "order",
            "task": task["task"].strip(),
            "rrule": rule,
        }
        return draft if rule else {**draft, "question": line("which_days")}
    if not is_change:
        return {"intent": "none"}
    known = RULE.search(request.partition("Pending: ")[2] or request)
    if known and not rule:
        rule = _changed(known, words)
    return {"intent": "change", "rrule": rule} if rule else {"intent": "change"}


def _changed(known: re.Match[str], words: str) -> str:
    """A rule with the days or the time that words want instead; empty where they name neither."""
    days = _days(words)
    clock = clock_in(words)
    shift = find("shift", words)
    if shift and known["h"]:
        minutes = 30 if shift["half"] else 60
        at = int(known["h"]) * 60 + int(known["m"])
        at += -minutes if shift["earlier"] else minutes
        clock = divmod(at % DAY_MINUTES, 60)
    if not days and not clock:
        return ""
    hour, minute = clock or (known["h"], known["m"])
    return f"{days or known['days']};BYHOUR={hour};BYMINUTE={minute}"


def _best(
    field: str,
    words: str,
    request: str,
    least: float,
) -> Json:
    """The digest whose topic the words name best, as a field; without one where they name none."""
    shares = {int(number): share(task, words) for number, task in OWN.findall(request)}
    best = max(
        shares,
        key=shares.__getitem__,
        default=0,
    )
    return {field: best} if shares.get(best, 0.0) >= least else {}


def _rrule(words: str) -> str:
    """The recurrence rule of an order; empty where it names no days."""
    when = find("when", words)
    days = _days(when[0]) if when else ""
    return days and days + _clock(words)


def _days(words: str) -> str:
    """The part of a rule for the days that words name; empty where they name none."""
    days = days_in(words)
    if days in ("", "daily"):
        return days and "FREQ=DAILY"
    return f"FREQ=WEEKLY;BYDAY={days}"


def _clock(words: str) -> str:
    clock = clock_in(words)
    return f";BYHOUR={clock[0]};BYMINUTE={clock[1]}" if clock else ""


def publish(dialogue: Dialogue) -> str:
    """A digest: what people wrote in a channel, or what pages say that is new."""
    if dialogue.now.done("publish_digest"):
        return line("published")
    material = MATERIAL.search(dialogue.now.asked)
    digest = _of_posts(material[1]) if material else _of_pages(dialogue)
    dialogue.call("publish_digest", **digest)
    return line("published")


def _of_posts(material: str) -> Json:
    """The newest posts of a channel; in the thread with their links."""
    posts = posts_in(material)
    headline = line("posts", count=len(posts)) if posts else line("no_posts_new")
    return {
        "headline": headline,
        "lines": [_new(post, "") for post, _ in posts[-MAX_LINES:]],
        "details": "\n".join(as_list(posts)) or headline,
    }


def _of_pages(dialogue: Dialogue) -> Json:
    """What is new on a topic, beside the report on it."""
    now = dialogue.now
    topic = research.read_brief(dialogue).topic
    hits = search(dialogue, [topic])
    quotes: list[Quote] = []
    if hits:
        brief = research.Brief(request=now.words, topic=topic)
        research.delegate(
            dialogue,
            brief,
            hits,
        )
        quotes = quotes_on(read_passages(dialogue, topic), topic, MAX_LINES)
    known = stems(now.asked)
    new = [quote for quote in quotes if not stems(quote.sentence) <= known]
    count = line("news", count=len(new)) if new else line("no_news")
    facts = [quote.fact for quote in quotes]
    return {
        "headline": f"{capitalised(topic)}: {count}",
        "lines": [_new(quote.sentence, quote.block.url) for quote in new],
        "details": "\n".join(facts) or line("nothing", topic=topic),
    }


def _new(text: str, source: str) -> Json:
    return {
        "text": text,
        "source": source,
        "is_new": True,
    }
