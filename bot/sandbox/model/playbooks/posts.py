"""Playbook of what was posted: in a channel, in this thread's report, in answers of the bot."""

import calendar
import re
from datetime import UTC, datetime, timedelta
from html import unescape

from bot.sandbox.model.dialogue import (
    REPORT,
    REPORT_FILE,
    REPORT_TITLE,
    Dialogue,
    Exchange,
    PastCall,
    say,
    topic_of,
)
from bot.sandbox.model.message import StandInReply, as_text
from bot.sandbox.model.playbooks.answer import EARLIER, quote_lines
from bot.sandbox.model.quoting import escape, phrases, share

CHANNEL = phrases("channel")
REMOVES = phrases("removes")
CORRECTS = phrases("corrects_answer")
POST = re.compile(
    r"(?m)^(?P<who>.+?) \(\d\d-\d\d \d\d:\d\d\): (?P<text>.*?)"
    r"(?: \[\d+ replies\])?(?: (?P<link>https?://\S+))?$"
)
"""A post as `read_channel` gives it."""
SPANS = {"today": 0, "yesterday": 1, "week": 7, "month": 30}
"""Days back, by the word for it."""
USUAL_DAYS = 7
MAX_POSTS = 10
SHOWN_CHARS = 200
NAMED_CHARS = 150
"""So much of an answer's beginning names it."""
CLAUSE_END = re.compile(r"[.,;:!](?:\s+|$)")
COUNTED = re.compile(r"(?P<figure>\d[\d.,]*)\s+(?P<noun>\w{3,})")
MARKUP = re.compile(r"(?s)<(style|script|nav|head)\b.*?</\1>|<[^>]+>|\A<!.*?>")
"""All of a report's page but its text."""
MARK = re.compile(r" ?\[\d+\]")
NO_POSTS = "Nobody has posted anything else in #{name} since {since}."
LEFT = "I left it as it is: {why}."
INSTEAD = "Tell me what it should say, for example “it is 42, fix it”, and I change my answer."


def is_asked_for(words: str) -> bool:
    """Whether a message is about posts, and needs the tools that read or change them."""
    rules = (CHANNEL, REMOVES, CORRECTS, EARLIER)
    return any(rule.search(words) for rule in rules)


def read_channel(dialogue: Dialogue) -> StandInReply | None:
    """What was posted in a channel, each post with its link."""
    now = dialogue.now
    channel = CHANNEL.search(now.words)
    if channel is None or REPORT.search(now.words) or "read_channel" not in dialogue.tools:
        return None
    since = _since(now)
    reads = now.done("read_channel")
    if not reads:
        return (dialogue.use("read_channel", channel=channel["name"], since=since),)
    if reads[-1].is_error:
        return say(reads[-1].result)
    lines: list[str] = []
    for post in POST.finditer(reads[-1].result):
        if now.words not in post["text"]:
            link = f" ([post]({post['link']}))" if post["link"] else ""
            lines.append(f"- {escape(post['who'])}: “{escape(post['text'][:SHOWN_CHARS])}”{link}")
    if not lines:
        return say(NO_POSTS.format(name=channel["name"], since=since))
    head = f"Posted in #{channel['name']} since {since}:"
    return say("\n".join([head, "", *lines[-MAX_POSTS:]]))


def _since(now: Exchange) -> str:
    """The day from which on posts are wanted; a week ago where the words name none."""
    sent_at = now.sent_at or datetime.now(UTC)
    words = now.words.casefold()
    days_back = USUAL_DAYS
    for name, days in SPANS.items():
        if name in words:
            days_back = days
    for weekday, name in enumerate(calendar.day_name):
        if name.casefold() in words:
            days_back = (sent_at.weekday() - weekday) % 7
    return f"{sent_at.date() - timedelta(days=days_back)}"


def remove(dialogue: Dialogue) -> StandInReply | None:
    """The report or the last answer is taken away, once its asker has approved it."""
    words = dialogue.now.words
    answers = dialogue.answers
    if not REMOVES.search(words) or not answers or "remove_my_post" not in dialogue.tools:
        return None
    removals = dialogue.now.done("remove_my_post")
    if removals:
        return say(_outcome(removals[-1], "It is gone, with its files."))
    what = answers[-1][:NAMED_CHARS]
    titles = REPORT_TITLE.findall("\n".join(answers))
    if titles and REPORT.search(words):
        what = titles[-1]
    return (dialogue.use("remove_my_post", what=what),)


def correct(dialogue: Dialogue) -> StandInReply | None:
    """The last answer is put right by what the person says is right."""
    now = dialogue.now
    answers = dialogue.answers
    if not CORRECTS.search(now.words) or not answers or "correct_my_answer" not in dialogue.tools:
        return None
    clauses = CLAUSE_END.split(now.words)
    claims = [clause for clause in clauses if clause and not CORRECTS.search(clause)]
    if not claims:
        return say(INSTEAD)
    claim = ", ".join(claims)
    corrections = now.done("correct_my_answer")
    if corrections:
        return say(_outcome(corrections[-1], f"I have put it right: {escape(claim)}."))
    answer = answers[-1]
    call = dialogue.use(
        "correct_my_answer",
        what=answer[:NAMED_CHARS],
        text=_corrected(answer, claim),
    )
    return (call,)


def _corrected(answer: str, claim: str) -> str:
    """The answer with the figure of the claim, where it counts the same; else with the claim."""
    counted = COUNTED.search(claim)
    if counted:
        same = re.compile(rf"\d[\d.,]*(?=\s+{re.escape(counted['noun'])})")
        text, replaced = same.subn(counted["figure"], answer, count=1)
        if replaced:
            return text
    return f"{answer}\n\n**Correction:** {escape(claim)}."


def _outcome(call: PastCall, done: str) -> str:
    """How a change of a post ended, in words."""
    if not call.is_error:
        return done
    why = call.result.removeprefix("Not done: ").partition(". ")[0]
    return LEFT.format(why=why.rstrip("."))


def from_report(dialogue: Dialogue) -> StandInReply | None:
    """What the report of this thread says about something; None where there is none."""
    now = dialogue.now
    titles = REPORT_TITLE.findall("\n".join(dialogue.answers))
    if not titles or not EARLIER.search(now.words) or "list_local_files" not in dialogue.tools:
        return None
    listings = now.done("list_local_files")
    if not listings:
        return (dialogue.use("list_local_files", path="work_products"),)
    paths = REPORT_FILE.findall(listings[-1].result)
    reads = now.done("read_local_file")
    offset = reads[-1].data.get("next_offset") if reads else 0
    if paths and offset is not None:
        return (dialogue.use("read_local_file", path=paths[-1], offset=offset),)
    page = "".join(as_text(read.data.get("text")) for read in reads)
    text = MARK.sub("", unescape(MARKUP.sub("\n", page)))
    topic = topic_of(now.words.rpartition("about ")[2])
    if not share(topic, text):
        return say(f"The report “{titles[-1]}” says nothing about {topic}.")
    return say(f"The report “{titles[-1]}” says:\n\n{quote_lines(text, topic)}")
