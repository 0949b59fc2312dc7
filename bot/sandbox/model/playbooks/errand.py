"""Playbook of errands in people's apps (a mail, an event, an issue) and of tables as files.

It looks for the tools, connects the accounts, and makes the calls with their final arguments; the
product asks for approval. The answer claims only what a result says was done.
"""

import calendar
import csv
import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from dateutil.relativedelta import relativedelta

from bot.sandbox.model.dialogue import (
    ANSWERED,
    REPORT_FILE,
    REPORT_TITLE,
    Dialogue,
    PastCall,
    objects_in,
    topic_of,
)
from bot.sandbox.model.message import Json, as_object
from bot.sandbox.model.phrases import find, line, pattern
from bot.sandbox.model.playbooks import research
from bot.sandbox.model.quoting import (
    best_quotes,
    blocks_of,
    capitalised,
    on_topic,
    share,
    stems,
)

ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
REPOSITORY = re.compile(r"\b([\w.-]+)/([\w.-]*\w)")
CITATIONS = re.compile(r"(?m)^The report “.*$| \(\[[^\]]+\]\([^)]+\)\)| \[\d+\]")
PRINTED_REPORT = re.compile(r"work_products/[^\s\"]+\.pdf")
CONNECTED = re.compile(r"\[Authentication completed|\"active\"")
NOON = 12
ROWS = 20


class NotDone(Exception):
    """An errand cannot be run; the text says why."""


def run(dialogue: Dialogue) -> str:
    """How the errands that a request names ended; empty where it names none."""
    words = dialogue.now.words
    errands = [name for name in ERRANDS if find(name, words)]
    if not errands or find("question", words):
        return ""
    text = ""
    is_dictated = find("dictates", words) is not None
    if "mail" in errands and find("searches", words) and not is_dictated and stems(topic_of(words)):
        text = research.answer(dialogue)
        if not dialogue.now.done("Task", "crawl_parallel") or "No report was written" in text:
            return f"{text}\n\n{line('no_content')}"
    lost = {call.name for call in dialogue.now.calls if call.is_lost}
    if lost & {ERRANDS[name].tool for name in errands}:
        return line("unknown")
    try:
        _connect(dialogue, errands)
        calls = [
            (ERRANDS[name].tool, _changed(ERRANDS[name].fill(dialogue, text), dialogue.now.notes))
            for name in errands
        ]
    except NotDone as why:
        return f"{text}\n\n{why}".strip()
    ended = zip(errands, dialogue.side_by_side(calls), strict=True)
    endings = [_ending(name, call) for name, call in ended]
    return "\n\n".join([text, *endings]).strip()


def _connect(dialogue: Dialogue, errands: list[str]) -> None:
    """The search for the tools, then the connection of their accounts."""
    queries = [{"use_case": ERRANDS[name].use_case} for name in errands]
    search = dialogue.call(
        "SEARCH_TOOLS",
        queries=queries,
        session={"generate_id": True},
    )
    if not all(ERRANDS[name].tool in search.result for name in errands):
        raise NotDone(line("no_tool"))
    apps = [ERRANDS[name].app for name in errands]
    for state in objects_in([search]):
        if state.get("has_active_connection") and state["toolkit"] in apps:
            apps.remove(state["toolkit"])
    if not apps:
        return
    connection = dialogue.call("MANAGE_CONNECTIONS", toolkits=apps)
    if not CONNECTED.search(connection.result):
        raise NotDone(line("not_connected"))


