"""A person who asks, presses what the bot shows, and waits for its posts."""

import asyncio
from pathlib import Path

import pytest

from agent_core.messages import JsonObject
from bot.sandbox.presses import NoButtonError, find_buttons
from bot.sandbox.timelapse import Patience
from tests.bot.sandbox.digest_bot import DigestBot, Stage, staged

QUICK = Patience(work_s=60, due_s=5, begin_s=30)
BOUND_S = 60.0


async def ask_and_press(stage: Stage, *names: str) -> None:
    async with asyncio.timeout(BOUND_S):
        await stage.driver.ask("every weekday at 9 post a digest on batteries in #news")
        for name in names:
            await stage.driver.click(name)


def close(stage: Stage, directory: Path) -> JsonObject:
    return stage.driver.close(files=directory / "files", told=stage.moment.told).as_json()


@pytest.mark.parametrize("name", ["confirm", "CONFIRM", "digest.confirm", "agree"])
async def test_a_button_is_pressed_by_the_end_of_its_id_or_by_its_label(
    tmp_path: Path, name: str
) -> None:
    async with staged(tmp_path) as stage:
        await ask_and_press(stage, name)
        assert stage.bot.pressed == ["digest.confirm"]


async def test_an_ask_that_the_bot_answers_by_itself_is_answered_without_a_turn(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path) as stage:
        await ask_and_press(stage)
        done = close(stage, tmp_path)
    assert done["turns"] == []
    assert [post["text"] for post in done["posts"]][1:] == ["Shall I?"]


async def test_a_button_is_waited_for(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        stage.bot.manners.is_slow = True
        driving = asyncio.create_task(ask_and_press(stage, "confirm"))
        await stage.slack.wait_for(lambda slack: slack.deliveries)
        assert not find_buttons(stage.slack, "ann")
        stage.bot.ask.set()
        await driving
        assert stage.bot.pressed == ["digest.confirm"]


async def test_a_button_is_pressed_once_and_then_the_next_of_its_name(tmp_path: Path) -> None:
    async with staged(tmp_path, button_timeout_s=1) as stage:
        stage.bot.manners.buttons = (("digest.drop", "Yes"), ("digest.confirm", "Yes"))
        await ask_and_press(stage, "yes", "yes")
        assert stage.bot.pressed == ["digest.drop", "digest.confirm"]
        with pytest.raises(NoButtonError):
            await stage.driver.click("yes")


async def test_what_there_is_to_press_is_told_when_the_button_does_not_come(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path, button_timeout_s=0.3) as stage:
        with pytest.raises(NoButtonError) as failed:
            await ask_and_press(stage, "approve")
    told = str(failed.value)
    assert "No button approve came within 0.3 s" in told
    assert "'Agree' (digest.confirm), 'No' (digest.drop)" in told


async def test_a_thread_without_buttons_is_told_as_well(tmp_path: Path) -> None:
    async with staged(tmp_path, button_timeout_s=0.3) as stage:
        stage.bot.manners.buttons = ()
        with pytest.raises(NoButtonError, match="no button at all"):
            await ask_and_press(stage, "confirm")


async def test_three_posts_come_on_the_right_days_across_the_change_to_summer_time(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path) as stage:
        async with asyncio.timeout(BOUND_S):
            await ask_and_press(stage, "confirm")
            await stage.timelapse(QUICK).until_posts(3)
        roots = close(stage, tmp_path)["root_posts"]
    assert [root["channel"] for root in roots] == ["news"] * 3
    assert [root["at"][:16] + root["at"][19:] for root in roots] == [
        "2026-03-27T09:00+01:00",
        "2026-03-30T09:00+02:00",
        "2026-03-31T09:00+02:00",
    ]
    assert [reply["text"] for root in roots for reply in root["replies"]] == ["The details"] * 3


async def test_posts_from_before_the_last_ask_and_direct_ones_do_not_count(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path) as stage:
        client = stage.bot.app.client
        await client.chat_postMessage(channel=stage.slack.channels["news"], text="Early")
        await ask_and_press(stage)
        await client.chat_postMessage(channel=stage.slack.dm_id("ann"), text="Between us")
        await stage.slack.say("ben", "news", "A person's post")
        assert stage.driver.roots() == []
        await client.chat_postMessage(channel=stage.slack.channels["energy"], text="Late")
        assert [(name, post.text) for name, post in stage.driver.roots()] == [("energy", "Late")]


async def test_files_of_replies_are_told_with_where_they_are_and_none_is_overwritten(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path) as stage:
        await ask_and_press(stage)
        for text in ("first", "second"):
            await post_with_file(stage, stage.bot, text)
        done = close(stage, tmp_path)
    replies = [reply for root in done["root_posts"] for reply in root["replies"]]
    paths = [Path(file["path"]) for reply in replies for file in reply["files"]]
    assert [path.read_text(encoding="utf-8") for path in paths] == ["first", "second"]
    assert [path.name for path in paths] == ["report.html", "report (2).html"]
    assert done["files"] == [file for reply in replies for file in reply["files"]]


async def post_with_file(stage: Stage, bot: DigestBot, text: str) -> None:
    news = stage.slack.channels["news"]
    root = await bot.app.client.chat_postMessage(channel=news, text=text)
    await bot.app.client.files_upload_v2(
        channel=news, thread_ts=root["ts"], filename="report.html", content=text
    )
