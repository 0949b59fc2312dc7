"""Playbook of what needs no page: a greeting, a sum, the time, a shorter answer; and an offer."""

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from bot.sandbox.model.dialogue import ANSWERED, Dialogue, say
from bot.sandbox.model.message import StandInReply
from bot.sandbox.model.playbooks.answer import LINE_END
from bot.sandbox.model.quoting import escape, phrases, split_sentences

GREETS = phrases("greets")
ASKS_TIME = phrases("asks_time")
SHORTER = phrases("shorter")
SUM = phrases("sum")
ABOUT_POST = re.compile(r"\(this is about what (?P<who>.+?) wrote at (?P<at>[^)]+)\)")
POSTS = re.compile(r"(?s)<earlier_posts>(?P<posts>.*?)</earlier_posts>")
OFFERS = (
    "Write a report on keeping chat bots reliable",
    "Compare heat pumps, battery storage and wind power",
    "What is new about batteries in the grid?",
)
"""Requests that always work here."""
NO_PAGE = (
    "I can only quote this sandbox's pages, and that is in none of them. Shall I do one of these?"
)
NOTHING_CHOSEN = "Then I leave it at that. Whatever you ask next, I look it up."
HELLO = "Hello! I look things up, write reports and compare. For example: “{offer}”."
POSTED = (
    "{who} wrote: “{text}”. I see nothing in it for me to do; tell me what you want done about it."
)
SHORT_LINES = 2
MAX_NUMBER = 10**12
OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: lambda one, other: one + other,
    ast.Sub: lambda one, other: one - other,
    ast.Mult: lambda one, other: one * other,
    ast.Div: lambda one, other: one / other,
}


def reply(dialogue: Dialogue) -> StandInReply | None:
    """The line for a message that no page answers; None for any other message."""
    for line_for in (_about_post, _shorter, _greeting, _time, _sum):
        line = line_for(dialogue)
        if line:
            return say(line)
    return None


def offer(dialogue: Dialogue) -> StandInReply:
    """Three requests that work, as buttons."""
    if "ask_user" not in dialogue.tools or dialogue.now.done("ask_user"):
        return say(NOTHING_CHOSEN)
    return (dialogue.use("ask_user", question=NO_PAGE, options=OFFERS),)


def after_offer(dialogue: Dialogue) -> Dialogue:
    """The dialogue as if the person had asked at once for what they chose."""
    now = dialogue.exchanges[-1]
    for position, call in enumerate(now.calls):
        is_offer = call.arguments.get("question") == NO_PAGE
        chosen = ANSWERED.sub("", call.result) if ANSWERED.match(call.result) else ""
        if is_offer and chosen:
            later = replace(now, asked=chosen, calls=now.calls[position + 1 :])
            return replace(dialogue, exchanges=[*dialogue.earlier, later])
    return dialogue


def _about_post(dialogue: Dialogue) -> str:
    """What the post says that a person asks about from its menu."""
    now = dialogue.now
    about = ABOUT_POST.search(now.words)
    material = POSTS.search(now.asked)
    if about is None or material is None:
        return ""
    head = f"{about['who']}: "
    texts = [line for line in material["posts"].splitlines() if head in line]
    text = texts[-1].partition(head)[2] if texts else ""
    return POSTED.format(who=about["who"], text=escape(text)) if text else ""


def _shorter(dialogue: Dialogue) -> str:
    """The beginning of the last answer."""
    if not SHORTER.match(dialogue.now.words) or not dialogue.answers:
        return ""
    lines = LINE_END.split(dialogue.answers[-1].strip())
    sentences = [line for line in lines if split_sentences(line) and line[-1:] not in "*:|"]
    return "\n".join(sentences[:SHORT_LINES])


def _greeting(dialogue: Dialogue) -> str:
    return HELLO.format(offer=OFFERS[0]) if GREETS.match(dialogue.now.words) else ""


def _time(dialogue: Dialogue) -> str:
    """The moment at which the message was written, on its author's clock."""
    is_asked = ASKS_TIME.search(dialogue.now.words)
    return f"It is {dialogue.now.sent}." if is_asked and dialogue.now.sent else ""


def _sum(dialogue: Dialogue) -> str:
    """A small sum with its result; nothing for any other message."""
    asked = SUM.match(dialogue.now.words)
    if asked is None:
        return ""
    terms = asked["sum"].strip()
    plain = re.sub(r"[x\u00d7]", "*", terms).replace("÷", "/").replace(",", "")
    try:
        result = _value(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError):
        return ""
    return f"{escape(terms)} = {result:.12g}"


def _value(node: ast.expr) -> float:
    """The value of a sum; ValueError for anything else."""
    match node:
        case ast.Constant(value=int() | float() as number) if number < MAX_NUMBER:
            return number
        case ast.BinOp() if type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](_value(node.left), _value(node.right))
        case _:
            raise ValueError("This is no sum.")