def _mail(dialogue: Dialogue, found: str) -> Json:
    """The mail with its final arguments: a dictated text, an answer, or a report."""
    words = dialogue.now.words
    dictated = find("dictates", words)
    mail = _recipients(dialogue, words[: dictated.start()] if dictated else words)
    if dictated:
        return {**mail, "subject": dictated["text"][:70], "body": dictated["text"]}
    answer = found or ["", *dialogue.answers][-1]
    text = re.sub(r"\n{3,}", "\n\n", CITATIONS.sub("", answer))
    text = re.sub(r"\\([\W_])", r"\1", text).strip()
    titles = REPORT_TITLE.findall("\n".join([*dialogue.answers, found]))
    title = [capitalised(topic_of(words)) or "A note", *titles][-1]
    path = _report_file(dialogue) if REPORT_TITLE.search(answer) else ""
    if not path:
        return {**mail, "subject": title, "body": text or title}
    kind = "application/pdf" if path.endswith(".pdf") else "text/html"
    app = {"tool_slug": "GMAIL_SEND_EMAIL", "toolkit_slug": "gmail", "mime_type": kind}
    upload = dialogue.call("upload_to_composio", path=path, **app)
    attachment = {
        "name": path.rpartition("/")[2],
        "mimetype": kind,
        "s3key": upload.data.get("s3_key", ""),
    }
    body = line("report_mail", title=title, text=text)
    return {**mail, "subject": f"Report: {title}", "body": body, "attachment": attachment}


def _recipients(dialogue: Dialogue, words: str) -> Json:
    """Whom a mail goes to, each once. Nobody is made up."""
    addresses = ADDRESS.findall(words)
    if not addresses and find("own", words):
        addresses = ADDRESS.findall(dialogue.call("GMAIL_GET_PROFILE").result)
    elif not addresses:
        addresses = ADDRESS.findall(_ask(dialogue, "to_whom"))
    if not addresses:
        raise NotDone(line("no_address"))
    to, *others = dict.fromkeys(addresses)
    return {"recipient_email": to, "cc": others} if others else {"recipient_email": to}


def _report_file(dialogue: Dialogue) -> str:
    """The path of the report, as PDF where there is one; empty where it cannot be attached."""
    if "upload_to_composio" not in dialogue.tools:
        return ""
    listing = dialogue.call("list_local_files", path="work_products").result
    return [
        "",
        *REPORT_FILE.findall(listing),
        *PRINTED_REPORT.findall(listing),
    ][-1]


def _changed(arguments: Json, notes: list[str]) -> Json:
    """The arguments as people wanted them while the call waited for its buttons."""
    for part in filter(None, (find("part", note) for note in notes)):
        wanted = {name: text for name, text in part.groupdict().items() if text}
        if wanted.keys() <= arguments.keys():
            arguments = arguments | wanted
    return arguments


def _event(dialogue: Dialogue, _found: str) -> Json:
    """The event, at the time that the words name on their author's clock."""
    words = dialogue.now.words
    start = _moment(dialogue, words) or _moment(dialogue, _ask(dialogue, "when_is_it"))
    if start is None:
        raise NotDone(line("no_time"))
    named = find("event", words)
    what = (named["what"] or named["meeting"] or "") if named else ""
    _, _, zone = dialogue.now.sent.rpartition(" in ")
    return {
        "summary": capitalised(re.sub(r"(?i)^(?:the|an?|our|my)\s+", "", what.strip())) or "Event",
        "start_datetime": start.isoformat(),
        "timezone": zone or "UTC",
        "attendees": ADDRESS.findall(what),
    }


def _moment(dialogue: Dialogue, words: str) -> datetime | None:
    """The next such moment after the message; None where the words name no day or no hour."""
    sent_at = dialogue.now.sent_at
    clock = clock_of(words)
    if sent_at is None or clock is None:
        return None
    ahead = {"today": relativedelta(), "tomorrow": relativedelta(days=1)}
    for weekday, name in enumerate(calendar.day_name):
        ahead[name.casefold()] = relativedelta(days=1, weekday=weekday)
    named = [step for name, step in ahead.items() if name in words.casefold()]
    hour, minute = clock
    return sent_at + named[0] + relativedelta(hour=hour, minute=minute) if named else None


def clock_of(words: str) -> tuple[int, int] | None:
    """The hour and the minute that words name; None where they name none."""
    clock = find("clock", words)
    if clock is None:
        return None
    hour = int(clock["h"])
    half = (clock["half"] or "").casefold()
    if half:
        hour = hour % NOON + (NOON if half == "pm" else 0)
    return hour, int(clock["m"] or 0)


