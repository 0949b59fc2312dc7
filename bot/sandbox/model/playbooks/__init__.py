"""The playbooks, and which of them answers a request; chosen from the request alone.

`answer` quotes a page for a plain question. With tools, `errand` acts in an app, `digest` writes
a channel's digest, and `report` does all other work; `expert` is the report expert, `order` reads
orders for digests, and `parts` plans new tasks. A program that stands in a request is run.
"""

import asyncio
import re

from bot.sandbox.model.dialogue import (
    GO_ON,
    REPORT,
    SEARCHES,
    Dialogue,
    read_dialogue,
    say,
    topic_of,
)
from bot.sandbox.model.message import PlaybookName, ReplyText, StandInReply, ToolUse
from bot.sandbox.model.playbooks import answer, digest, errand, expert, order, parts, report
from bot.sandbox.model.sentences import phrases, stems
from bot.sandbox.model.wire import Json
from bot.sandbox.web import PageLoader

VERDICTS = ("SIMPLE", "COMPLEX", "ORDER", "STOP", "AGREE")
REASON = "The request needs tools, fresh data or several steps."
QUERY = re.compile(r"(?sm)(?:^Query:|<message>)\s*(.*?)\s*(?:</message>|\n\s*Respond with ONLY|\Z)")
ROUTES = {
    "STOP": phrases("stops"),
    "AGREE": phrases("agrees"),
    "ORDER": phrases("orders"),
}
NEEDS_TOOLS = phrases("needs_tools")
ASKS_FOR_WORK = phrases("asks_for_work")
QUESTION = phrases("question")
FRESH = re.compile(r"(?i)\b(?:latest|today|news|current\w*|recent\w*|this|https?)\b")
MAX_QUESTION_CHARS = 80
TO_BOT = phrases("to_bot")
TO_PEOPLE = phrases("to_people")
HEAD = re.compile(r"(?m)^You (?:are called|wait for an answer of|are at work for): (.*)$")
POST = re.compile(r"(?m)^(\S[^:\n<]*): ")
REPLY = re.compile(r"(?s)<reply>\n(?P<author>.*?): (?P<words>.*)\n</reply>")
CODE = re.compile(r"(?s)```(?:python)?\s*?\n?(?P<code>.+?)```")


def is_beside(script: StandInReply, body: Json) -> bool:
    """Whether a playbook answers this request, and the script waits for the next.

    Classifier and fast answer are asked at once, and about each message that comes for work: a
    script could not tell which request is first. So only a scripted verdict answers the classifier,
    and only their own call the planner and the judge of replies.
    """
    dialogue = read_dialogue(body)
    names = [block.name for block in script if isinstance(block, ToolUse)]
    for tool in {"judge_reply", "plan"} & dialogue.tools.keys():
        return tool not in names
    verdict = _verdict(dialogue)
    if not verdict or verdict == "COMPLEX" or dialogue.tools:
        return verdict == "COMPLEX"
    texts = [block.text for block in script if isinstance(block, ReplyText)]
    return set(VERDICTS).isdisjoint(" ".join(texts).split())


async def plan(body: Json, pages: PageLoader) -> tuple[PlaybookName, StandInReply]:
    """The playbook for one validated request, and its reply."""
    dialogue = read_dialogue(body)
    tools = dialogue.tools.keys()
    if "judge_reply" in tools:
        verdict = is_for_bot(dialogue.exchanges[-1].asked)
        return "judge", (dialogue.use("judge_reply", is_for_bot=verdict),)
    if "read_order" in tools:
        return "order", order.read(dialogue)
    if "plan" in tools:
        return "plan", parts.plan(dialogue)
    return await _route_or_work(dialogue, pages)


async def _route_or_work(
    dialogue: Dialogue, pages: PageLoader
) -> tuple[PlaybookName, StandInReply]:
    tools = dialogue.tools.keys()
    verdict = _verdict(dialogue)
    if verdict and not tools:
        return "classify", say(verdict)
    if verdict and verdict != "SIMPLE":
        return "escape", (dialogue.use("use_tools", reason=REASON),)
    if tools <= {"use_tools"} and not dialogue.now.calls:
        quotation = answer.from_files(dialogue)
        return "answer", quotation or await answer.from_pages(dialogue, pages)
    if "write_report" in tools and "Task" not in tools:
        return "delegated", await asyncio.to_thread(expert.decide, dialogue)
    return "research", await asyncio.to_thread(_work, dialogue)


def _verdict(dialogue: Dialogue) -> str:
    """The route of a request to classify or to answer fast; empty for any other request."""
    asked = dialogue.exchanges[-1].asked
    if dialogue.tools.keys() == {"use_tools"}:
        return classify(dialogue.now.words)
    if dialogue.tools or "SIMPLE" not in f"{dialogue.system}\n{asked}":
        return ""
    queries = QUERY.findall(asked) or [asked]
    return classify(queries[-1])


def classify(words: str) -> str:
    """The classifier's one word for what a person wrote."""
    for route, rule in ROUTES.items():
        if rule.search(words):
            return route
    is_vague = ASKS_FOR_WORK.search(words) and not stems(topic_of(words))
    if is_vague or answer.EARLIER.search(words) or errand.is_asked_for(words):
        return "COMPLEX"
    is_short = len(words) < MAX_QUESTION_CHARS
    if is_short and QUESTION.match(words) and not FRESH.search(words):
        return "SIMPLE"
    for rule in (REPORT, SEARCHES, NEEDS_TOOLS, GO_ON, CODE):
        if rule.search(words):
            return "COMPLEX"
    return "SIMPLE"


def is_for_bot(prompt: str) -> bool:
    """Whether a reply speaks to the bot: to its name, to its question, or right behind its post."""
    reply = REPLY.search(prompt)
    if reply is None or TO_PEOPLE.search(reply["words"]):
        return False
    author = reply["author"]
    words = reply["words"]
    name, awaited, *_ = [*HEAD.findall(prompt), "", ""]
    is_called = re.match(rf"(?i)\W*(?:{re.escape(name)}|bot)\b", words)
    if is_called or author in awaited.split(", "):
        return True
    thread = prompt.partition("<thread>")[2]
    authors = POST.findall(thread)
    is_behind_bot = authors[-2:-1] in (["you"], [author])
    return is_behind_bot and TO_BOT.search(words) is not None


def _work(dialogue: Dialogue) -> StandInReply:
    """The next step of the main agent, by what the messages show as done."""
    if "publish_digest" in dialogue.tools:
        return digest.decide(dialogue)
    return (
        answer.from_files(dialogue)
        or answer.from_earlier(dialogue)
        or _program(dialogue)
        or errand.decide(dialogue)
        or report.decide(dialogue)
    )


def _program(dialogue: Dialogue) -> StandInReply | None:
    """Run the program that stands in the request, and quote its output."""
    program = CODE.search(dialogue.now.words)
    if program is None or "run_python" not in dialogue.tools:
        return None
    for run in dialogue.now.done("run_python")[-1:]:
        return say(f"The program has ended.\n\n{run.result}")
    code = program["code"].strip()
    return (dialogue.use("run_python", code=code),)
