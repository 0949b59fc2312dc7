"""The playbooks, and which of them answers a request; chosen from the request alone.

`answer` quotes a page for a plain question. With tools, the first page of `BOOK` that fits plays
the request, else `research`; `expert` is the report expert. To add one: a function that says how
the work ended, in one straight line of `dialogue.call`s, a row in `BOOK` and its words in
`phrases.toml`.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.sandbox.model.dialogue import Dialogue, NextStep, read_dialogue, topic_of
from bot.sandbox.model.message import Json, ReplyText, StandInReply
from bot.sandbox.model.message import ToolUse as ToolUse
from bot.sandbox.model.phrases import find, in_english, line, lines
from bot.sandbox.model.playbooks import (
    answer,
    chat,
    digests,
    errand,
    expert,
    posts,
    research,
    section,
)
from bot.sandbox.model.quoting import stems
from bot.sandbox.web import PageLoader

ROUTES = {
    "STOP": "stops",
    "AGREE": "agrees",
    "ORDER": "orders",
}
"""Verdicts by the pattern of their words."""
REQUEST = re.compile(r"(?s)(?:^|\n)(?P<request>To (?:make these calls|connect an account of).*)")
"""What the bot waits for, where a message was written beside it."""
QUERY = re.compile(r"(?sm)^Query:\s*(.*?)\s*(?:\n\s*Respond with ONLY|\Z)")
MAX_QUESTION_CHARS = 80
HEAD = re.compile(r"(?m)^You (?:are called|wait for an answer of|are at work for): (.*)$")
POST = re.compile(r"(?m)^(\S[^:\n<]*?)(?: \([^()\n]* before\))?: ")
REPLY = re.compile(r"(?s)<reply>\n(?P<author>.*?): (?P<words>.*)\n</reply>")
CODE = re.compile(r"(?s)```(?:python)?\s*?\n?(?P<code>.+?)```")


@dataclass(frozen=True, slots=True)
class Page:
    """What the main agent does where the words and the tools are there."""

    play: Callable[[Dialogue], str]
    """Says how the work ended, or nothing where the page does not fit after all."""
    words: str = ""
    """The name of their pattern; empty where the playbook looks itself."""
    tool: str = ""

    def fits(self, dialogue: Dialogue) -> bool:
        has_words = not self.words or find(self.words, dialogue.now.words)
        return bool(has_words and (not self.tool or self.tool in dialogue.tools))


def _program(dialogue: Dialogue) -> str:
    """The output of the program that stands in the request."""
    program = CODE.search(dialogue.now.words)
    if program is None:
        return ""
    return line("ran", output=dialogue.call("run_python", code=program["code"].strip()).result)


BOOK: Sequence[Page] = (
    Page(digests.publish, tool="publish_digest"),
    Page(answer.from_files),
    Page(
        errand.write_table,
        "table_of",
        "write_local_file",
    ),
    Page(
        posts.remove,
        "removes",
        "remove_my_post",
    ),
    Page(
        posts.correct,
        "corrects_answer",
        "correct_my_answer",
    ),
    Page(
        posts.read_channel,
        "channel",
        "read_channel",
    ),
    Page(
        posts.from_report,
        "earlier",
        "list_local_files",
    ),
    Page(
        answer.from_earlier,
        "earlier",
        "find_earlier_work",
    ),
    Page(_program, tool="run_python"),
    Page(errand.run),
)
"""The first that fits plays the request."""


async def plan(body: Json, pages: PageLoader) -> tuple[str, StandInReply]:
    """The playbook for one validated request, and its reply."""
    dialogue = read_dialogue(body)
    tools = dialogue.tools.keys()
    for tool, (name, fill) in FORMS.items():
        if tool in tools:
            return name, (dialogue.use(tool, fill(dialogue)),)
    verdict = verdict_on(dialogue)
    if verdict and not tools:
        return "classify", (ReplyText(text=verdict),)
    is_fast = tools <= {"use_tools"} and not dialogue.now.calls
    if is_fast:
        text = await _answer_fast(dialogue, pages) if verdict in ("", "SIMPLE") else ""
        if not text and "use_tools" in tools:
            return "escape", (dialogue.use("use_tools", {"reason": line("reason")}),)
        return "answer", (ReplyText(text=text or line("no_model")),)
    name, play = _player(dialogue)
    try:
        return name, (ReplyText(text=await asyncio.to_thread(play, dialogue)),)
    except NextStep as step:
        return name, step.reply


def _player(dialogue: Dialogue) -> tuple[str, Callable[[Dialogue], str]]:
    """Whose work a request with tools is: a sub-agent's, or the main agent's."""
    if "write_report" in dialogue.tools and "Task" not in dialogue.tools:
        return "delegated", expert.decide
    if section.ORDER.match(dialogue.exchanges[0].asked):
        return "section", section.write
    return "research", _work


async def _answer_fast(dialogue: Dialogue, pages: PageLoader) -> str:
    """The answer that needs no tools; empty where the main agent has to see to it."""
    request = REQUEST.search(dialogue.system)
    if request and find("thanks", dialogue.now.words):
        return line("welcome")
    if request:
        return chat.reply(dialogue) or answer.about_request(request["request"])
    text = answer.from_files(dialogue) or chat.reply(dialogue)
    return text or await answer.from_pages(dialogue, pages)


def verdict_on(dialogue: Dialogue) -> str:
    """The route of a request to classify or to answer fast; empty for any other request."""
    if dialogue.tools.keys() == {"use_tools"}:
        is_beside = REQUEST.search(dialogue.system)
        return "SIMPLE" if is_beside else classify(dialogue.now.words)
    asked = dialogue.exchanges[-1].asked
    queries = QUERY.findall(asked)
    if not queries or dialogue.tools:
        return ""
    if not REQUEST.search(asked):
        return classify(queries[-1])
    return _classify_beside(queries[-1])


def _classify_beside(words: str) -> str:
    """The word for what was written while a request waits for its buttons."""
    verdict = classify(words)
    if verdict == "STOP":
        return verdict
    is_aside = words.rstrip().endswith("?") or find("thinking_aloud", words)
    if is_aside or find("thanks", words):
        return "ASIDE"
    return "COMPLEX" if find("changes_call", words) else verdict


def classify(words: str) -> str:
    """The classifier's one word for what a person wrote."""
    words = in_english(words)
    if find("removes", words) or find("corrects_answer", words):
        return "COMPLEX"
    for route, rule in ROUTES.items():
        if find(rule, words):
            return route
    pages = [page.words for page in BOOK if page.words]
    if find("greets", words) or find("asks_time", words):
        return "SIMPLE"
    rules = ["figures", *pages]
    is_long = len(words) >= MAX_QUESTION_CHARS
    if is_long or find("fresh", words) or not find("question", words):
        rules += ["report", "searches", "needs_tools", "go_on", *errand.ERRANDS]
    is_vague = find("asks_for_work", words) and not stems(topic_of(words))
    has_code = CODE.search(words) is not None
    is_work = is_vague or has_code or any(find(rule, words) for rule in rules)
    return "COMPLEX" if is_work else "SIMPLE"


