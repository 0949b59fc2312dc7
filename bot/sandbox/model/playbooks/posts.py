"""Playbook of what there was before: posts of a channel, this thread's report, earlier work."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from bot.sandbox.model.dialogue import REPORT_TITLE, Dialogue, Exchange, topic_of
from bot.sandbox.model.phrases import find, line
from bot.sandbox.model.playbooks.answer import quote_lines
from bot.sandbox.model.playbooks.days import WEEKDAYS, days_in
from bot.sandbox.model.playbooks.pages import read_passages
from bot.sandbox.model.quoting import escape, quotes_on, share

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
MAX_QUOTES = 3
EARLIER_WORK = re.compile(r"(?m)^- id (\w+)(.*(?:\n  .*)*)")
QUERY_CHARS = 600


def read_channel(dialogue: Dialogue) -> str:
    """What was posted in a channel, each post with its link."""
    now = dialogue.now
    channel = find("channel", now.words)
    if channel is None or find("report", now.words):
        return ""
    name = channel["name"]
    since = _since(now)
    read = dialogue.call(
        "read_channel",
        channel=name,
        since=since,
    )
    if read.is_error:
        return read.result
    posts = [post for post in posts_in(read.result) if now.words not in post[0]]
    if not posts:
        return line(
            "no_posts",
            name=name,
            since=since,
        )
    return "\n".join(
        [
            line(
                "posted",
                name=name,
                since=since,
            ),
            "",
            *as_list(posts[-MAX_POSTS:]),
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
    days = days_in(now.words)
    spans = [span for word, span in SPANS.items() if word in now.words.casefold()]
    if days in WEEKDAYS:
        spans.append((sent_at.weekday() - WEEKDAYS.index(days)) % 7)
    days_back = [USUAL_DAYS, *spans][-1]
    return f"{sent_at.date() - timedelta(days=days_back)}"


def from_report(dialogue: Dialogue) -> str:
    """What the sources of this thread's report say about something; empty where there is none."""
    titles = REPORT_TITLE.findall("\n".join(dialogue.answers))
    if not titles:
        return ""
    topic = topic_of(dialogue.now.words.rpartition("about ")[2])
    quotes = quotes_on(read_passages(dialogue, topic), topic, MAX_QUOTES)
    if not quotes:
        return line(
            "report_silent",
            title=titles[-1],
            topic=topic,
        )
    facts = [quote.fact for quote in quotes]
    return line("report_says", title=titles[-1]) + "\n".join(facts)


def from_earlier(dialogue: Dialogue) -> str:
    """A quotation from an earlier report, with its thread."""
    words = dialogue.now.words
    search = dialogue.call("find_earlier_work", query=words[:QUERY_CHARS])
    works = dict(EARLIER_WORK.findall(search.result))
    if not works:
        return line("no_earlier")
    fitting = max(works, key=lambda work: share(words, works[work]))
    text = dialogue.call("read_earlier_work", id=fitting).result
    thread = text.partition("Thread: ")[2].partition("\n")[0]
    answer = text.partition("The answer:\n")[2] or text
    return line("wrote", thread=thread) + quote_lines(answer, words)
