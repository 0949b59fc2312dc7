"""Files that results of apps name, fetched into the session."""

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agent_core.composio.server import SERVER_NAME
from agent_core.ids import ToolCallId
from agent_core.messages import JsonObject, ToolCall
from agent_core.models import ToolSpec
from agent_core.models.strict_json import as_object, mended
from agent_core.tools import (
    OnProgress,
    ToolContext,
    ToolOutput,
    Toolset,
    batch_results,
    is_list,
    is_object,
    parse_result,
    server_prefix,
    text_in,
)

_ADDRESS = "s3url"
_MAX_FILES = 10
_REMOTE = re.compile(r"(?:/mnt/files|/home/user)/[^\s\"'`<>|)\]}]*[^\s\"'`<>|)\]}.,:;!?]")
_LEFT_REMOTE = ('"data_preview"', '"remote_file_info"')
"""One of these is in what Composio says of a result that it left in the remote workbench."""
_APPS_OWN = ("data", "data_preview", "results", "response", "arguments")
"""What an app said, or what holds it: a path in there is not Composio's."""
_FETCH = "This is a part. The whole is a file of the remote workbench: fetch it with {calls}."
_TOO_LARGE = (
    "[More came than can be taken directly. A call that only reads can be made again as an entry "
    "of COMPOSIO_MULTI_EXECUTE_TOOL with `sync_response_to_workbench` true: what comes of it is "
    "then a file of the remote workbench, which workbench_download fetches.]"
)


@dataclass(frozen=True, slots=True)
class AppFiles:
    """Tools; files that results of apps name are fetched, and the result says where they are.

    Composio's own client does the same for those who call it directly; over MCP nobody does. A
    result of more than about 5 MB stays in the remote workbench, and says how it is fetched.
    """

    tools: Toolset
    save: str
    """The full name of the one that saves a file."""

    async def specs(self, context: ToolContext) -> Sequence[ToolSpec]:
        return await self.tools.specs(context)

    async def run(self, call: ToolCall, context: ToolContext, progress: OnProgress) -> ToolOutput:
        output = await self.tools.run(call, context, progress)
        if not call.name.startswith(server_prefix(SERVER_NAME)):
            return output
        if output.is_cut or (output.is_error and "HTTP 413" in output.text):
            return replace(output, text=f"{output.text}\n\n{_TOO_LARGE}")
        if not output.is_error and any(each in output.text for each in _LEFT_REMOTE):
            text = await asyncio.to_thread(_naming_the_whole, output.text)
            output = replace(output, text=text)
        if output.is_error or _ADDRESS not in output.text:
            return output
        files = await asyncio.to_thread(_files_in, output.text)
        told: list[str] = []
        for number, file in enumerate(files[:_MAX_FILES], 1):
            saving = ToolCall(
                id=ToolCallId(f"{call.id}:file{number}"), name=self.save, arguments=dict(file)
            )
            saved = await self.tools.run(saving, context, progress)
            lost = "A file that this result names was not saved: " if saved.is_error else ""
            told.append(f"[{lost}{saved.text}]")
        if len(files) > _MAX_FILES:
            told.append(f"[Only the first {_MAX_FILES} of {len(files)} files were saved.]")
        return replace(output, text="\n\n".join([output.text, *told]))


def _files_in(text: str) -> list[dict[str, str]]:
    """Each file that a result names, once, with the arguments that save it.

    Texts inside are not looked into: a mail may hold JSON, and what it names is its sender's wish.
    """
    named = {
        text_in(one, _ADDRESS): text_in(one, "name", "filename", "file_name")
        for one in _objects(parse_result(text))
        if text_in(one, _ADDRESS)
    }
    return [{_ADDRESS: url, "name": name} for url, name in named.items()]


def _naming_the_whole(text: str) -> str:
    """The result with a field that says how the whole of it is fetched, where it is a part."""
    try:
        told = as_object(json.loads(text))
    except (ValueError, RecursionError):
        return text
    entries = list(map(as_object, batch_results(told) or ()))
    data = as_object(told.get("data"))
    around = [told, *entries, *(as_object(each.get("response")) for each in entries)]
    around += [data] if entries or "data_preview" in data else []
    said = json.dumps(
        [{k: v for k, v in each.items() if k not in _APPS_OWN} for each in around],
        ensure_ascii=False,
    )
    paths = dict.fromkeys(found.group() for found in _REMOTE.finditer(said))
    if not paths:
        return text
    calls = ", ".join(f'workbench_download(remote_path="{path}")' for path in paths)
    told["whole_result"] = _FETCH.format(calls=calls)
    return mended(json.dumps(told, ensure_ascii=False))


def _objects(value: object) -> Iterator[JsonObject]:
    left = [value]
    for one in left:
        if is_object(one):
            yield one
            left.extend(one.values())
        elif is_list(one):
            left.extend(one)
