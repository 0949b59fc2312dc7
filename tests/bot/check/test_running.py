"""Checks run at once, bounded, and are reported in their order without secrets."""

import asyncio

from agent_core.errors import SessionError
from bot.check.checks import MAX_QUOTE_CHARS, Check, Finding, Verdict, fine, run_checks, wrong

TIMEOUT_S = 5


async def ran(
    *checks: Check, faulty: tuple[str, ...] = (), secrets: tuple[str, ...] = (), limit_s: float = 5
) -> list[Finding]:
    reported: list[Finding] = []
    async with asyncio.timeout(TIMEOUT_S):
        findings = await run_checks(
            checks, faulty=faulty, secrets=secrets, report=reported.append, limit_s=limit_s
        )
    assert reported == findings
    return findings


async def well() -> Verdict:
    return fine("well.")


async def test_checks_run_at_once_and_are_reported_in_order() -> None:
    second_ran = asyncio.Event()

    async def first() -> Verdict:
        await second_ran.wait()
        return fine("first.")

    async def second() -> Verdict:
        second_ran.set()
        return fine("second.")

    found = await ran(Check(title="One", look=first), Check(title="Two", look=second))
    assert [finding.text for finding in found] == ["first.", "second."]


async def test_what_takes_too_long_is_wrong_and_keeps_nobody() -> None:
    async def never() -> Verdict:
        await asyncio.Event().wait()
        return fine("never.")

    late, other = await ran(
        Check(title="Late", look=never), Check(title="Other", look=well), limit_s=0.05
    )
    assert (late.state, other.state) == ("wrong", "fine")
    assert "no answer within 0.05 seconds" in late.text


async def test_what_is_not_to_be_had_is_wrong_in_its_own_words() -> None:
    async def refused() -> Verdict:
        raise SessionError("the file is gone.")

    [found] = await ran(Check(title="File", look=refused))
    assert (found.state, found.text) == ("wrong", "the file is gone.")


async def test_a_check_that_breaks_leaves_the_others() -> None:
    async def broken() -> Verdict:
        raise ZeroDivisionError("at 0x7f")

    found, other = await ran(Check(title="Broken", look=broken), Check(title="Other", look=well))
    assert found.state == "wrong"
    assert "ZeroDivisionError" in found.text
    assert "0x7f" not in found.text
    assert other.state == "fine"


async def test_what_hangs_on_a_wrong_setting_is_not_tried() -> None:
    found, other = await ran(
        Check(title="One", look=well, needs=("A", "B", "C")),
        Check(title="Two", look=well, needs=("C",)),
        faulty=("A", "B"),
    )
    assert (found.state, other.state) == ("wrong", "fine")
    assert "A and B must be put right" in found.text


async def test_secrets_and_line_breaks_are_left_out_and_our_words_are_whole() -> None:
    async def talks() -> Verdict:
        return fine("the key hush-1 and hush-12\n" + "x" * 1000)

    [found] = await ran(Check(title="Talk", look=talks), secrets=("hush-1", "hush-12"))
    assert found.text == f"the key … and … {'x' * 1000}"


async def test_what_somebody_else_said_is_cut_after_its_secrets_are_left_out() -> None:
    secret = "hush-" * 40

    async def quotes() -> Verdict:
        return wrong("it refuses; set another.", f"{'x' * 100}\n{secret}{'y' * 1000}")

    [found] = await ran(Check(title="Quote", look=quotes), secrets=(secret,))
    ours, _, theirs = found.text.partition(" It said: ")
    assert ours == "it refuses; set another."
    assert theirs.startswith(f"“{'x' * 100} …yyy")
    assert len(theirs.strip("“”.")) == MAX_QUOTE_CHARS


async def test_further_sentences_stay_apart_and_keep_no_secret() -> None:
    async def lists() -> Verdict:
        return Verdict(state="wrong", text="two faults.", more=("one\nhush-1.", "two."))

    [found] = await ran(Check(title="List", look=lists), secrets=("hush-1",))
    assert found.more == ("one ….", "two.")


def test_scripts_read_a_title_as_a_name() -> None:
    assert Finding(title="Slack bot token", state="fine", text="").name == "slack_bot_token"
