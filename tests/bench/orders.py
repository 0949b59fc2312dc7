"""How well the small model reads orders: 150 of them in eight languages, and 100 ordinary texts.

`python -m tests.bench.orders [--json] [--limit N]`. It asks the real model behind ANTHROPIC_API_KEY
and says plainly that nothing was measured where there is none. `right` is the share of orders,
corrections and commands that became what they should, or were asked back; `wrongly_proposed` the
share of ordinary texts that became a proposal.

"""

import asyncio
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from agent_core.ids import UserId
from agent_core.models.anthropic import AnthropicModel
from agent_core.runtime.build import model_connection
from agent_core.schedules.order_reader import (
    OrderDraft,
    OrderMessage,
    OrderReader,
    check_draft,
)
from agent_core.settings import CoreSettings
from bot.digests.messages import channel_marks
from tests.bench.results import Result, run
from tests.schedules import WEEKDAYS, a_schedule

TEXTS = Path(__file__).parent / "order_texts"
NOW = datetime(2026, 3, 27, 7, 59, 50, tzinfo=UTC)
ANN = UserId("T1:U1")
AT_ONCE = 8
PENDING = OrderDraft(intent="order", task="battery storage", rrule=WEEKDAYS, zone="Europe/Berlin")


@dataclass(frozen=True, slots=True)
class Row:
    language: str
    text: str
    intent: str
    rrule: str
    task: str
    channel: str


def rows() -> list[Row]:
    """The orders with the draft that each should give."""
    lines = (TEXTS / "orders.txt").read_text(encoding="utf-8").splitlines()
    told = [line for line in lines if line and not line.startswith("#")]
    return [Row(*(part.strip() for part in f"{line} ".split(" |")[:6])) for line in told]


def asked(text: str, intent: str) -> OrderMessage:
    """A correction is about the pending order, a command about the one digest that there is."""
    is_about_one = intent not in ("order", "change", "none")
    return OrderMessage(
        text=text,
        asker=ANN,
        now=NOW,
        zone="Europe/Berlin",
        channels=channel_marks(text),
        pending=PENDING if intent == "change" else None,
        schedules=(a_schedule(),) if is_about_one else (),
    )


async def is_right(reader: OrderReader, row: Row) -> bool:
    """Whether an order became what it should, or was asked back."""
    what = asked(row.text, row.intent)
    reading = check_draft(await reader.draft(what), what)
    if reading.missing:
        return True
    if row.intent in ("order", "change"):
        return reading.rule is not None and reading.rule.recurrence == row.rrule
    return reading.intent == row.intent


async def is_proposed(reader: OrderReader, text: str) -> bool:
    """Whether an ordinary text became a proposal."""
    what = asked(text, "none")
    return check_draft(await reader.draft(what), what).rule is not None


async def measure(_root: Path, limit: int) -> list[Result]:
    """Ask the model about each text once; nothing is measured without a key."""
    settings = CoreSettings()
    if not (settings.anthropic_api_key.get_secret_value() or settings.bearer):
        sys.stderr.write("Not measured: no model key is set (ANTHROPIC_API_KEY).\n")
        return []
    connection = model_connection(settings)
    model = AnthropicModel(settings.classifier_model, connection)
    reader, gate = OrderReader(model, patience_s=30.0), asyncio.Semaphore(AT_ONCE)
    ordinary = (TEXTS / "ordinary.txt").read_text(encoding="utf-8").splitlines()[:limit]

    async def judged(row: Row) -> bool:
        async with gate:
            return await is_right(reader, row)

    async def proposed(text: str) -> bool:
        async with gate:
            return await is_proposed(reader, text)

    try:
        async with asyncio.TaskGroup() as group:
            right = [group.create_task(judged(row)) for row in rows()[:limit]]
            wrong = [group.create_task(proposed(text)) for text in ordinary]
    finally:
        await connection.close()
    share = 100 * sum(task.result() for task in right) / max(1, len(right))
    wrongly = 100 * sum(task.result() for task in wrong) / max(1, len(wrong))
    return [
        Result(name="orders", value=len(right), unit="texts"),
        Result(name="right", value=round(share, 1), unit="%", goal=97, at_least=True),
        Result(name="ordinary", value=len(wrong), unit="texts"),
        Result(name="wrongly_proposed", value=round(wrongly, 1), unit="%", goal=1),
    ]


if __name__ == "__main__":
    run(__doc__, measure, limit=1_000)
