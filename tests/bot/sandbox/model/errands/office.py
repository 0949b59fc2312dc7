"""An office beside the tiny world: apps behind a batch tool, with accounts, files and a person.

No tool of it has the name of a tool of the product, and no app tool that of a real one.
"""

import json
from dataclasses import dataclass, field, replace
from typing import Any, cast

from anthropic import AsyncAnthropic
from anthropic.types import Message, MessageParam, ToolParam, ToolResultBlockParam, ToolUseBlock

from tests.bot.sandbox.model.world import MAIN_TOOLS, TEXT, Agent, World, check, tool

Json = dict[str, Any]
SCHEMAS = tool(
    "what_it_takes",
    "Returns the input schemas of helpers by slug.",
    ("tool_slugs",),
    tool_slugs={"type": "array", "items": TEXT, "minItems": 1},
)
CONNECT = tool(
    "link_up",
    "Connects the person's accounts of apps, by toolkit slug.",
    ("toolkits",),
    toolkits={"type": "array", "items": TEXT, "minItems": 1},
    reinitiate_all={"type": "boolean", "default": False},
    session_id=TEXT,
)
UPLOAD = tool(
    "hand_in",
    "Upload a file of this session to get the s3 key that attachments need.",
    ("path",),
    path=TEXT,
    mime_type=TEXT,
    tool_slug=TEXT,
)
ASK = tool(
    "ring", "Ask the person in the thread one question and wait.", ("question",), question=TEXT
)
OFFICE_TOOLS: list[ToolParam] = [*MAIN_TOOLS, SCHEMAS, CONNECT, UPLOAD, ASK]
NULLABLE: Json = {"anyOf": [TEXT, {"type": "null"}], "default": None}
PAPER: Json = {
    "type": "object",
    "properties": {"name": TEXT, "mimetype": TEXT, "s3key": TEXT},
    "required": ["name", "mimetype", "s3key"],
}


def schema(required: tuple[str, ...] = (), /, **fields: Json) -> Json:
    return {
        "type": "object",
        "properties": fields,
        "required": list(required),
        "additionalProperties": False,
        "$defs": {"Paper": PAPER},
    }


@dataclass(frozen=True, kw_only=True)
class Helper:
    toolkit: str
    description: str
    schema: Json
    answer: Json = field(default_factory=dict[str, Any])
    is_full: bool = True


POST = Helper(
    toolkit="pigeon",
    description="Sends an email at once from the person's account. It cannot be taken back.",
    schema=schema(
        recipient_email={**NULLABLE, "description": "Address of the main recipient."},
        extra_recipients={"type": "array", "items": TEXT, "default": []},
        subject=NULLABLE,
        body=NULLABLE,
        user_id={"type": "string", "default": "me"},
        attachment={"anyOf": [{"$ref": "#/$defs/Paper"}, {"type": "null"}], "default": None},
    ),
    answer={"id": "m1", "labelIds": ["SENT"]},
)
WHOAMI = Helper(
    toolkit="pigeon",
    description="Returns the address of the account, which is the person's own address.",
    schema=schema(user_id={"type": "string", "default": "me"}),
    answer={"emailAddress": "ada@example.com"},
    is_full=False,
)
DIARY = Helper(
    toolkit="almanac",
    description="Creates an event in the person's calendar.",
    schema=schema(
        ("start_datetime",),
        summary=NULLABLE,
        start_datetime={"type": "string", "description": "YYYY-MM-DDTHH:MM:SS"},
        event_duration_hour={"type": "integer", "default": 0},
        event_duration_minutes={"type": "integer", "default": 30},
        timezone={"type": "string", "default": "UTC"},
        attendees={"type": "array", "items": TEXT, "default": []},
        description={"type": "string", "default": ""},
    ),
)
TRACKER = Helper(
    toolkit="quarry",
    description="Creates an issue in a repository as the connected account.",
    schema=schema(("owner", "repo", "title"), owner=TEXT, repo=TEXT, title=TEXT, body=TEXT),
    answer={"number": 7, "html_url": "https://quarry.test/acme/docks/7"},
)
HELPERS = {"XY_POST": POST, "XY_WHOAMI": WHOAMI, "XY_DIARY": DIARY, "XY_TRACK": TRACKER}
DECOY = Helper(
    toolkit="pigeon",
    description="Saves an email as a draft without sending it.",
    schema=schema(subject=NULLABLE),
)
ALL = {"pigeon": "ada@example.com", "almanac": "ada@example.com", "quarry": ""}
"""By app whose account is connected; one app needs none."""
PAGES = {
    f"https://site{n}.test/cranes": (
        f"# Harbour cranes in town {n}\n\nThe harbour cranes of town {n} lift {n}{n} tonnes a day. "
        f"The harbour cranes of town {n} were built by {n}00 people.\n\n"
        f"## Brakes\n\nThe harbour cranes of town {n} have {n} brakes made of steel and rubber.\n"
    )
    for n in range(1, 4)
}


