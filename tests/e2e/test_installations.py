"""How a bot serves under other settings; each test has a bot of its own."""

from pathlib import Path

from tests.e2e.world import SIMPLE_ANSWER, bot_in, bot_in_a_world, outside_world

NOBODY_LISTENS = "http://127.0.0.1:9"


async def test_an_empty_list_of_users_means_nobody(tmp_path: Path) -> None:
    async with bot_in_a_world(tmp_path, allowed_users=frozenset()) as world:
        ts = await world.mention("What is a list?")
        await world.slack.wait_for(lambda _: world.told_in_private("ann"))
        assert not await world.was_taken_up(ts)
        assert world.bot_posts(ts) == []
        assert world.model.calls == []


async def test_only_the_listed_channels_are_served(tmp_path: Path) -> None:
    async with outside_world(tmp_path) as outside:
        listed = frozenset({outside.slack.channels["news"]})
        async with bot_in(outside, allowed_channels=listed) as world:
            elsewhere = await world.mention("What is a list?")
            await world.slack.wait_for(lambda _: world.told_in_private("ann"))
            here = await world.ask_simply("What is a list?", channel="news")
            assert world.answers(here, channel="news") == [SIMPLE_ANSWER]
            assert not await world.was_taken_up(elsewhere)
            assert world.bot_posts(elsewhere) == []


async def test_an_unreachable_composio_does_not_silence_the_bot(tmp_path: Path) -> None:
    async with bot_in_a_world(tmp_path, composio_url=NOBODY_LISTENS) as world:
        root = await world.ask("Find out what teams say about retries in chat bots")
        [answer] = world.answers(root)
        assert "reference" not in answer
        [progress] = world.progress(root)
        assert progress.startswith("Done in")
