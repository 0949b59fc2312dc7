"""Playbook: the one errand that the stand-in runs, a mail, through Composio's meta tools.

It looks for the tool, connects the account, and makes the call with its final arguments; the
product asks for approval. The answer claims only what a result says was done.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.sandbox.model.dialogue import (
    BATCH_TOOL,
    SEARCHES,
    Dialogue,
    PastCall,
    objects_in,
    say,
    topic_of,
)
from bot.sandbox.model.message import ReplyText, StandInReply
from bot.sandbox.model.playbooks import report
from bot.sandbox.model.sentences import phrases, stems
from bot.sandbox.model.wire import Json, as_object, as_text
from bot.sandbox.model.writing import capitalised

SLUG = "GMAIL_SEND_EMAIL"
TOOLKIT = "gmail"
USE_CASE = "send an email to a person"
PROFILE = "GMAIL_GET_PROFILE"
UPLOAD = "upload_to_composio"
MAIL = phrases("mail")
OTHER = phrases("other")
HOW = re.compile(r"^\W*(?:how|what|why|when|who|explain)\b", re.IGNORECASE)
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
SAYS = re.compile(r"(?:\bthat says\b|\bsaying\b|\bthat\b|:)\s+[\"“]?(?P<text>.+?)[\"”]?\s*$", re.S)
OWN = re.compile(r"\b(?:me|us|my)\b")
REPORT_TITLE = re.compile(r"The report “([^”]+)”")
CITATIONS = re.compile(r"^The report “.*$| \(\[[^\]]+\]\([^)]+\)\)| \[\d+\]", re.MULTILINE)
REPORT_FILE = re.compile(r"work_products/[^\s\"]+\.html")
CONNECTED = re.compile(r"\[Authentication completed|\"active\"")
TO_WHOM = "Which email address should the mail go to?"
ONLY_MAIL = (
    "The stand-in model of this sandbox runs one errand in people's apps, sending a mail, so I did "
    "nothing. Set ANTHROPIC_API_KEY to connect a model that runs the others."
)
NO_CONTENT = "There is nothing to mail, so I did nothing else."
UNKNOWN = (
    "I do not know whether the mail was sent: the call was interrupted, so it may or may not have "
    "been carried out. Please look before you ask for it once more."
)
NOT_SENT = "The mail was not sent: {why}."


@dataclass(frozen=True, slots=True, kw_only=True)
class MailContent:
    """An answer or a report to be mailed."""

    text: str = ""
    title: str = ""
    is_report: bool = False


def is_asked_for(words: str) -> bool:
    """Whether a request wants something done in an app, and not told how it is done."""
    return not HOW.match(words) and bool(MAIL.search(words) or OTHER.search(words))


def decide(dialogue: Dialogue) -> StandInReply | None:
    """The next call, or how the errand ended; None where there is none."""
    now = dialogue.now
    if not is_asked_for(now.words):
        return None
    mail = MAIL.search(now.words)
    if mail is None:
        return say(ONLY_MAIL)
    dictated = SAYS.search(now.words, mail.start())
    head = now.words[: dictated.start()] if dictated else now.words
    said = dictated["text"] if dictated else ""
    if SEARCHES.search(head) and stems(topic_of(now.words)):
        return _research_and_mail(dialogue, head, said)
    return _carry_out(dialogue, _earlier_content(dialogue), head, said)


def _research_and_mail(dialogue: Dialogue, head: str, said: str) -> StandInReply:
    """The next step of the research, then of the mail with its result."""
    work = report.decide(dialogue)
    if not all(isinstance(block, ReplyText) for block in work):
        return work
    text = "".join(block.text for block in work if isinstance(block, ReplyText))
    if not dialogue.now.done("Task", "crawl_parallel") or "No report was written" in text:
        return say(f"{text}\n\n{NO_CONTENT}")
    content = _content_of(text, report.read_brief(dialogue).topic)
    step = _carry_out(dialogue, content, head, said)
    if isinstance(step[0], ReplyText):
        return say(f"{text}\n\n{step[0].text}")
    return step


def _earlier_content(dialogue: Dialogue) -> MailContent:
    """The answer and the report of earlier in the thread, for "email me that"."""
    answers = [exchange.answer for exchange in dialogue.earlier if exchange.answer]
    if not answers:
        return MailContent()
    titles = REPORT_TITLE.findall("\n".join(answers))
    return _content_of(answers[-1], titles[-1] if titles else "")


def _content_of(answer: str, title: str) -> MailContent:
    """An answer as a mail can hold it: without the links of its sentences."""
    text = CITATIONS.sub("", answer)
    text = re.sub(r"\n{3,}", "\n\n", text)
    text = re.sub(r"\\([\W_])", r"\1", text)
    return MailContent(
        text=text.strip(),
        title=capitalised(title),
        is_report="The report “" in answer,
    )


def _carry_out(dialogue: Dialogue, content: MailContent, head: str, said: str) -> StandInReply:
    """The next call, or how the errand ended; one that has to stop says so."""
    runs = [call for call in dialogue.now.calls if _arguments_of(call, SLUG) is not None]
    if runs:
        return say(_ending(runs[-1]))
    step = _connect(dialogue) or _mail(dialogue, content, head, said)
    is_call = not isinstance(step[0], ReplyText)
    return step if dialogue.may_call_tools or not is_call else _not_sent("I had to stop")


def _connect(dialogue: Dialogue) -> StandInReply | None:
    """The search for the tool, then the connection of its account; None once both are there."""
    now = dialogue.now
    if not {"SEARCH_TOOLS", BATCH_TOOL} <= dialogue.tools.keys():
        return _not_sent("I have no tool for it")
    searches = now.done("SEARCH_TOOLS")
    if not searches:
        queries = [{"use_case": USE_CASE}]
        return (dialogue.use("SEARCH_TOOLS", queries=queries, session={"generate_id": True}),)
    if SLUG not in searches[-1].result:
        return _not_sent("I have no tool for it")
    connections = now.done("MANAGE_CONNECTIONS")
    if connections and not CONNECTED.search(connections[-1].result):
        return _not_sent("the account of Gmail was not connected")
    is_active = any(
        status.get("toolkit") == TOOLKIT and status.get("has_active_connection")
        for status in objects_in(searches[-1:])
    )
    if connections or is_active:
        return None
    return (dialogue.use("MANAGE_CONNECTIONS", toolkits=[TOOLKIT]),)


def _mail(dialogue: Dialogue, content: MailContent, head: str, said: str) -> StandInReply:
    """The mail with its final arguments, or the next call to know them. Nothing is made up."""
    addresses = _recipients(dialogue, head)
    if not isinstance(addresses, list):
        return addresses
    mail: Json = {"recipient_email": addresses[0]}
    if addresses[1:]:
        mail["cc"] = addresses[1:]
    path = ""
    if content.is_report and not said and UPLOAD in dialogue.tools:
        listings = dialogue.now.done("list_local_files")
        if not listings:
            return (dialogue.use("list_local_files", path="work_products"),)
        path = "".join(REPORT_FILE.findall(listings[-1].result)[-1:])
    if not path:
        mail["subject"] = said[:70] or content.title or "A note"
        mail["body"] = said or content.text or mail["subject"]
        return dialogue.batch([(SLUG, mail)])
    uploads = dialogue.now.done(UPLOAD)
    if not uploads:
        app = {"tool_slug": SLUG, "toolkit_slug": TOOLKIT, "mime_type": "text/html"}
        return (dialogue.use(UPLOAD, path=path, **app),)
    mail["subject"] = f"Report: {content.title}"
    mail["body"] = f"Attached is “{content.title}”. In short:\n\n{content.text}"
    mail["attachment"] = {
        "name": path.rpartition("/")[2],
        "mimetype": "text/html",
        "s3key": as_text(uploads[-1].data.get("s3_key")),
    }
    return dialogue.batch([(SLUG, mail)])


def _recipients(dialogue: Dialogue, head: str) -> list[str] | StandInReply:
    """The addresses of the mail, or the next step to know them."""
    now = dialogue.now
    answers = now.done("ask_user")
    addresses = ADDRESS.findall(head)
    for call in answers[-1:]:
        addresses += ADDRESS.findall(call.result)
    if not addresses and OWN.search(head):
        profiles = [
            call for call in now.done(BATCH_TOOL) if _arguments_of(call, PROFILE) is not None
        ]
        if not profiles:
            return dialogue.batch([(PROFILE, {})])
        addresses = ADDRESS.findall(profiles[-1].result)[:1]
    elif not addresses and not answers and "ask_user" in dialogue.tools:
        return (dialogue.use("ask_user", question=TO_WHOM),)
    return addresses or _not_sent("I do not know the address")


def _arguments_of(call: PastCall, slug: str) -> Json | None:
    """The arguments with which a batch runs a tool; None where it does not."""
    entries: Sequence[Json] = call.arguments.get("tools", [])
    for entry in entries:
        if entry.get("tool_slug") == slug:
            return as_object(entry.get("arguments"))
    return None


def _ending(run: PastCall) -> str:
    """How the call ended, in words: success only where the result says so."""
    if run.is_lost:
        return UNKNOWN
    results = [each for each in objects_in([run]) if "response" in each]
    result = results[0] if results else Json()
    response = as_object(result.get("response"))
    if response.get("successful") is not True:
        why = result.get("error") or response.get("error")
        why = why or run.result.removeprefix("Not done: ").partition(". ")[0][:300]
        return NOT_SENT.format(why=why.strip().rstrip("."))
    mail = _arguments_of(run, SLUG) or {}
    sentence = f"The mail “{mail['subject']}” to {mail['recipient_email']} was sent"
    if "attachment" in mail:
        sentence += f", with {mail['attachment']['name']} attached"
    if account := as_object(run.data.get("acted_as")).get(TOOLKIT):
        sentence += f", as {account}"
    return f"{sentence}."


def _not_sent(why: str) -> StandInReply:
    return say(NOT_SENT.format(why=why))
