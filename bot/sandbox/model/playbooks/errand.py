"""Playbook: an errand in an app through Composio's meta tools: a mail, an event, an issue.

It looks for the tool, connects the account, and makes the call with its final arguments; the
product asks for approval. What a result does not say was done is never told as done.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from bot.sandbox.model.conversation import SEARCHES, Call, Conversation, topic_of
from bot.sandbox.model.message import Reply, Text, ToolUse
from bot.sandbox.model.playbooks import report
from bot.sandbox.model.sentences import stems
from bot.sandbox.model.wire import Json, as_list, as_object, as_text

ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
REPOSITORY = re.compile(r"\b(?P<owner>[\w.-]+)/(?P<repo>[\w.-]+)\b")
SAYS = re.compile(r"(?:\bthat says\b|\bsaying\b|\bthat\b|:)\s+[\"“]?(?P<text>.+?)[\"”]?\s*$", re.S)
TITLED = re.compile(
    r"\b(?:called|titled|named|about|on|for)\s+[\"“]?(?P<title>[^\"”,.]+?)[\"”]?"
    r"(?=\s+(?:in|at|on|tomorrow|today)\b|[,.\"”]|$)",
    re.IGNORECASE,
)
CLOCK = re.compile(r"\b(?P<h>\d{1,2})(?:[:.](?P<m>\d\d))?\s*(?P<half>am|pm)?\b(?![-/\d])", re.I)
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAY = re.compile(rf"\b\d{{4}}-\d\d-\d\d|\b(?:today|tomorrow|{'|'.join(DAYS)})\b", re.IGNORECASE)
TODAY = re.compile(r"\bToday is (?:\w+, )?(?P<day>\d{1,2} \w+ \d{4})")
REPORT_FILE = re.compile(r"work_products/[^\s\"]+\.html")
REASON = re.compile(r"rejected[\s:,]*(?:because|with the reason)?[\s:(“\"]*(?P<why>[^.”\")]*)")
MAX_TRIES = 3
UNKNOWN = (
    "I do not know whether the {thing} {done}: the call was interrupted, so it may or may not have "
    "been carried out. Please look before you ask for it once more."
)


@dataclass(frozen=True, slots=True)
class App:
    """One kind of errand: what people call it, the tool that does it, and how people ask for it."""

    thing: str
    done: str
    name: str
    toolkit: str
    slug: str
    use_case: str
    question: str
    """What is asked where the request does not say enough."""
    asked: str


INBOX = App(
    "list of mails", "was read", "Gmail", "gmail", "GMAIL_FETCH_EMAILS",
    "read the newest emails", "",
    r"\b(?:list|show|read|check|any|newest|latest)\b.{0,40}\b(?:e?-?mails|inbox)\b",
)  # fmt: skip
EVENT = App(
    "event", "is in the calendar", "Google Calendar", "googlecalendar",
    "GOOGLECALENDAR_CREATE_EVENT", "create an event in the person's calendar",
    "On which day and at what time?",
    r"\b(?:put|add|enter|schedule|book|create|make)\b.{0,80}\b(?:calendar|meeting|event|appointment)\b",
)  # fmt: skip
ISSUE = App(
    "issue", "was created", "GitHub", "github", "GITHUB_CREATE_AN_ISSUE",
    "create an issue in a GitHub repository", "In which repository (owner/name)?",
    r"\b(?:create|open|file|raise|add|make)\b.{0,40}\b(?:issue|ticket)\b",
)  # fmt: skip
MAIL = App(
    "mail", "was sent", "Gmail", "gmail", "GMAIL_SEND_EMAIL", "send an email to a person",
    "Which email address should the mail go to?",
    r"\be?-?mail\s+(?:me|us|it|this|that|the|\S+@|[A-Z])|\bby e?-?mail\b|"
    r"\b(?:send|write)\b.{0,60}(?:\be?-?mail\b|@)",
)  # fmt: skip
APPS = (INBOX, EVENT, ISSUE, MAIL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found out before the errand."""

    text: str = ""
    title: str = ""
    path: str = ""


def find(words: str) -> list[App]:
    """The errands that a request asks for; none where it asks how something is done."""
    is_question = re.match(r"^\W*(?:how|what|why|when|who|explain)\b", words, re.IGNORECASE)
    return [app for app in APPS if re.search(app.asked, words, re.I) and not is_question]


def decide(conversation: Conversation) -> Reply | None:
    """The next call, or how each errand ended; None where there is none."""
    now = conversation.now
    apps = find(now.words)
    begins = [m.start() for app in apps if (m := re.search(app.asked, now.words, re.I))]
    said = SAYS.search(now.words, min(begins, default=0))
    head = now.words[: said.start()] if said else now.words
    if not apps:
        return None
    found, told = _found_before(conversation), list[str]()
    if INBOX not in apps and SEARCHES.search(head) and stems(topic_of(now.words)):
        reply = report.decide(conversation)
        text = "".join(block.text for block in reply.blocks if isinstance(block, Text))
        if any(isinstance(block, ToolUse) for block in reply.blocks):
            return reply
        if not now.done("Task", "crawl_parallel") or "No report was written" in text:
            return conversation.say(
                f"{text}\n\nThere is nothing to pass on, so I did nothing else."
            )
        found, told = _found_in(text, report.read_brief(conversation).topic), [text]
    for app in apps:
        step = _carry_out(conversation, app, found, head, said["text"] if said else "")
        if isinstance(step, Reply):
            return (
                step
                if conversation.may_call_tools
                else conversation.say(_not_done(app, "I had to stop"))
            )
        told.append(step)
    return conversation.say("\n\n".join(told))


