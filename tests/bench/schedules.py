"""A thousand digests that are due in the same minute: each is told once, and they are spread.

`python -m tests.bench.schedules [--schedules N] [--json]`. Two `bot start` processes share a
Postgres database; Slack and the model are stand-ins in this process, and the model answers at once.
`spread_s` is the time from the first root post to the last one, `busiest_second` how many were told
within one second, and `lag_s_median` how long after its moment a digest was told.
"""

import asyncio
import re
import statistics
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agent_core.ids import SessionId
from agent_core.schedules.rule import Rule
from agent_core.schedules.schedule import ScheduleId
from agent_core.sessions import Database, ScheduleStore
from bot.sandbox.model import ReplyText, ToolUse
from bot.threads import user_id
from tests.bench.ingress import CHANNELS
from tests.bench.results import Result, come_to_rest, run
from tests.faulty_slack import FaultySlack
from tests.members import members_on
from tests.postgres import new_database, postgres
from tests.schedules import an_order
from tests.scripted_stand_in import ScriptedStandIn

SCHEDULES = 1_000
PROCESSES = 2
LEAD = timedelta(seconds=20)
"""From the last preparation to the moment."""
REST_S = 60.0
"""No digest comes for so long: that is all."""
LATE_S = 5.0
"""After the last one another might still come twice."""
LINE = {"text": "Nothing has changed.", "source": "", "is_new": True}
ANSWER = {"headline": "A quiet day", "lines": [LINE], "details": ""}
_NUMBER = re.compile(r"Digest (\d+) ·")


async def prepare(slack: FaultySlack, url: str, count: int) -> datetime:
    """Store so many schedules that are due at one moment; returns it."""
    database = Database(url)
    await database.open()
    store, now = ScheduleStore(database), datetime.now(UTC)
    owner = user_id(slack.team_id, slack.users["ann"])
    places = [slack.channels[name] for name in CHANNELS]
    at = (now + LEAD + timedelta(seconds=count / 100)).replace(microsecond=0)
    try:
        for number in range(count):
            place = places[number % len(places)]
            order = an_order(
                team=slack.team_id,
                place=place,
                owner=owner,
                task=f"what is new in field {number}",
                rule=Rule(recurrence="FREQ=DAILY", zone="UTC", begins=at),
                origin=SessionId(f"{slack.team_id}:{place}:1.000001"),
            )
            schedule = await store.propose(ScheduleId(f"s{number}"), order)
            await store.activate(schedule.id, now)
    finally:
        await database.close()
    if datetime.now(UTC) >= at:
        raise RuntimeError("the preparation took longer than the time that was left for it")
    return at


def told(slack: FaultySlack) -> dict[int, list[float]]:
    """When each digest's root posts were made, by its number."""
    found: dict[int, list[float]] = {}
    for posts in slack.state.posts.values():
        for post in posts.values():
            match = _NUMBER.search(post.text)
            if post.user == slack.bot_user_id and match:
                found.setdefault(int(match[1]), []).append(float(post.ts))
    return found


async def measure(root: Path, schedules: int) -> list[Result]:
    with postgres(for_benchmark=True) as server:
        count, url = schedules, new_database(server)
        async with FaultySlack(rate_limits=False) as slack, ScriptedStandIn() as model:
            model.play(
                ReplyText(text="A digest."),
                ToolUse(name="publish_digest", input=ANSWER),
                times=2 * count,
            )
            async with members_on(url, slack, root, model.environment) as members:
                await members.begin(PROCESSES)
                at = await prepare(slack, url, count)
                await asyncio.sleep(max(0.0, (at - datetime.now(UTC)).total_seconds()))
                await come_to_rest(
                    lambda: len(told(slack)), count, patience_s=REST_S, late_s=LATE_S
                )
                members.check()
            return results_of(told(slack), count, at)


def results_of(found: dict[int, list[float]], count: int, at: datetime) -> list[Result]:
    times = sorted(min(each) for each in found.values())
    double = sum(len(each) > 1 for each in found.values())
    lags = [time_s - at.timestamp() for time_s in times] or [0.0]
    spread_s = times[-1] - times[0] if times else 0.0
    seconds = Counter(int(time_s) for time_s in times)
    return [
        Result(name="schedules", value=count, unit="schedules"),
        Result(name="double", value=double, unit="schedules", goal=0),
        Result(name="missed", value=count - len(found), unit="schedules", goal=0),
        Result(name="spread_s", value=round(spread_s, 1), unit="s"),
        Result(name="busiest_second", value=max(seconds.values(), default=0), unit="posts"),
        Result(name="lag_s_median", value=round(statistics.median(lags), 1), unit="s"),
    ]


if __name__ == "__main__":
    run(__doc__, measure, schedules=SCHEDULES)
