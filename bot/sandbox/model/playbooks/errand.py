"""Playbook: the one errand that the stand-in runs, a mail, through Composio's meta tools.

It looks for the tool, connects the account, and makes the call with its final arguments; the
product asks for approval. The answer claims only what a result says was done.
"""

import re
from dataclasses import dataclass

from bot.sandbox.model.dialogue import (
    BATCH_TOOL,
    REPORT_FILE,
    REPORT_TITLE,
    SEARCHES,
    Dialogue,
    PastCall,
    objects_in,
    say,
    topic_of,
)
from bot.sandbox.model.message import Json, ReplyText, StandInReply, as_object
from bot.sandbox.model.playbooks import research
from bot.sandbox.model.quoting import capitalised, phrases, stems

SLUG = "GMAIL_SEND_EMAIL"
TOOLKIT = "gmail"
USE_CASE = "send an email to a person"
PROFILE = "GMAIL_GET_PROFILE"
UPLOAD = "upload_to_composio"
MAIL = phrases("mail")
OTHER = phrases("other")
HOW = re.compile(r"(?i)^\W*(?:how|what|why|when|who|explain)\b")
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
SAYS = re.compile(r"(?s)(?:\bthat says\b|\bsaying\b|\bthat\b|:)\s+[\"“]?(?P<text>.+?)[\"”]?\s*$")
OWN = re.compile(r"\b(?:me|us|my)\b")
CITATIONS = re.compile(r"(?m)^The report “.*$| \(\[[^\]]+\]\([^)]+\)\)| \[\d+\]")
PRINTED_REPORT = re.compile(r"work_products/[^\s\"]+\.pdf")
HAS_ACCOUNT = re.compile(r"\"has_active_connection\":\s*true")
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
    """What is to be mailed: a dictated text, an answer, or a report."""

    text: str = ""
    title: str = ""
    is_report: bool = False


def is_asked_for(words: str) -> bool:
    """Whether a request wants something done in an app, and not told how it is done."""
    if HOW.match(words):
        return False
    errand = MAIL.search(words) or OTHER.search(words)
    return errand is not None


def decide(dialogue: Dialogue) -> StandInReply | None:
    """The next call, or how the errand ended; None where there is none."""
    words = dialogue.now.words
    if not is_asked_for(words):
        return None
    mail = MAIL.search(words)
    if mail is None:
        return say(ONLY_MAIL)
    dictated = SAYS.search(words, mail.start())
    if dictated:
        text = dictated["text"]
        content = MailContent(text=text, title=text[:70])
        return _carry_out(dialogue, content, words[: dictated.start()])
    if SEARCHES.search(words) and stems(topic_of(words)):
        return _research_and_mail(dialogue, words)
    answers = [exchange.answer for exchange in dialogue.earlier if exchange.answer]
    titles = REPORT_TITLE.findall("\n".join(answers))
    content = _content_of(["", *answers][-1], ["", *titles][-1])
    return _carry_out(dialogue, content, words)


def _research_and_mail(dialogue: Dialogue, words: str) -> StandInReply:
    """The next step of the research, then of the mail with its result."""
    work = research.decide(dialogue)
    if not isinstance(work[0], ReplyText):
        return work
    text = work[0].text
    if not dialogue.now.done("Task", "crawl_parallel") or "No report was written" in text:
        return say(f"{text}\n\n{NO_CONTENT}")
    content = _content_of(text, research.read_brief(dialogue).topic)
    step = _carry_out(dialogue, content, words)
    if isinstance(step[0], ReplyText):
        return say(f"{text}\n\n{step[0].text}")
    return step


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


def _carry_out(
    dialogue: Dialogue,
    content: MailContent,
    words: str,
) -> StandInReply:
    """The next call, or how the errand ended; one that has to stop says so."""
    runs = _batches(dialogue, SLUG)
    if runs:
        return say(_ending(runs[-1]))
    step = _connect(dialogue) or _mail(dialogue, content, words)
    if dialogue.may_call_tools or isinstance(step[0], ReplyText):
        return step
    return _not_sent("I had to stop")


def _batches(dialogue: Dialogue, slug: str) -> list[PastCall]:
    """The calls that run a tool of an app, those without a known result among them."""
    batches = [call for call in dialogue.now.calls if call.name == BATCH_TOOL]
    return [call for call in batches if slug in str(call.arguments)]


