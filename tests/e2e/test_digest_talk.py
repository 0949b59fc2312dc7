"""Digests are talked about in their threads: answers, yes and no, corrections, "pause it"."""

import pytest

from agent_core.schedules.schedule import Schedule
from bot.sandbox.slack import Post
from tests.e2e.digests import (
    NINE_ON_FRIDAY,
    ORDER,
    Office,
    buttons,
    digest_answer,
    office,
    shared_office,
)

__all__ = ["office", "shared_office"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

WEEKDAYS_AT = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR={hour};BYMINUTE=0"


async def only(office: Office) -> Schedule:
    [schedule] = await office.schedules()
    return schedule


async def goes_to_the_agent(office: Office, text: str, post: Post, *, user: str = "ann") -> None:
    """The model is asked about it; what it says does not matter here."""
    before = len(office.world.requests_with(text))
    words = f"{office.world.slack.mention} {text}"
    await office.world.slack.say(user, post.channel, words, thread_ts=post.root_ts)
    await office.world.slack.wait_for(lambda _: len(office.world.requests_with(text)) > before)
    await office.rest()


async def told_here(office: Office, schedule: Schedule) -> Post:
    """The post of a digest's next run."""
    known = len(office.roots())
    office.world.model.play(digest_answer("Spain approves 2 GW"))
    await office.go_to_slot(schedule)
    [root] = office.roots()[known:]
    assert "Spain approves 2 GW" in root.text
    return root


@pytest.mark.parametrize("word", ["yes", "Ok, thanks!", "go ahead", "ja", "oui", "sí", ":+1:"])
async def test_a_yes_in_words_agrees(office: Office, word: str) -> None:
    proposal = await office.say(ORDER)
    await office.world.slack.say("ann", proposal.channel, word, thread_ts=proposal.root_ts)
    agreed = await office.without_buttons(proposal)
    schedule = await only(office)
    assert agreed.text.startswith(f"Scheduled as digest {schedule.number}")
    assert (schedule.status, schedule.next_due) == ("active", NINE_ON_FRIDAY)


@pytest.mark.parametrize("word", ["no", "cancel", "nein", "never mind"])
async def test_a_no_in_words_takes_the_proposal_back(office: Office, word: str) -> None:
    proposal = await office.say(ORDER)
    await office.world.slack.say("ann", proposal.channel, word, thread_ts=proposal.root_ts)
    assert (await office.without_buttons(proposal)).text == "Not scheduled."
    assert await office.schedules() == []


async def test_the_yes_of_another_person_is_not_taken_for_it(office: Office) -> None:
    proposal = await office.say(ORDER, user="ben")
    await goes_to_the_agent(office, "yes", proposal, user="ann")
    assert buttons(office.world.slack.find(proposal.channel, proposal.ts))
    assert await office.schedules() == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("no, at 10", "Every weekday at 10:00 (Europe/Amsterdam), in <#{energy}>"),
        ("only on Mondays please", "Every Monday at 09:00 (Europe/Amsterdam), in <#{energy}>"),
        ("make it 8:30 and in #news", "Every weekday at 08:30 (Europe/Amsterdam), in <#{news}>"),
        ("actually about grapes and wine", "*grapes and wine*\nEvery weekday at 09:00"),
        ("change it to 10", "Every weekday at 10:00 (Europe/Amsterdam), in <#{energy}>"),
    ],
)
async def test_a_correction_makes_a_new_proposal_and_the_old_one_loses_its_buttons(
    office: Office, words: str, said: str
) -> None:
    old = await office.say(ORDER)
    new = await office.reply(words, old)
    assert said.format(**office.world.slack.channels) in new.text
    assert buttons(new) == ["Confirm", "Change", "Cancel"]
    assert (await office.without_buttons(old)).text == "Not scheduled."
    await office.world.slack.say("ann", new.channel, "yes", thread_ts=new.root_ts)
    await office.without_buttons(new)
    schedule = await only(office)
    assert schedule.order.task in said or schedule.order.task == "battery storage"


async def test_corrections_come_one_after_another(office: Office) -> None:
    first = await office.say(ORDER)
    second = await office.reply("no, at 10", first)
    third = await office.reply("about wine", second)
    assert third.text.startswith("*wine*\nEvery weekday at 10:00")
    await office.without_buttons(second)
    assert buttons(third) == ["Confirm", "Change", "Cancel"]


