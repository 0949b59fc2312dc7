"""Playbook: tell a channel what is new on a topic, and hand it over with `publish_digest`."""

import re

from bot.sandbox.model.dialogue import Dialogue, say
from bot.sandbox.model.message import StandInReply
from bot.sandbox.model.playbooks import report
from bot.sandbox.model.playbooks.pages import LISTED, NOTHING, find_hits, linked, search
from bot.sandbox.model.sentences import stems
from bot.sandbox.model.wire import Json
from bot.sandbox.model.writing import capitalised

MAX_LINES = 5
CITED = re.compile(r"(?P<text>\S[^\[\]]*?[.!?][\"”]?) \[(?P<n>\d+)\]")


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
