"""Files of Composio's tools: those that a result names by address land in the session.

Composio's own client does the same for those who call it directly; over MCP nobody does. A result
that is too large to come directly stays in the remote workbench, and the model learns how it is
fetched.
"""

import asyncio
import json
import re
from dataclasses import dataclass, replace

from agent_core.ids import ToolCallId
from agent_core.json_values import as_object, mended, parse_result, text_in, values_in
from agent_core.mcp import TOO_LARGE
from agent_core.messages import JsonObject, ToolCall
from agent_core.tools import OnProgress, ToolContext, ToolOutput, Toolset, batch_results

_ADDRESS = "s3url"
_MAX_FILES = 10
_REMOTE = re.compile(r"(?:/mnt/files|/home/user)/[^\s\"'`<>|)\]}]*[^\s\"'`<>|)\]}.,:;!?]")
_LEFT_REMOTE = ('"data_preview"', '"remote_file_info"')
"""One of these is in a result that Composio left in the remote workbench."""
_APPS_OWN = ("data", "data_preview", "results", "response", "arguments")
"""An app's words, or what holds them: a path in there is not Composio's."""
_FETCH = "This is a part. The whole is a file of the remote workbench: fetch it with {calls}."
_REFUSED_AS_LARGE = ("HTTP 413", TOO_LARGE)
_ADVICE = (
    "[More came than can be taken directly. A call that only reads can be made again as an entry "
    "of COMPOSIO_MULTI_EXECUTE_TOOL with `sync_response_to_workbench` true: what comes of it is "
    "then a file of the remote workbench, which workbench_download fetches.]"
)


@dataclass(frozen=True, slots=True)
class AppFiles:
    """After a call of Composio's tools: fetches the files that the result names."""

    tools: Toolset
    save: str
    """The full name of the tool that saves a file."""

    async def __call__(
        self,
        output: ToolOutput,
        call: ToolCall,
        context: ToolContext,
        progress: OnProgress,
    ) -> ToolOutput:
        if output.is_error:
            is_too_large = any(sign in output.text for sign in _REFUSED_AS_LARGE)
            return replace(output, text=f"{output.text}\n\n{_ADVICE}") if is_too_large else output
        if any(sign in output.text for sign in _LEFT_REMOTE):
            text = await asyncio.to_thread(_naming_the_whole, output.text)
            output = replace(output, text=text)
        if _ADDRESS not in output.text:
            return output
        files = await asyncio.to_thread(_files_in, output.text)
        notes: list[str] = []
        for number, (url, name) in enumerate(files[:_MAX_FILES], 1):
            saving = ToolCall(
                id=ToolCallId(f"{call.id}:file{number}"),
                name=self.save,
                arguments={_ADDRESS: url, "name": name},
            )
            saved = await self.tools.run(saving, context, progress)
            lost = "A file that this result names was not saved: " if saved.is_error else ""
            notes.append(f"[{lost}{saved.text}]")
        if len(files) > _MAX_FILES:
            notes.append(f"[Only the first {_MAX_FILES} of {len(files)} files were saved.]")
        return replace(output, text="\n\n".join([output.text, *notes]))


def _files_in(text: str) -> list[tuple[str, str]]:
    """Address and name of each file that a result names, once.

    JSON within texts is not read: a mail may hold JSON, and its sender would choose the addresses.
    """
    names: dict[str, str] = {}
    for _, each in values_in(parse_result(text)):
        if url := text_in(each, _ADDRESS):
            names[url] = text_in(
                each,
                "name",
                "filename",
                "file_name",
            )
    return list(names.items())


def _naming_the_whole(text: str) -> str:
    """The result with a field that says how the whole of it is fetched, where it is a part."""
    try:
        result = as_object(json.loads(text))
    except (ValueError, RecursionError):
        return text
    paths = dict.fromkeys(_REMOTE.findall(_words_of_composio(result)))
    if not paths:
        return text
    calls = ", ".join(f'workbench_download(remote_path="{path}")' for path in paths)
    result["whole_result"] = _FETCH.format(calls=calls)
    return mended(json.dumps(result, ensure_ascii=False))


def _words_of_composio(result: JsonObject) -> str:
    """Composio's own fields around the results of apps, as JSON."""
    entries = [as_object(entry) for entry in batch_results(result) or ()]
    around = [result, *entries]
    around += [as_object(entry.get("response")) for entry in entries]
    data = as_object(result.get("data"))
    if entries or "data_preview" in data:
        around.append(data)
    own: list[tuple[str, object]] = []
    for fields in around:
        own += [field for field in fields.items() if field[0] not in _APPS_OWN]
    return json.dumps(own, ensure_ascii=False)
