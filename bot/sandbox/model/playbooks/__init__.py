"""The playbooks, and which of them answers a request; chosen from the request alone.

`answer` quotes a page for a plain question. With tools, `errand` acts in an app, `digests` orders
and writes channels' digests, and `research` plans and does all other work; `expert` is the report
expert. A program that stands in a request is run. To add a flow: a function in `FLOWS`.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence

from bot.sandbox.model.dialogue import (
    GO_ON,
    REPORT,
    SEARCHES,
    Dialogue,
    read_dialogue,
    say,
    topic_of,
)
from bot.sandbox.model.message import Json, ReplyText, StandInReply, ToolUse
from bot.sandbox.model.playbooks import (
    answer,
    chat,
    digests,
    errand,
    expert,
    posts,
    research,
)
from bot.sandbox.model.quoting import in_english, phrases, stems
from bot.sandbox.web import PageLoader

VERDICTS = ("SIMPLE", "COMPLEX", "ORDER", "STOP", "AGREE", "ASIDE")
NO_PAGE = "No page has it: the person is to choose what else to do."
REASON = "The request needs tools, fresh data or several steps."
REQUEST = re.compile(r"(?s)(?:^|\n)(?P<request>To (?:make these calls|connect an account of).*)")
"""What the bot waits for, where a message was written beside it."""
QUERY = re.compile(r"(?sm)^Query:\s*(.*?)\s*(?:\n\s*Respond with ONLY|\Z)")
ROUTES = {
    "STOP": phrases("stops"),
    "AGREE": phrases("agrees"),
    "ORDER": phrases("orders"),
}
ASKS_FOR_WORK = phrases("asks_for_work")
QUESTION = phrases("question")
FRESH = re.compile(r"(?i)\b(?:latest|today|news?|current\w*|recent\w*|this|https?)\b")
MAX_QUESTION_CHARS = 80
TO_BOT = phrases("to_bot")
TO_PEOPLE = phrases("to_people")
HEAD = re.compile(r"(?m)^You (?:are called|wait for an answer of|are at work for): (.*)$")
POST = re.compile(r"(?m)^(\S[^:\n<]*?)(?: \([^()\n]* before\))?: ")
REPLY = re.compile(r"(?s)<reply>\n(?P<author>.*?): (?P<words>.*)\n</reply>")
CODE = re.compile(r"(?s)```(?:python)?\s*?\n?(?P<code>.+?)```")
WANTS_WORK = (REPORT, SEARCHES, phrases("needs_tools"), GO_ON, CODE)


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


async def plan(body: Json, pages: PageLoader) -> tuple[str, StandInReply]:
    """The playbook for one validated request, and its reply."""
    dialogue = read_dialogue(body)
    tools = dialogue.tools.keys()
    for tool, (name, playbook) in FORMS.items():
        if tool in tools:
            return name, playbook(dialogue)
    verdict = _verdict(dialogue)
    if verdict and not tools:
        return "classify", say(verdict)
    if verdict and verdict != "SIMPLE":
        return "escape", (dialogue.use("use_tools", reason=REASON),)
    if tools <= {"use_tools"} and not dialogue.now.calls:
        return await _answer_fast(dialogue, pages)
    if "write_report" in tools and "Task" not in tools:
        return "delegated", await asyncio.to_thread(expert.decide, dialogue)
    return "research", await asyncio.to_thread(_work, dialogue)


async def _answer_fast(dialogue: Dialogue, pages: PageLoader) -> tuple[str, StandInReply]:
    """The answer that needs no tools; what is no question and on no page is for the main agent."""
    request = REQUEST.search(dialogue.system)
    about = answer.about_request(request["request"]) if request else None
    quotation = about or answer.from_files(dialogue) or chat.reply(dialogue)
    quotation = quotation or await answer.from_pages(dialogue, pages)
    if quotation:
        return "answer", quotation
    if QUESTION.match(dialogue.now.words) or "use_tools" not in dialogue.tools:
        return "answer", say(answer.NO_MODEL)
    return "escape", (dialogue.use("use_tools", reason=NO_PAGE),)


def _verdict(dialogue: Dialogue) -> str:
    """The route of a request to classify or to answer fast; empty for any other request."""
    if dialogue.tools.keys() == {"use_tools"}:
        is_beside = REQUEST.search(dialogue.system)
        return "SIMPLE" if is_beside else classify(dialogue.now.words)
    asked = dialogue.exchanges[-1].asked
    queries = QUERY.findall(asked)
    if not queries or dialogue.tools:
        return ""
    if REQUEST.search(asked) and queries[-1].rstrip().endswith("?"):
        return "STOP" if ROUTES["STOP"].search(queries[-1]) else "ASIDE"
    return classify(queries[-1])


def classify(words: str) -> str:
    """The classifier's one word for what a person wrote."""
    words = in_english(words)
    if posts.REMOVES.search(words) or posts.CORRECTS.search(words):
        return "COMPLEX"
    for route, rule in ROUTES.items():
        if rule.search(words):
            return route
    is_vague = ASKS_FOR_WORK.search(words) and not stems(topic_of(words))
    if is_vague or posts.is_asked_for(words) or errand.is_asked_for(words):
        return "COMPLEX"
    is_short = len(words) < MAX_QUESTION_CHARS
    if is_short and QUESTION.match(words) and not FRESH.search(words):
        return "SIMPLE"
    wants_work = any(rule.search(words) for rule in WANTS_WORK)
    return "COMPLEX" if wants_work else "SIMPLE"


