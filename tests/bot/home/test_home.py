"""App Home shows each person what is theirs, and its buttons do what they say for them alone."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from agent_core.ids import SessionId, TurnId, UserId
from agent_core.messages import InboundMessage, JsonObject
from agent_core.runtime import Account, SessionState, Spent, StoredTurn
from agent_core.runtime.schedules import Schedule, ScheduleId
from agent_core.testing.accounts import FakeAccounts
from agent_core.testing.models import call
from bot.clicks import (
    AccountClick,
    AppClick,
    ChannelClick,
    HomeScheduleClick,
    PreferenceClick,
    SessionClick,
)
from bot.digests.clicks import on_weekdays
from bot.home.home import FIXED_PROMPTS
from bot.home.view import MAX_ROWS, HomeState, Note, TeamOverview, home_view
from bot.render import limits
from bot.threads import ThreadRef
from bot.words import BOT
from tests.bot.home.world import NOW, Around
from tests.schedules import a_schedule, an_order

SAY = BOT.of("en")
MAX_VIEW_BYTES = 250_000
"""Slack's, of a view."""


def language(name: str) -> str:
    """The value of a language in the menu."""
    return PreferenceClick(kind="home.language", choice=name).encoded()


def answered_in(channel: str) -> ChannelClick:
    """Only mentions are answered in a channel."""
    return ChannelClick(kind="home.follow_ups", channel=channel, choice="mention")


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
    assert "1 request, 0 reports, 0 pages read, " in anns
    assert "<!date^1" in anns
    assert SAY("home-intro") in anns
    assert "battery makers" not in bens
    assert SAY("home-no-sessions") in bens
    assert SAY("home-team") not in bens
    assert "tokens" in anns
    assert "tokens" not in bens


async def test_who_is_a_guest_or_of_another_organisation_opens_nothing_of_others(
    place: Around,
) -> None:
    """RELIABILITY A3: not by a press of what another's Home offers, nor by sending a form off."""
    slack, thread = place.world.slack, await place.thread()
    turn = await place.ask_and_wait(thread, "ann", "which report do you mean?")
    await place.open_home("ann")
    anns = slack.state.homes[slack.users["ann"]]
    for user, why in (("guest", "guest"), ("stranger", "stranger")):
        sentence = BOT.say("en", f"ingress-refusal-{why}")
        assert [block["text"]["text"] for block in await place.open_home(user)] == [sentence]
        before = said(place.home_of(user))
        await slack.click_view(user, anns.id, "home.stop")
        await slack.click_view(user, anns.id, "home.language", language("de"))
        assert await place.command(user, "status", "shared") == sentence
        await place.world.handled()
        assert said(place.home_of(user)) == before
        assert await place.runtime.preferences.of(place.person(user)) == {}
    assert slack.state.views == {}
    assert (await place.runtime.turn(turn)).status == "waiting"


async def test_files_are_deleted_by_who_began_the_thread_and_by_nobody_else(place: Around) -> None:
    thread = await place.thread()
    await place.ended(await place.ask(thread, "ann", "compare the battery makers"))
    await place.ended(await place.ask(thread, "ben", "and their prices, too"))
    workspace = await place.runtime.workspace(thread.session, NOW)
    assert "home.delete" not in names(await place.open_home("ben"))
    view = await place.open_home("ann")
    assert "confirm" in said(view)
    delete = SessionClick(kind="home.delete", session=thread.session)
    shown = await place.press("ann", "home.delete", delete.encoded())
    assert SAY("home-deleted") in said(shown)
    assert not workspace.exists()


