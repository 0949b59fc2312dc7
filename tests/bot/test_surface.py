"""What people ask of the past: earlier reports, what was said in a channel, answers put right."""

import re
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent_core.consent.policy import Policy, PolicyRule
from agent_core.errors import AskRefused
from agent_core.ids import turn_of
from agent_core.testing.models import ScriptLine, calls_reply
from agent_core.testing.tools import tool_call
from bot.presenter.answer import live_links
from bot.threads import user_id
from tests.agent_core.sessions.announced import Announced
from tests.bot.earlier import Threads, open_threads, report, told_last
from tests.runtimes import ANYTHING_GOES

COSTS = "<p>Costs fell by 42 percent.</p>"


@pytest.fixture
async def threads(tmp_path: Path) -> AsyncIterator[Threads]:
    async with open_threads(tmp_path) as threads:
        yield threads


def mark_in(text: str) -> str:
    found = re.search(r"id (\w{8})", text)
    assert found is not None
    return found[1]


async def test_an_earlier_report_is_found_read_and_linked_in_a_new_thread(threads: Threads) -> None:
    asked = "Write a report on batteries"
    await threads.ask("ann", "general", report(COSTS), "Costs fell [1].", said=asked)
    await threads.ask("ann", "general", "Tulips are red.", said="continue with tulips")
    new = await threads.root("ann", "general")
    found = await threads.told(new, "ann", "find_earlier_work", query="report on batteries")
    assert asked in found
    assert "“Batteries”" in found
    assert "Tulips" not in found
    assert "https://sandbox.slack.com/archives/" in found
    read = await threads.told(new, "ann", "read_earlier_work", id=mark_in(found))
    assert "Costs fell [1]." in read
    assert "42 percent" in read


async def test_where_the_files_are_gone_the_model_is_told_so(threads: Threads) -> None:
    await threads.ask("ann", "general", report(COSTS), "Costs fell.")
    for workspace in threads.place.root.glob("session_*"):
        shutil.rmtree(workspace)
    new = await threads.root("ann", "general")
    mark = mark_in(await threads.told(new, "ann", "find_earlier_work", query="costs"))
    read = await threads.told(new, "ann", "read_earlier_work", id=mark)
    assert "Costs fell." in read
    assert "has been deleted" in read


def test_posts_of_the_teams_own_slack_are_linked_after_outside_text_and_nothing_else_is() -> None:
    home, given = "https://acme.slack.com/", Announced().finished()
    is_live = live_links(replace(given, is_tainted=True), home)
    assert is_live(f"{home}archives/C1/p1700000000000001")
    assert is_live(f"{home}archives/C1/p1?thread_ts=1.000001&cid=C1")
    for path in ("archives/C1/p1?x=SECRET", "link?u=https://evil.example", "archives/../x/p1"):
        assert not is_live(f"{home}{path}")
    assert not is_live("https://evil.example/archives/C1/p1")


async def test_what_happened_in_a_channel_is_told_with_links(threads: Threads) -> None:
    slack = threads.place.slack
    first = await slack.say("ben", "energy", "the <b>pilot</b> is delayed\nAnn: all is fine")
    await slack.say("cleo", "energy", "oh no", thread_ts=first)
    here = await threads.root("ann", "general")
    told = await threads.told(here, "ann", "read_channel", channel="#energy", since="2020-01-01")
    line = next(line for line in told.splitlines() if "pilot" in line)
    assert line.startswith("Ben Nevis (")
    assert "Ann: all is fine" in line
    assert "[1 replies]" in line
    assert f"/p{first.replace('.', '')}" in line
    assert await threads.tainted(here)


async def test_a_channel_is_read_only_for_its_members_and_where_the_bot_is(
    threads: Threads,
) -> None:
    slack = threads.place.slack
    await slack.say("ben", "news", "CANARY")
    await slack.say("ben", "private", "CANARY")
    await slack.remove_from_channel("news", "ann")
    here = await threads.root("ann", "general")
    direct = await threads.root("ann", "dm")
    unread = [
        await threads.told(here, "ann", "read_channel", channel=name, since="2020-01-01")
        for name in ("news", "random", "hidden", "private", "nowhere", slack.dm_id("ben"))
    ]
    assert [told for told in unread if "CANARY" in told or "cannot be read here" not in told] == []
    own = await threads.told(direct, "ann", "read_channel", channel="private", since="2020-01-01")
    assert "CANARY" in own


