"""Digests are ordered in words: what is repeated, who agrees to it, what is asked and refused."""

import asyncio
import re

import pytest

from agent_core.events import TextDelta
from bot.sandbox.model import ReplyText, ToolUse
from tests.e2e.digests import (
    HYDROGEN,
    NINE_ON_FRIDAY,
    ORDER,
    Office,
    buttons,
    digest_answer,
    office,
    reading,
    shared_office,
)
from tests.e2e.world import FIRST_WORDS, SIMPLE_ANSWER

__all__ = ["office", "shared_office"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

LONG_S = 60.0
DAILY = "FREQ=DAILY;BYHOUR=9;BYMINUTE=0"
AT_TEN = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=10;BYMINUTE=0"


@pytest.mark.proves("digest.proposal")
async def test_a_proposal_names_task_channel_rule_and_next_three_times(office: Office) -> None:
    proposal = await office.say(ORDER)
    energy = office.world.slack.channels["energy"]
    assert proposal.text == (
        f"*battery storage*\nEvery weekday at 09:00 (Europe/Amsterdam), in <#{energy}>\n"
        "Next: Fri 27, Mon 30, Tue 31 March at 09:00\n"
        "Shall I do that?"
    )
    assert buttons(proposal) == ["Confirm", "Change", "Cancel"]
    assert await office.schedules() == []


@pytest.mark.proves("digest.zone")
async def test_times_are_those_of_the_asker_whatever_zone_the_order_names(office: Office) -> None:
    fools = {"task": "fools", "rrule": "FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=2;BYHOUR=9;BYMINUTE=0"}
    words = "every 2nd of April at 9 post a digest on fools"
    own = await office.say(words, reading("order", **fools), user="ben")
    assert "(Europe/London)" in own.text
    other = await office.say(
        f"{words}, New York time", reading("order", zone="America/New_York", **fools)
    )
    assert "at 09:00 (America/New_York)" in other.text
    assert "Next: Thu 2 April 2026, Fri 2 April 2027, Sun 2 April 2028 at 15:00" in other.text
    assert "(Europe/Amsterdam)\n" in other.text


@pytest.mark.proves("digest.click")
async def test_one_click_agrees_and_a_second_or_one_delivered_twice_changes_nothing(
    office: Office,
) -> None:
    proposal = await office.say(ORDER)
    async with asyncio.TaskGroup() as group:
        presses = [group.create_task(office.press(proposal, "confirm")) for _ in range(2)]
    agreed = await office.decided(proposal)
    [schedule] = await office.schedules()
    ann = office.world.slack.people["ann"]
    assert agreed.text.startswith(f"Scheduled as digest {schedule.number}, ordered by <@{ann}>: ")
    assert "Shall I" not in str(agreed.blocks)
    assert (schedule.status, schedule.next_due) == ("active", NINE_ON_FRIDAY)
    for press in presses:
        await office.deliver_again(press.result())
    await office.say("digests")
    assert len(await office.schedules()) == 1
    assert office.world.slack.find(agreed.channel, agreed.ts).text == agreed.text
    assert len(office.world.bot_posts(agreed.root_ts)) == 1


@pytest.mark.parametrize("button", ["confirm", "cancel"])
@pytest.mark.proves("digest.click_by")
async def test_the_click_of_another_person_is_refused_for_their_eyes_only(
    office: Office, button: str
) -> None:
    proposal = await office.say(ORDER, user="ben")
    await office.press(proposal, button, user="ann")
    refused = await office.told_alone("ann", proposal)
    ben = office.world.slack.people["ben"]
    assert refused == f"Only <@{ben}>, who ordered it, can decide that."
    assert buttons(office.world.slack.find(proposal.channel, proposal.ts))
    assert await office.schedules() == []


@pytest.mark.parametrize(
    ("word", "told"),
    [
        *((word, "Scheduled as") for word in ("yes", "Ok, thanks!", "ja", "oui", "sí", ":+1:")),
        *((word, "Not scheduled.") for word in ("no", "cancel", "nein", "never mind", "")),
    ],
)
@pytest.mark.proves("digest.click")
async def test_a_plain_yes_or_no_of_the_owner_is_as_good_as_the_click(
    office: Office, word: str, told: str
) -> None:
    proposal = await office.say(ORDER)
    if word:
        await office.world.slack.say("ann", proposal.channel, word, thread_ts=proposal.root_ts)
    else:
        await office.press(proposal, "cancel")
    assert (await office.decided(proposal)).text.startswith(told)
    agreed = [(each.status, each.next_due) for each in await office.schedules()]
    assert agreed == ([("active", NINE_ON_FRIDAY)] if told == "Scheduled as" else [])


@pytest.mark.proves("digest.question")
async def test_what_is_missing_is_asked_for_until_it_is_there(office: Office) -> None:
    asked = reading("order", task="hydrogen", channel="#energy")
    days = await office.say(HYDROGEN.replace("every weekday ", "regularly "), asked)
    assert days.text.startswith("On which days?")
    weekly = reading("change", rrule="FREQ=WEEKLY;BYDAY=MO")
    time = await office.reply("Mondays", days, weekly)
    assert time.text.startswith("At what time?")
    assert "Europe/Amsterdam" in time.text
    nine = reading("change", rrule="FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0")
    proposal = await office.reply("at nine", time, nine)
    assert proposal.text.startswith("*hydrogen*\nEvery Monday at 09:00 (Europe/Amsterdam)")


@pytest.mark.parametrize(
    ("order", "rrule", "reason"),
    [
        ("every 5 minutes post a digest on spam", "FREQ=MINUTELY;INTERVAL=5", "at most"),
        (
            "every 30th of February post a digest on spam",
            "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;BYHOUR=9",
            "does not come",
        ),
        ("every weekday at 9 post a digest on spam in #nowhere", DAILY, "no channel #nowhere"),
        ("every weekday at 9 post a digest on spam in #random", DAILY, "no channel #random"),
        ("every weekday at 9 post a digest on spam in #archived", DAILY, "no channel #archived"),
        ("every weekday at 9 post a digest on spam in <#{random}>", DAILY, "I am not in <#"),
    ],
)
@pytest.mark.proves("digest.refused")
async def test_what_cannot_be_is_refused_with_its_reason(
    office: Office, order: str, rrule: str, reason: str
) -> None:
    random = office.world.slack.channels["random"]
    text = order.format(random=random)
    named = re.search(r"#\w+", text)
    channel = named[0] if named else ""
    refused = await office.say(text, reading("order", task="spam", channel=channel, rrule=rrule))
    assert reason in refused.text
    assert buttons(refused) == []


@pytest.mark.proves("digest.refused", "digest.rights")
async def test_a_channel_that_the_asker_is_not_in_is_refused(office: Office) -> None:
    slack = office.world.slack
    private = slack.channels["private"]
    await slack.remove_from_channel("private", "cleo")
    words = "every day at 9 post a digest on moss in #private"
    assert buttons(await office.say(words, user="ben"))
    refused = await office.say(words, user="cleo")
    assert buttons(refused) == []
    assert str(private) in refused.text


@pytest.mark.proves("digest.language")
async def test_an_order_gets_the_words_of_its_language_and_not_of_the_locale(
    office: Office,
) -> None:
    text = "poste jeden Werktag um 9 einen Digest über Batteriespeicher in #energy"
    read = reading(
        "order", task="Batteriespeicher", channel="#energy", rrule=AT_TEN.replace("=10", "=9")
    )
    proposal = await office.say(text, read, user="ben")
    assert "Jeden Werktag um 09:00" in proposal.text
    assert "Nächste: Fr 27., Mo 30., Di 31. März um 09:00" in proposal.text
    assert buttons(proposal) == ["Bestätigen", "Ändern", "Abbrechen"]
    await office.press(proposal, "confirm", user="ben")
    assert (await office.decided(proposal)).text.startswith("Eingeplant als Digest ")


@pytest.mark.parametrize(
    "text", ["what happens every weekday at 9?", "Is there a digest in #energy?"]
)
@pytest.mark.proves("digest.ordinary")
async def test_ordinary_requests_are_the_agents(office: Office, text: str) -> None:
    office.world.model.play(reading("none"))
    office.world.play_simple()
    root = await office.world.ask(text)
    [answer] = office.world.bot_posts(root)
    assert answer.text == SIMPLE_ANSWER
    assert buttons(answer) == []
    assert await office.schedules() == []


@pytest.mark.proves("digest.proposal")
async def test_an_order_without_any_usual_word_is_seen_by_the_classifier(office: Office) -> None:
    text = "Haluaisin maanantaisin klo 9 uutiset sammalista tänne"
    office.world.model.play(ReplyText(text="ORDER"))
    office.world.model.play(ReplyText(text="(nobody hears this)"))
    rrule = "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"
    proposal = await office.say(text, reading("order", task="uutiset sammalista", rrule=rrule))
    assert proposal.text.startswith("*uutiset sammalista*\nEvery Monday at 09:00")
    assert buttons(proposal)
    await office.rest()
    assert len(office.world.bot_posts(proposal.root_ts)) == 1


async def test_an_order_while_a_turn_is_at_work_is_answered_and_does_not_steer(
    office: Office,
) -> None:
    world = office.world
    may_go_on = world.model.stall(LONG_S, after_events=FIRST_WORDS, kinds={"scripted"})
    look = ToolUse(name="mcp__local_toolkit__list_local_files", input={})
    world.model.play(ReplyText(text="I look at the files of this thread."), look)
    root = await world.mention("continue")
    await world.until(root, TextDelta)
    words = "every day at 9 post a digest on moss"
    await world.slack.say("ann", "general", words, thread_ts=root)
    await world.slack.wait_for(
        lambda s: any(post.text.startswith("*moss*") for post in s.thread("general", root))
    )
    assert (await world.runtime.turn(world.turn_id(root))).status == "running"
    world.model.play(ReplyText(text="Nothing is there."))
    may_go_on.set()
    turn = await world.answered(root)
    assert turn.answer == "Nothing is there."


@pytest.mark.proves("digest.repeated")
async def test_who_orders_the_same_digest_twice_is_asked_to_replace_it_or_keep_both(
    office: Office,
) -> None:
    first = await office.order()
    again = "every monday at 7 post a digest about storage of power in batteries in #energy"
    same = {"task": "storage of power in batteries", "channel": "#energy", "same_as": first.number}
    monday = "FREQ=WEEKLY;BYDAY=MO;BYHOUR=7;BYMINUTE=0"
    card = await office.say(again, reading("order", rrule=monday, **same))
    assert f"Digest {first.number}, ordered by <@" in card.text
    assert "is about the same: *battery storage*\nEvery weekday at 09:00" in card.text
    assert buttons(card) == ["Replace", "Keep both", "Cancel"]
    unclear = await office.reply("yes", card)
    assert "press one of the buttons above" in unclear.text
    assert [each.id for each in await office.schedules()] == [first.id]
    await office.press(card, "replace")
    replaced = await office.decided(card)
    assert f"Digest {first.number} is changed: *{same['task']}*" in replaced.text
    [changed] = await office.schedules()
    assert (changed.number, changed.order.rule.recurrence) == (first.number, monday)

    word_for_word = again.replace("monday", "friday")
    rrule = monday.replace("MO", "FR")
    read = reading("order", rrule=rrule, **{**same, "same_as": None})
    of_ben = await office.say(word_for_word, read, user="ben")
    assert buttons(of_ben) == ["Keep both", "Cancel"]
    await office.press(of_ben, "confirm", user="ben")
    await office.decided(of_ben)
    assert len(await office.schedules()) == 2
    elsewhere = reading("order", rrule=rrule, **{**same, "channel": "#news"})
    other = await office.say(word_for_word.replace("#energy", "#news"), elsewhere)
    assert buttons(other) == ["Confirm", "Change", "Cancel"]


async def test_an_order_in_a_direct_conversation_is_told_there(office: Office) -> None:
    slack = office.world.slack
    direct = slack.dm_id("ann")
    ts = await slack.say("ann", text="every day at 9 post a digest on moss", dm=True)
    proposal = await office.next_post(ts, after=0, channel=direct)
    await office.press(proposal, "confirm")
    await office.decided(proposal)
    [in_direct] = await office.schedules()
    office.world.model.play(digest_answer("Moss grows"))
    await office.go_to_slot(in_direct)
    [root] = office.roots(direct)
    assert "Moss grows" in root.text


@pytest.mark.proves("digest.reads")
async def test_a_digest_about_a_channel_reads_that_channel_where_it_may(office: Office) -> None:
    slack = office.world.slack
    text = "every day at 9 summarise what happened in #general for #energy"
    read = {"task": "summarise what happened", "channel": "#energy", "reads": "#general"}
    proposal = await office.say(text, reading("order", rrule=DAILY, **read))
    general = slack.channels["general"]
    assert f"I will read what is posted in <#{general}>." in proposal.text
    await office.press(proposal, "confirm")
    await office.decided(proposal)
    [schedule] = await office.schedules()
    await slack.say("ben", "general", "The boiler is mended.")
    office.world.model.play(digest_answer("The boiler is mended"))
    await office.go_to_slot(schedule)
    request = str(office.world.requests_with("as material")[-1]["messages"])
    assert "The boiler is mended." in request, request[:1500]

    closed = text.replace("#general", "#random")
    told = await office.say(closed, reading("order", rrule=DAILY, **{**read, "reads": "#random"}))
    assert "I see no channel #random" in told.text or "I may not read" in told.text


@pytest.mark.proves("digest.form")
async def test_with_the_small_model_away_a_form_orders_the_digest(office: Office) -> None:
    office.world.model.fail(status=401, message="invalid x-api-key")
    offered = await office.say(ORDER)
    assert buttons(offered) == ["New digest"]
    await office.press(offered, "new")
    entered = {"task": "battery storage", "days": "FREQ=DAILY", "time": "8:15"}
    assert await office.fill_in(await office.form(), entered) == {}
    proposal = await office.next_post(offered.root_ts, after=1)
    assert proposal.text.startswith("*battery storage*\nEvery day at 08:15 (Europe/Amsterdam)")
    await office.press(proposal, "confirm")
    await office.decided(proposal)
    assert len(await office.schedules()) == 1


async def test_an_order_that_is_edited_is_read_anew_and_one_that_is_deleted_is_taken_back(
    shared_office: Office,
) -> None:
    office, slack = shared_office, shared_office.world.slack
    proposal = await office.say("every weekday at 9 post a digest on white rice in #news")
    root_ts = proposal.root_ts
    words = f"{slack.mention} every weekday at 10 post a digest on brown rice in #news"
    await slack.edit("ann", proposal.channel, root_ts, words)
    await slack.wait_for(lambda s: "brown rice" in s.thread(proposal.channel, root_ts)[-1].text)
    first, second = office.world.bot_posts(root_ts)
    assert first.text == "Not scheduled."
    assert "at 10:00" in second.text
    wild = await office.say("every weekday at 9 post a digest on wild rice in #news")
    await slack.delete(wild.channel, wild.root_ts)
    await office.decided(wild)
    already = office.roots()
    await office.go_on_s(4 * 86_400.0)  # nothing that was left unanswered is due
    assert (await office.schedules(), office.roots()) == ([], already)