async def test_accounts_are_connected_and_disconnected_by_their_owner(
    place: Around, accounts: FakeAccounts
) -> None:
    ann, ben = place.person("ann"), place.person("ben")
    accounts.connect(ann, "gmail", account="ca_ann")
    accounts.connect(ben, "github", account="ca_ben")
    assert "Gmail" in said(await place.open_home("ann"))
    shown = await place.press(
        "ann", "home.connect", AppClick(kind="home.connect", app="notion").encoded()
    )
    assert accounts.links == [(ann, "notion")]
    assert "https://connect.composio.dev/link/lk_1" in said(shown)
    assert "lk_1" not in said(await place.open_home("ben"))
    shown = await place.press("ann", "home.link")
    assert "https://connect.composio.dev/link/lk_2" in said(shown)  # the first may be over by then
    accounts.connect(ann, "notion")  # which is seen a moment after its link was opened
    shown = await place.press("ann", "home.link")
    assert "*Notion*" in said(shown)
    assert "lk_" not in said(shown)
    shown = await place.press("ann", "home.disconnect")
    assert SAY("home-disconnected", what="Gmail") in said(shown)
    assert [each.toolkit for each in await accounts.of(ann)] == ["notion"]
    assert len(await accounts.of(ben)) == 1


async def test_without_the_app_service_home_is_there_all_the_same(
    place: Around, accounts: FakeAccounts
) -> None:
    await place.open_home("ann")
    accounts.is_away = True
    shown = await place.press(
        "ann", "home.connect", AppClick(kind="home.connect", app="notion").encoded()
    )
    assert SAY("home-apps-away") in said(shown)
    assert "home.connect" not in names(shown)


async def test_a_language_and_a_time_are_chosen_and_home_speaks_it_at_once(place: Around) -> None:
    await place.open_home("ann")
    shown = await place.press("ann", "home.language", language("de"))
    assert BOT.say("de", "home-sessions") in said(shown)
    await place.press(
        "ann",
        "home.digest_time",
        PreferenceClick(kind="home.digest_time", choice="07:30").encoded(),
    )
    stored = await place.runtime.preferences.of(place.person("ann"))
    assert stored == {"language": "de", "digest_time": "07:30"}
    await place.press("ann", "home.language", language("auto"))
    assert "language" not in await place.runtime.preferences.of(place.person("ann"))


async def scheduled(place: Around) -> tuple[Schedule, ThreadRef]:
    """A digest that Ann has ordered, and the thread where she did."""
    thread = await place.thread()
    order = an_order(
        team=thread.team,
        place=thread.channel,
        origin=thread.session,
        owner=place.person("ann"),
        task="battery storage",
        rule=on_weekdays("UTC", NOW),
    )
    schedule = await place.runtime.schedules.propose(ScheduleId("s1"), order)
    await place.runtime.schedules.activate(schedule.id, NOW)
    return schedule, thread


async def test_schedules_are_paused_from_home_without_a_post(place: Around) -> None:
    schedule, _ = await scheduled(place)
    assert "battery storage" in said(await place.open_home("ann"))
    assert "battery storage" not in said(await place.open_home("cleo"))
    shown = await place.press(
        "ann", "home.schedule", HomeScheduleClick(schedule=schedule.id, verb="pause").encoded()
    )
    assert "is paused" in said(shown)
    assert place.calls("chat.postMessage") == 0


async def test_a_form_that_home_opened_changes_the_schedule_and_says_so_where_it_began(
    place: Around,
) -> None:
    slack, runtime = place.world.slack, place.runtime
    schedule, thread = await scheduled(place)
    await place.open_home("ann")
    await place.press(
        "ann", "home.schedule", HomeScheduleClick(schedule=schedule.id, verb="edit").encoded()
    )
    [form] = slack.state.views
    await slack.submit_view("ann", form, {"task": "solar power"})
    await place.world.handled()
    changed = await runtime.schedules.find(schedule.id)
    assert changed is not None
    assert changed.order.task == "solar power"
    [said_there] = slack.thread("general", thread.root_ts)[1:]
    assert "solar power" in said_there.words
    assert "solar power" in said(await place.open_home("ann"))