def _work(dialogue: Dialogue) -> str:
    """How the work of the main agent ended."""
    ending = chat.wrap_up(dialogue)
    if ending:
        return ending
    dialogue = chat.after_offer(dialogue)
    for page in BOOK:
        text = page.play(dialogue) if page.fits(dialogue) else ""
        if text:
            return text
    words = dialogue.now.words
    is_vague = not stems(research.read_brief(dialogue).topic)
    is_new = all(call.name == "ask_user" for call in dialogue.now.calls)
    is_new = is_new and words not in lines("offers")
    if is_vague or (classify(words) == "SIMPLE" and is_new):
        return chat.reply(dialogue) or chat.offer(dialogue)
    return research.answer(dialogue)


def _judge(dialogue: Dialogue) -> Json:
    """Whether a reply speaks to the bot: to its name, to its question, or right behind its post."""
    prompt = dialogue.exchanges[-1].asked
    reply = REPLY.search(prompt)
    if reply is None or find("to_people", reply["words"]):
        return {"is_for_bot": False}
    author = reply["author"]
    words = reply["words"]
    name, awaited, works_for, *_ = [
        *HEAD.findall(prompt),
        "",
        "",
        "",
    ]
    authors = POST.findall(prompt.partition("<thread>")[2])
    is_behind_bot = authors[-2:-1] in (["you"], [author])
    return {
        "is_for_bot": bool(
            re.match(rf"(?i)\W*(?:{re.escape(name)}|bot)\b", words)
            or (author in awaited.split(", ") and not find("remark", words))
            or (author in works_for.split(", ") and find("stops", words))
            or (is_behind_bot and find("to_bot", words))
        )
    }


def _plan(dialogue: Dialogue) -> Json:
    """The planner's form: a sub-question for each side of a comparison; no question to people."""
    sides = research.sides_of(dialogue.now.words)
    questions = [{"title": side, "question": line("find_out", side=side)} for side in sides]
    form = {
        "is_continuation": False,
        "is_blocking": False,
        "sub_questions": questions,
    }
    return {
        "question": "",
        "default": "",
        **form,
    }


FORMS: Mapping[str, tuple[str, Callable[[Dialogue], Json]]] = {
    "judge_reply": ("judge", _judge),
    "read_order": ("order", digests.read_order),
    "plan": ("plan", _plan),
}
"""Requests that want a form filled in: by the tool that they offer, what fills it."""
