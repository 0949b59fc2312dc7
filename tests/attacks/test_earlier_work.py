"""Group L, over time: earlier work is for who may read it now, and taints as it was tainted."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent_core.ids import SOMEBODY
from agent_core.runtime import AnsweredTurn
from bot.slack_api import People
from bot.surface import SlackSurface
from bot.threads import ThreadRef, user_id
from tests.attacks.world import CANARY
from tests.bot.earlier import Threads, open_threads, report
from tests.bot.test_surface import mark_in


@pytest.fixture
async def threads(tmp_path: Path) -> AsyncIterator[Threads]:
    async with open_threads(tmp_path) as threads:
        yield threads


async def marks(threads: Threads, thread: ThreadRef, who: str) -> list[str]:
    """The ids that somebody gets who may read there."""
    new = ThreadRef(team=thread.team, channel=thread.channel, root_ts="1.000001")
    return [mark_in(await threads.told(new, who, "find_earlier_work", query=CANARY))]


async def test_work_of_another_channel_or_person_is_neither_found_nor_read(
    threads: Threads,
) -> None:
    energy = await threads.ask("cleo", "energy", report(CANARY), CANARY, said=f"continue {CANARY}")
    direct = await threads.ask("ben", "dm", CANARY, said=f"continue {CANARY}")
    theirs = await marks(threads, energy, "cleo") + await marks(threads, direct, "ben")
    for where in ("general", "dm"):
        here = await threads.root("ann", where)
        assert CANARY not in await threads.told(here, "ann", "find_earlier_work", query=CANARY)
        for mark in theirs:
            read = await threads.told(here, "ann", "read_earlier_work", id=mark)
            assert "No work with this id" in read


async def test_who_has_left_the_channel_or_is_a_guest_is_told_nothing(threads: Threads) -> None:
    general = await threads.ask("ben", "general", CANARY)
    [mark] = await marks(threads, general, "ben")
    await threads.place.slack.remove_from_channel("general", "cleo")
    for who in ("cleo", "guest"):
        found = await threads.told(general, who, "find_earlier_work", query=CANARY)
        read = await threads.told(general, who, "read_earlier_work", id=mark)
        assert "may not read" in found
        assert "may not read" in read


async def test_somebody_of_another_team_has_no_place_here(threads: Threads) -> None:
    thread = await threads.ask("ann", "general", CANARY)
    ann = threads.place.slack.people["ann"]
    surface = SlackSurface(threads.bot.runtime, threads.place.api, People(threads.place.api))
    assert await surface.place_for(thread.session, user_id(thread.team, ann))
    assert not await surface.place_for(thread.session, user_id("T0ELSEWHERE", ann))


async def told_by(threads: Threads, thread: ThreadRef) -> AnsweredTurn:
    return (await threads.bot.runtime.sessions.answers_in(thread.session, limit=1))[0]


async def authors_of(threads: Threads, thread: ThreadRef) -> set[str]:
    """Whose words a session holds, by their ids in Slack."""
    authors = await threads.bot.runtime.sessions.authors([thread.session])
    return {author.removeprefix(f"{thread.team}:") for author in authors}


@pytest.mark.proves("authors.quoted")
async def test_a_session_is_tainted_by_the_earlier_work_that_it_reads(threads: Threads) -> None:
    """I7. One's own words are no text from outside; another's are, and what a page has said."""
    ann, ben = (threads.place.slack.users[name] for name in ("ann", "ben"))
    await threads.ask("ann", "general", "Clean.", said="continue with tulips")
    clean = await threads.root("ann", "general")
    await threads.told(clean, "ann", "find_earlier_work", query="tulips")
    assert (await told_by(threads, clean)).tainted_by is None
    assert await authors_of(threads, clean) == {ann}

    other = await threads.root("ben", "general")
    await threads.told(other, "ben", "find_earlier_work", query="tulips")
    assert (await told_by(threads, other)).tainted_by == "find_earlier_work"
    assert await authors_of(threads, other) == {ann, ben}

    outside = await threads.root("ann", "energy")
    await threads.told(outside, "ann", "read_channel", channel="energy", since="2020-01-01")
    assert await authors_of(threads, outside) == {ann, SOMEBODY}
    later = await threads.root("ann", "energy")
    await threads.told(later, "ann", "find_earlier_work", query="done")
    assert (await told_by(threads, later)).tainted_by == "find_earlier_work"
    assert await authors_of(threads, later) == {ann, SOMEBODY}
