"""Playbook: the one errand that the stand-in runs, a mail, through Composio's meta tools.

It looks for the tool, connects the account, and makes the call with its final arguments; the
product asks for approval. What a result does not say was done is never told as done.
"""

import re
from dataclasses import dataclass

from bot.sandbox.model.conversation import SEARCHES, Dialogue, PastCall, say, topic_of
from bot.sandbox.model.message import ReplyText, StandInReply, ToolUse
from bot.sandbox.model.playbooks import report
from bot.sandbox.model.sentences import phrases, stems
from bot.sandbox.model.wire import Json, as_list, as_object, as_text

SLUG, TOOLKIT, USE_CASE = "GMAIL_SEND_EMAIL", "gmail", "send an email to a person"
PROFILE = "GMAIL_GET_PROFILE"
MAIL = phrases("mail")
OTHER = phrases("other")
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
SAYS = re.compile(r"(?:\bthat says\b|\bsaying\b|\bthat\b|:)\s+[\"“]?(?P<text>.+?)[\"”]?\s*$", re.S)
REPORT_FILE = re.compile(r"work_products/[^\s\"]+\.html")
CONNECTED = r"\[Authentication completed|\"active\""
TO_WHOM = "Which email address should the mail go to?"
ONLY_MAIL = (
    "The stand-in model of this sandbox runs one errand in people's apps, sending a mail, so I did "
    "nothing. Set ANTHROPIC_API_KEY to connect a model that runs the others."
)
UNKNOWN = (
    "I do not know whether the mail was sent: the call was interrupted, so it may or may not have "
    "been carried out. Please look before you ask for it once more."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailContent:
    """What was found out before the errand."""

    text: str = ""
    title: str = ""
    is_report: bool = False


def is_asked_for(words: str) -> bool:
    """Whether a request wants something done in an app, and not told how it is done."""
    is_question = re.match(r"^\W*(?:how|what|why|when|who|explain)\b", words, re.IGNORECASE)
    return not is_question and bool(MAIL.search(words) or OTHER.search(words))


def decide(conversation: Dialogue) -> StandInReply | None:
    """The next call, or how the errand ended; None where there is none."""
    now = conversation.now
    if not is_asked_for(now.words):
        return None
    asked = MAIL.search(now.words)
    if asked is None:
        return say(ONLY_MAIL)
    said = SAYS.search(now.words, asked.start())
    head = now.words[: said.start()] if said else now.words
    found, told = _found_before(conversation), list[str]()
    if SEARCHES.search(head) and stems(topic_of(now.words)):
        reply = report.decide(conversation)
        text = "".join(block.text for block in reply if isinstance(block, ReplyText))
        if any(isinstance(block, ToolUse) for block in reply):
            return reply
        if not now.done("Task", "crawl_parallel") or "No report was written" in text:
            return say(f"{text}\n\nThere is nothing to mail, so I did nothing else.")
        found, told = _found_in(text, report.read_brief(conversation).topic), [text]
    step = _carry_out(conversation, found, head, said["text"] if said else "")
    if isinstance(step, str):
        return say("\n\n".join([*told, step]))
    return step if conversation.may_call_tools else say(_not_sent("I had to stop"))


def _found_before(conversation: Dialogue) -> MailContent:
    """The answer and the report of earlier in the thread, for "email me that"."""
    answers = [each.answer for each in conversation.earlier if each.answer]
    titles = re.findall(r"The report “([^”]+)”", "\n".join(answers))
    return _found_in(answers[-1], "".join(titles[-1:])) if answers else MailContent()


def _found_in(answer: str, title: str) -> MailContent:
    """An answer as a mail can hold it: without the links of its sentences."""
    text = re.sub(r"^The report “.*$| \(\[[^\]]+\]\([^)]+\)\)| \[\d+\]", "", answer, flags=re.M)
    text = re.sub(r"\\([\W_])", r"\1", re.sub(r"\n{3,}", "\n\n", text)).strip()
    is_report = "The report “" in answer
    return MailContent(text=text, title=title[:1].upper() + title[1:], is_report=is_report)


def _carry_out(
    conversation: Dialogue, found: MailContent, head: str, said: str
) -> StandInReply | str:
    """The next call, or how it ended."""
    now = conversation.now
    if runs := [call for call in now.calls if _runs(call, SLUG)]:
        return _ending(runs[-1])
    looked, connected = now.done("SEARCH_TOOLS"), now.done("MANAGE_CONNECTIONS")
    has_tools = {"SEARCH_TOOLS", "MULTI_EXECUTE_TOOL"} <= conversation.tools.keys()
    if not has_tools or (looked and SLUG not in looked[-1].result):
        return _not_sent("I have no tool for it")
    if not looked:
        queries, task = [{"use_case": USE_CASE}], {"generate_id": True}
        return (conversation.use("SEARCH_TOOLS", queries=queries, session=task),)
    if connected and not re.search(CONNECTED, connected[-1].result):
        return _not_sent("the account of Gmail was not connected")
    is_active = any(
        each.get("toolkit") == TOOLKIT and each.get("has_active_connection")
        for each in looked[-1].objects()
    )
    if not (connected or is_active):
        return (conversation.use("MANAGE_CONNECTIONS", toolkits=[TOOLKIT]),)
    return _mail(conversation, found, head, said)


def _mail(conversation: Dialogue, found: MailContent, head: str, said: str) -> StandInReply | str:
    """The mail with its final arguments, or the next call to know them. Nothing is made up."""
    now = conversation.now
    asked = now.done("ask_user")
    to = ADDRESS.findall(f"{head} {asked[-1].result if asked else ''}")
    if not to and re.search(r"\b(?:me|us|my)\b", head):
        profiles = [call for call in now.done("MULTI_EXECUTE_TOOL") if _runs(call, PROFILE)]
        if not profiles:
            return conversation.batch([(PROFILE, {})])
        to = ADDRESS.findall(profiles[-1].result)[:1]
    elif not to and not asked and "ask_user" in conversation.tools:
        return (conversation.use("ask_user", question=TO_WHOM),)
    if not to:
        return _not_sent("I do not know the address")
    path = ""
    if found.is_report and not said and "upload_to_composio" in conversation.tools:
        listed = now.done("list_local_files")
        if not listed:
            return (conversation.use("list_local_files", path="work_products"),)
        path = "".join(REPORT_FILE.findall(listed[-1].result)[-1:])
    subject = f"Report: {found.title}" if path else said[:70] or found.title or "A note"
    lead = f"Attached is “{found.title}”. In short:\n\n" if path else ""
    mail: Json = {"recipient_email": to[0], "subject": subject}
    mail |= {"body": said or f"{lead}{found.text}" or subject, **({"cc": to[1:]} if to[1:] else {})}
    if path:
        uploads = now.done("upload_to_composio")
        if not uploads:
            app = {"tool_slug": SLUG, "toolkit_slug": TOOLKIT, "mime_type": "text/html"}
            return (conversation.use("upload_to_composio", path=path, **app),)
        file = {"name": path.rpartition("/")[2], "mimetype": "text/html"}
        mail["attachment"] = {**file, "s3key": as_text(uploads[-1].data.get("s3_key"))}
    return conversation.batch([(SLUG, mail)])


def _runs(call: PastCall, slug: str) -> Json:
    """The entry of a batch that runs a tool; empty where none does."""
    entries = [as_object(entry) for entry in as_list(call.arguments.get("tools"))]
    return next((entry for entry in entries if entry.get("tool_slug") == slug), Json())


def _ending(run: PastCall) -> str:
    """How the call ended, in words: success only where the result says so."""
    if run.is_lost:
        return UNKNOWN
    results = as_list(as_object(run.data.get("data")).get("results"))
    answer = as_object(results[0]) if results else {}
    response = as_object(answer.get("response"))
    if response.get("successful") is not True:
        error = as_text(answer.get("error")) or as_text(response.get("error"))
        return _not_sent(error or run.result.removeprefix("Not done: ").partition(". ")[0][:300])
    mail = as_object(_runs(run, SLUG).get("arguments"))
    file = as_text(as_object(mail.get("attachment")).get("name"))
    account = as_text(as_object(run.data.get("acted_as")).get(TOOLKIT))
    told = f"The mail “{mail['subject']}” to {mail['recipient_email']} was sent"
    told += (f", with {file} attached" if file else "") + (f", as {account}" if account else "")
    return f"{told}."


def _not_sent(why: str) -> str:
    return f"The mail was not sent: {why.strip().rstrip('.')}."
