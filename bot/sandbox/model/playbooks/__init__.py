"""The playbooks, and which of them answers a request; chosen from the request alone.

`answer` quotes a page for a plain question. With tools, the first row of `BOOK` that fits plays
the request, else `research`; `expert` is the report expert. To add one: a function that says how
the work ended, in one straight line of `dialogue.call`s, a row in `BOOK` and its words in
`phrases.toml`; or, for a single call that has an effect, a table in `errands.toml`.
"""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from bot.sandbox.model.dialogue import Dialogue, NextStep, read_dialogue, topic_of
from bot.sandbox.model.message import Json, ReplyText, StandInReply
from bot.sandbox.model.phrases import find, in_english, line, lines, pairs
from bot.sandbox.model.playbooks import (
    answer,
    chat,
    digests,
    errands,
    expert,
    posts,
    research,
)
from bot.sandbox.model.quoting import stems
from bot.sandbox.web import PageLoader

REQUEST = re.compile(r"(?s)(?:^|\n)(?P<request>To (?:make these calls|connect an account of).*)")
"""What the bot waits for, where a message was written beside it."""
QUERY = re.compile(r"(?sm)^Query:\s*(.*?)\s*(?:\n\s*Respond with ONLY|\Z)")
HEAD = re.compile(r"(?m)^You (are called|wait for an answer of|are at work for): (.*)$")
POST = re.compile(r"(?m)^(\S[^:\n<]*?)(?: \([^()\n]* before\))?: ")
REPLY = re.compile(r"(?s)<reply>\n(?P<author>.*?): (?P<words>.*)\n</reply>")

Play = Callable[[Dialogue], str]
"""Says how the work ended, or nothing where the playbook does not fit after all."""


class Page(NamedTuple):
    """What the main agent plays where the words and the tool are there."""

    words: str
    """The name of their pattern."""
    tool: str
    play: Play


BOOK: Sequence[Page] = (
    Page("anything", "publish_digest", digests.publish),
    Page("anything", "", answer.from_files),
    Page("table_of", "write_local_file", research.write_table),
    Page("removes", "remove_my_post", partial(errands.run, names=["removes"])),
    Page("corrects_answer", "correct_my_answer", partial(errands.run, names=["corrects_answer"])),
    Page("channel", "read_channel", posts.read_channel),
    Page("earlier", "search_corpus", posts.from_report),
    Page("earlier", "find_earlier_work", posts.from_earlier),
    Page("program", "run_python", partial(errands.run, names=["program"])),
    Page("no_question", "", partial(errands.run, names=["mail", "event", "issue"])),
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
    if tools <= {"use_tools"} and not dialogue.now.calls:
        text = ""
        if verdict in ("", "SIMPLE"):
            text = await _answer_fast(dialogue, pages)
        if not text and "use_tools" in tools:
            reason = {"reason": line("reason")}
            return "escape", (dialogue.use("use_tools", reason),)
        text = text or line("no_model")
        return "answer", (ReplyText(text=text),)
    name, play = _player(dialogue)
    try:
        text = await asyncio.to_thread(play, dialogue)
        return name, (ReplyText(text=text),)
    except NextStep as step:
        return name, step.reply


def _player(dialogue: Dialogue) -> tuple[str, Play]:
    """Whose work a request with tools is: a sub-agent's, or the main agent's."""
    if "write_report" in dialogue.tools and "Task" not in dialogue.tools:
        return "delegated", expert.write
    if expert.ORDER.search(dialogue.exchanges[0].asked):
        return "section", expert.write_section
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
    is_beside = REQUEST.search(asked) is not None
    rules = "verdicts_beside" if is_beside else "verdicts"
    return classify(queries[-1], rules)


def classify(words: str, rules: str = "verdicts") -> str:
    """The classifier's one word for what a person wrote: that of the first rule that fits."""
    words = in_english(words)
    for rule, verdict in [*pairs(rules), *pairs("verdicts")]:
        if find(rule, words):
            return verdict
    is_vague = find("asks_for_work", words) and not stems(topic_of(words))
    return "COMPLEX" if is_vague else "SIMPLE"


def _work(dialogue: Dialogue) -> str:
    """How the work of the main agent ended."""
    ending = chat.wrap_up(dialogue)
    if ending:
        return ending
    dialogue = chat.after_offer(dialogue)
    words = dialogue.now.words
    for page in BOOK:
        has_tool = not page.tool or page.tool in dialogue.tools
        if has_tool and find(page.words, words):
            text = page.play(dialogue)
            if text:
                return text
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
    about = dict(HEAD.findall(prompt))
    name = re.escape(about.get("are called", "bot"))
    before = POST.findall(prompt.partition("<thread>")[2])[-2:-1]
    reasons = (
        re.match(rf"(?i)\W*(?:{name}|bot)\b", words),
        author in about.get("wait for an answer of", "") and not find("remark", words),
        author in about.get("are at work for", "") and find("stops", words),
        before in (["you"], [author]) and find("to_bot", words),
    )
    return {"is_for_bot": any(reasons)}


def _plan(dialogue: Dialogue) -> Json:
    """The planner's form: a sub-question for each side of a comparison; no question to people."""
    questions: list[Json] = []
    for side in research.sides_of(dialogue.now.words):
        question = line("find_out", side=side)
        questions.append({"title": side, "question": question})
    return {
        "question": "",
        "default": "",
        "is_continuation": False,
        "is_blocking": False,
        "sub_questions": questions,
    }


FORMS: Mapping[str, tuple[str, Callable[[Dialogue], Json]]] = {
    "judge_reply": ("judge", _judge),
    "read_order": ("order", digests.read_order),
    "plan": ("plan", _plan),
    "read_setting": ("setting", digests.read_setting),
}
"""Requests that want a form filled in: by the tool that they offer, what fills it."""
