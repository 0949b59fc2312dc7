"""The last steps of an errand: every field known, the file uploaded, the app tool run."""

import json

from bot.sandbox.model.arguments import field_holding, use
from bot.sandbox.model.conversation import Call
from bot.sandbox.model.errands.apps import AppTool, Found
from bot.sandbox.model.errands.composing import compose
from bot.sandbox.model.errands.errand import Errand
from bot.sandbox.model.errands.filling import Attached, Field, Filled, Values, fill_in
from bot.sandbox.model.errands.moves import Step, ask, make, not_done
from bot.sandbox.model.errands.results import objects_of, split_result
from bot.sandbox.model.searching import in_one_batch
from bot.sandbox.model.wire import Json, as_text

ASKED_TOGETHER = {"owner": "repo", "end": "start", "attendees": "recipient"}
KNOWN_ROLES = frozenset({"recipient", "start", "repo", "channel", "text"})
MAX_REASON_CHARS = 200


def fill_and_run(errand: Errand, found: Found, tool: AppTool) -> Step:
    """Run the tool once all its fields are known and the file lies ready."""
    values = compose(errand, found)
    filled = fill_in(tool.schema or {}, values)
    if gap := _ask_for_gap(errand, values, filled):
        return gap
    if errand.findings.path and filled.takes_file:
        if waiting := _upload(errand, tool):
            return waiting
        values = compose(errand, found, file=uploaded(errand))
        filled = fill_in(tool.schema or {}, values)
    return _run(errand, found, tool, filled)


def uploaded(errand: Errand) -> Attached | None:
    """The errand's file, where an upload brought its key."""
    for call in _uploads(errand):
        for entry in objects_of(call):
            if key := as_text(entry.get("s3_key")) or as_text(entry.get("s3key")):
                findings = errand.findings
                return Attached(name=findings.file_name, mimetype=findings.mimetype, s3key=key)
    return None


def _ask_for_gap(errand: Errand, values: Values, filled: Filled) -> Step:
    """A question for the first thing that is not known."""
    if not values.recipients and not errand.wording.to_me and errand.order.kind == "mail":
        for name in errand.wording.names:
            return ask(errand, "named", name=name)
    if errand.order.kind in ("mail", "message") and not (values.text or errand.findings.path):
        return ask(errand, "text")
    for field in filled.missing:
        role = ASKED_TOGETHER.get(field.role, field.role)
        if role in KNOWN_ROLES:
            return ask(errand, role)
        if not _answer(errand, field):
            return ask(errand, "other", field=field.name, about=_about(field))
    return None


def _upload(errand: Errand, tool: AppTool) -> Step:
    """The upload of the file, or its failure; None once it lies there."""
    if uploaded(errand):
        return None
    file = errand.findings.file_name
    if calls := _uploads(errand):
        return not_done(errand, "no_upload", file=file, why=_why(calls[-1]))
    uploader = errand.conversation.tool("upload_file")
    if uploader is None:
        return not_done(errand, "no_upload", file=file, why="no tool for it")
    wanted = {
        field_holding(uploader, "path", "file"): errand.findings.path,
        field_holding(uploader, "mime", "type"): errand.findings.mimetype,
        "tool_slug": tool.slug,
        "toolkit_slug": tool.toolkit,
    }
    uploading = use(uploader, wanted, topic=errand.findings.path)
    return make(errand, uploading, thought=f"Uploading {file} to attach it.")


def _uploads(errand: Errand) -> list[Call]:
    calls, path = errand.conversation.calls("upload_file"), errand.findings.path
    return [call for call in calls if path and path in call.arguments.values()]


def _why(call: Call) -> str:
    """Why an upload failed, in one line of its result."""
    errors = (as_text(entry.get("error")) for entry in objects_of(call))
    told = next(filter(None, errors), "") or split_result(call.result)[1]
    return told[:MAX_REASON_CHARS].strip(" .") or "no s3 key"


def _run(errand: Errand, found: Found, tool: AppTool, filled: Filled) -> Step:
    batch = errand.conversation.tool("execute_batch")
    if batch is None:
        return not_done(errand, "no_tool")
    answers = {field.name: _answer(errand, field) for field in filled.missing}
    entry: Json = {"tool_slug": tool.slug, "arguments": {**filled.arguments, **answers}}
    if found.account:
        entry["account"] = found.account
    running = in_one_batch(batch, [entry], found.session_id, "Carry out the order.")
    return make(errand, running, thought="Doing what was asked for.")


def _answer(errand: Errand, field: Field) -> object:
    """What the person answered for a field, as its type; empty where it does not fit."""
    told = errand.answer("other", field=field.name, about=_about(field)) or ""
    if field.spec.get("type", "string") == "string":
        return told
    try:
        return json.loads(told)
    except ValueError:
        return ""


def _about(field: Field) -> str:
    return as_text(field.spec.get("description"))
