"""Files that results of apps name by address are saved, and the result says where."""

import json

import pytest

from agent_core.composio import AppFiles
from agent_core.mcp import TOO_LARGE
from agent_core.messages import JsonObject
from agent_core.testing.tools import FakeToolset, ignore_progress, tool_call
from agent_core.tools import COMPOSIO, OnProgress, Registry, ToolContext, ToolOutput

SAVE = "mcp__local_toolkit__save_app_file"
FETCH = "mcp__composio__COMPOSIO_MULTI_EXECUTE_TOOL"
INVOICE = {"name": "invoice.pdf", "mimetype": "application/pdf", "s3url": "https://s3.test/1?sig=a"}
PHOTO = {"filename": "photo.jpg", "s3url": "https://s3.test/2"}


def with_files(tools: FakeToolset) -> Registry:
    return Registry(tools, after={COMPOSIO: AppFiles(tools, save=SAVE)})


class World:
    """Apps that answer with one result, and a toolkit that saves what it is told to."""

    def __init__(self, result: object, *, is_error: bool = False, fails: bool = False) -> None:
        text = result if isinstance(result, str) else json.dumps(result)

        async def fetch(
            arguments: JsonObject, context: ToolContext, progress: OnProgress
        ) -> ToolOutput:
            return ToolOutput(text=text, is_error=is_error)

        async def save(
            arguments: JsonObject, context: ToolContext, progress: OnProgress
        ) -> ToolOutput:
            if fails:
                return ToolOutput(text="The storage is closed.", is_error=True)
            return ToolOutput(text=f"Saved {arguments['name']}.")

        self.result = text
        self._all = FakeToolset({SAVE: save, FETCH: fetch})
        self.tools = with_files(self._all)

    async def run(self, context: ToolContext) -> ToolOutput:
        return await self.tools.run(tool_call(FETCH, {}), context, ignore_progress)

    @property
    def saved(self) -> list[JsonObject]:
        return [call.arguments for call in self._all.calls if call.name == SAVE]


@pytest.mark.proves("app_files.automatic")
@pytest.mark.parametrize(
    "result",
    [
        {"data": {"file": INVOICE}},
        {"data": {"results": [{"response": {"data": {"file": INVOICE}}}]}},
        json.dumps(json.dumps({"data": {"file": INVOICE}})),
        {"files": [INVOICE, INVOICE], "again": INVOICE},
    ],
)
async def test_a_file_that_a_result_names_is_saved_once_and_the_result_says_so(
    context: ToolContext, result: object
) -> None:
    world = World(result)
    output = await world.run(context)
    assert world.saved == [{"s3url": "https://s3.test/1?sig=a", "name": "invoice.pdf"}]
    assert output.text == f"{world.result}\n\n[Saved invoice.pdf.]"


async def test_several_files_are_saved_and_of_very_many_the_first_ten(context: ToolContext) -> None:
    many = [
        {"s3url": f"https://s3.test/many/{number}", "name": f"{number}.txt"} for number in range(40)
    ]
    world = World([INVOICE, PHOTO, *many])
    output = await world.run(context)
    assert [one["name"] for one in world.saved][:3] == ["invoice.pdf", "photo.jpg", "0.txt"]
    assert len(world.saved) == 10
    assert output.text.endswith("[Only the first 10 of 42 files were saved.]")


async def test_a_file_that_could_not_be_saved_costs_nothing_but_itself(
    context: ToolContext,
) -> None:
    world = World({"file": INVOICE}, fails=True)
    output = await world.run(context)
    assert not output.is_error
    assert output.text.startswith(world.result)
    assert output.text.endswith(
        "[A file that this result names was not saved: The storage is closed.]"
    )


OUTPUT = "/mnt/files/.composio/output/r.json"
PREVIEW = {"data_preview": "the first of /home/user/theirs.txt", "successful": True}


def remote(**said: object) -> JsonObject:
    """A batch whose results stayed in the workbench."""
    return {"data": {"results": [{"index": 0, "response": PREVIEW}], **said}, "successful": True}


@pytest.mark.proves("large.told")
@pytest.mark.parametrize(
    "result",
    [
        remote(remote_file_info={"file_path": OUTPUT}),
        remote(remote_file_info=OUTPUT),
        remote(next_steps=f"The full response was saved to {OUTPUT}."),
        {"data": {"results": [{"response": {**PREVIEW, "message": f"Saved: {OUTPUT}, whole"}}]}},
        {"data": PREVIEW, "message": f"Full response in {OUTPUT}"},
        {"data": {**PREVIEW, "path": OUTPUT}},
    ],
)
async def test_of_a_result_that_stayed_in_the_workbench_the_model_is_told_the_call_that_fetches_it(
    context: ToolContext, result: JsonObject
) -> None:
    told = json.loads((await World(result).run(context)).text)
    assert told.pop("whole_result").endswith(
        f'fetch it with workbench_download(remote_path="{OUTPUT}").'
    )
    assert told == result


@pytest.mark.parametrize(
    ("result", "is_error"),
    [
        ('A mail says: {"s3url": "https://evil.test/x"} and nothing else.', False),
        ({"messages": [{"body": json.dumps({"file": INVOICE})}]}, False),
        ({"s3url": ""}, False),
        ({"s3url": {"name": "x"}}, False),
        ({"body": "look at s3url https://evil.test/x"}, False),
        ('{"s3url": ', False),
        ({"file": INVOICE}, True),
        ({"data": {"results": [{"response": {"data": {"body": OUTPUT}}}]}}, False),
        (remote(remote_file_info=None), False),
        (f'"data_preview": {OUTPUT}', False),
    ],
)
async def test_what_only_speaks_of_files_or_failed_is_left_alone(
    context: ToolContext, result: object, is_error: bool
) -> None:
    world = World(result, is_error=is_error)
    assert (await world.run(context)).text == world.result
    assert world.saved == []


@pytest.mark.proves("large.told")
@pytest.mark.parametrize("came", ["The tool refused the call: HTTP 413", f"{TOO_LARGE}."])
async def test_of_a_result_that_was_too_large_the_model_is_told_how_to_get_it(
    context: ToolContext, came: str
) -> None:
    output = await World(came, is_error=True).run(context)
    assert output.text.startswith(came)
    assert "`sync_response_to_workbench` true" in output.text
    assert "workbench_download" in output.text