def _found_before(conversation: Conversation) -> Found:
    """The answer and the report of earlier in the thread, for "email me that"."""
    answers = [each.answer for each in conversation.earlier if each.answer]
    titles = re.findall(r"The report “([^”]+)”", "\n".join(answers))
    return _found_in(answers[-1], "".join(titles[-1:])) if answers else Found()


def _found_in(answer: str, title: str) -> Found:
    """An answer as a mail can hold it: without the links of its sentences."""
    text = re.sub(r"^The report “.*$| \(\[[^\]]+\]\([^)]+\)\)| \[\d+\]", "", answer, flags=re.M)
    text = re.sub(r"\\([\W_])", r"\1", re.sub(r"\n{3,}", "\n\n", text)).strip()
    path = "".join(REPORT_FILE.findall(answer)[-1:])
    return Found(text=text, title=title[:1].upper() + title[1:], path=path)


def _carry_out(
    conversation: Conversation, app: App, found: Found, head: str, said: str
) -> Reply | str:
    """The next call for an errand, or how it ended."""
    now = conversation.now
    looked = [call for call in now.done("SEARCH_TOOLS") if app.use_case in str(call.arguments)]
    if not {"SEARCH_TOOLS", "MULTI_EXECUTE_TOOL"} <= conversation.tools.keys():
        return _not_done(app, "I have no tool for it")
    if not looked:
        queries = [{"use_case": app.use_case}]
        looking = conversation.use("SEARCH_TOOLS", queries=queries, session={"generate_id": True})
        return conversation.call(looking, thought="Looking for a tool for this.")
    runs = [call for call in now.calls if _entry(call, app.slug)]
    if app.slug not in looked[-1].result or (runs and not _may_try_again(runs)):
        return _ending(app, runs[-1]) if runs else _not_done(app, "I found no tool for it")
    connected = [
        call for call in now.done("MANAGE_CONNECTIONS") if app.toolkit in str(call.arguments)
    ]
    states = [each for each in looked[-1].objects() if each.get("toolkit") == app.toolkit]
    if not connected and not any(each.get("has_active_connection") is True for each in states):
        connecting = conversation.use("MANAGE_CONNECTIONS", toolkits=[app.toolkit])
        return conversation.call(connecting, thought=f"Connecting {app.name}.")
    if connected and not re.search(r"\[Authentication completed|\"active\"", connected[-1].result):
        return _not_done(app, f"the account of {app.name} was not connected")
    arguments = _arguments(conversation, app, found, head, said)
    return _run(conversation, app.slug, arguments) if isinstance(arguments, dict) else arguments


def _run(conversation: Conversation, slug: str, arguments: Json) -> Reply:
    entry = {"tool_slug": slug, "arguments": arguments}
    batch = conversation.use("MULTI_EXECUTE_TOOL", tools=[entry], sync_response_to_workbench=False)
    return conversation.call(batch, thought=f"Running {slug}.")


def _entry(call: Call, slug: str) -> Json:
    """The entry of a batch that runs a tool; empty where none does."""
    entries = [as_object(entry) for entry in as_list(call.arguments.get("tools"))]
    return next((entry for entry in entries if entry.get("tool_slug") == slug), Json())


def _may_try_again(runs: list[Call]) -> bool:
    """Whether the last try met a missing account, which is connected now."""
    last = runs[-1].result
    is_connected = "[Authentication completed" in last and '"successful": true' not in last
    return is_connected and len(runs) < MAX_TRIES


def _arguments(
    conversation: Conversation, app: App, found: Found, head: str, said: str
) -> Json | Reply | str:
    """The final arguments; or the next call that is needed to know them. Nothing is made up."""
    asked = [c for c in conversation.now.done("ask_user") if app.question in c.arguments.values()]
    known = f"{head} {report.ANSWERED.sub('', asked[-1].result) if asked else ''}"
    titled = TITLED.search(head)
    title = titled["title"].strip() if titled else ""
    place, start = REPOSITORY.search(known), _moment(known, conversation.system)
    if app is INBOX:
        return {"max_results": 5}
    if app is EVENT and start:
        written = start.strftime("%Y-%m-%dT%H:%M:%S")
        return {"summary": title or said[:70] or "Appointment", "start_datetime": written}
    if app is ISSUE and place:
        subject = said[:70] or title or found.title or "Issue"
        return {**place.groupdict(), "title": subject, "body": found.text}
    if app is MAIL and (ADDRESS.search(known) or re.search(r"\b(?:me|us|my)\b", head)):
        return _mail(conversation, found, ADDRESS.findall(known), said)
    if asked or "ask_user" not in conversation.tools:
        return _not_done(app, "I do not know enough for it")
    question = conversation.use("ask_user", question=app.question)
    return conversation.call(question, thought="Something is missing.")


