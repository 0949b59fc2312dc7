"""Attached files land in the session's workspace under safe names; messages become turns."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from agent_core.ids import TurnId, turn_of
from agent_core.messages import Attachment
from agent_core.testing.models import Held, ScriptedModel, call
from agent_core.workspaces.layout import MAX_SESSION_BYTES
from bot.front import MAX_ATTACHMENT_BYTES, KnownTurn, LeftOut
from bot.inbound import SlackFile
from bot.presenter.journal import READER
from tests.bot.desk import open_desk
from tests.bot.front_world import NOW, Place, Process, process

LATER_TS = "9999999999.000001"
HOSTILE_NAMES = [
    "../../etc/passwd",
    "/etc/passwd",
    "..",
    ".",
    "",
    "   ",
    "a\x00b.txt",
    "a\nb.txt",
    "c:\\windows\\x.dll",
    "report\u202efdp.exe",
    "$(touch x).sh",
    "x" * 500 + ".txt",
]


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    async with open_desk(Place, root=tmp_path) as place:
        yield place


@pytest.fixture
async def bot(place: Place) -> AsyncIterator[Process]:
    async with process(place, ScriptedModel(["Done."])) as bot:
        await bot.runtime.show_with(READER, bot.presenting.attach)
        yield bot


async def workspace(bot: Process, place: Place) -> Path:
    return await bot.runtime.workspace(place.thread.session, NOW)


async def keep(bot: Process, place: Place, file: SlackFile) -> Attachment:
    [kept] = await bot.files.keep(place.thread.session, (file,))
    assert isinstance(kept, Attachment)
    return kept


async def test_files_of_one_name_do_not_replace_each_other(place: Place, bot: Process) -> None:
    files = tuple([await place.attached("a.log", content) for content in (b"one", b"two")])
    kept = [await keep(bot, place, file) for file in files]
    directory = await workspace(bot, place)
    assert [(directory / each.path).read_bytes() for each in kept] == [b"one", b"two"]


@pytest.mark.parametrize("name", HOSTILE_NAMES)
async def test_a_file_stays_in_its_place_whatever_its_name(
    place: Place, bot: Process, name: str
) -> None:
    file = replace(await place.attached("a.log", b"lines"), name=name)
    kept = await keep(bot, place, file)
    downloads = (await workspace(bot, place) / "downloads").resolve()
    saved = (await workspace(bot, place) / kept.path).resolve()
    assert saved.parent == downloads
    assert saved.read_bytes() == b"lines"


@pytest.mark.parametrize(
    "url", ["{slack}/gone", "", "not a url", "http://127.0.0.1:1/a.log", "file:///etc/passwd"]
)
async def test_a_file_whose_address_leads_nowhere_is_named_and_costs_no_other(
    place: Place, bot: Process, url: str
) -> None:
    good, url = await place.attached("good.log", b"lines"), url.format(slack=place.slack.base_url)
    gone = replace(good, id="F0GONE", name="gone.log", url_private=url)
    lost, kept = await bot.files.keep(place.thread.session, (gone, good))
    assert lost == LeftOut(name="gone.log", fault="not_given")
    assert isinstance(kept, Attachment)
    assert (await workspace(bot, place) / kept.path).read_bytes() == b"lines"
    assert len(list((await workspace(bot, place) / "downloads").iterdir())) == 1


async def test_a_link_in_the_place_of_the_downloads_is_not_followed(
    place: Place, bot: Process, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    directory = await workspace(bot, place)
    (directory / "downloads").rmdir()
    (directory / "downloads").symlink_to(outside)
    file = await place.attached("a.log", b"lines")
    lost = await bot.files.keep(place.thread.session, (file,))

    assert lost == (LeftOut(name="a.log", fault="not_saved"),)
    assert list(outside.iterdir()) == []


@pytest.mark.proves("files.session_bound")
async def test_a_file_for_which_the_thread_has_no_room_is_named(place: Place, bot: Process) -> None:
    directory = await workspace(bot, place)
    with (directory / "large.bin").open("wb") as large:
        large.truncate(MAX_SESSION_BYTES)  # takes no disk
    file = await place.attached("a.log", b"lines")
    assert await bot.files.keep(place.thread.session, (file,)) == (
        LeftOut(name="a.log", fault="not_saved"),
    )


async def test_a_link_in_the_place_of_a_file_is_replaced_and_not_followed(
    place: Place, bot: Process, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    file = await place.attached("a.log", b"lines")
    target = await workspace(bot, place) / "downloads" / f"{file.id}_a.log"
    target.symlink_to(secret)
    kept = await keep(bot, place, file)

    assert secret.read_text(encoding="utf-8") == "secret"
    assert not target.is_symlink()
    assert (await workspace(bot, place) / kept.path).read_bytes() == b"lines"


@pytest.mark.parametrize(
    ("told_bytes", "sent_bytes"), [(MAX_ATTACHMENT_BYTES + 1, 5), (5, MAX_ATTACHMENT_BYTES + 1)]
)
async def test_nothing_stays_of_a_file_that_is_too_big_or_hides_that_it_is(
    place: Place, bot: Process, told_bytes: int, sent_bytes: int
) -> None:
    file = replace(await place.attached("a.log", bytes(sent_bytes)), size_bytes=told_bytes)
    lost = await bot.files.keep(place.thread.session, (file,))
    assert lost == (LeftOut(name="a.log", fault="too_big"),)
    assert list((await workspace(bot, place) / "downloads").iterdir()) == []


async def test_what_the_agent_has_of_a_gesture_can_be_asked(place: Place, bot: Process) -> None:
    message = place.message("continue")
    assert await bot.front.known_turn(message.key) is None
    assert await bot.front.newest_of(place.thread.session, before_ts="9") == ""
    await bot.front.handle(message)
    session = place.thread.session
    assert await bot.front.newest_of(session, before_ts="9") == place.thread.root_ts
    assert await bot.front.newest_of(session, before_ts=place.thread.root_ts) == ""
    await place.slack.wait_for(lambda _: "Done." in place.texts())
    turn_id = turn_of(message.key)
    async with asyncio.timeout(10):
        _ = [event async for event in bot.runtime.events(turn_id)]
    assert await bot.front.known_turn(message.key) == KnownTurn(text="continue", is_at_work=False)
    assert not await bot.front.revise(message.key, "continue otherwise")
    assert not await bot.front.withdraw(message.key)


@pytest.mark.proves("edits.running")
async def test_what_the_work_took_in_is_at_work_for_as_long_as_that(place: Place) -> None:
    first, second = Held(then=call("look")), Held(then="Done.")
    remark = place.message("in metres", ts=LATER_TS)
    async with process(place, ScriptedModel([first, second])) as bot:
        await bot.front.handle(place.message("continue"))
        await first.reached.wait()
        await bot.front.handle(remark)
        first.release.set()
        await second.reached.wait()
        assert await bot.front.known_turn(remark.key) == KnownTurn(
            text="in metres", is_at_work=True
        )
        assert not await bot.front.revise(remark.key, "in feet")
        assert not await bot.front.withdraw(remark.key)
        second.release.set()
        async with asyncio.timeout(10):
            turn_id = TurnId(f"turn:{place.message('continue').key}")
            _ = [event async for event in bot.runtime.events(turn_id)]
        assert await bot.front.known_turn(remark.key) == KnownTurn(
            text="in metres", is_at_work=False
        )


async def test_the_work_of_a_channel_is_stopped_as_far_as_it_began_before(place: Place) -> None:
    held = Held(then="never said")
    team, channel = place.thread.team, place.thread.channel
    async with process(place, ScriptedModel([held])) as bot:
        message = place.message("continue")
        await bot.front.handle(message)
        await held.reached.wait()
        stop = partial(bot.front.stop_channel, team)
        assert not await stop(channel, "Ann", before_ts=place.thread.root_ts)
        assert not await stop(place.slack.channels["news"], "Ann", before_ts=LATER_TS)
        assert await stop(channel, "Ann", before_ts=LATER_TS)
        async with asyncio.timeout(10):
            turn_id = turn_of(message.key)
            _ = [event async for event in bot.runtime.events(turn_id)]
        assert (await bot.runtime.turn(turn_id)).outcome == "stopped"
        assert not await stop(channel, "Ann", before_ts=LATER_TS)