def _issue(dialogue: Dialogue, _found: str) -> Json:
    words = dialogue.now.words
    named = find("issue", words)
    title = pattern("issue_frame").sub("", named["what"]).strip() if named else ""
    title = title or _ask(dialogue, "which_issue")
    repository = REPOSITORY.search(words) or REPOSITORY.search(_ask(dialogue, "which_repository"))
    if not title or repository is None:
        raise NotDone(line("no_issue"))
    return {
        "owner": repository[1],
        "repo": repository[2],
        "title": capitalised(title),
    }


def _ask(dialogue: Dialogue, question: str) -> str:
    """What the person says when they are asked; empty where nobody answers."""
    asked = dialogue.call("ask_user", question=line(question))
    return ANSWERED.sub("", asked.result) if ANSWERED.match(asked.result) else ""


def _ending(name: str, call: PastCall) -> str:
    """How a call ended, in words: success only where the result says so."""
    results = [entry for entry in objects_in([call]) if "response" in entry]
    result = [*results, Json()][0]
    response = as_object(result.get("response"))
    if response.get("successful") is True:
        data = as_object(response.get("data"))
        shown = {
            "number": "",
            "html_url": "",
            **call.arguments,
            **data,
        }
        if name == "event":
            start = datetime.fromisoformat(call.arguments["start_datetime"])
            shown["at"] = f"{start:%A, {start.day} %B, %H:%M}"
        return line(f"{name}_done", **shown)
    refusal = call.result.removeprefix("Not done: ").partition(". ")[0]
    why = result.get("error") or response.get("error") or refusal[:300] or line("stopped")
    return line(f"{name}_not_done", why=why.strip().rstrip("."))


@dataclass(frozen=True, slots=True)
class Errand:
    """Something that is done in an app."""

    app: str
    tool: str
    use_case: str
    fill: Callable[[Dialogue, str], Json]
    """Gives the final arguments, or raises NotDone."""


ERRANDS: Mapping[str, Errand] = {
    "mail": Errand(
        "gmail",
        "GMAIL_SEND_EMAIL",
        "send an email to a person",
        _mail,
    ),
    "event": Errand(
        "googlecalendar", "GOOGLECALENDAR_CREATE_EVENT", "create an event in a calendar", _event
    ),
    "issue": Errand(
        "github",
        "GITHUB_CREATE_AN_ISSUE",
        "create an issue on GitHub",
        _issue,
    ),
}
"""By the pattern of their words in `phrases.toml`."""


def write_table(dialogue: Dialogue) -> str:
    """A table of what the pages say, as a file for Excel."""
    words = dialogue.now.words
    topic = topic_of(pattern("table_words").sub(" ", words))
    if not stems(topic):
        return ""
    rows = _rows_on(dialogue, topic)
    if not rows[1:]:
        return line("nothing", topic=topic)
    table = io.StringIO()
    csv.writer(table).writerows([cell.strip() for cell in row] for row in rows)
    kind = "csv" if "csv" in words.casefold() else "xlsx"
    name = re.sub(r"\W+", "_", topic.casefold())
    path = f"work_products/{name}.{kind}"
    written = dialogue.call("write_local_file", path=path, content=table.getvalue())
    if not written.result.startswith("Success"):
        return line("no_table", why=written.result[:300])
    return line("table_ready", topic=topic, count=len(rows) - 1)


def _rows_on(dialogue: Dialogue, topic: str) -> list[list[str]]:
    """The best table of the pages on a topic, else their sentences; each row with its page."""
    hits = research.search(dialogue, [topic])
    pages = research.read_best(dialogue, topic, hits) if hits else []
    blocks = blocks_of(pages)
    sources = {page.n: page.url for page in pages}
    tables = [block for block in blocks if block.kind == "table" and share(topic, block.text)]
    if not tables:
        quotes = best_quotes(on_topic(blocks, topic), topic, ROWS)
        return [["What the page says", "Source"], *([text, sources[n]] for text, n in quotes)]
    best = max(tables, key=lambda block: share(topic, block.text))
    head, _, *body = [row.strip("| ").split("|") for row in best.sentences]
    return [[*head, "Source"], *([*row, sources[best.n]] for row in body)]
