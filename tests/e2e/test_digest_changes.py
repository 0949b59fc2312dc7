"""Digests are listed, paused, resumed, run, edited and deleted, by those who may."""

import pytest

from bot.sandbox.slack import Post
from tests.e2e.digests import ORDER, Office, buttons, digest_answer, office, reading, shared_office

__all__ = ["office", "shared_office"]

pytestmark = pytest.mark.asyncio(loop_scope="module")

HEAT_PUMPS = "every tuesday at 10 post a digest on heat pumps in #news"


@pytest.mark.proves("digest.list")
async def test_digests_are_listed_with_what_can_be_done(office: Office) -> None:
    assert "every weekday at 9 post a digest" in (await office.say("list digests")).text
    first, second = await office.order(), await office.order(HEAT_PUMPS)
    listing = await office.say("digests")
    numbers = [line.partition(".")[0] for line in listing.text.splitlines()[1:]]
    assert numbers == [str(first.number), str(second.number)]
    assert "every Tuesday at 10:00 (Europe/Amsterdam)" in listing.text
    assert "next: Tue 31 March 2026, 10:00" in listing.text
    assert entries(listing) == 2 * ["Pause", "Run now", "Edit", "Delete"]
    of_news = await office.say("which digests has #news?", reading("list", channel="#news"))
    assert [line.partition(".")[0] for line in of_news.text.splitlines()[1:]] == numbers[1:]
    none = await office.say("and #general?", reading("list", channel="#general"))
    assert none.text == "There are no digests in #general yet."


@pytest.mark.parametrize("door", ["words", "menu"])
@pytest.mark.proves("digest.words", "digest.menu")
async def test_words_and_the_menu_do_the_same_and_say_what_was_done(
    office: Office, door: str
) -> None:
    schedule, ann = await office.order(), office.world.slack.people["ann"]
    named = f"Digest {schedule.number} (*battery storage*)"
    steps: dict[str, tuple[str, list[str]]] = {
        "pause": (f"{named} is paused.", ["paused"]),
        "resume": (f"{named} is on again. Next: Fri 27, Mon 30, Tue 31 March at 09:00", ["active"]),
        "run": (f"{named} is being made now.", ["active"]),
        "delete": (f"{named} is deleted.", []),
    }
    for verb, (said, left) in steps.items():
        listing = await office.say("digests") if door == "menu" else None
        if listing is None:
            office.world.model.play(reading(verb, which=schedule.number))
        if verb == "run":
            office.world.model.play(digest_answer("One", "Two"))
        if listing is None:
            told = await office.say(f"{verb} that digest")
            assert told.text.startswith(said)
        else:
            await office.choose(listing, verb, schedule)
            told = await office.next_post(listing.root_ts, after=1)
            assert told.text.startswith(f"<@{ann}>: {said}")
        assert [each.status for each in await office.schedules()] == left
        await office.rest()
    assert [slot.state for slot in await office.slots(schedule)] == ["posted"]
    assert "Extra edition, made on request." in office.roots()[-1].text
    assert (await office.order()).number > schedule.number


@pytest.mark.proves("digest.words")
async def test_words_that_name_no_digest_run_that_of_the_thread_they_stand_in(
    office: Office,
) -> None:
    proposal = await office.say(ORDER)
    await office.press(proposal, "confirm")
    await office.decided(proposal)
    answer = await office.reply("run it now", proposal)
    assert answer.text.endswith("is being made now.")
    await office.rest()
    [schedule] = await office.schedules()
    [slot] = await office.slots(schedule)
    assert slot.state in {"posted", "nothing_new"}