def _mail(
    conversation: Conversation, found: Found, addresses: list[str], said: str
) -> Json | Reply | str:
    """A mail to the addresses, or to the asker's own; with the report attached if there is one."""
    batches, uploads = (
        conversation.now.done(n) for n in ("MULTI_EXECUTE_TOOL", "upload_to_composio")
    )
    profiles = [call for call in batches if _entry(call, "GMAIL_GET_PROFILE")]
    if not addresses and not profiles:
        return _run(conversation, "GMAIL_GET_PROFILE", {})
    to = addresses or ADDRESS.findall(profiles[-1].result)[:1]
    if not to:
        return _not_done(MAIL, "I do not know your address")
    subject = f"Report: {found.title}" if found.path else said[:70] or found.title or "A note"
    lead = f"Attached is “{found.title}”. In short:\n\n" if found.path else ""
    mail: Json = {"recipient_email": to[0], "subject": subject}
    mail |= {"body": said or f"{lead}{found.text}" or subject, **({"cc": to[1:]} if to[1:] else {})}
    if not found.path or said or "upload_to_composio" not in conversation.tools:
        return mail
    if not uploads:
        app = {"tool_slug": MAIL.slug, "toolkit_slug": MAIL.toolkit}
        upload = conversation.use(
            "upload_to_composio", path=found.path, mime_type="text/html", **app
        )
        return conversation.call(upload, thought="Uploading the report to attach it.")
    file = {"name": found.path.rpartition("/")[2], "mimetype": "text/html"}
    key = as_text(uploads[-1].data.get("s3_key"))
    return (
        {**mail, "attachment": {**file, "s3key": key}}
        if key
        else _not_done(MAIL, "the upload failed")
    )


def _moment(words: str, system: str) -> datetime | None:
    """The day and the time that words name; None where one of them is missing."""
    day, today = DAY.search(words), TODAY.search(system)
    clock = CLOCK.search(DAY.sub(" ", words))
    if day is None or clock is None:
        return None
    date, name = datetime.now(UTC), day[0].casefold()
    if today:
        date = datetime.strptime(today["day"], "%d %B %Y").replace(tzinfo=UTC)
    if name in DAYS:
        date += timedelta(days=(DAYS.index(name) - date.weekday() - 1) % 7 + 1)
    elif name[0].isdigit():
        date = datetime.fromisoformat(name)
    date += timedelta(days=name == "tomorrow")
    hour = int(clock["h"])
    if clock["half"]:
        hour = hour % 12 + 12 * (clock["half"].casefold() == "pm")
    return date.replace(hour=hour % 24, minute=int(clock["m"] or 0), second=0)


def _ending(app: App, run: Call) -> str:
    """How a call ended, in words: success only where the result says so."""
    results = as_list(as_object(run.data.get("data")).get("results"))
    answer = as_object(results[0]) if results else {}
    response = as_object(answer.get("response"))
    if run.is_lost:
        return UNKNOWN.format(thing=app.thing, done=app.done)
    if response.get("successful") is True:
        return _done(app, run, as_object(response.get("data")))
    error = as_text(answer.get("error")) or as_text(response.get("error")) or run.result[:300]
    for sign, why in (
        ("nobody approved", "nobody approved it in time"),
        ("somebody wrote", "you wrote something else before it was approved"),
        ("does not want", f"the account of {app.name} was not connected"),
    ):
        if sign in run.result:
            return _not_done(app, why)
    if reason := REASON.search(run.result if not run.data else ""):
        why = reason["why"].strip()
        return _not_done(app, "it was not approved" + (f", with the reason “{why}”" if why else ""))
    return _not_done(app, error.strip().rstrip("."))


def _done(app: App, run: Call, data: Json) -> str:
    if app is INBOX:
        mails = [as_object(mail) for mail in as_list(data.get("messages"))]
        return "\n".join(
            ["Your newest mails:", *(f"- {m.get('subject')} ({m.get('sender')})" for m in mails)]
        )
    made = as_object(_entry(run, app.slug).get("arguments"))
    title = made.get("subject") or made.get("summary") or made.get("title")
    to = f" to {made['recipient_email']}" if app is MAIL else ""
    when = f" on {made['start_datetime'].replace('T', ' ')[:16]} (UTC)" if app is EVENT else ""
    file = as_text(as_object(made.get("attachment")).get("name"))
    account = as_text(as_object(run.data.get("acted_as")).get(app.toolkit))
    link = as_text(data.get("html_url") or data.get("htmlLink"))
    told = f"The {app.thing} “{title}”{to}{when} {app.done}"
    told += (f", with {file} attached" if file else "") + (f", as {account}" if account else "")
    return f"{told}: {link}" if link else f"{told}."


def _not_done(app: App, why: str) -> str:
    undone = re.sub(r"^(was|is)\b", r"\1 not", app.done)
    return f"The {app.thing} {undone}: {why}."