async def test_a_digest_is_ordered_from_home_and_agreed_to_in_a_thread_with_the_person(
    place: Around,
) -> None:
    slack = place.world.slack
    blocks = await place.open_home("ann")
    new = HomeScheduleClick(schedule=ScheduleId(""), verb="edit")
    assert SAY("digest-button-new") in said(blocks)
    await place.press("ann", "home.schedule", new.encoded())
    [form] = slack.state.views
    await slack.submit_view(
        "ann", form, {"task": "solar power", "channel": slack.channels["general"]}
    )
    await place.world.handled()
    root, proposal = slack.posts(slack.dm_id("ann"))
    assert root.words == SAY("digest-from-home")
    assert proposal.thread_ts == root.ts
    assert "solar power" in proposal.words
    assert "digest.confirm" in said(proposal.blocks)


@pytest.mark.proves("metrics.home")
async def test_admins_see_how_the_requests_of_the_month_went(place: Around) -> None:
    assert SAY("home-team") in said(await place.open_home("ann"))
    place.script[:] = [call("gone", {})]
    await place.ended(await place.ask(await place.thread("ben"), "ben", "find what there is"))
    await place.ask_and_wait(await place.thread("ben"), "ben", "the public plan?")
    shown = said(await place.open_home("ann"))
    since = datetime(2026, 1, 1, tzinfo=UTC)
    [latency_s] = await place.runtime.overview.latencies_s(place.world.slack.team_id, since)
    assert latency_s >= 1  # rounded up: nothing is done within 0 s
    told = {"simple": 0, "fallbacks": 0, "half": latency_s, "most": latency_s, "errors": 50}
    assert SAY("home-recent", **told) in shown
    assert SAY("home-recent", **told) not in said(await place.open_home("ben"))


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
    shown = await place.press("ann", "home.follow_ups", answered_in(general).encoded())
    assert await place.runtime.preferences.get(scope, "follow_ups") == "mention"
    assert "*Replies without a mention*: never answered · _for this channel_" in said(shown)
    assert "*Model*: the main one · _as usual_" in said(shown)
    told = [post.text for post in place.world.slack.posts("general")]
    assert any(
        "changed how I work:\n• *Replies without a mention*: never answered" in text
        for text in told
    )


@pytest.mark.parametrize("language", BOT.languages)
def test_the_biggest_home_that_there_can_be_fits_into_a_view(language: str) -> None:
    many, long = 60, "ü<!channel> &" * 400
    place = SessionId("T0123456789:C0123456789:1783536983.783769")
    inbound = InboundMessage(
        session=place, key="k", asker=UserId("T1:U1"), author_name=long, text=long, received_at=NOW
    )
    state: dict[str, Any] = {"outcome": None, "answer": None, "seq": 1, "generation": 1}
    turn = StoredTurn(
        id=TurnId("turn:k"), session=place, status="waiting", inbound=inbound, **state
    )
    session = SessionState(id=place, newest=turn, asked=long, began=True)
    schedule = a_schedule(an_order(task=long, owner_name=long, place="C0123456789"))
    account = Account(id="ca_1", toolkit="googlecalendar", identity=long)
    spent = Spent(
        turns=10**6,
        reports=10**6,
        pages=10**6,
        minutes=10**6,
        tokens=10**12,
        cost_usd=1234567.5,
        unpriced_calls=4711,
    )
    team = TeamOverview(
        spent=spent,
        latencies_s=[10**6],
        unfinished=[turn] * many,
        public=frozenset({"C0123456789"}),
        schedules=[schedule] * many,
    )
    note = Note(
        text=long[: limits.SECTION_CHARS],
        links={"notion": f"https://connect.composio.dev/{'x' * 2_000}"},
        channel="C0123456789",
        rule="mention",
    )
    blocks = home_view(
        HomeState(
            language=language,
            now=NOW,
            url="https://a-workspace-with-a-very-long-name.slack.com/",
            spent=spent,
            sessions=[session] * many,
            waiting=[turn] * many,
            schedules=[schedule] * many,
            accounts=[account] * many,
            note=note,
            team=team,
        )
    )["blocks"]
    written = json.dumps(blocks, ensure_ascii=False)
    assert "1234567.50" in written
    assert re.search(r"\b4.?711\b", written), "calls without a price are told"
    assert "home.follow_ups" in names(blocks)  # it stands last, and nothing was cut off
    assert BOT.say(language, "home-more", n=many - MAX_ROWS) in said(blocks)
    assert len(blocks) < limits.BLOCKS_PER_VIEW
    assert len(said(blocks).encode()) < MAX_VIEW_BYTES


