"""What a person wants to know, told by the conversation, and what has been found for it."""

import re
from dataclasses import dataclass

from bot.sandbox.model.brief import Brief, read_brief, title_of
from bot.sandbox.model.conversation import Conversation, Exchange
from bot.sandbox.model.evidence import Hit, find_report_file, read_hits
from bot.sandbox.model.intent import (
    is_bare_continuation,
    new_section_of,
    request_in,
    search_query,
    subtopics,
    topic_of,
    wants_continuation,
    wants_depth,
    wants_report,
)
from bot.sandbox.model.language import content_words, guess_language, stem, topic_words

MAX_BROAD_QUERIES = 3
TITLE = re.compile(r"[“«„]\s?(?P<title>[^”»“]+?)\s?[”»“]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """What the person wants to know and what has been found so far."""

    conversation: Conversation
    brief: Brief
    wants_report: bool
    hits: tuple[Hit, ...]

    @property
    def newest_section(self) -> str:
        return next(reversed(self.brief.new_sections), "")

    @property
    def queries(self) -> list[str]:
        """The searches to begin with: the topic, then parts of it."""
        topic, section = self.brief.topic, self.newest_section
        if section:
            return [search_query(f"{section} {topic}"), search_query(section)]
        more = subtopics(topic) if self.wants_report else []
        return [search_query(topic), *more]

    @property
    def broad_queries(self) -> list[str]:
        """Single words of the topic, for a second try when nothing was found."""
        words = topic_words(self.newest_section or self.brief.topic)
        return sorted(words, key=len, reverse=True)[:MAX_BROAD_QUERIES]


def read_inquiry(conversation: Conversation) -> Inquiry:
    """The inquiry that the newest exchange is about."""
    asked = request_in(conversation.asked) or conversation.asked
    earlier = find_earlier_report(conversation) if wants_continuation(asked) else None
    if earlier is None and conversation.earlier and is_bare_continuation(asked):
        asked = request_of(
            conversation.earlier[-1]
        )  # a bare "go on" means what was asked before it
    topic = topic_of(asked)
    brief = Brief(
        request=asked,
        topic=topic,
        title=title_of(topic),
        language=guess_language(asked),
        is_deep=wants_depth(asked),
    )
    if earlier is not None:
        brief = _extension(asked, earlier)
    hits = _best_first(read_hits(conversation.now.calls), brief)
    return Inquiry(
        conversation=conversation,
        brief=brief,
        wants_report=earlier is not None or wants_report(asked),
        hits=tuple(hits),
    )


def _extension(asked: str, earlier: Brief) -> Brief:
    named = "" if is_bare_continuation(asked) else " ".join(topic_words(asked))
    section = new_section_of(asked) or named
    sections = [*earlier.new_sections, section] if section else earlier.new_sections
    return Brief(
        request=asked,
        topic=earlier.topic,
        title=earlier.title,
        language=earlier.language,
        is_deep=True,
        new_sections=tuple(dict.fromkeys(sections)),
    )


def find_earlier_report(conversation: Conversation) -> Brief | None:
    """The task of the newest report of this conversation, also from its texts alone."""
    for exchange in reversed(conversation.earlier):
        tasks = [c.arguments.get("prompt") for c in exchange.calls if c.purpose == "delegate"]
        if tasks:
            return read_brief(str(tasks[-1]))
        if find_report_file(exchange.answer) or wants_report(exchange.words):
            return _brief_from_texts(exchange)
    return None


def _brief_from_texts(exchange: Exchange) -> Brief:
    brief = read_brief(request_of(exchange))
    named = TITLE.search(exchange.answer) if find_report_file(exchange.answer) else None
    if named is None:
        return brief
    return Brief(
        request=brief.request,
        topic=named["title"],
        title=named["title"],
        language=brief.language,
        is_deep=brief.is_deep,
    )


def request_of(exchange: Exchange) -> str:
    """What was asked in an exchange, as short as it can be found."""
    words = exchange.words or exchange.asked
    return request_in(words) or words


def _best_first(hits: list[Hit], brief: Brief) -> list[Hit]:
    wanted = {stem(word) for word in content_words(" ".join([*brief.new_sections, brief.topic]))}

    def overlap(hit: Hit) -> int:
        return len(wanted & {stem(w) for w in content_words(f"{hit.title} {hit.snippet}")})

    return sorted(hits, key=lambda hit: -overlap(hit))
