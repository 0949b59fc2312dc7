"""Playbook: tell a channel what is new on a topic, and hand it over with `publish_digest`."""

import re
from datetime import UTC, datetime

from bot.sandbox.model.dialogue import Dialogue, say
from bot.sandbox.model.message import StandInReply
from bot.sandbox.model.playbooks import report
from bot.sandbox.model.playbooks.pages import LISTED, NOTHING, find_hits, linked, search
from bot.sandbox.model.sentences import stems
from bot.sandbox.model.wire import Json
from bot.sandbox.model.writing import capitalised

MAX_LINES = 5
CITED = re.compile(r"(?P<text>\S[^\[\]]*?[.!?][\"”]?) \[(?P<n>\d+)\]")
WRITTEN = re.compile(r"\b[A-Z][a-z]{2} \d{1,2}, \d{4}\b")


def decide(dialogue: Dialogue) -> StandInReply:
    """The next step: search, have the report written, then publish what of it is new."""
    if dialogue.now.done("publish_digest"):
        return say("The digest is published.")
    brief = report.read_brief(dialogue)
    step = search(dialogue, [brief.topic])
    if step:
        return step
    hits = find_hits(dialogue, [brief.topic])
    if hits and dialogue.may_call_tools:
        step = report.delegate(dialogue, brief, hits)
    return step or _publish(dialogue, brief.topic, hits)


def _publish(dialogue: Dialogue, topic: str, hits: list[Json]) -> StandInReply:
    result = "".join(call.result for call in dialogue.now.done("Task")[-1:])
    urls = {n: url for n, _, url in LISTED.findall(result)}
    dates = {hit["url"]: _date(hit) for hit in hits}
    facts = CITED.findall(result)
    known = stems(dialogue.now.asked)
    fresh: list[tuple[str, str]] = []
    for text, n in facts:
        if not stems(text) <= known:
            fresh.append((text, urls.get(n, "")))
    fresh.sort(key=lambda fact: dates.get(fact[1], ""), reverse=True)
    lines: list[Json] = []
    for text, url in fresh[:MAX_LINES]:
        if date := dates.get(url):
            text = f"{text} ({date})"
        lines.append({"text": text, "source": url, "is_new": True})
    news = f"{len(lines)} things to know" if lines else "nothing new"
    details = NOTHING.format(topic=topic)
    if facts:
        details = linked(result)
    publish = dialogue.use(
        "publish_digest",
        headline=f"{capitalised(topic)}: {news}",
        lines=lines,
        details=details,
    )
    return (publish,)


def _date(hit: Json) -> str:
    """The ISO date of a page, as its search result says; empty where it does not."""
    match = WRITTEN.search(f"{hit.get('date', '')} {hit.get('snippet', '')}")
    if match is None:
        return ""
    written = datetime.strptime(match[0], "%b %d, %Y").replace(tzinfo=UTC)
    return written.date().isoformat()
