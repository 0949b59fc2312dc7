"""Playbook of what was posted: in a channel, in this thread's report, in answers of the bot."""

import calendar
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from bot.sandbox.model.dialogue import (
    REPORT_FILE,
    REPORT_TITLE,
    Dialogue,
    Exchange,
    PastCall,
    topic_of,
)
from bot.sandbox.model.phrases import find, line
from bot.sandbox.model.playbooks.answer import quote_lines
from bot.sandbox.model.quoting import escape, share

POST = re.compile(
    r"(?m)^(?P<who>.+?) \(\d\d-\d\d \d\d:\d\d\): (?P<text>.*?)"
    r"(?: \[\d+ replies\])?(?: (?P<link>https?://\S+))?$"
)
"""A post of a channel as the product gives it."""
SPANS = {
    "today": 0,
    "yesterday": 1,
    "month": 30,
}
"""Days back, by the word for it."""
USUAL_DAYS = 7
MAX_POSTS = 10
SHOWN_CHARS = 200
NAMED_CHARS = 150
"""So much of an answer's beginning names it."""
CLAUSE_END = re.compile(r"[.,;:!](?:\s+|$)")
MARK = re.compile(r" ?\[\d+\]")


def read_channel(dialogue: Dialogue) -> str:
    """What was posted in a channel, each post with its link."""
    now = dialogue.now
    channel = find("channel", now.words)
    if channel is None or find("report", now.words):
        return ""
    since = _since(now)
    read = dialogue.call(
        "read_channel",
        channel=channel["name"],
        since=since,
    )
    if read.is_error:
        return read.result
    posts = [post for post in posts_in(read.result) if now.words not in post[0]]
    quoted = as_list(posts)
    if not quoted:
        return line(
            "no_posts",
            name=channel["name"],
            since=since,
        )
    return "\n".join(
        [
            line(
                "posted",
                name=channel["name"],
                since=since,
            ),
            "",
            *quoted[-MAX_POSTS:],
        ]
    )


def posts_in(text: str) -> list[tuple[str, str]]:
    """The posts of a channel: each in its author's name, and its address."""
    return [
        (f"{post['who']}: “{post['text'][:SHOWN_CHARS]}”", post["link"] or "")
        for post in POST.finditer(text)
    ]


def as_list(posts: Iterable[tuple[str, str]]) -> list[str]:
    """The posts as items of Markdown, each with its link."""
    return [f"- {escape(post)}" + (f" ([post]({link}))" if link else "") for post, link in posts]


def _since(now: Exchange) -> str:
    """The day from which on posts are wanted; a week ago where the words name none."""
    sent_at = now.sent_at or datetime.now(UTC)
    weekdays = {
        name.casefold(): (sent_at.weekday() - weekday) % 7
        for weekday, name in enumerate(calendar.day_name)
    }
    named = [days for name, days in (SPANS | weekdays).items() if name in now.words.casefold()]
    days_back = [USUAL_DAYS, *named][-1]
    return f"{sent_at.date() - timedelta(days=days_back)}"


def remove(dialogue: Dialogue) -> str:
    """The report or the last answer is taken away, once its asker has approved it."""
    answers = dialogue.answers
    if not answers:
        return ""
    titles = REPORT_TITLE.findall("\n".join(answers))
    is_report = titles and find("report", dialogue.now.words)
    what = titles[-1] if is_report else answers[-1][:NAMED_CHARS]
    return _outcome(dialogue.call("remove_my_post", what=what), line("removed"))


def correct(dialogue: Dialogue) -> str:
    """The last answer is put right by what the person says is right."""
    if not dialogue.answers:
        return ""
    answer = dialogue.answers[-1]
    clauses = CLAUSE_END.split(dialogue.now.words)
    claims = [clause for clause in clauses if clause and not find("corrects_answer", clause)]
    if not claims:
        return line("instead")
    claim = ", ".join(claims)
    text = f"{answer}\n\n**Correction:** {escape(claim)}."
    correction = dialogue.call(
        "correct_my_answer",
        what=answer[:NAMED_CHARS],
        text=text,
    )
    return _outcome(correction, line("corrected", claim=escape(claim)))


def _outcome(call: PastCall, done: str) -> str:
    """How a change of a post ended, in words."""
    why = call.result.removeprefix("Not done: ").partition(". ")[0]
    return line("left", why=why.rstrip(".")) if call.is_error else done


def from_report(dialogue: Dialogue) -> str:
    """What the report of this thread says about something; empty where there is none."""
    titles = REPORT_TITLE.findall("\n".join(dialogue.answers))
    if not titles:
        return ""
    listing = dialogue.call("list_local_files", path="work_products")
    texts = dialogue.read(REPORT_FILE.findall(listing.result)[-1:])
    text = MARK.sub("", "".join(texts.values()))
    topic = topic_of(dialogue.now.words.rpartition("about ")[2])
    if not share(topic, text):
        return line(
            "report_silent",
            title=titles[-1],
            topic=topic,
        )
    return line("report_says", title=titles[-1]) + quote_lines(text, topic)