async def test_an_answer_is_corrected_in_its_place_and_says_who_wanted_it(threads: Threads) -> None:
    thread = await threads.ask("ann", "general", "It is 41.")
    await threads.told(thread, "ann", "correct_my_answer", what="It is 41.", text="It is **42**.")
    texts = threads.answers(thread)
    assert not any("41" in text for text in texts)
    (corrected,) = [text for text in texts if "42" in text]
    assert "(corrected, as Ann Arbor asked)" in corrected
    new = await threads.root("ann", "general")
    found = await threads.told(new, "ann", "find_earlier_work", query="42")
    assert "It is **42**." in found
    assert "It is 41" not in found


async def test_a_correction_of_nothing_that_is_seen_is_refused(threads: Threads) -> None:
    thread = await threads.ask("ann", "general", report(COSTS), "Costs fell.")
    for text in (" ", "\u200b", "—", "[x]: https://x.example"):
        await threads.told(thread, "ann", "correct_my_answer", what="Costs fell.", text=text)
    assert any("Costs fell." in text for text in threads.answers(thread))
    assert not any(file.is_deleted for file in threads.place.slack.files)


async def test_what_is_removed_is_what_the_person_was_shown_and_no_courtesy_after_it(
    threads: Threads,
) -> None:
    thread = await threads.ask("ann", "general", "Ann earns 81000 euros.")
    await threads.ask_in(thread, "ann", said="thanks!")
    before = threads.answers(thread)
    told = await threads.told(thread, "ann", "remove_my_post", what="Ben earns 81000 euros.")
    assert "Your last answer begins: “Ann earns 81000 euros.”" in told
    assert threads.answers(thread)[: len(before)] == before
    await threads.told(thread, "ann", "remove_my_post", what="Ann earns 81000 euros.")
    assert not any("81000" in text for text in threads.answers(thread))
    assert [text for text in before if "81000" not in text] == threads.answers(thread)[:1]


async def test_who_is_asked_sees_the_post_as_it_stands_and_nobody_is_asked_about_none(
    tmp_path: Path,
) -> None:
    asks = PolicyRule(rule="removal", tools=["agent__remove_my_post"], verdict="ask")
    policy = Policy(rules=(asks, *ANYTHING_GOES.rules))
    async with open_threads(tmp_path, policy) as threads:
        thread = await threads.ask("ann", "general", "Ann earns 81000 euros a year, and Ben too.")
        wrong = {"what": "Ben earns 81000 euros a year."}
        assert "no such post" in await threads.told(thread, "ann", "remove_my_post", **wrong)
        right = tool_call("remove_my_post", {"what": "ann earns 81000 euros a year"}, id="t2")
        threads.script[:] = [right, "Done."]
        key = await threads.write(thread, "ann", "continue")
        slack, runtime = threads.place.slack, threads.bot.runtime
        await slack.wait_for(lambda _: "My answer begins" in str(slack.posts("general")[-1].blocks))
        card = str(slack.posts("general")[-1].blocks)
        assert "*Remove an answer of mine for good*" in card
        assert "Ann earns 81000 euros a year, and Ben too." in card
        assert re.search(r"\*Asked:\* \w+ \d+ \w+ \d{4}, \d\d:\d\d \(UTC\)", card)
        wait = (await runtime.turn(turn_of(key))).wait
        assert wait is not None
        await runtime.asks.decide(wait.ask, wait.asker, "approved")
        await threads.bot.front.ended(key)
        assert told_last(threads.model) == "Removed, with its files, for good."


async def test_a_second_correction_is_of_the_answer_and_not_of_what_told_of_the_first(
    threads: Threads,
) -> None:
    thread = await threads.ask("ann", "general", "It is 41.")
    first = {"what": "It is 41.", "text": "It is 42."}
    await threads.ask_in(thread, "ann", tool_call("correct_my_answer", first), "It is 42.")
    await threads.told(thread, "ann", "correct_my_answer", what="It is 42.", text="It is 43.")
    texts = threads.answers(thread)
    assert "It is 43." in texts[0]
    assert "It is 42." in texts


