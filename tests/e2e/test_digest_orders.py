"""Digests are ordered in words: what is repeated, who agrees to it, what is asked and refused."""

import asyncio
import re

import pytest

from bot.sandbox.model import Text, ToolUse
from bot.sandbox.slack import Post
from tests.e2e.digests import (
    HYDROGEN,
    NINE_ON_FRIDAY,
    ORDER,
    Office,
    buttons,
    digest_answer,
    office,
    shared_office,
)
from tests.e2e.world import SIMPLE_ANSWER

__all__ = ["office", "shared_office"]

pytestmark = pytest.mark.asyncio(loop_scope="module")


TIDES = "post a digest on tides in #news every day"
LONG_S = 60.0


@pytest.mark.proves("digest.proposal")
async def test_a_proposal_names_task_channel_rule_and_next_three_times(office: Office) -> None:
    proposal = await office.say(ORDER)
    energy = office.world.slack.channels["energy"]
    assert proposal.text == (
        f"*battery storage*\nEvery weekday at 09:00 (Europe/Amsterdam), in <#{energy}>\n"
        "Next: Fri 27 March 2026, 09:00 · Mon 30 March 2026, 09:00 · Tue 31 March 2026, 09:00\n"
        "Shall I do that?"
    )
    assert buttons(proposal) == ["Confirm", "Change", "Cancel"]
    assert await office.schedules() == []


@pytest.mark.proves("digest.zone")
async def test_times_are_those_of_the_askers_time_zone(office: Office) -> None:
    proposal = await office.say("every 2nd of April at 00:30 post a digest on fools", user="ben")
    assert "(Europe/London)" in proposal.text
    assert "Thu 2 April 2026, 00:30 · Fri 2 April 2027, 00:30" in proposal.text


@pytest.mark.proves("digest.zone")
async def test_an_order_in_another_zone_is_told_in_the_askers_time(office: Office) -> None:
    proposal = await office.say("every 2nd of April at 9 New York time post a digest on fools")
    assert "at 09:00 (America/New_York)" in proposal.text
    assert "Thu 2 April 2026, 15:00 · Fri 2 April 2027, 15:00" in proposal.text
    assert "(Europe/Amsterdam)\n" in proposal.text


@pytest.mark.proves("digest.click")
async def test_one_click_agrees_and_the_buttons_are_gone(office: Office) -> None:
    proposal = await office.say(ORDER)
    await office.press(proposal, "confirm")
    agreed = await office.without_buttons(proposal)
    [schedule] = await office.schedules()
    ann = office.world.slack.people["ann"]
    assert agreed.text.startswith(f"Scheduled as digest {schedule.number}, ordered by <@{ann}>: ")
    assert "Shall I" not in str(agreed.blocks)
    assert (schedule.status, schedule.next_due) == ("active", NINE_ON_FRIDAY)


@pytest.mark.proves("digest.click")
async def test_a_double_click_and_a_press_delivered_twice_change_nothing(office: Office) -> None:
    proposal = await office.say(ORDER)
    async with asyncio.TaskGroup() as group:
        presses = [group.create_task(office.press(proposal, "confirm")) for _ in range(2)]
    agreed = await office.without_buttons(proposal)
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
    assert re.match(rf"Only <@{ben}>, who ordered it, ", refused)
    assert buttons(office.world.slack.find(proposal.channel, proposal.ts))
    assert await office.schedules() == []


@pytest.mark.proves("digest.click_by")
async def test_who_presses_confirm_for_another_is_not_told_of_a_digest_without_number(
    office: Office,
) -> None:
    proposal = await office.say(ORDER, user="ben")
    for user in ("cleo", "ann"):
        await office.press(proposal, "confirm", user=user)
        refused = await office.told_alone(user, proposal)
        ben = office.world.slack.people["ben"]
        assert refused == f"Only <@{ben}>, who ordered it, can decide that."
    assert await office.schedules() == []


async def test_cancel_takes_the_proposal_back(office: Office) -> None:
    proposal = await office.say(ORDER)
    await office.press(proposal, "cancel")
    assert (await office.without_buttons(proposal)).text == "Not scheduled."
    assert await office.schedules() == []


