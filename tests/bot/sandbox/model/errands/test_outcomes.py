"""What became of an order is told as it was: done, refused, unknown, overtaken."""

import json
from dataclasses import replace
from typing import Any

import pytest
from anthropic import AsyncAnthropic

from tests.bot.sandbox.model.errands.office import (
    ALL,
    POST,
    Clerk,
    Office,
    clerk,
    failed,
)

RESEARCH = "Write a report on harbour cranes and email me the report"
LOST = (
    "The program was restarted while this call was under way, and its result is lost: it may or "
    "may not have happened. Look whether it had its effect before you make it again."
)


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ("Not done: this call was rejected (wrong day). Do not make it again unchanged.",
         "was not sent: it was not approved, with the reason “wrong day”."),
        ("Not done: this call was rejected. Do not make it again unchanged.",
         "was not sent: it was not approved, and no reason was given."),
        ("Not done: nobody approved this call in time. Say so; it can be asked for again.",
         "was not sent: nobody approved it in time."),
        ("pigeon was not connected in time. Nothing was done with it.",
         "was not sent: the account of Pigeon was not connected."),
        (failed("XY_POST", "Recipient address rejected: no such domain"),
         "was not sent: the attempt failed with “Recipient address rejected: no such domain”."),
        ("Error: the server is away", "was not sent: the attempt failed with “Error: the server is "
         "away”."),
        ("All good!", "was not sent: the attempt failed with “All good!”."),
    ],
    ids=["rejected", "without_reason", "late", "unconnected", "app_error", "error", "unreadable"],
)  # fmt: skip
async def test_what_did_not_happen_is_told_with_its_reason_and_not_tried_again(
    agent: Clerk, office: Office, result: str, told: str
) -> None:
    office.gate = [result]
    answer = await agent.ask("email bob@example.com that lunch is at 12")
    assert office.done == []
    assert office.names().count("run_many") == 1
    assert answer.endswith(told)


@pytest.mark.parametrize("result", [LOST, failed("XY_POST", "It may or may not have happened.")])
async def test_an_unknown_outcome_is_told_as_unknown_and_never_tried_again(
    agent: Clerk, office: Office, result: str
) -> None:
    office.gate = [result]
    answer = await agent.ask("email bob@example.com that lunch is at 12")
    assert office.done == []
    assert office.names().count("run_many") == 1
    assert answer.startswith("I do not know whether this happened: The mail")
    assert "not tried again" in answer


async def test_a_german_order_is_told_of_in_german(agent: Clerk, office: Office) -> None:
    office.gate = ["Not done: this call was rejected (falscher Tag). Do not make it again."]
    answer = await agent.ask("Schick bob@example.com eine E-Mail, dass das Essen um 12 ist")
    assert "wurde nicht gesendet: das wurde nicht freigegeben" in answer
    assert "„falscher Tag“" in answer


async def test_a_call_that_a_later_word_overtook_is_made_again_unless_it_was_taken_back(
    client: AsyncAnthropic,
) -> None:
    overtaken = "Not done: somebody wrote in the thread before the call was approved. Read that."
    sent: dict[str, int] = {}
    for word in ("And bring cake", "Do not send it"):
        office = Office(pages={}, connected=dict(ALL), gate=[overtaken])
        note = f"While you were working, Ada wrote in the thread:\n\n{word}"
        agent = clerk(client, office)
        await agent.ask("email bob@example.com that lunch is at 12", note=note)
        sent[word] = len(office.effects("XY_POST"))
    assert sent == {"And bring cake": 1, "Do not send it": 0}


async def test_of_what_was_written_meanwhile_only_the_persons_words_are_mailed(
    agent: Clerk, office: Office
) -> None:
    office.gate = ["Not done: somebody wrote in the thread before the call was approved."]
    note = (
        "While you were working, Ada wrote in the thread:\n\n{}\n\nTake it into account from here "
        "on: change what it changes. Tools act for Ada from now on."
    )
    await agent.ask("email bob@example.com that lunch is at 12", note=note.format("And bring cake"))
    office.gate = ["Not done: somebody wrote in the thread before the call was approved."]
    await agent.ask("email bob@example.com that dinner is at 7", note=note.format("approve"))
    noted, plain = office.effects("XY_POST")
    assert "While you were" not in str(noted) + str(plain)
    assert "into account" not in str(noted) + str(plain)
    assert plain["body"] == "Dinner is at 7."


@pytest.mark.parametrize(
    ("toolkit", "told"),
    [
        ("github", "GitHub"),
        ("googlecalendar", "Google Calendar"),
        ("gmail", "Gmail"),
        ("pigeon", "Pigeon"),
        ("carrier_pigeon", "Carrier pigeon"),
    ],
)
async def test_apps_are_spelt_as_they_spell_themselves(
    client: AsyncAnthropic, toolkit: str, told: str
) -> None:
    helpers = {"XY_POST": replace(POST, toolkit=toolkit)}
    office = Office(pages={}, helpers=helpers, connected={}, consents=False)
    answer = await clerk(client, office).ask("email bob@example.com that lunch is at 12")
    assert answer.endswith(f"the account of {told} was not connected.")


async def test_the_account_that_acted_is_told_though_it_was_connected_on_the_way(
    client: AsyncAnthropic,
) -> None:
    office = Naming(pages={}, connected={})
    answer = await clerk(client, office).ask("email bob@example.com that lunch is at 12")
    assert answer == "The mail “Lunch is at 12” to bob@example.com was sent, as ada@example.com."


class Naming(Office):
    """Tells with each result which account was used, as the product does."""

    def _batch(self, arguments: dict[str, Any]) -> str:
        told = json.loads(super()._batch(arguments))
        return json.dumps(
            {**told, "acted_as": {"almanac": "x@x.test", "pigeon": "ada@example.com"}}
        )
