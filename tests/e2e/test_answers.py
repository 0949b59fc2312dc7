"""What a person sees of a turn: the sign, one progress post, the answer, then the file."""

import html
import json
import re
from urllib.parse import urlsplit

import pytest

from bot.sandbox.model import ReplyText
from tests.e2e.world import SIMPLE_ANSWER, World

pytestmark = pytest.mark.asyncio(loop_scope="module")

SLACK_ADVISES_CHARS = 4_000
LIVE_TOKEN = re.compile(r"<([^<>]*)>")
HOST = re.compile(r"\b(?:bank|evil)\.test\b")
HOSTILE = """<!channel> <!here> <!everyone> @channel @here <@{person}> <#{channel}>
<!subteam^S0123ABCD>
[https://bank.test/login](https://evil.test/login) <https://evil.test/a|bank.test>
[press here](javascript:alert(1)) ![](https://evil.test/pixel.png?secret=1)"""


@pytest.mark.proves("thread.mention")
async def test_a_simple_answer_comes_without_a_progress_post(world: World) -> None:
    root = await world.ask_simply("What is a question?")
    [post] = world.bot_posts(root)
    assert post.text == SIMPLE_ANSWER


@pytest.mark.proves("thread.closing_figures")
async def test_complex_work_shows_one_progress_post_that_ends_closed(world: World) -> None:
    root = await world.ask("Find out what teams say about retries in chat bots")
    progress, answer = world.bot_posts(root)
    assert re.match(r"Done in .* pages? read\n✓ ", progress.text)
    assert not re.search(r"\.md|\w_\w", progress.text), "no names of files or tools"
    assert answer.text in world.answers(root)


@pytest.mark.proves("thread.report")
async def test_answer_and_report_are_one_post(world: World) -> None:
    root = await world.ask("Write a comprehensive report on keeping chat bots reliable")
    _, shared = (
        post for post in world.slack.thread("general", root) if post.user == world.slack.bot_user_id
    )
    assert shared.subtype == "file_share"
    assert shared.words in world.answers(root)
    [file] = shared.files
    assert file.name.endswith(".html")
    assert file.content.startswith(b"<!doctype html>")
    [stored] = (await world.workspace(root)).glob("work_products/*.html")
    assert file.content == stored.read_bytes()


@pytest.mark.proves("plan.seen")
async def test_a_comparison_is_explored_side_by_side_and_ends_in_one_answer_and_a_report(
    world: World,
) -> None:
    root = await world.ask("Compare heat pumps, battery storage and wind power for a small town")
    shown = [block for post in world.bot_posts(root) for block in post.blocks]
    answer = "\n".join(block["text"] for block in shown if block["type"] == "markdown")
    for said in ("**Heat pumps**", "**Battery storage**", "**Wind power**", "The report “"):
        assert answer.count(said) == 1
    assert any(file.name.endswith(".html") for post in world.slack.thread("general", root)
               for file in post.files)  # fmt: skip
    trace = json.loads((await world.workspace(root) / "trace.json").read_bytes())
    explored = [run for run in trace["runs"] if run["agent"] == "explorer"]
    assert [run["outcome"] for run in explored] == ["answered"] * 3
    last_start = max(run["start_offset_seconds"] for run in explored)
    assert all(run["end_offset_seconds"] > last_start for run in explored)


async def test_what_foreign_text_would_set_off_arrives_inert(world: World) -> None:
    people, channels = world.slack.people, world.slack.channels
    text = HOSTILE.format(person=people["ben"], channel=channels["general"])
    world.model.play(ReplyText(text=text))
    root = await world.ask("continue")
    [answer] = [post for post in world.bot_posts(root) if "login" in post.text]
    shown = f"{answer.text} {answer.blocks}"
    for token in LIVE_TOKEN.findall(shown):
        url, _, label = str(token).partition("|")
        assert url.startswith("https://"), token
        assert set(HOST.findall(label)) <= {urlsplit(url).hostname}, token
    assert "@channel" not in shown
    assert "@here" not in shown
    assert (answer.unfurl_links, answer.unfurl_media) == (False, False)


async def test_a_very_long_answer_arrives_whole_and_in_order(world: World) -> None:
    lines = [f"Line {number:05} says that all is well." for number in range(1, 1801)]
    text = "\n".join(lines)
    assert len(text) > 60_000
    world.model.play(ReplyText(text=text))
    root = await world.ask("continue")
    answers = world.answers(root)
    assert all(len(answer) <= SLACK_ADVISES_CHARS for answer in answers)
    posted = [line for answer in answers for line in answer.splitlines() if line in lines]
    assert posted == lines[: len(posted)]
    if len(posted) < len(lines):
        assert len(posted) > 100
        [file] = [file for file in world.slack.files if file.shares[0].thread_ts == root]
        assert html.unescape(file.content.decode()) == text