async def test_what_says_nothing_to_a_proposal_is_the_agents(office: Office) -> None:
    proposal = await office.say(ORDER)
    await goes_to_the_agent(office, "which sources would you read?", proposal)
    assert buttons(office.world.slack.find(proposal.channel, proposal.ts))


async def test_a_yes_behind_a_click_is_the_agents(office: Office) -> None:
    proposal = await office.say(ORDER)
    await office.press(proposal, "confirm")
    await office.without_buttons(proposal)
    await goes_to_the_agent(office, "ok", proposal)


async def test_answers_one_after_another_complete_an_order(office: Office) -> None:
    days = await office.say("post a weekly digest on fusion in #energy")
    assert days.text.startswith("On which days?")
    time = await office.reply("Monday", days)
    assert time.text.startswith("At what time?")
    proposal = await office.reply("at nine", time)
    assert proposal.text.startswith("*fusion*\nEvery Monday at 09:00 (Europe/Amsterdam)")


async def test_one_of_two_channels_is_asked_for(office: Office) -> None:
    question = await office.say("every day at 9 post a digest on moss in #energy and #news")
    assert question.text.startswith("In which channel?")
    proposal = await office.reply("#news", question)
    assert f"in <#{office.world.slack.channels['news']}>" in proposal.text


async def test_a_last_word_is_a_channel_where_there_is_one(office: Office) -> None:
    inside = await office.say("every day at 9 post a digest on moss in energy")
    assert inside.text.startswith("*moss*\n")
    assert f"in <#{office.world.slack.channels['energy']}>" in inside.text
    without = await office.say("every day at 9 post a digest on moss in Norway")
    assert without.text.startswith("*moss in Norway*\n")


async def test_in_the_thread_of_its_order_it_is_the_digest(office: Office) -> None:
    await office.order("every day at 9 post a digest on tides in #energy")
    proposal = await office.say(ORDER)
    await office.press(proposal, "confirm")
    await office.without_buttons(proposal)
    _, schedule = await office.schedules()
    paused = await office.reply("pause it", proposal)
    assert f"Digest {schedule.number} (*battery storage*) is paused." in paused.text
    resumed = await office.reply("resume it", paused)
    assert "goes on" in resumed.text
    changed = await office.reply("change it to 10", resumed)
    assert f"Digest {schedule.number} is changed: *battery storage*" in changed.text
    now = await office.schedule(schedule.number or 0)
    assert now.order.rule.recurrence == WEEKDAYS_AT.format(hour=10)
    deleted = await office.reply("delete it", changed)
    assert "is deleted" in deleted.text
    assert len(await office.schedules()) == 1


async def test_in_the_thread_of_its_post_it_is_the_digest(office: Office) -> None:
    await office.order("every day at 17 post a digest on tides in #energy")
    schedule = await office.order()
    root = await told_here(office, schedule)
    paused = await office.reply("pause this digest", root)
    assert f"Digest {schedule.number} (*battery storage*) is paused." in paused.text
    gone = await office.reply("stop sending this", root)
    assert f"Digest {schedule.number} (*battery storage*) is deleted." in gone.text


async def test_elsewhere_it_is_the_agents(office: Office) -> None:
    await office.order()
    listing = await office.say("digests")
    await goes_to_the_agent(office, "pause it", listing)
    assert (await only(office)).status == "active"


async def test_a_digest_is_changed_by_its_number(office: Office) -> None:
    schedule = await office.order()
    changed = await office.say(f"change digest {schedule.number} to 10")
    assert f"Digest {schedule.number} is changed: *battery storage*" in changed.text
    assert (await only(office)).order.rule.recurrence == WEEKDAYS_AT.format(hour=10)
    unclear = await office.say(f"change digest {schedule.number} to something better")
    assert unclear.blocks
    assert (await only(office)).order.task == "battery storage"


async def test_the_list_of_a_channel_has_those_of_that_channel(office: Office) -> None:
    await office.order()
    await office.order("every day at 9 post a digest on moss in #news")
    listing = await office.say("list the digests in #energy")
    assert "battery storage" in listing.text
    assert "moss" not in listing.text


async def test_all_of_them_are_never_meant_at_once(office: Office) -> None:
    await office.order()
    await office.order("every day at 9 post a digest on moss in #energy")
    which = await office.say("delete all digests")
    assert which.text.startswith("Which one do you mean?")
    assert "battery storage" in which.text
    assert "moss" in which.text
    assert len(await office.schedules()) == 2