async def test_change_opens_the_form_and_shows_a_new_proposal(office: Office) -> None:
    proposal = await office.say(ORDER)
    await office.press(proposal, "change")
    assert await office.fill_in(await office.form(), {"when": "every monday at 14:30"}) == {}
    changed = await office.next_post(proposal.root_ts, after=1)
    assert "Every Monday at 14:30 (Europe/Amsterdam)" in changed.text
    assert await office.schedules() == []
    await office.press(changed, "confirm")
    await office.without_buttons(changed)
    [schedule] = await office.schedules()
    assert "BYDAY=MO" in schedule.order.rule.recurrence


@pytest.mark.proves("digest.question")
async def test_an_unclear_time_is_asked_for_once_and_at_9_completes_it(office: Office) -> None:
    question = await office.say(HYDROGEN)
    assert question.text.startswith("At what time?")
    assert "Europe/Amsterdam" in question.text
    proposal = await office.reply("at 9", question)
    assert proposal.text.startswith("*hydrogen*\nEvery weekday at 09:00 (Europe/Amsterdam)")


async def test_the_questions_of_two_people_in_one_thread_do_not_mix(office: Office) -> None:
    question = await office.say(HYDROGEN, user="ann")
    await office.reply(TIDES, question, user="ben", mention=True)
    of_ann = await office.reply("at 9", question, user="ann")
    of_ben = await office.reply("at 17:30", question, user="ben")
    assert of_ann.text.startswith("*hydrogen*\nEvery weekday at 09:00 (Europe/Amsterdam)")
    assert of_ben.text.startswith("*tides*\nEvery day at 17:30 (Europe/London)")


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ("every 5 minutes post a digest on spam in #energy", "at most"),
        ("every 30th of February at 9 post a digest on leap days", "On which days?"),
        ("every day at 9 until 1 March 2026 post a digest on x in #energy", "does not come"),
        ("every weekday at 9 post a digest on x in #nowhere", "I see no channel #nowhere"),
        ("every weekday at 9 post a digest on x in #random", "I see no channel #random"),
        ("every weekday at 9 post a digest on x in #archived", "I see no channel #archived"),
    ],
)
@pytest.mark.proves("digest.refused")
async def test_what_cannot_be_is_refused_with_its_reason(
    office: Office, order: str, reason: str
) -> None:
    refused = await office.say(order)
    assert reason in refused.text
    assert buttons(refused) == []


async def test_a_channel_by_its_mention_that_the_bot_is_not_in_is_refused(office: Office) -> None:
    random = office.world.slack.channels["random"]
    refused = await office.say(f"every weekday at 9 post a digest on x in <#{random}>")
    assert refused.text.startswith(f"I am not in <#{random}>. Invite me there")


@pytest.mark.proves("digest.refused", "digest.rights")
async def test_a_channel_that_the_asker_is_not_in_is_refused(office: Office) -> None:
    slack = office.world.slack
    private = slack.channels["private"]
    await slack.remove_from_channel("private", "cleo")
    for name in ("#private", f"<#{private}>"):
        refused = await office.say(f"every day at 9 post a digest on secrets in {name}", user="ben")
        assert buttons(refused)
        refused = await office.say(f"every day at 9 post a digest on x in {name}", user="cleo")
        assert buttons(refused) == []
        assert str(private) in refused.text


@pytest.mark.proves("digest.language")
async def test_a_german_order_gets_german_words(office: Office) -> None:
    proposal = await office.say(
        "poste jeden Werktag um 9 einen Digest über Batteriespeicher in #energy", user="cleo"
    )
    assert "Jeden Werktag um 09:00" in proposal.text
    assert "Nächste: Fr, 27. März 2026, 09:00" in proposal.text
    assert buttons(proposal) == ["Bestätigen", "Ändern", "Abbrechen"]
    await office.press(proposal, "confirm", user="cleo")
    assert (await office.without_buttons(proposal)).text.startswith("Eingeplant als Digest ")


