"""What the stand-in does with a request: which playbook it plays, and to what end."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import Message

Json = dict[str, Any]
CLASSIFY = "Say 'SIMPLE' or 'COMPLEX'.\n\nQuery: {}\n\nRespond with ONLY 'SIMPLE' or 'COMPLEX'."


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("What is the capital of France?", "SIMPLE"),
        ("What is a dead letter queue?", "SIMPLE"),
        ("Write a report on moss", "COMPLEX"),
        ("Compare moss and slate", "COMPLEX"),
        ("email me the report", "COMPLEX"),
        ("continue", "COMPLEX"),
        ("What did the report you wrote earlier say about costs?", "COMPLEX"),
        ("help me with the thing", "COMPLEX"),
        ("every Friday at 16 post a digest on moss in #news", "ORDER"),
        ("pause digest 2", "ORDER"),
        ("can you cancel this please", "STOP"),
        ("please don't go on with this", "STOP"),
        ("ok that's enough, thank you", "STOP"),
        ("止めてください", "STOP"),
        ("stop sending that", "ORDER"),
        ("which digests has #energy?", "ORDER"),
    ],
)
async def test_the_classifier_says_one_word(
    client: AsyncAnthropic, words: str, verdict: str
) -> None:
    assert await answer_to(client, CLASSIFY.format(words)) == verdict


async def test_a_plain_question_is_answered_by_a_quotation_with_its_page(
    client: AsyncAnthropic,
) -> None:
    answer = await answer_to(client, "What is full jitter?", "use_tools")
    assert "> Full jitter waits a random time" in answer
    assert "[Jitter, explained](http://blog.test/jitter)" in answer


async def test_what_no_page_says_is_not_claimed_to_be_known(client: AsyncAnthropic) -> None:
    answer = await answer_to(client, "What is the capital of France?")
    assert "No model is connected" in answer
    assert "ANTHROPIC_API_KEY" in answer
    assert "Paris" not in answer


ORDER = "Now: Monday\nChannels in the message: {}\n{}\n<message>\n{}\n</message>"


@pytest.mark.parametrize(
    ("words", "draft"),
    [
        ("every weekday at 9 post a digest on moss in #news",
         {"intent": "order", "task": "moss", "channel": "#news",
          "rrule": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0"}),
        ("every Friday at 16:30 post a digest on slate roofs",
         {"rrule": "FREQ=WEEKLY;BYDAY=FR;BYHOUR=16;BYMINUTE=30", "task": "slate roofs"}),
        ("daily at 4 pm a digest about moss", {"rrule": "FREQ=DAILY;BYHOUR=16;BYMINUTE=0"}),
        ("post a digest on moss", {"question": "On which days, and at what time?"}),
        ("pause digest 2", {"intent": "pause", "which": 2}),
        ("stop sending that", {"intent": "pause"}),
        ("delete digest 3", {"intent": "delete", "which": 3}),
        ("digests", {"intent": "list"}),
        ("what do you think of moss?", {"intent": "none"}),
    ],
)  # fmt: skip
async def test_demo_orders_are_read(client: AsyncAnthropic, words: str, draft: Json) -> None:
    briefing = ORDER.format("#news" if "#news" in words else "(none)", "", words)
    read = await read_order(client, briefing)
    assert {key: read.get(key) for key in draft} == draft


async def test_a_correction_changes_the_hour_of_the_pending_order(client: AsyncAnthropic) -> None:
    pending = json.dumps({"intent": "order", "rrule": "FREQ=WEEKLY;BYDAY=FR;BYHOUR=9;BYMINUTE=0"})
    read = await read_order(client, ORDER.format("(none)", f"Pending: {pending}", "make it 10"))
    assert read == {"intent": "change", "rrule": "FREQ=WEEKLY;BYDAY=FR;BYHOUR=10;BYMINUTE=0"}


async def answer_to(client: AsyncAnthropic, text: str, *tools: str) -> str:
    """An answer in words alone, whatever tools are offered."""
    [block] = (await reply_to(client, text, *tools)).content
    assert block.type == "text"
    return block.text


async def read_order(client: AsyncAnthropic, text: str) -> Json:
    [block] = (await reply_to(client, text, "read_order")).content
    assert block.type == "tool_use"
    return dict(block.input)


async def reply_to(client: AsyncAnthropic, text: str, *tools: str) -> Message:
    return await client.messages.create(
        model="claude-haiku-5-5",
        max_tokens=1000,
        messages=[{"role": "user", "content": text}],
        tools=[{"name": name, "input_schema": {"type": "object"}} for name in tools],
    )