async def test_all_of_a_longer_correction_is_put_right_or_removed_and_files_stay(
    threads: Threads,
) -> None:
    thread = await threads.ask("ann", "general", report(COSTS), "It is 41.")
    long = "\n\n".join(f"Paragraph {n} of it all: " + "word " * 300 for n in range(7))
    longer = f"{long} WRONG-TAIL."
    await threads.told(thread, "ann", "correct_my_answer", what="It is 41.", text=longer)
    assert any("WRONG-TAIL" in text for text in threads.answers(thread))
    named = "Paragraph 0 of it all: word"
    await threads.told(thread, "ann", "correct_my_answer", what=named, text="It is 42.")
    texts = threads.answers(thread)
    assert not any("word" in text for text in texts)
    assert any("It is 42." in text for text in texts)
    assert not any(file.is_deleted for file in threads.place.slack.files)
    await threads.told(thread, "ann", "correct_my_answer", what="It is 42.", text=longer)
    await threads.told(thread, "ann", "remove_my_post", what="Batteries")
    left = {text for text in threads.answers(thread) if "Done in" not in text}
    assert left == {"Done."}


async def test_a_report_is_removed_with_its_files_and_not_found_any_more(threads: Threads) -> None:
    thread = await threads.ask("ann", "general", report(COSTS), "Costs fell.")
    shared = [file for file in threads.place.slack.files if not file.is_deleted]
    assert shared
    await threads.ask_in(thread, "ann", "Something else.")
    await threads.told(thread, "ann", "remove_my_post", what="Batteries")
    assert all(file.is_deleted for file in threads.place.slack.files if file in shared)
    texts = threads.answers(thread)
    assert not any("Costs fell." in text for text in texts)
    assert any("Something else." in text for text in texts)
    new = await threads.root("ann", "general")
    found = await threads.told(new, "ann", "find_earlier_work", query="costs")
    assert "Costs" not in found
    again = await threads.told(thread, "ann", "remove_my_post", what="Batteries")
    assert "no such post" in again


async def test_another_persons_answer_is_changed_by_an_admin_alone(threads: Threads) -> None:
    thread = await threads.ask("cleo", "general", "For Cleo.")
    told = await threads.told(thread, "ben", "remove_my_post", what="For Cleo.")
    assert "Only Cleo" in told
    assert any("For Cleo." in text for text in threads.answers(thread))


@pytest.mark.proves("authors.rights")
@pytest.mark.parametrize(
    ("wish", "card"),
    [
        (
            tool_call("correct_my_answer", {"what": "It is 41.", "text": "It is 42."}),
            "Correct an answer of mine",
        ),
        (
            tool_call("read_channel", {"channel": "energy", "since": "2020-01-01"}),
            "Tell in this thread what was posted in a channel",
        ),
        (tool_call("my_account"), "Tell in this thread which accounts you have connected"),
    ],
)
async def test_with_anothers_words_in_the_thread_what_goes_by_rights_is_its_askers_click(
    threads: Threads, wish: ScriptLine, card: str
) -> None:
    thread = await threads.ask("ann", "general", "It is 41.")
    await threads.ask_in(thread, "ben", "Noted.", said="say that it is 42")
    threads.script[:] = [wish, "Done."]
    key = await threads.write(thread, "ann", "go ahead, please")
    slack, runtime = threads.place.slack, threads.bot.runtime
    await slack.wait_for(lambda _: card in str(slack.posts("general")[-1].blocks))
    wait = (await runtime.turn(turn_of(key))).wait
    assert wait is not None
    with pytest.raises(AskRefused):
        await runtime.asks.decide(wait.ask, user_id(thread.team, slack.users["ben"]), "approved")
    await runtime.asks.decide(wait.ask, wait.asker, "rejected")
    await threads.bot.front.ended(key)
    assert "Not done" in told_last(threads.model)
    assert threads.answers(thread)[0] == "It is 41."


async def test_tools_that_look_back_are_the_main_agents_alone(threads: Threads) -> None:
    await threads.ask("ann", "general", calls_reply(tool_call("find_earlier_work", {})), "Done.")
    assert "Invalid arguments" in told_last(threads.model)
