"""COMPOSIO_MULTI_EXECUTE_TOOL: several tools in one call, each with an outcome of its own."""

import asyncio
import secrets
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field

from bot.sandbox.composio.discovery import describe_absent_tool
from bot.sandbox.composio.outcome import Data, Outcome
from bot.sandbox.composio.sessions import Session
from bot.sandbox.composio.tools import Tool


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

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._tools = tools

    async def execute(self, session: Session, arguments: BatchArguments) -> Outcome:
        """One result for each item in the order asked; a failed item does not stop the others."""
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._run(session, item)) for item in arguments.tools]
        outcomes = [task.result() for task in tasks]
        failed = sum(not outcome.successful for outcome in outcomes)
        total = len(outcomes)
        return Outcome(
            data={
                "results": [
                    _describe_item(index, item.tool_slug, outcome)
                    for index, (item, outcome) in enumerate(
                        zip(arguments.tools, outcomes, strict=True)
                    )
                ],
                "total_count": total,
                "success_count": total - failed,
                "error_count": failed,
                "session": {"id": arguments.session_id or secrets.token_hex(2)},
                "remote_file_info": None,
                "next_steps": "Put right what failed; do not repeat what succeeded."
                if failed
                else "Go on with the results.",
            },
            error=f"{failed} out of {total} tools failed" if failed else None,
        )

    async def _run(self, session: Session, item: BatchItem) -> Outcome:
        tool = self._tools.get(item.tool_slug)
        if tool is None or not session.allows(tool.toolkit):
            return Outcome(error=describe_absent_tool(item.tool_slug))
        return await tool.execute(session, item.arguments)


def _describe_item(index: int, slug: str, outcome: Outcome) -> Data:
    response = {**outcome.as_json(), "log_id": f"log_{secrets.token_hex(6)}"}
    return {
        "index": index,
        "tool_slug": slug,
        "response": response if outcome.successful else None,
        "error": outcome.error,
    }
