"""Tool results as observers get them, with the shapes that services send."""

import json
from datetime import UTC, datetime
from pathlib import Path

from agent_core.ids import ROOT_RUN, SessionId, ToolCallId, TurnId, UserId
from agent_core.messages import JsonObject, ToolCall
from agent_core.observers import ToolObserved
from agent_core.tools import ToolContext, ToolOutput

FINISHED = datetime(2026, 11, 21, 14, 31, 15, 123456, tzinfo=UTC)


def observed(
    workspace: Path,
    tool: str,
    result: object,
    *,
    arguments: JsonObject | None = None,
    call_id: str = "toolu_1",
    turn: str = "t",
    is_error: bool = False,
) -> ToolObserved:
    text = result if isinstance(result, str) else json.dumps(result)
    return ToolObserved(
        call=ToolCall(id=ToolCallId(call_id), name=tool, arguments=arguments or {}),
        output=ToolOutput(text=text, is_error=is_error, size_bytes=len(text), finished_at=FINISHED),
        context=ToolContext(
            session=SessionId("s"),
            turn=TurnId(turn),
            run=ROOT_RUN,
            asker=UserId("T1:U1"),
            workspace=workspace,
        ),
    )


def enveloped(data: object) -> JsonObject:
    """Composio's envelope of a tool's data."""
    return {"data": data, "error": None, "successful": True}


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def only_file(workspace: Path, directory: str) -> JsonObject:
    files = list((workspace / directory).iterdir())
    assert len(files) == 1, files
    return json.loads(files[0].read_text(encoding="utf-8"))
