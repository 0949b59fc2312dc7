"""Playbook of what has an effect: a mail, an event, an issue, a correction, a program.

The errands are data, in `errands.toml`. The product asks for approval of a call with its final
arguments, and the answer claims only what a result says was done.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

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
from bot.sandbox.model.playbooks.days import moment_in
from bot.sandbox.model.quoting import capitalised, escape, stems

CITATIONS = re.compile(r"(?m)^The report “.*$| \(\[[^\]]+\]\([^)]+\)\)| \[[\d#]+\]|\\(?=[\W_])")
CONNECTED = re.compile(r"\[Authentication completed|\"active\"")
IN_WORDS = ("address", "claim", "dictates", "event", "issue", "program", "repository")
"""Patterns whose groups are facts of a request."""
NAMED_CHARS = 150
"""So much of an answer's beginning names it."""
SUBJECT_CHARS = 70


class NotDone(Exception):
    """A errand cannot be done; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """A table of `errands.toml`."""

    tool: str
    arguments: Mapping[str, str]
    done: str
    failed: str
    app: str = ""
    use_case: str = ""
    ask: Mapping[str, str] = field(default_factory=dict[str, str])


_TABLES = tomllib.loads(Path(__file__).with_name("errands.toml").read_text(encoding="utf-8"))
ERRANDS = {name: Errand(**fields) for name, fields in _TABLES.items()}


def run(dialogue: Dialogue, names: Sequence[str]) -> str:
    """How those of the errands ended that a request names; empty where it names none."""
    words = dialogue.now.words
    errands = [ERRANDS[name] for name in names if find(name, words)]
    if not errands:
        return ""
    tools = [errand.tool for errand in errands]
    if any(call.is_lost for call in dialogue.now.calls if call.name in tools):
        return line("unknown")
    is_mail = ERRANDS["mail"] in errands
    findings = ""
    try:
        if is_mail and find("searches", words) and not find("dictates", words):
            findings = _look_up(dialogue)
        _connect(dialogue, [errand for errand in errands if errand.app])
        facts = _facts(dialogue)
        if is_mail:
            facts = _letter(
                dialogue,
                facts,
                findings,
            )
        facts |= _wanted(dialogue.now.notes)
        calls = [
            (
                errand.tool,
                _arguments(
                    dialogue,
                    errand,
                    facts,
                ),
            )
            for errand in errands
        ]
    except NotDone as why:
        return f"{findings}\n\n{why}".strip()
    endings = [findings]
    for errand, call in zip(
        errands,
        dialogue.side_by_side(calls),
        strict=True,
    ):
        ending = _ending(errand, call)
        endings.append(ending)
    return "\n\n".join(endings).strip()


def _wanted(notes: Sequence[str]) -> Json:
    """What people wanted otherwise while a call waited for its buttons."""
    facts: Json = {}
    for part in filter(None, (find("part", note) for note in notes)):
        facts |= {name: text for name, text in part.groupdict().items() if text}
    return facts


def _look_up(dialogue: Dialogue) -> str:
    """What there is to mail. Raises NotDone where there is nothing."""
    if not stems(topic_of(dialogue.now.words)):
        return ""
    findings = research.answer(dialogue)
    is_read = dialogue.now.done("Task", "crawl_parallel")
    if not is_read or "No report was written" in findings:
        nothing = line("no_content")
        raise NotDone(f"{findings}\n\n{nothing}")
    return findings


def _connect(dialogue: Dialogue, errands: Sequence[Errand]) -> None:
    """The search for the tools, then the connection of their accounts."""
    if not errands:
        return
    queries = [{"use_case": errand.use_case} for errand in errands]
    search = dialogue.call(
        "SEARCH_TOOLS",
        queries=queries,
        session={"generate_id": True},
    )
    if not all(errand.tool in search.result for errand in errands):
        raise NotDone(line("no_tool"))
    states = objects_in([search])
    connected = [state["toolkit"] for state in states if state.get("has_active_connection")]
    apps = [errand.app for errand in errands if errand.app not in connected]
    if apps and not CONNECTED.search(dialogue.call("MANAGE_CONNECTIONS", toolkits=apps).result):
        raise NotDone(line("not_connected"))


def _named(words: str) -> Json:
    """The facts that words name: the groups of the patterns."""
    facts: Json = {}
    for name in IN_WORDS:
        match = find(name, words)
        groups = match.groupdict() if match else {}
        facts |= {fact: text.strip() for fact, text in groups.items() if text}
    return facts


def _facts(dialogue: Dialogue) -> Json:
    """What a request says for the arguments of errands, and what stands above it."""
    now = dialogue.now
    facts = _named(now.words)
    facts["event"] = capitalised(facts.get("event") or facts.get("meeting", "Event"))
    facts["zone"] = now.sent.rpartition(" in ")[2] or "UTC"
    title = pattern("issue_frame").sub("", facts.pop("title", ""))
    if title:
        facts["title"] = capitalised(title)
    start = moment_in(now.words, now.sent_at)
    if start:
        facts["start"] = start.isoformat()
    answer = ["", *dialogue.answers][-1]
    facts["answer"] = answer[:NAMED_CHARS]
    titles = REPORT_TITLE.findall("\n".join(dialogue.answers))
    is_report = titles and find("report", now.words)
    facts["post"] = titles[-1] if is_report else facts["answer"]
    claim = facts.get("claim", now.words)
    facts["corrected"] = f"{answer}\n\n**Correction:** {escape(claim)}."
    return facts


def _letter(dialogue: Dialogue, facts: Json, findings: str) -> Json:
    """The text of a mail: as it is dictated, an answer, or a few words beside a report."""
    if "recipient" not in facts and find("own", dialogue.now.words):
        own = find("address", dialogue.call("GMAIL_GET_PROFILE").result)
        facts |= own.groupdict() if own else {}
    if "text" in facts:
        return {**facts, "subject": facts["text"][:SUBJECT_CHARS]}
    answers = [*dialogue.answers, findings]
    text = CITATIONS.sub("", findings or facts["answer"]).strip()
    titles = REPORT_TITLE.findall("\n".join(answers))
    facts["subject"] = [capitalised(topic_of(dialogue.now.words)) or "A note", *titles][-1]
    facts["text"] = text or facts["subject"]
    if titles and "upload_to_composio" in dialogue.tools:
        facts["text"] = line("report_mail", text=text)
        facts["attachment"] = _attachment(dialogue)
    return facts


def _attachment(dialogue: Dialogue) -> Json:
    """The report, as PDF where there is one, for the app that sends mails."""
    listing = dialogue.call("list_local_files", path="work_products").result
    path = max(REPORT_FILE.findall(listing), key=lambda path: path.endswith(".pdf"))
    kind = "application/pdf" if path.endswith(".pdf") else "text/html"
    mail = ERRANDS["mail"]
    upload = dialogue.call(
        "upload_to_composio",
        path=path,
        tool_slug=mail.tool,
        toolkit_slug=mail.app,
        mime_type=kind,
    )
    return {
        "name": path.rpartition("/")[2],
        "mimetype": kind,
        "s3key": upload.data.get("s3_key", ""),
    }


def _arguments(dialogue: Dialogue, errand: Errand, facts: Json) -> Json:
    """The final arguments of an errand. A person is asked for what is missing."""
    for fact, question in errand.ask.items():
        if fact not in facts:
            asked = dialogue.call("ask_user", question=question).result
            answer = ANSWERED.sub("", asked) if ANSWERED.match(asked) else ""
            start = moment_in(answer, dialogue.now.sent_at)
            known = {"start": start and start.isoformat(), "title": answer}
            facts |= known | _named(answer)
        if not facts.get(fact):
            raise NotDone(errand.failed.format(why=line("untold"), output=""))
    return {name: facts[fact] for name, fact in errand.arguments.items() if fact in facts}


def _ending(errand: Errand, call: PastCall) -> str:
    """How a call ended, in words: success only where the result says so."""
    entries = [entry for entry in objects_in([call]) if "response" in entry]
    entry = [*entries, Json()][0]
    response = as_object(entry.get("response"))
    is_done = response.get("successful") is True if errand.app else not call.is_error
    refusal = call.result.removeprefix("Not done: ").partition(". ")[0]
    why = entry.get("error") or response.get("error") or refusal or line("stopped")
    shown: Json = {"number": "", "html_url": "", "at": "", **call.arguments}
    shown |= as_object(response.get("data"))
    shown |= {"output": call.result, "why": why.strip().rstrip(".")}
    if "start_datetime" in shown:
        start = datetime.fromisoformat(shown["start_datetime"])
        shown["at"] = f"{start:%A, {start.day} %B, %H:%M}"
    return (errand.done if is_done else errand.failed).format(**shown)