async def test_a_new_chat_offers_openings_and_never_what_somebody_wrote(place: Around) -> None:
    thread = await place.thread()
    for words in ("email bob@example.com that says lunch is at noon", "and make it shorter"):
        await place.ended(await place.ask(thread, "ann", words))
    await place.world.slack.open_home("ann", tab="messages")
    prompts = place.world.slack.state.prompts
    await place.world.slack.wait_for(lambda _: len(prompts) == 1)
    [shown] = prompts.values()
    offered = [prompt["message"] for prompt in shown.prompts]
    assert offered == [SAY(f"home-prompt-{name}") for name in FIXED_PROMPTS]


async def test_what_is_not_ones_own_is_neither_stopped_deleted_nor_set_by_whoever_sends_it(
    place: Around, accounts: FakeAccounts
) -> None:
    thread = await place.thread()
    turn = await place.ask_and_wait(thread, "ann", "which report do you mean?")
    general, session = place.world.slack.channels["general"], thread.session
    accounts.connect(place.person("ann"), "gmail", account="ca_ann")
    workspace = await place.runtime.workspace(session, NOW)
    stop = SessionClick(kind="home.stop", session=session)
    delete = SessionClick(kind="home.delete", session=session)
    assert SAY("home-not-yours") in await place.forge("ben", stop)
    assert SAY("home-not-yours") in await place.forge("ben", delete)
    await place.forge("ben", AccountClick(account="ca_ann"))
    await place.forge("ben", answered_in(general))
    assert (await place.runtime.turn(turn)).outcome is None
    assert workspace.is_dir()
    assert len(await accounts.of(place.person("ann"))) == 1
    assert await place.runtime.preferences.of(f"{place.world.slack.team_id}:{general}") == {}


async def test_home_outlives_a_channel_that_was_archived_or_left_by_the_bot(place: Around) -> None:
    for channel in ("general", "energy"):
        await place.ask_and_wait(await place.thread("ben", channel), "ben", f"what, {channel}?")
    place.world.slack.change_channel("general", is_archived=True)
    await place.world.slack.remove_from_channel("energy", "bot")
    for user in ("ben", "ann"):
        shown = said(await place.open_home(user))
        assert "what, general?" in shown
    shown = await place.press("ben", "home.stop", block=None)
    assert SAY("home-stopped") in said(shown)


@pytest.mark.proves("erasure.home")
async def test_everything_about_oneself_is_deleted_by_a_button_that_asks_first(
    place: Around,
) -> None:
    thread = await place.thread()
    await place.ended(await place.ask(thread, "ann", "compare the battery makers"))
    bens = await place.ended(await place.ask(await place.thread("ben"), "ben", "what is new"))
    blocks = await place.open_home("ann")
    [row] = [each for each in blocks if "home.erase" in said([each])]
    assert "Posts in Slack, accounts at Composio" in row["text"]["text"]
    assert row["accessory"]["confirm"]["deny"]["text"] == SAY("home-no")
    after = said(await place.press("ann", "home.erase"))
    assert "Deleted: what I kept of you in 1 thread" in after
    assert SAY("home-no-sessions") in after
    assert await place.runtime.sessions.turns_of(thread.session) == []
    assert (await place.runtime.turn(bens)).answer
    records = await place.runtime.audit.records()
    assert [(each["kind"], each["who"]) for each in records] == [("erasure", place.person("ann"))]