def _connect(dialogue: Dialogue) -> StandInReply | None:
    """The search for the tool, then the connection of its account; None once both are there."""
    searches = dialogue.now.done("SEARCH_TOOLS")
    can_run = {"SEARCH_TOOLS", BATCH_TOOL} <= dialogue.tools.keys()
    if can_run and not searches:
        queries = [{"use_case": USE_CASE}]
        return (
            dialogue.use(
                "SEARCH_TOOLS",
                queries=queries,
                session={"generate_id": True},
            ),
        )
    if not can_run or SLUG not in searches[-1].result:
        return _not_sent("I have no tool for it")
    for connection in dialogue.now.done("MANAGE_CONNECTIONS")[-1:]:
        if CONNECTED.search(connection.result):
            return None
        return _not_sent("the account of Gmail was not connected")
    if HAS_ACCOUNT.search(searches[-1].result):
        return None
    return (dialogue.use("MANAGE_CONNECTIONS", toolkits=[TOOLKIT]),)


def _mail(
    dialogue: Dialogue,
    content: MailContent,
    words: str,
) -> StandInReply:
    """The mail with its final arguments, or the next call to know them. Nothing is made up."""
    addresses = ADDRESS.findall(words)
    calls = dialogue.now.done("ask_user") + _batches(dialogue, PROFILE)
    for call in calls:
        addresses += ADDRESS.findall(call.result)
    addresses = list(dict.fromkeys(addresses))
    if not addresses:
        return _ask_address(dialogue, words)
    mail: Json = {"recipient_email": addresses[0]}
    if addresses[1:]:
        mail["cc"] = addresses[1:]
    path = ""
    if content.is_report and UPLOAD in dialogue.tools:
        listings = dialogue.now.done("list_local_files")
        if not listings:
            return (dialogue.use("list_local_files", path="work_products"),)
        paths = REPORT_FILE.findall(listings[-1].result)
        printed = PRINTED_REPORT.findall(listings[-1].result)
        path = ["", *paths, *printed][-1]
    if not path:
        mail["subject"] = content.title or "A note"
        mail["body"] = content.text or mail["subject"]
        return dialogue.batch([(SLUG, mail)])
    uploads = dialogue.now.done(UPLOAD)
    if not uploads:
        app = {"tool_slug": SLUG, "toolkit_slug": TOOLKIT, "mime_type": _kind_of(path)}
        return (dialogue.use(UPLOAD, path=path, **app),)
    mail["subject"] = f"Report: {content.title}"
    mail["body"] = f"Attached is “{content.title}”. In short:\n\n{content.text}"
    mail["attachment"] = {
        "name": path.rpartition("/")[2],
        "mimetype": _kind_of(path),
        "s3key": uploads[-1].data.get("s3_key", ""),
    }
    return dialogue.batch([(SLUG, mail)])


def _kind_of(path: str) -> str:
    return "application/pdf" if path.endswith(".pdf") else "text/html"


def _ask_address(dialogue: Dialogue, words: str) -> StandInReply:
    """The call that finds out the person's own address, or asks for another's; once."""
    is_own = OWN.search(words)
    if is_own and not _batches(dialogue, PROFILE):
        return dialogue.batch([(PROFILE, {})])
    if is_own or "ask_user" not in dialogue.tools or dialogue.now.done("ask_user"):
        return _not_sent("I do not know the address")
    return (dialogue.use("ask_user", question=TO_WHOM),)


def _ending(run: PastCall) -> str:
    """How the call ended, in words: success only where the result says so."""
    if run.is_lost:
        return UNKNOWN
    results = [entry for entry in objects_in([run]) if "response" in entry]
    result = [*results, Json()][0]
    response = as_object(result.get("response"))
    if response.get("successful") is not True:
        refusal = run.result.removeprefix("Not done: ").partition(". ")[0]
        why = result.get("error") or response.get("error") or refusal[:300]
        return NOT_SENT.format(why=why.strip().rstrip("."))
    mail = run.arguments["tools"][0]["arguments"]
    return f"The mail “{mail['subject']}” to {mail['recipient_email']} was sent."


def _not_sent(why: str) -> StandInReply:
    return say(NOT_SENT.format(why=why))
