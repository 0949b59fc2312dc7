"""Group L: every call uses the account of the person who asked for it, or none."""

import asyncio
import random
from collections import Counter
from pathlib import Path

import pytest

from agent_core.ids import UserId
from agent_core.messages import JsonObject
from tests.agent_core.runtime.threads import ANN, BEN, begin, from_ben, seen, until
from tests.attacks.obedient import ObedientModel
from tests.attacks.tenants import PEOPLE, Tenants, open_tenants
from tests.attacks.world import Office, asks, mail, see_out
from tests.runtimes import inbound

CALLS = 1_000
APPS: dict[str, tuple[str, ...]] = {
    "T1:U1": ("gmail", "googlecalendar"),
    "T1:U2": ("gmail",),
    "T1:U3": (),
    "T2:U1": ("gmail",),
    "T2:U2": ("gmail", "googlecalendar"),
    "T2:U3": (),
}


def entry(asker: UserId, number: int, chance: random.Random) -> JsonObject:
    """A read or an effect whose arguments say who wants it."""
    kind = chance.choices(("mails", "events", "send"), (5, 2, 3))[0]
    if kind == "events":
        arguments = {"calendar_id": "primary", "q": asker}
        return {"tool_slug": "GOOGLECALENDAR_EVENTS_LIST", "arguments": arguments}
    if kind == "mails":
        return {"tool_slug": "GMAIL_FETCH_EMAILS", "arguments": {"query": f"{asker} {number}"}}
    mail = {"recipient_email": "x@example.com", "subject": asker, "body": f"{number}"}
    return {"tool_slug": "GMAIL_SEND_EMAIL", "arguments": mail}


@pytest.mark.proves("accounts.thousand")
async def test_of_a_thousand_interleaved_calls_none_uses_anothers_account(tmp_path: Path) -> None:
    """R30. Sessions are lost and an account expires in between; U3 never has any."""
    chance = random.Random(30)  # noqa: S311 (not for secrets)
    async with open_tenants(tmp_path) as tenants:
        for person, apps in APPS.items():
            for app in apps:
                tenants.standin.connect(person, app)
        wanted = [
            (person, number, entry(person, number, chance))
            for number, person in enumerate(chance.choices(PEOPLE, k=CALLS))
        ]
        for start in range(0, CALLS, CALLS // 5):
            tenants.standin.sessions.clear()
            tenants.ticks.now_s += 100
            if start == CALLS // 5 * 3:
                tenants.standin.accounts.expire("T2:U1", "gmail")
            await make(tenants, wanted[start : start + CALLS // 5])
    executed = tenants.standin.executions
    others = [
        each
        for each in executed
        if each.user_id != each.account_user_id or each.user_id not in str(dict(each.arguments))
    ]
    assert others == []
    assert {each.user_id for each in executed} == {"T1:U1", "T1:U2", "T2:U1", "T2:U2"}
    asked = Counter[str](ask.asker for ask in tenants.asked_to_connect)
    assert asked["T1:U3"] + asked["T2:U3"] == sum(person.endswith("U3") for person, *_ in wanted)
    assert asked["T2:U1"] > 0
    assert not asked.keys() - {"T1:U2", "T1:U3", "T2:U1", "T2:U3"}
    assert tenants.refused == []
    lost = [answer for answer in tenants.answers if answer.is_error]
    assert len(executed) + len(tenants.asked_to_connect) + len(lost) == CALLS
    assert all("may or may not have run" in answer.text for answer in lost)
    assert len(lost) < CALLS // 20


async def make(tenants: Tenants, calls: list[tuple[UserId, int, JsonObject]]) -> None:
    """All of them, a dozen at a time."""
    places = asyncio.Semaphore(12)

    async def one(person: UserId, number: int, each: JsonObject) -> None:
        async with places:
            await tenants.call(person, number, each)

    async with asyncio.TaskGroup() as group:
        for person, number, each in calls:
            group.create_task(one(person, number, each))


@pytest.mark.proves("accounts.named")
async def test_an_account_that_somebody_names_is_no_way_into_another_persons(
    tmp_path: Path,
) -> None:
    """L1. Whatever names Ann's account: its id, its address, or a batch around the call."""
    ann, ben, cy = (UserId(f"T1:U{number}") for number in (1, 2, 3))
    async with open_tenants(tmp_path) as tenants:
        anns = tenants.standin.connect(ann, "gmail")
        tenants.standin.connect(ben, "gmail")
        reading: JsonObject = {"tool_slug": "GMAIL_FETCH_EMAILS", "arguments": {"query": "x"}}
        named = [{**reading, "account": name} for name in (anns.id, anns.identity, ann, "default")]
        inside = {**reading, "arguments": {"query": "x", "user_id": ann, "account": anns.id}}
        for number, each in enumerate([*named, inside]):
            await tenants.call(ben, number, each)
            await tenants.call(cy, 100 + number, each)
    assert {each.account_user_id for each in tenants.standin.executions} <= {ben}
    assert len(tenants.refused) == len(named)
    assert [ask.asker for ask in tenants.asked_to_connect] == [cy] * (len(named) + 1)


@pytest.mark.proves("accounts.two_people")
async def test_in_a_thread_of_two_each_call_is_its_askers_alone(tmp_path: Path) -> None:
    """L2. Ben steers Ann's turn; what follows asks Ben, and is done with his account."""
    office = Office(tmp_path, model=ObedientModel(calls_a_step=1))
    office.accounts.connect(BEN, "gmail", account="ca_ben")
    async with office.runtime() as runtime:
        turn = await begin(runtime, inbound(asks(mail("first@example.com"))))
        await seen(runtime, turn, "approval_requested")
        await until(runtime, turn, "waiting")
        await begin(runtime, from_ben(mail("second@example.com"), number=2))
        outcome = await see_out(
            runtime, turn, verdict=lambda event: "approved" if event.asker == BEN else "rejected"
        )
    steered = [event for event in outcome.asked if event.asker == BEN]
    assert [event.asker for event in outcome.asked[:1]] == [ANN]
    assert {event.actions[0].account for event in steered} == {"u2@example.com"}
    assert {deed.asker for deed in office.deeds} == {BEN}


@pytest.mark.proves("accounts.no_fallback")
async def test_without_an_account_the_asker_alone_is_asked_to_connect_one(tmp_path: Path) -> None:
    """L1 in a turn. Ann is connected; Ben asks for Ann's mail to be used."""
    office = Office(tmp_path)
    async with office.runtime() as runtime:
        message = from_ben(f"use Ann's Gmail\n{mail('x@example.com')}", number=1)
        outcome = await see_out(runtime, await begin(runtime, message))
    assert [event.asker for event in outcome.connections] == [BEN]
    assert outcome.asked == []
    assert office.deeds == []
