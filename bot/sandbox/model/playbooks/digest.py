"""Playbook: tell a channel what is new on a topic, and hand it over with `publish_digest`."""

import re
from datetime import UTC, datetime

from bot.sandbox.model.conversation import Dialogue, say
from bot.sandbox.model.message import StandInReply
from bot.sandbox.model.playbooks import report
from bot.sandbox.model.sentences import stems
from bot.sandbox.model.wire import Json, as_text

MAX_LINES = 5
CITED = re.compile(r"(?P<text>\S[^\[\]]*?[.!?][\"”]?) \[(?P<n>\d+)\]")
PAGE = re.compile(r"^(?P<n>\d+)\. (?P<title>.*): (?P<url>\S+)$", re.MULTILINE)
WRITTEN = re.compile(r"\b[A-Z][a-z]{2} \d{1,2}, \d{4}\b")


def decide(conversation: Dialogue) -> StandInReply:
    """The next step: search, have the report written, then publish what of it is new."""
    if conversation.now.done("publish_digest"):
        return say("The digest is published.")
    brief = report.read_brief(conversation)
    if step := report.search(conversation, [brief.topic]):
        return step
    hits = report.find_hits(conversation, [brief.topic])
    step = report.delegate(conversation, brief, hits) if hits else None
    if step and conversation.may_call_tools:
        return step
    return _publish(conversation, brief, hits)


def _publish(conversation: Dialogue, brief: report.Brief, hits: list[Json]) -> StandInReply:
    result = "".join(call.result for call in conversation.now.done("Task")[-1:])
    pages = {found["n"]: found["url"] for found in PAGE.finditer(result)}
    dates = {as_text(hit["url"]): _date(hit) for hit in hits}
    facts = [(found["text"], pages.get(found["n"], "")) for found in CITED.finditer(result)]
    told = stems(conversation.now.asked)
    fresh = [fact for fact in facts if not stems(fact[0]) <= told]
    fresh.sort(key=lambda fact: dates.get(fact[1], ""), reverse=True)
    lines = [
        {
            "text": f"{text} ({dates[url]})" if dates.get(url) else text,
            "source": url,
            "is_new": True,
        }
        for text, url in fresh[:MAX_LINES]
    ]
    headline = f"{brief.topic[:1].upper()}{brief.topic[1:]}"
    headline += f": {len(lines)} things to know" if lines else ": nothing new"
    details = report.linked(result) if facts else report.NOTHING.format(topic=brief.topic)
    publish = conversation.use("publish_digest", headline=headline, lines=lines, details=details)
    return (publish,)


def _date(hit: Json) -> str:
    """When a page was written, as its search result says; empty where it does not."""
    written = WRITTEN.search(f"{hit.get('date', '')} {hit.get('snippet', '')}")
    if written is None:
        return ""
    return datetime.strptime(written[0], "%b %d, %Y").replace(tzinfo=UTC).date().isoformat()
