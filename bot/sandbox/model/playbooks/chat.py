"""Playbook of what needs no page: a greeting, a sum, the time, a shorter answer; and an offer."""

import re
import sqlite3
from dataclasses import replace

from bot.sandbox.model.dialogue import ANSWERED, Dialogue, topic_of
from bot.sandbox.model.phrases import find, line, lines, pairs
from bot.sandbox.model.playbooks.answer import LINE_END
from bot.sandbox.model.quoting import escape, share, stems

ABOUT_POST = re.compile(r"\(this is about what (?P<who>.+?) wrote at (?P<at>[^)]+)\)")
NUMBER = re.compile(r"\d[\d.]*")
THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")
SHORT_LINES = 2
OFFERED = 3


def reply(dialogue: Dialogue) -> str:
    """The line for a message that no page answers; empty for any other message."""
    now = dialogue.now
    words = now.words
    if find("greets", words):
        greetings = [
            text
            for rule, text in pairs("hello")
            if re.match(
                rule,
                words,
                re.IGNORECASE,
            )
        ]
        return [*greetings, line("hello", offer=lines("offers")[0])][0]
    if find("asks_time", words) and now.sent:
        return f"It is {now.sent}."
    about = ABOUT_POST.search(words)
    if about:
        texts = re.findall(rf"(?m)^.*{re.escape(about['who'])}(?: \([^)]*\))?: (.*)$", now.asked)
        return (
            line(
                "about_post",
                who=about["who"],
                text=escape(texts[0]),
            )
            if texts
            else ""
        )
    if find("shorter", words) and dialogue.answers:
        rows = LINE_END.split(dialogue.answers[-1].strip())
        sentences = [row for row in rows if row[-1:] not in "*:|"]
        return "\n".join(sentences[:SHORT_LINES])
    return _sum(words)


def wrap_up(dialogue: Dialogue) -> str:
    """What stopped work has found, and what is missing; empty where no such answer is wanted."""
    findings = dialogue.exchanges[-1].findings
    if findings is None:
        return ""
    return line("stopped_early", findings=findings) if findings else line("stopped_empty")


def _sum(words: str) -> str:
    """A small sum with its result; empty for any other message."""
    asked = find("sum", words)
    if asked is None:
        return ""
    terms = asked["sum"].strip()
    plain = re.sub(
        r"[x\u00d7]",
        "*",
        terms,
    ).replace("÷", "/")
    plain = THOUSANDS.sub("", plain).replace(",", ".")
    plain = NUMBER.sub(r" 1.0 * \g<0> ", plain)
    try:
        [value] = sqlite3.connect(":memory:").execute(f"SELECT {plain}").fetchone()
    except sqlite3.Error:
        return ""
    formula = escape(terms.replace("*", "\u00d7"))
    return "" if value is None else f"{formula} = {value:.12g}"


def offer(dialogue: Dialogue) -> str:
    """Three requests that work here, as buttons: of the fitting ones those that are nearest."""
    words = dialogue.now.words
    topic = topic_of(words)
    question = line("no_page", topic=topic)
    options = lines("offers")
    if not stems(topic):
        question = line("what_else")
        for kind, asks in pairs("asks"):
            if find(kind, words):
                question = asks
                options = [option for option in options if find(kind, option)]
    options.sort(key=lambda option: share(words, option), reverse=True)
    dialogue.call(
        "ask_user",
        question=question,
        options=options[:OFFERED],
    )
    return line("nothing_chosen")


def after_offer(dialogue: Dialogue) -> Dialogue:
    """The dialogue as if the person had asked at once for what they chose."""
    now = dialogue.exchanges[-1]
    for position, call in enumerate(now.calls):
        options = call.arguments.get("options")
        if options and options[0] in lines("offers") and ANSWERED.match(call.result):
            chosen = ANSWERED.sub("", call.result)
            is_topic = chosen not in options and not stems(topic_of(now.words))
            asked = f"{now.words} on {chosen}" if is_topic else chosen
            later = replace(
                now,
                asked=asked,
                calls=now.calls[position + 1 :],
            )
            return replace(dialogue, exchanges=[*dialogue.earlier, later])
    return dialogue
