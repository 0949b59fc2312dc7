"""The playbooks, and which of them answers a request; chosen from the request alone.

`answer` quotes a page for a plain question. With tools, `errand` acts in an app, `digest` tells a
channel what is new, and `report` does all other work, as the main agent and as the report expert.
A program that stands in a request is run.
`order` reads orders for digests, and `parts` plans new tasks. Whether a reply is for the bot is
judged here.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence

from bot.sandbox.model.conversation import (
    GO_ON,
    REPORT,
    SEARCHES,
    Dialogue,
    read_conversation,
    say,
    topic_of,
)
from bot.sandbox.model.message import PlaybookName, ReplyText, StandInReply, ToolUse
from bot.sandbox.model.playbooks import answer, digest, errand, order, parts, report
from bot.sandbox.model.sentences import phrases, stems
from bot.sandbox.model.wire import Json
from bot.sandbox.web import WebPage

PageLoader = Callable[[], Awaitable[Sequence[WebPage]]]

VERDICTS = ("SIMPLE", "COMPLEX", "ORDER", "STOP", "AGREE")
REASON = "The request needs tools, fresh data or several steps."
QUERY = re.compile(
    r"(?:^Query:|<message>)\s*(?P<query>.*?)\s*(?:</message>|\n\s*Respond with ONLY|\Z)",
    re.S | re.M,
)
ORDERS = phrases("orders")
STOPS = phrases("stops")
AGREES = phrases("agrees")
NEEDS_TOOLS = phrases("needs_tools")
ASKS_FOR_WORK = phrases("asks_for_work")
QUESTION = phrases("question")
TO_BOT = phrases("to_bot")
TO_PEOPLE = phrases("to_people")
HEAD = re.compile(
    r"^You (?:are called|wait for an answer of|are at work for): (?P<value>.*)$", re.M
)
POST = re.compile(r"^(?P<author>\S[^:\n<]*): ", re.M)
CODE = re.compile(r"```(?:python)?\s*?\n?(?P<code>.+?)```", re.DOTALL)


async def no_pages() -> Sequence[WebPage]:
    """Of a stand-in that was given none."""
    return ()


def is_beside(script: StandInReply, body: Json) -> bool:
    """Whether a request is about a message's route, and what is scripted next is none.

    Classifier and fast answer are asked at once, and about each message that comes for work: a
    script could not tell which request is first. So only a scripted verdict answers the classifier,
    and only their own call the planner and the judge of replies.
    """
    conversation = read_conversation(body)
    for tool in {"judge_reply", "plan"} & conversation.tools.keys():
        return not any(isinstance(block, ToolUse) and block.name == tool for block in script)
    verdict = _verdict(conversation)
    if not verdict or verdict == "COMPLEX" or conversation.tools:
        return verdict == "COMPLEX"
    said = " ".join(block.text for block in script if isinstance(block, ReplyText))
    return not any(word in said for word in VERDICTS)


async def plan(body: Json, pages: PageLoader) -> tuple[PlaybookName, StandInReply]:
    """What is played for one validated request, and its reply."""
    conversation = read_conversation(body)
    tools = conversation.tools.keys()
    if "judge_reply" in tools:
        said = conversation.exchanges[-1].asked
        return "judge", (conversation.use("judge_reply", is_for_bot=is_for_bot(said)),)
    if "read_order" in tools:
        return "order", order.read(conversation)
    if "plan" in tools:
        return "plan", parts.plan(conversation)
    return await _played(conversation, pages)


async def _played(conversation: Dialogue, pages: PageLoader) -> tuple[PlaybookName, StandInReply]:
    tools = conversation.tools.keys()
    verdict = _verdict(conversation)
    if verdict and not tools:
        return "classify", say(verdict)
    if verdict and verdict != "SIMPLE":
        return "escape", (conversation.use("use_tools", reason=REASON),)
    if tools <= {"use_tools"} and not conversation.now.calls:
        said = answer.from_files(conversation) or await answer.from_pages(conversation, pages)
        return "answer", said
    if "write_report" in tools and "Task" not in tools:
        return "delegated", await asyncio.to_thread(report.as_expert, conversation)
    return "research", await asyncio.to_thread(_work, conversation)


def _verdict(conversation: Dialogue) -> str:
    """The route of a request to classify or to answer fast; empty for any other request."""
    asked = conversation.exchanges[-1].asked
    if conversation.tools.keys() == {"use_tools"}:
        return classify(conversation.now.words)
    if conversation.tools or "SIMPLE" not in f"{conversation.system}\n{asked}":
        return ""
    queries = [found["query"] for found in QUERY.finditer(asked)]
    return classify(queries[-1] if queries else asked)


def classify(words: str) -> str:
    """The classifier's one word for what a person wrote."""
    if STOPS.match(words):
        return "STOP"
    if AGREES.match(words):
        return "AGREE"
    if ORDERS.search(words):
        return "ORDER"
    if answer.EARLIER.search(words):
        return "COMPLEX"
    works = (REPORT, SEARCHES, NEEDS_TOOLS, GO_ON, CODE)
    is_work = any(rule.search(words) for rule in works) and not _is_plain_question(words)
    is_vague = ASKS_FOR_WORK.search(words) is not None and not stems(topic_of(words))
    return "COMPLEX" if is_work or is_vague or errand.is_asked_for(words) else "SIMPLE"


def is_for_bot(told: str) -> bool:
    """Whether a reply speaks to the bot: to its name, to its question, or right behind its post."""
    heads = [found["value"] for found in HEAD.finditer(told)]
    posts = [found["author"] for found in POST.finditer(told.partition("<thread>")[2])]
    reply = told.partition("<reply>\n")[2].rpartition("\n</reply>")[0]
    author, _, words = reply.partition(": ")
    if TO_PEOPLE.search(words):
        return False
    name, asked, _ = [*heads, "", "", ""][:3]
    if author in asked.split(", ") or re.match(rf"\W*(?:{re.escape(name)}|bot)\b", words, re.I):
        return True
    is_behind_bot = posts[-2:-1] in (["you"], [author])
    return is_behind_bot and TO_BOT.search(words) is not None


def _is_plain_question(words: str) -> bool:
    """Whether it asks what something is, though it names a report or the like."""
    is_fresh = re.search(r"\b(?:latest|today|news|current\w*|recent\w*|this|https?)\b", words, re.I)
    return QUESTION.match(words) is not None and len(words) < 80 and not is_fresh


def _work(conversation: Dialogue) -> StandInReply:
    """The next step of the main agent, told by what the messages show as done."""
    if "publish_digest" in conversation.tools:
        return digest.decide(conversation)
    return (
        answer.from_files(conversation)
        or answer.from_earlier(conversation)
        or _program(conversation)
        or errand.decide(conversation)
        or report.decide(conversation)
    )


def _program(conversation: Dialogue) -> StandInReply | None:
    """Run the program that stands in the request, and tell what came of it."""
    given = CODE.search(conversation.now.words)
    if given is None or "run_python" not in conversation.tools:
        return None
    if done := conversation.now.done("run_python"):
        return say(f"The program has ended.\n\n{done[-1].result}")
    return (conversation.use("run_python", code=given["code"].strip()),)