@dataclass
class Office(World):
    """A world with apps; `gate` answers instead of an app tool, as a policy would."""

    helpers: dict[str, Helper] = field(default_factory=lambda: dict(HELPERS))
    connected: dict[str, str] = field(default_factory=lambda: {"pigeon": "ada@example.com"})
    """Toolkits with the address of their account; an empty address is not told."""
    consents: bool = True
    """Whether the person connects an account when asked to."""
    gate: list[str] = field(default_factory=list[str])
    replies: dict[str, str] = field(default_factory=dict[str, str])
    """What the person answers, by a word of the question."""
    upload_error: str = ""
    done: list[tuple[str, Json]] = field(default_factory=list[tuple[str, Json]])

    def run(self, name: str, arguments: Json) -> str:
        actions = {
            "what_it_takes": self._schemas,
            "link_up": self._connect,
            "hand_in": self._upload,
            "ring": self._answer,
        }
        if name not in actions:
            return super().run(name, arguments)
        self.called.append((name, arguments))
        return actions[name](arguments)

    def effects(self, slug: str) -> list[Json]:
        return [arguments for done, arguments in self.done if done == slug]

    def _discover(self, arguments: Json) -> str:
        cases = " ".join(query["use_case"] for query in arguments["queries"])
        if "search" in cases:
            return super()._discover(arguments)
        schemas = {slug: self._entry(slug, full=h.is_full) for slug, h in self.helpers.items()}
        toolkits = dict.fromkeys(helper.toolkit for helper in self.helpers.values())
        data = {
            "results": [{"index": 1, "primary_tool_slugs": list(self.helpers)}],
            "tool_schemas": schemas,
            "toolkit_connection_statuses": [self._status(toolkit) for toolkit in toolkits],
            "time_info": {"current_time_utc": "2026-11-22T09:00:00.000Z"},
            "session": {"id": "wf2"},
        }
        return _ok(data)

    def _entry(self, slug: str, *, full: bool) -> Json:
        helper = self.helpers[slug]
        entry = {"tool_slug": slug, "toolkit": helper.toolkit, "description": helper.description}
        return {**entry, "hasFullSchema": full, **({"input_schema": helper.schema} if full else {})}

    def _status(self, toolkit: str) -> Json:
        account = self.connected.get(toolkit)
        known = {"current_user_info": {"email": account}} if account else {}
        return {"toolkit": toolkit, "has_active_connection": account is not None, **known}

    def _schemas(self, arguments: Json) -> str:
        entries = {slug: self._entry(slug, full=True) for slug in arguments["tool_slugs"]}
        return _ok({"success": True, "tool_schemas": entries, "not_found": []})

    def _connect(self, arguments: Json) -> str:
        (toolkit,) = arguments["toolkits"]
        results = {toolkit: {"toolkit": toolkit, "status": "initiated"}}
        said = _ok({"results": results, "summary": {"failed_connections": 0}})
        if not self.consents:
            return f"{said}\n\nThe person does not want to connect {toolkit} now. Nothing was done."
        self.connected.setdefault(toolkit, "")
        return f"{said}\n\n[Authentication completed: {toolkit} connected.]"

    def _upload(self, arguments: Json) -> str:
        if self.upload_error:
            return self.upload_error
        key = f"keys/{arguments['path']}"
        return json.dumps({"s3_key": key, "s3_url": "https://s3.test/x", "local_path": "/x"})

    def _answer(self, arguments: Json) -> str:
        for word, reply in self.replies.items():
            if word in arguments["question"]:
                return f"Ada answered: {reply}"
        return "Nobody answered in time."

    def _batch(self, arguments: Json) -> str:
        entry = arguments["tools"][0]
        slug = entry["tool_slug"]
        if slug not in self.helpers:
            return super()._batch(arguments)
        if self.gate and slug != "XY_WHOAMI":
            return self.gate.pop(0)
        helper = self.helpers[slug]
        if helper.toolkit not in self.connected:
            error = f"No active connected account found for toolkit: {helper.toolkit}"
            return _failed(slug, error)
        check(entry["arguments"], helper.schema)
        self.done.append((slug, entry["arguments"]))
        response = {"successful": True, "data": helper.answer, "error": None}
        result = {"index": 0, "tool_slug": slug, "response": response, "error": None}
        return _ok({"results": [result], "success_count": 1, "error_count": 0})


@dataclass
class Clerk(Agent):
    """The bare agent; results of the gate are marked as errors, as the product's are."""

    note: str = ""
    """What the person writes once the first order was held back."""

    async def ask(self, text: str, max_steps: int = 25, *, note: str = "") -> str:
        self.note = note
        return await super().ask(text, max_steps)

    async def _reply(self) -> Message:
        last = self.messages[-1]
        if self.note and "somebody wrote" in str(last):
            blocks = [*cast(list[Any], last["content"]), {"type": "text", "text": self.note}]
            self.messages[-1] = cast(MessageParam, {"role": "user", "content": blocks})
            self.note = ""
        return await super()._reply()

    async def _result(self, use: ToolUseBlock) -> ToolResultBlockParam:
        result = await super()._result(use)
        text = str(result.get("content"))
        is_error = text.startswith(("Not done", "Error", "The program was restarted", "pigeon "))
        return cast(ToolResultBlockParam, {**result, "is_error": is_error})


def clerk(client: AsyncAnthropic, office: Office, tools: list[ToolParam] | None = None) -> Clerk:
    return Clerk(client=client, world=office, tools=tools or OFFICE_TOOLS)


def without(name: str) -> list[ToolParam]:
    return [offered for offered in OFFICE_TOOLS if offered["name"] != name]


def reference(helper: Helper) -> Helper:
    return replace(helper, is_full=False)


def failed(slug: str, error: str) -> str:
    return _failed(slug, error)


def _ok(data: Json) -> str:
    return json.dumps({"data": data, "error": None, "successful": True})


def _failed(slug: str, error: str) -> str:
    result = {"index": 0, "tool_slug": slug, "response": None, "error": error}
    data = {"results": [result], "success_count": 0, "error_count": 1}
    return json.dumps({"data": data, "error": "1 out of 1 tools failed", "successful": False})
