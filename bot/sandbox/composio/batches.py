"""COMPOSIO_MULTI_EXECUTE_TOOL: several tools in one call, each with an outcome of its own."""

import asyncio
import json
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, cast

from pydantic import BaseModel, Field

from bot.sandbox.composio.faults import Faults
from bot.sandbox.composio.outcome import Data, Outcome
from bot.sandbox.composio.runner import Runner
from bot.sandbox.composio.sessions import Session, read_option
from bot.sandbox.composio.tools import Caller
from bot.sandbox.composio.workbench import MOUNT, RemoteFiles

OUTPUT_FOLDER = f"{MOUNT}/.composio/output"
PREVIEW_CHARS = 300
PREVIEW_ITEMS = 3


class BatchItem(BaseModel):
    """One tool to run."""

    tool_slug: Annotated[str, Field(description="A slug that COMPOSIO_SEARCH_TOOLS returned.")]
    arguments: Annotated[
        dict[str, Any], Field(description="The arguments as the tool's input schema asks.")
    ] = {}
    account: Annotated[
        str | None, Field(description="Which account to use where there are several.")
    ] = None


class BatchArguments(BaseModel):
    """Arguments of COMPOSIO_MULTI_EXECUTE_TOOL."""

    tools: Annotated[
        list[BatchItem],
        Field(min_length=1, max_length=50, description="The tools to run side by side."),
    ]
    sync_response_to_workbench: Annotated[
        bool, Field(description="Whether to keep the results as files; false for small results.")
    ]
    thought: Annotated[str | None, Field(description="Why these calls, in one sentence.")] = None
    current_step: Annotated[str | None, Field(description="A short name of the step.")] = None
    current_step_metric: Annotated[
        str | None, Field(description="Progress of the step, such as 2/5.")
    ] = None
    session_id: Annotated[str | None, Field(description="The id of the task.")] = None


class Batches:
    """Runs batches over the app tools; meta tools cannot be run in one."""

    def __init__(
        self,
        runner: Runner,
        files: RemoteFiles,
        faults: Faults,
        clock: Callable[[], datetime],
    ) -> None:
        self._runner = runner
        self._files = files
        self._faults = faults
        self._clock = clock

    async def execute(self, caller: Caller, arguments: BatchArguments) -> Outcome:
        """One result for each item in the order asked; a failed item does not stop the others."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._run(caller.session, item)) for item in arguments.tools]
        outcomes = [task.result() for task in tasks]
        failed = sum(not outcome.successful for outcome in outcomes)
        saved = self._save(caller, arguments, outcomes)
        results = [
            self._describe_item(index, item.tool_slug, outcome, shortened=index in saved)
            for index, (item, outcome) in enumerate(zip(arguments.tools, outcomes, strict=True))
        ]
        error = f"{failed} out of {len(outcomes)} tools failed" if failed else None
        if self._faults.bare_batch_items:
            return Outcome(data={"results": results}, error=error)
        data = {
            "results": results,
            "total_count": len(outcomes),
            "success_count": len(outcomes) - failed,
            "error_count": failed,
            "session": {"id": arguments.session_id or secrets.token_hex(2)},
            "remote_file_info": _describe_files(saved.values()) if saved else None,
            "next_steps": "Put right what failed; do not repeat what succeeded."
            if failed
            else "Go on with the results.",
        }
        return Outcome(data=data, error=error)

    async def _run(self, session: Session, item: BatchItem) -> Outcome:
        return await self._runner.run(session, item.tool_slug, item.arguments, item.account)

    def _save(
        self, caller: Caller, arguments: BatchArguments, outcomes: Sequence[Outcome]
    ) -> dict[int, str]:
        """Which of the responses went to remote files, and where they lie."""
        limit = self._limit_chars(caller.session)
        saved: dict[int, str] = {}
        for index, outcome in enumerate(outcomes):
            text = json.dumps(outcome.as_json(), ensure_ascii=False)
            if arguments.sync_response_to_workbench or (limit is not None and len(text) > limit):
                slug = arguments.tools[index].tool_slug
                path = f"{OUTPUT_FOLDER}/{slug}_{secrets.token_hex(4)}.json"
                saved[index] = self._files.of(caller.user_id).put(
                    path, text.encode(), self._clock()
                )
        return saved

    def _limit_chars(self, session: Session) -> int | None:
        """From where on a response goes to a file; the stand-in has no limit of its own."""
        workbench = session.request.workbench or session.request.sandbox
        return self._faults.preview_above_chars or read_option(workbench, "auto_offload_threshold")

    def _describe_item(self, index: int, slug: str, outcome: Outcome, *, shortened: bool) -> Data:
        response: Data = {**outcome.as_json(), "log_id": f"log_{secrets.token_hex(6)}"}
        if shortened:
            response["data_preview"] = shorten(response.pop("data"))
        ran = outcome.successful or (outcome.cause == "tool" and bool(outcome.data))
        item: Data = {"response": response if ran else None, "error": outcome.error}
        return item if self._faults.bare_batch_items else {"index": index, "tool_slug": slug} | item


def shorten(value: object) -> object:
    """The same shape with long texts and long lists cut."""
    match value:
        case str():
            return value if len(value) <= PREVIEW_CHARS else f"{value[:PREVIEW_CHARS]}…"
        case list():
            return [shorten(item) for item in cast("list[object]", value)[:PREVIEW_ITEMS]]
        case dict():
            return {key: shorten(item) for key, item in cast(Data, value).items()}
        case _:
            return value


def _describe_files(paths: Any) -> Data:
    listed = list(paths)
    return {
        "file_path": listed[0],
        "file_paths": listed,
        "message": f"The full responses were saved in the remote sandbox: {', '.join(listed)}",
    }