@pytest.mark.proves("digest.click", "digest.rights")
async def test_the_post_of_an_agreed_digest_runs_pauses_resumes_and_edits_it(
    office: Office,
) -> None:
    proposal = await office.say(ORDER)
    await office.press(proposal, "confirm")
    agreed = await office.decided(proposal)
    assert buttons(agreed) == ["Run now", "Pause", "Edit"]
    [schedule] = await office.schedules()
    ann = office.world.slack.people["ann"]
    await office.press(agreed, "button.1", user="ben")
    assert "Only <@" in await office.told_alone("ben", agreed)
    await office.press(agreed, "button.1")
    paused = await office.once(agreed, lambda now: "Next: paused" in now.text)
    assert buttons(paused) == ["Run now", "Resume", "Edit"]
    assert await office.status(schedule.number) == ("paused", None)
    pausing = (await office.next_post(agreed.root_ts, after=2)).text
    assert pausing.startswith(f"<@{ann}>: Digest {schedule.number} (*battery storage*) is paused")
    await office.press(agreed, "button.1")
    resumed = await office.once(agreed, lambda now: "Next: Fri" in now.text)
    assert (resumed.text, buttons(resumed)) == (agreed.text, buttons(agreed))
    await office.press(agreed, "button.2")
    assert await office.fill_in(await office.form(), {"task": "flow batteries"}) == {}
    changed = await office.next_post(agreed.root_ts, after=4)
    assert buttons(changed) == ["Run now", "Pause", "Edit"]
    await office.once(agreed, lambda now: "*flow batteries*" in now.text)
    office.world.model.play(digest_answer("One"))
    await office.press(changed, "button.0")
    await office.next_post(agreed.root_ts, after=5)
    await office.rest()
    assert [slot.state for slot in await office.slots(schedule)] == ["posted"]


@pytest.mark.proves("digest.form", "digest.words")
async def test_edit_opens_a_form_that_takes_another_time(office: Office) -> None:
    schedule = await office.order()
    listing = await office.say("edit that digest", reading("change", which=schedule.number))
    await office.choose(listing, "edit", schedule)
    view = await office.form()
    shown = str(view.body["blocks"])
    assert "every weekday" in shown
    assert "09:00" in shown
    entered = {
        "days": "FREQ=WEEKLY;BYDAY=MO",
        "time": "7:15",
        "task": "flow batteries",
        "news": "be_silent",
    }
    assert await office.fill_in(view, entered) == {}
    told = await office.next_post(listing.root_ts, after=1)
    assert told.text.startswith(f"Digest {schedule.number} is changed: *flow batteries*")
    assert "Every Monday at 07:15 (Europe/Amsterdam)" in told.text
    changed = await office.schedule(schedule.number)
    assert (changed.order.task, changed.order.when_nothing_new) == ("flow batteries", "be_silent")
    assert changed.next_due is not None
    assert changed.next_due.isoformat() == "2026-03-30T05:15:00+00:00"


@pytest.mark.parametrize(
    ("entered", "block", "reason"),
    [
        ({"time": "soon"}, "time", "Please write the time as 09:00."),
        ({"time": "25:00"}, "time", "Please write the time as 09:00."),
        ({"task": "   "}, "task", "What is it about?"),
        ({"channel": "random"}, "channel", "I am not in <#{}>. Invite me there, then ask again."),
    ],
)
@pytest.mark.proves("digest.form")
async def test_a_wrong_entry_keeps_the_form_open_with_a_sentence(
    office: Office, entered: dict[str, str], block: str, reason: str
) -> None:
    schedule = await office.order()
    listing = await office.say("digests")
    await office.choose(listing, "edit", schedule)
    view, random = await office.form(), office.world.slack.channels["random"]
    given = {**entered, "channel": random} if block == "channel" else entered
    assert await office.fill_in(view, given) == {block: reason.format(random)}
    assert await office.schedule(schedule.number) == schedule
    assert await office.fill_in(view, {"days": "FREQ=DAILY", "time": "6:00"}) == {}
    changed = await office.schedule(schedule.number)
    assert changed.order.rule.recurrence == "FREQ=DAILY;BYHOUR=6;BYMINUTE=0"


@pytest.mark.parametrize("verb", ["pause", "delete", "edit", "run"])
@pytest.mark.proves("digest.rights")
async def test_a_person_may_not_change_the_digest_of_another_one(office: Office, verb: str) -> None:
    schedule = await office.order(user="ann")
    intent = "change" if verb == "edit" else verb
    read = reading(intent, which=schedule.number)
    refused = await office.say(f"{verb} digest {schedule.number}", read, user="ben")
    ann = office.world.slack.people["ann"]
    only = f"Only <@{ann}>, who ordered it, and admins can change digest {schedule.number}."
    assert refused.text == only
    listing = await office.say("digests", user="ben")
    await office.choose(listing, verb, schedule, user="ben")
    assert await office.told_alone("ben", listing) == only
    assert await office.schedule(schedule.number) == schedule
    assert office.world.slack.backend.views.modal_of(office.world.slack.people["ben"]) is None


