"""Files that people attach, from Slack to the model's request, with the real toolkit between."""

import base64
import json

import pytest

from agent_core.events import RouteChosen
from bot.sandbox.model import ReplyText, ToolUse
from tests import attached
from tests.e2e.world import CHANNEL, World

pytestmark = pytest.mark.asyncio(loop_scope="module")
KINDS = {
    "bridge.pdf": (attached.pdf("Nothing here.", "Twelve arches."), "## Page 2\n\nTwelve arches."),
    "staff.docx": (attached.docx("Marta keeps the light.", heading="Staff"), "# Staff\n\nMarta"),
    "sales.xlsx": (
        attached.xlsx({"Sales": attached.rows(["North", 4711])}),
        "## Sheet Sales\n\n1: North | 4711",
    ),
    "prices.csv": (b"item;price\nlamp;12", "item;price\nlamp;12"),
}


def texts_of(body: dict[str, object]) -> str:
    return json.dumps(body["messages"], ensure_ascii=False).replace("\\n", "\n")


@pytest.mark.proves("files_in.end_to_end")
@pytest.mark.parametrize("name", KINDS)
async def test_what_a_file_holds_is_in_the_models_request_with_its_marks(
    world: World, name: str
) -> None:
    content, text = KINDS[name]
    ts = await world.mention("What is in this?", files=[(name, content, "application/x-wrong")])
    await world.answered(ts)
    bodies = [call.body for call in world.model.calls if call.body and call.kind == "answer"]
    assert text in texts_of(bodies[-1])
    assert text.split("\n")[-1] in world.answers(ts)[0].replace("&gt; ", "")
    [route] = [event for event in await world.events(ts) if isinstance(event, RouteChosen)]
    assert route.route == "SIMPLE"


@pytest.mark.proves("files_in.end_to_end")
async def test_a_picture_is_in_the_models_request_as_an_image(world: World) -> None:
    ts = await world.mention("What is in this?", files=[("a.pdf", attached.png(30, 20), None)])
    await world.answered(ts)
    bodies = [call.body for call in world.model.calls if call.body and call.kind == "answer"]
    [image] = [
        block
        for message in bodies[-1]["messages"]
        for block in message["content"]
        if block["type"] == "image"
    ]
    assert image["source"]["media_type"] == "image/png"
    assert base64.b64decode(image["source"]["data"]).startswith(b"\x89PNG")


@pytest.mark.proves("files_in.earlier_posts")
async def test_a_file_of_an_earlier_post_of_the_thread_is_usable(world: World) -> None:
    content, text = KINDS["bridge.pdf"]
    root = await world.slack.say(
        "ann", CHANNEL, "Here is the survey", files=[("bridge.pdf", content, None)]
    )
    ts = await world.mention("What is in the PDF above?", user="ben", thread_ts=root)
    await world.answered(ts)
    [request] = world.requests_with("[files: bridge.pdf]")
    assert text in texts_of(request)


@pytest.mark.proves("files_in.slack")
async def test_a_file_of_another_organisation_is_asked_for(world: World) -> None:
    ts = await world.slack.say(
        "ann",
        CHANNEL,
        f"{world.slack.mention} What is in this?",
        files=[("notes.txt", b"Lunch at one.", None)],
        is_foreign=True,
    )
    await world.answered(ts)
    assert "Lunch at one." in world.answers(ts)[0]


@pytest.mark.proves("files_in.faults")
async def test_a_locked_file_is_told_in_the_thread(world: World) -> None:
    locked = attached.pdf("x", is_locked=True)
    ts = await world.mention("Was steht in dieser Datei?", files=[("x.pdf", locked, None)])
    await world.answered(ts)
    assert "durch ein Passwort geschützt" in world.answers(ts)[0]


@pytest.mark.proves("files_out.any_kind")
async def test_what_lies_in_work_products_at_the_end_is_posted_whatever_its_kind(
    world: World,
) -> None:
    names = ["cut.mp4", "plan.docx", "sketch.svg", "table.xlsx"]
    for name in [*names, "page.html"]:
        path = f"work_products/{name}"
        write = {"path": path, "content": f"What {name} holds."}
        world.model.play(ToolUse(name="mcp__local_toolkit__write_local_file", input=write))
    world.model.play(ReplyText(text="Your table is attached."))
    root = await world.mention("continue and make an Excel table")
    await world.answered(root)
    shared = [file for file in world.slack.files if file.shares[0].thread_ts == root]
    assert sorted(file.name for file in shared) == names
    assert [post.text for post in world.bot_posts(root)][-1] == (
        "I could not attach page.\u2060html."
    )
    world.model.play(ToolUse(name="mcp__local_toolkit__list_local_files", input={}))
    world.model.play(ReplyText(text="Nothing new."))
    await world.answered(await world.mention("continue", thread_ts=root))
    shared = [file for file in world.slack.files if file.shares[0].thread_ts == root]
    assert len(shared) == len(names), "what was posted once is not posted again"
