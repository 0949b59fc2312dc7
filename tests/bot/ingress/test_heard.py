"""How far the bot has heard, and when something may be missing."""

from dataclasses import dataclass, field

import pytest

from agent_core.messages import JsonObject
from bot.ingress.heard import MAX_SILENCE_S, OVERLAP_S, Heard
from tests.bot.ingress.world import MemoryMarks

START_S = 1_795_000_000.0


@dataclass(slots=True)
class Ear:
    """One bot after another with the same marks, and a clock that is set by hand."""

    marks: MemoryMarks = field(default_factory=MemoryMarks)
    now_s: float = START_S

    async def opened(self) -> Heard:
        heard = Heard(self.marks, team="T1", now_s=lambda: self.now_s)
        await heard.open()
        return heard

    async def beat(self, heard: Heard, *, is_well: bool = True, after_s: float = 5.0) -> None:
        self.now_s += after_s
        await heard.beat(is_well=is_well)

    def saved(self, channel: str) -> float:
        return float(self.marks.saved[f"slack:T1:{channel}"])


def payload(channel: str, ts_s: float) -> JsonObject:
    return {"event": {"type": "message", "channel": channel, "ts": f"{ts_s:.6f}"}}


@pytest.mark.proves("catch_up.cursor")
async def test_every_later_start_has_a_gap_that_began_where_each_conversation_was_heard() -> None:
    ear = Ear()
    first = await ear.opened()
    first.note(payload("C1", START_S + 2))
    await ear.beat(first)
    ear.now_s += 3_600
    gap = (second := await ear.opened()).gap()

    assert second.has_gap.is_set()
    assert gap.channels == ["C1"]
    assert gap.since_s("C1") == START_S + 2
    assert gap.since_s("C2") == START_S
    assert gap.oldest_s("C1") == START_S + 2 - OVERLAP_S


async def test_nothing_is_written_down_while_there_is_a_gap() -> None:
    ear = Ear()
    await ear.opened()
    ear.now_s += 3_600
    second = await ear.opened()
    second.note(payload("C1", ear.now_s))
    await ear.beat(second)
    assert "slack:T1:C1" not in ear.marks.saved
    assert ear.saved("*") == START_S

    gap = second.gap()
    await second.close(gap)

    assert not second.has_gap.is_set()
    assert ear.saved("C1") == START_S + 3_600
    assert ear.saved("*") == gap.began_s


async def test_a_gap_that_opens_while_another_is_seen_to_stays_open() -> None:
    ear = Ear()
    await ear.opened()
    heard = await ear.opened()
    gap = heard.gap()
    heard.lose("the socket was not open")
    await heard.close(gap)
    assert heard.has_gap.is_set()

    await heard.close(heard.gap())
    assert not heard.has_gap.is_set()


@pytest.mark.parametrize(
    ("is_well", "after_s"),
    [
        pytest.param(False, 5.0, id="the socket is not open"),
        pytest.param(True, MAX_SILENCE_S + 1, id="the process stood still"),
    ],
)
async def test_a_beat_notices_that_posts_may_be_missing(is_well: bool, after_s: float) -> None:
    ear = Ear()
    heard = await ear.opened()
    await ear.beat(heard)
    heard.note(payload("C1", ear.now_s))
    await ear.beat(heard, is_well=is_well, after_s=after_s)

    assert heard.has_gap.is_set()
    assert "slack:T1:C1" not in ear.marks.saved


async def test_what_was_heard_before_a_standstill_was_not_missed_though_never_written() -> None:
    ear = Ear()
    heard = await ear.opened()
    await ear.beat(heard)
    heard.note(payload("C1", ear.now_s))
    heard_s = ear.now_s
    ear.now_s += 2 * 86_400
    heard.note(payload("C1", ear.now_s))  # before the next beat

    assert heard.has_gap.is_set()
    assert heard.gap().since_s("C1") == heard_s






@pytest.mark.parametrize(
    "body",
    [
        pytest.param(payload("C1", START_S + 86_400), id="of tomorrow"),
        pytest.param({"event": {"channel": "C1", "ts": "9" * 16 + ".000001"}}, id="no such time"),
        pytest.param({"event": {"channel": "C1", "ts": 7}}, id="no text"),
        pytest.param({"event": {"ts": f"{START_S:.6f}"}}, id="no conversation"),
        pytest.param({"event": "none"}, id="no event"),
        pytest.param({}, id="nothing"),
    ],
)
async def test_a_payload_with_an_impossible_time_marks_nothing(body: JsonObject) -> None:
    ear = Ear()
    heard = await ear.opened()
    heard.note(body)
    await ear.beat(heard)

    assert list(ear.marks.saved) == ["slack:T1:*"]


