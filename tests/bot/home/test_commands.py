"""The slash command is answered to its author alone, in the acknowledgement."""

from pathlib import Path

from agent_core.ids import UserId
from agent_core.runtime import Account
from agent_core.testing.accounts import FakeAccounts
from bot.words import BOT
from tests.bot.home.world import Around, around

SAY = BOT.of("en")


async def test_help_names_what_there_is_and_what_is_unknown_is_said_to_be(place: Around) -> None:
    listing = await place.command("ann", "help")
    assert listing == SAY("home-help", command="/agent")
    assert await place.command("ann", "") == listing
    unknown = await place.command("ann", "frobnicate <!channel>")
    assert "“/agent frobnicate" in unknown
    assert "/agent help" in unknown
    assert "<!channel>" not in unknown


async def test_the_answer_is_seen_by_nobody_else_and_nothing_is_posted(place: Around) -> None:
    await place.command("ann", "usage")
    [post] = place.world.slack.state.ephemerals.values()
    assert post.ephemeral_to == place.world.slack.people["ann"]
    assert place.calls("chat.postMessage") == 0
    assert len(place.world.ledger.settled) == 1


async def test_status_tells_of_ones_own_work_and_stop_ends_it_in_the_channel(place: Around) -> None:
    thread = await place.thread()
    turn = await place.ask_and_wait(thread, "ann", "which report do you mean?")
    assert thread.root_ts.replace(".", "") in await place.command("ann", "status")
    assert await place.command("ben", "status") == SAY("home-nothing-running")
    assert await place.command("ben", "stop") == SAY("home-nothing-here")
    elsewhere = await place.command("ann", "stop", "energy")
    assert elsewhere.startswith(SAY("home-nothing-here"))
    assert "which report" in elsewhere
    assert await place.command("ann", "stop") == SAY("home-stopped")
    await place.ended(turn)
    assert (await place.runtime.turn(turn)).outcome == "stopped"


async def test_connections_usage_and_schedules_are_ones_own(
    place: Around, accounts: FakeAccounts
) -> None:
    accounts.connect(place.person("ann"), "gmail")
    await place.ended(await place.ask(await place.thread(), "ann", "compare the makers"))
    assert "*Gmail*" in await place.command("ann", "connections")
    assert SAY("home-no-accounts") in await place.command("ben", "connections")
    assert (await place.command("ann", "usage")).startswith("This month: 1 request")
    assert (await place.command("ben", "usage")).startswith("This month: 0 requests")
    assert SAY("digest-none") in await place.command("ben", "schedules")


async def test_a_command_that_a_dead_process_left_is_answered_to_its_author_in_the_channel(
    place: Around,
) -> None:
    told = await place.command("ann", "usage")
    [body] = place.world.ledger.bodies
    await place.world.actions.replay(body | {"trigger_id": "of.a.dead.one"})
    await place.world.handled()
    assert place.world.told("ann") == [told]


async def test_the_command_works_where_the_bot_is_not_and_where_nobody_writes_any_more(
    place: Around,
) -> None:
    for channel in ("random", "hidden", "archived"):
        assert (await place.command("ann", "usage", channel)).startswith("This month: 0 requests")


async def test_what_takes_too_long_is_answered_when_it_is_there(tmp_path: Path) -> None:
    async with around(tmp_path, answer_within_s=0.0) as slow:
        assert await slow.command("ann", "help") == ""
        assert slow.world.told("ann") == [SAY("home-help", command="/agent")]


class BrokenAccounts(FakeAccounts):
    """Fails as nobody expects it."""

    async def of(self, user: UserId) -> list[Account]:
        raise RuntimeError(user)


async def test_a_command_that_comes_to_nothing_says_so(tmp_path: Path) -> None:
    async with around(tmp_path, accounts=BrokenAccounts()) as place:
        assert await place.command("ann", "connections") == SAY("ingress-in-vain")
        assert await place.command("ann", "status") == SAY("home-nothing-running")  # asks for less