@pytest.mark.proves("digest.rights", "authors.digests")
async def test_an_admin_may_change_the_digest_of_another_one_and_is_noted(office: Office) -> None:
    schedule = await office.order(user="ben")
    change = reading("change", which=schedule.number, task="unread mails")
    proposal = await office.say("make the digest one on unread mails", change)
    await office.press(proposal, "confirm")
    await office.decided(proposal)
    order = (await office.schedule(schedule.number)).order
    people = office.world.slack.people
    assert order.task == "unread mails"
    assert order.owner.endswith(f":{people['ben']}")
    assert [author.partition(":")[2] for author in order.authors] == [people["ann"]]
    paused = await office.say("pause it, the digest", reading("pause", which=schedule.number))
    assert "is paused" in paused.text
    assert await office.status(schedule.number) == ("paused", None)


@pytest.mark.proves("digest.list")
async def test_a_list_shows_nothing_of_places_that_are_not_everybodys(office: Office) -> None:
    await office.order("every day at 9 post a digest on secrets in #private")
    for user in ("ann", "ben"):
        assert "secrets" in (await office.say("digests", user=user, channel="private")).text
        assert "secrets" not in (await office.say("digests", user=user)).text
    await office.world.slack.remove_from_channel("shared", "cleo")
    schedule = await office.order("every day at 9 post a digest on moss in #shared")
    assert "moss" in (await office.say("digests", user="ben")).text
    assert "moss" not in (await office.say("digests", user="cleo")).text
    read = reading("pause", which=schedule.number)
    hidden = await office.say("pause that digest", read, user="cleo")
    assert hidden.text.startswith("Diesen Digest gibt es nicht.")


def entries(listing: Post) -> list[str]:
    """The labels in the menus of a list, from above."""
    return [
        str(option["text"]["text"])
        for block in listing.blocks
        for option in block.get("accessory", {}).get("options", ())
    ]


@pytest.mark.proves("digest.words")
async def test_a_change_in_words_waits_for_a_yes_like_an_order(office: Office) -> None:
    first = await office.say(ORDER)
    await office.press(first, "confirm")
    agreed = await office.decided(first)
    [schedule] = await office.schedules()
    at_ten = schedule.order.rule.recurrence.replace("BYHOUR=9", "BYHOUR=10")
    change = reading("change", which=schedule.number, rrule=at_ten, only_when_new=True)
    proposal = await office.say("make the digest 10 o'clock, and only for news", change)
    assert proposal.text.startswith("*battery storage*\nEvery weekday at 10:00")
    assert await office.schedule(schedule.number) == schedule
    await office.world.slack.say("ann", proposal.channel, "yes", thread_ts=proposal.root_ts)
    changed = await office.decided(proposal)
    assert f"Digest {schedule.number} is changed: *battery storage*" in changed.text
    now = await office.schedule(schedule.number)
    await office.once(agreed, lambda post: "Every weekday at 10:00" in post.text)
    assert now.order.rule.recurrence == at_ten
    assert (now.order.task, now.order.when_nothing_new) == ("battery storage", "be_silent")
    for verb, button in (("pause", "Resume"), ("resume", "Pause")):
        await office.say(f"{verb} the digest", reading(verb, which=schedule.number))
        followed = await office.once(agreed, lambda post, label=button: label in buttons(post))
        assert followed.text.startswith(f"Scheduled as digest {schedule.number}")
    unclear = reading("change", which=schedule.number, question="Better in which way?")
    asked = await office.say("make the digest better", unclear)
    assert asked.text == "Better in which way?"


async def test_a_form_of_before_the_yes_changes_the_digest_that_was_meant(office: Office) -> None:
    schedule = await office.order()
    tuesdays = "FREQ=WEEKLY;BYDAY=TU;BYHOUR=9;BYMINUTE=0"
    weekly = reading("change", which=schedule.number, rrule=tuesdays)
    proposal = await office.say("make the digest weekly", weekly)
    await office.press(proposal, "change")
    form = await office.form()
    await office.press(proposal, "confirm")
    await office.decided(proposal)
    assert await office.fill_in(form, {"days": "FREQ=WEEKLY;BYDAY=MO", "time": "14:30"}) == {}
    told = await office.next_post(proposal.root_ts, after=1)
    assert "is changed" in told.text
    now = await office.schedule(schedule.number)
    assert now.order.rule.recurrence == "FREQ=WEEKLY;BYDAY=MO;BYHOUR=14;BYMINUTE=30"
