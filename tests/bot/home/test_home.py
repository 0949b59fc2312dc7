"""App Home shows each person what is theirs, and its buttons do what they say for them alone."""

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from agent_core.messages import JsonObject
from agent_core.runtime.schedules import Order, ScheduleId
from agent_core.testing.accounts import FakeAccounts
from bot.digests.form import on_weekdays
from bot.words import BOT
from tests.bot.home.world import NOW, Around, around

SAY = BOT.of("en")


@pytest.fixture
def accounts() -> FakeAccounts:
    return FakeAccounts()


@pytest.fixture
async def place(tmp_path: Path, accounts: FakeAccounts) -> AsyncIterator[Around]:
    async with around(tmp_path, accounts=accounts) as place:
        yield place


def said(blocks: Sequence[JsonObject]) -> str:
    return json.dumps(blocks, ensure_ascii=False)


def names(blocks: Sequence[JsonObject]) -> list[str]:
    """What can be pressed."""
    found: list[str] = []
    for block in blocks:
        elements = [*block.get("elements", ()), block.get("accessory", {})]
        found += [each["action_id"] for each in elements if "action_id" in each]
    return found


async def test_each_person_sees_their_own_sessions_with_a_link_and_what_they_used(
    place: Around,
) -> None:
    thread = await place.thread()
    await place.ended(await place.ask(thread, "ann", "compare the <!channel> battery makers"))
    anns, bens = said(await place.open_home("ann")), said(await place.open_home("ben"))
    address = f"https://sandbox.slack.com/archives/{thread.channel}/p"
    assert f"{address}{thread.root_ts.replace('.', '')}" in anns
    assert "battery makers" in anns
    assert "<!channel>" not in anns
    assert SAY("home-state-answered") in anns
    assert "1 request, " in anns
    assert "battery makers" not in bens
    assert SAY("home-no-sessions") in bens
    assert SAY("home-team") not in bens


async def test_a_guest_is_told_in_one_sentence_why_there_is_nothing(place: Around) -> None:
    blocks = await place.open_home("guest")
    assert [block["text"]["text"] for block in blocks] == [BOT.say("en", "ingress-refusal-guest")]


async def test_files_are_deleted_by_who_began_the_thread_and_by_nobody_else(
    place: Around,
) -> None:
    thread = await place.thread()
    await place.ended(await place.ask(thread, "ann", "compare the battery makers"))
    await place.ended(await place.ask(thread, "ben", "and their prices, too"))
    workspace = await place.runtime.workspace(thread.session, NOW)
    assert "home.delete" not in names(await place.open_home("ben"))
    view = await place.open_home("ann")
    assert "confirm" in said(view)
    shown = await place.press("ann", "home.delete", thread.session)
    assert SAY("home-deleted") in said(shown)
    assert not workspace.exists()


async def test_work_is_stopped_from_home_and_what_waits_is_shown_there(place: Around) -> None:
    thread = await place.thread()
    turn = await place.ask_and_wait(thread, "ann", "which report do you mean?")
    blocks = await place.open_home("ann")
    assert SAY("home-waiting") in said(blocks)
    assert SAY("home-waits-question") in said(blocks)
    shown = await place.press("ann", "home.stop", thread.session)
    assert SAY("home-stopped") in said(shown)
    await place.ended(turn)
    assert (await place.runtime.turn(turn)).outcome == "stopped"


async def test_accounts_are_connected_and_disconnected_by_their_owner(
    place: Around, accounts: FakeAccounts
) -> None:
    ann, ben = place.person("ann"), place.person("ben")
    accounts.connect(ann, "gmail", account="ca_ann")
    accounts.connect(ben, "github", account="ca_ben")
    assert "Gmail" in said(await place.open_home("ann"))
    shown = await place.press("ann", "home.connect", "notion")
    assert accounts.links == [(ann, "notion")]
    assert "https://connect.composio.dev/link/lk_1" in said(shown)
    assert "lk_1" not in said(await place.open_home("ben"))
    shown = await place.press("ann", "home.disconnect")
    assert SAY("home-disconnected", what="Gmail") in said(shown)
    assert await accounts.of(ann) == []
    assert len(await accounts.of(ben)) == 1


async def test_without_the_app_service_home_is_there_all_the_same(
    place: Around, accounts: FakeAccounts
) -> None:
    await place.open_home("ann")
    accounts.is_away = True
    shown = await place.press("ann", "home.connect", "notion")
    assert SAY("home-apps-away") in said(shown)
    assert "home.connect" not in names(shown)


async def test_a_language_and_a_time_are_chosen_and_home_speaks_it_at_once(place: Around) -> None:
    await place.open_home("ann")
    shown = await place.press("ann", "home.language", "de")
    assert BOT.say("de", "home-sessions") in said(shown)
    await place.press("ann", "home.digest_time", "07:30")
    stored = await place.runtime.preferences.of(place.person("ann"))
    assert stored == {"language": "de", "digest_time": "07:30"}
    await place.press("ann", "home.language", "auto")
    assert "language" not in await place.runtime.preferences.of(place.person("ann"))


