"""Where the team's people live, and the channels that digests are asked for in."""

from typing import Any

import pytest

from bot.sandbox.slack import ManualClock, SlackStandIn
from bot.sandbox.world import read_manifest
from tests.bot.sandbox.slack.echo_bot import Client, web_client

MARCH_27_S, MARCH_30_S = 1_774_598_390.0, 1_774_857_590.0
"""On both sides of the change to summer time in 2026."""
HOUR_S = 3_600


async def shown(client: Client, user: str) -> dict[str, Any]:
    return (await client.users_info(user=user))["user"]


@pytest.mark.parametrize(
    ("name", "zone", "winter_s"),
    [
        ("ann", "Europe/Amsterdam", HOUR_S),
        ("ben", "Europe/London", 0),
        ("cleo", "Europe/Berlin", HOUR_S),
    ],
)
async def test_how_far_a_person_is_from_utc_depends_on_the_date(
    name: str, zone: str, winter_s: int
) -> None:
    clock = ManualClock(MARCH_27_S)
    async with SlackStandIn(clock=clock) as slack:
        client = web_client(slack)
        winter = await shown(client, slack.people[name])
        clock.advance(MARCH_30_S - MARCH_27_S)
        summer = await shown(client, slack.people[name])
    assert (winter["tz"], winter["tz_offset"]) == (zone, winter_s)
    assert (summer["tz"], summer["tz_offset"]) == (zone, winter_s + HOUR_S)


async def test_a_person_can_live_in_another_zone(slack: SlackStandIn, client: Client) -> None:
    slack.live_in("ann", "Asia/Kathmandu")
    ann = await shown(client, slack.people["ann"])
    assert (ann["tz"], ann["tz_offset"]) == ("Asia/Kathmandu", 5 * HOUR_S + 45 * 60)
    assert ann["name"] == "ann"
    assert (await shown(client, slack.people["ben"]))["tz"] == "Europe/London"


@pytest.mark.parametrize("name", ["news", "energy"])
async def test_the_installed_bot_reads_a_digests_channel_and_its_members(name: str) -> None:
    async with SlackStandIn.installed_from(read_manifest()) as slack:
        client = web_client(slack)
        told = await client.conversations_info(channel=slack.channels[name])
        listed = await client.conversations_members(channel=slack.channels[name])
        assert (told["channel"]["name"], told["channel"]["is_member"]) == (name, True)
        assert {slack.bot_user_id, *slack.people.values()} <= set(listed["members"])
