"""Files that apps give: a result names them by address, and they land in the session."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agent_core.ids import ToolCallId
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.tools import Progress, ToolContext, ToolOutput, Toolset
from agent_core.tools.payloads import is_list, is_object, parse, text_in

_ADDRESS = "s3url"
_MAX_FILES = 10


@dataclass(frozen=True, slots=True)
class AppFiles:
    """Tools of apps. Files that their results name are fetched, and the result says where they are.

    Composio's own client does the same for those who call it directly; over MCP nobody does.
    """

    apps: Toolset
    local: Toolset
    """Has the tool that saves a file."""
    save: str
    """That tool's full name."""

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        return await self.apps.specs(context)

    async def run(self, call: ToolCall, context: ToolContext, progress: Progress) -> ToolOutput:
        output = await self.apps.run(call, context, progress)
        if output.is_error or _ADDRESS not in output.text:
            return output
        files = await asyncio.to_thread(_files_in, output.text)
        told = [
            await self._keep(number, file, call, context, progress)
            for number, file in enumerate(files[:_MAX_FILES], 1)
        ]
        if len(files) > _MAX_FILES:
            told.append(f"[Only the first {_MAX_FILES} of {len(files)} files were saved.]")
        return replace(output, text="\n\n".join([output.text, *told]))

    async def _keep(
        self,
        number: int,
        file: dict[str, str],
        call: ToolCall,
        context: ToolContext,
        progress: Progress,
    ) -> str:
        saving = ToolCall(
            id=ToolCallId(f"{call.id}:file{number}"), name=self.save, arguments=dict(file)
        )
        saved = await self.local.run(saving, context, progress)
        if saved.is_error:
            return f"[A file that this result names was not saved: {saved.text}]"
        return f"[{saved.text}]"


def _files_in(text: str) -> list[dict[str, str]]:
    """Each file that a result names, once, with the arguments that save it.

    Texts inside are not looked into: a mail may hold JSON, and what it names is its sender's wish.
    """
    named = {
        text_in(one, _ADDRESS): text_in(one, "name", "filename", "file_name")
        for one in _objects(parse(text))
        if text_in(one, _ADDRESS)
    }
    return [{_ADDRESS: url, "name": name} for url, name in named.items()]


def _objects(value: object) -> Iterator[JsonObject]:
    left = [value]
    for one in left:
        if is_object(one):
            yield one
            left.extend(one.values())
        elif is_list(one):
            left.extend(one)