def _judge(dialogue: Dialogue) -> StandInReply:
    """Whether a reply speaks to the bot: to its name, to its question, or right behind its post."""
    prompt = dialogue.exchanges[-1].asked
    is_for_bot = False
    reply = REPLY.search(prompt)
    if reply and not TO_PEOPLE.search(reply["words"]):
        author = reply["author"]
        words = reply["words"]
        name, awaited, works_for, *_ = [*HEAD.findall(prompt), "", "", ""]
        is_called = re.match(rf"(?i)\W*(?:{re.escape(name)}|bot)\b", words)
        thread = prompt.partition("<thread>")[2]
        authors = POST.findall(thread)
        is_behind_bot = authors[-2:-1] in (["you"], [author])
        is_awaited = author in awaited.split(", ")
        is_about_work = author in works_for.split(", ") and ROUTES["STOP"].search(words)
        is_next = is_behind_bot and TO_BOT.search(words)
        is_for_bot = bool(is_called or is_awaited or is_about_work or is_next)
    return (dialogue.use("judge_reply", is_for_bot=is_for_bot),)


def _work(dialogue: Dialogue) -> StandInReply:
    """The next step of the main agent, by what the messages show as done."""
    dialogue = chat.after_offer(dialogue)
    for flow in FLOWS:
        step = flow(dialogue)
        if step:
            return step
    words = dialogue.now.words
    if classify(words) == "SIMPLE" and not QUESTION.match(words):
        return chat.reply(dialogue) or chat.offer(dialogue)
    return research.decide(dialogue)


def _program(dialogue: Dialogue) -> StandInReply | None:
    """Run the program that stands in the request, and quote its output."""
    program = CODE.search(dialogue.now.words)
    if program is None or "run_python" not in dialogue.tools:
        return None
    for run in dialogue.now.done("run_python")[-1:]:
        return say(f"The program has ended.\n\n{run.result}")
    code = program["code"].strip()
    return (dialogue.use("run_python", code=code),)


FORMS: Mapping[str, tuple[str, Callable[[Dialogue], StandInReply]]] = {
    "judge_reply": ("judge", _judge),
    "read_order": ("order", digests.read_order),
    "plan": ("plan", research.plan),
}
"""Requests that want a form filled in: by the tool that they offer, the playbook that calls it."""
FLOWS: Sequence[Callable[[Dialogue], StandInReply | None]] = (
    digests.decide,
    answer.from_files,
    posts.read_channel,
    posts.remove,
    posts.correct,
    posts.from_report,
    answer.from_earlier,
    _program,
    errand.decide,
)
"""The main agent's flows; the first that has a step for the request plays it, else `research`."""