async def test_the_words_are_those_of_the_order_and_not_of_the_locale(office: Office) -> None:
    proposal = await office.say(ORDER, user="cleo")
    await office.press(proposal, "confirm", user="cleo")
    assert (await office.without_buttons(proposal)).text.startswith("Scheduled as digest ")
    listing = await office.say("poste jeden Werktag um 9 einen Digest über Batterien", user="ben")
    await office.press(listing, "cancel", user="ben")
    assert (await office.without_buttons(listing)).text == "Nicht eingeplant."


@pytest.mark.parametrize(
    "text",
    [
        "what happens every weekday at 9?",
        "Is there a digest in #energy?",
        "stop",
    ],
)
@pytest.mark.proves("digest.ordinary")
async def test_ordinary_requests_are_the_agents(office: Office, text: str) -> None:
    if text == "stop":
        answer = await office.say(text)
    else:
        office.world.play_simple()
        root = await office.world.ask(text)
        [answer] = office.world.bot_posts(root)
        assert answer.text == SIMPLE_ANSWER
    assert buttons(answer) == []
    assert await office.schedules() == []


async def test_an_order_while_a_turn_is_at_work_is_answered_and_does_not_steer(
    office: Office,
) -> None:
    world = office.world
    may_go_on = world.model.stall(LONG_S, kinds={"scripted"})
    world.model.play(ToolUse(name="mcp__local_toolkit__list_local_files", input={}))
    world.model.play(Text(text="Nothing is there."))
    root = await world.mention("continue looking at the files")
    await world.slack.wait_for(lambda _: world.progress(root))
    proposal = await office.reply("every day at 9 post a digest on moss", _post(office, root))
    assert proposal.text.startswith("*moss*")
    assert (await world.runtime.turn(world.turn_id(root))).status == "running"
    may_go_on.set()
    turn = await world.answered(root)
    assert turn.answer == "Nothing is there."
    assert world.requests_with("moss") == []


async def test_an_order_in_a_direct_conversation_is_told_there_or_in_the_channel_it_names(
    office: Office,
) -> None:
    slack = office.world.slack
    direct = slack.dm_id("ann")
    for words in ("", " in #energy"):
        ts = await slack.say("ann", text=f"every day at 9 post a digest on moss{words}", dm=True)
        proposal = await office.next_post(ts, after=0, channel=direct)
        await office.press(proposal, "confirm")
        await office.without_buttons(proposal)
    in_direct, in_energy = await office.schedules()
    office.world.model.play(digest_answer("Moss grows"), times=2)
    await office.go_to_slot(in_direct)
    assert in_energy.next_due == in_direct.next_due
    for channel in (direct, "energy"):
        [root] = office.roots(channel)
        assert "Moss grows" in root.text


async def test_what_was_left_unanswered_is_never_due(office: Office) -> None:
    await office.say(ORDER)
    already = office.roots()
    await office.go_on_s(4 * 86_400.0)
    assert office.roots() == already


def _post(office: Office, ts: str) -> Post:
    return office.world.slack.find("general", ts)


async def test_an_order_that_is_edited_before_the_yes_is_read_anew(shared_office: Office) -> None:
    office, slack = shared_office, shared_office.world.slack
    proposal = await office.say("every weekday at 9 post a digest on white rice in #news")
    root_ts = proposal.root_ts

    words = f"{slack.mention} every weekday at 10 post a digest on brown rice in #news"
    await slack.edit("ann", proposal.channel, root_ts, words)
    await slack.wait_for(lambda s: "brown rice" in s.thread(proposal.channel, root_ts)[-1].text)

    first, second = office.world.bot_posts(root_ts)
    assert first.text == "Not scheduled."
    assert "at 10:00" in second.text
    await office.press(second, "confirm")
    await office.without_buttons(second)
    assert [each.order.task for each in await office.schedules()][-1] == "brown rice"


async def test_an_order_that_is_deleted_before_the_yes_is_taken_back(
    shared_office: Office,
) -> None:
    office, slack = shared_office, shared_office.world.slack
    proposal = await office.say("every weekday at 9 post a digest on wild rice in #news")

    await slack.delete(proposal.channel, proposal.root_ts)
    await office.without_buttons(proposal)

    assert "wild rice" not in [each.order.task for each in await office.schedules()]