async def test_schedules_are_paused_from_home_without_a_post(place: Around) -> None:
    thread, ann = await place.thread(), place.person("ann")
    order = Order(
        team=thread.team,
        place=thread.channel,
        owner=ann,
        owner_name="Ann",
        owner_locale="en",
        task="battery storage",
        rule=on_weekdays("UTC", NOW),
        origin=thread.session,
        owner_zone="UTC",
    )
    schedule = await place.runtime.schedules.propose(ScheduleId("s1"), order, NOW)
    await place.runtime.schedules.activate(schedule.id, NOW)
    assert "battery storage" in said(await place.open_home("ann"))
    assert "battery storage" not in said(await place.open_home("cleo"))
    shown = await place.press("ann", "home.schedule", f"pause:{schedule.id}")
    assert "is paused" in said(shown)
    assert place.calls("chat.postMessage") == 0
    await place.press("ann", "home.schedule", f"edit:{schedule.id}")
    assert len(place.world.slack.state.views) == 1


async def test_admins_see_what_goes_on_in_the_team_but_no_private_words(place: Around) -> None:
    for channel, text in (("general", "the public plan?"), ("private", "a secret plan?")):
        await place.ask_and_wait(await place.thread("ben", channel), "ben", text)
    shown = said(await place.open_home("ann"))
    assert SAY("home-team") in shown
    assert "the public plan" in shown
    assert "secret" not in shown
    assert SAY("home-in-private") in shown


async def test_admins_set_when_a_channel_is_answered(place: Around) -> None:
    general = place.world.slack.channels["general"]
    scope = f"{place.world.slack.team_id}:{general}"
    await place.open_home("ann")
    shown = await place.press("ann", "home.channel", general)
    assert "home.follow_ups" in names(shown)
    await place.press("ann", "home.follow_ups", f"{general} mention")
    assert await place.runtime.preferences.get(scope, "follow_ups") == "mention"


async def test_long_lists_are_folded_and_fit_into_a_view(place: Around) -> None:
    for number in range(10):
        thread = await place.thread()
        await place.ask_and_wait(thread, "ann", f"which report do you mean, number {number}?")
    blocks = await place.open_home("ann")
    assert SAY("home-more", n=2) in said(blocks)
    assert len(blocks) <= 100


async def test_a_new_chat_begins_with_what_this_person_asked_with_success(place: Around) -> None:
    thread = await place.thread()
    await place.ended(await place.ask(thread, "ann", "compare the battery makers"))
    for user in ("ann", "ben"):
        await place.world.slack.open_home(user, tab="messages")
    prompts = place.world.slack.state.prompts
    await place.world.slack.wait_for(lambda _: len(prompts) == 2)
    of_ann, of_ben = (prompts[place.world.slack.dm_id(user)].prompts for user in ("ann", "ben"))
    assert of_ann[0]["message"] == "compare the battery makers"
    assert len(of_ann) == len(of_ben) == 4
    assert "battery makers" not in said(of_ben)


async def test_what_is_not_ones_own_is_neither_stopped_deleted_nor_set_by_whoever_sends_it(
    place: Around, accounts: FakeAccounts
) -> None:
    thread = await place.thread()
    turn = await place.ask_and_wait(thread, "ann", "which report do you mean?")
    general, session = place.world.slack.channels["general"], thread.session
    accounts.connect(place.person("ann"), "gmail", account="ca_ann")
    workspace = await place.runtime.workspace(session, NOW)
    for name in ("home.stop", "home.delete"):
        assert SAY("home-not-yours") in await place.forge("ben", name, session)
    await place.forge("ben", "home.disconnect", "ca_ann")
    await place.forge("ben", "home.follow_ups", f"{general} mention")
    assert (await place.runtime.turn(turn)).outcome is None
    assert workspace.is_dir()
    assert len(await accounts.of(place.person("ann"))) == 1
    assert await place.runtime.preferences.of(f"{place.world.slack.team_id}:{general}") == {}


async def test_home_outlives_a_channel_that_was_archived_or_left_by_the_bot(
    place: Around,
) -> None:
    for channel in ("general", "energy"):
        await place.ask_and_wait(await place.thread("ben", channel), "ben", f"what, {channel}?")
    await place.world.slack.archive("general")
    await place.world.slack.remove_from_channel("energy", "bot")
    for user in ("ben", "ann"):
        shown = said(await place.open_home(user))
        assert "what, general?" in shown
    shown = await place.press("ben", "home.stop", block=None)
    assert SAY("home-stopped") in said(shown)
