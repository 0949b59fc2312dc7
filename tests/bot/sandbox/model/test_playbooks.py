"""What the stand-in does with a request: which playbook it plays, and to what end."""

import json
from typing import Any

import pytest
from anthropic import AsyncAnthropic

from tests.bot.sandbox.model.toolbox import PAGES, Toolbox, expert, main_agent

Json = dict[str, Any]
MOSS, GREEN, CARS = PAGES
BRIEF = "Topic: moss roofs\nRead these pages:\n" + "\n".join(f"- page: {url}" for url in PAGES)
FINDING = (
    "Moss roofs hold 4 litres. [1]\n\nThe report “Moss” is ready.\n\n"
    "Pages:\n1. Moss: http://a.test/moss"
)
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
    ],
)
async def test_the_classifier_says_one_word(
    client: AsyncAnthropic, words: str, verdict: str
) -> None:
    assert await Toolbox({}).run(client, CLASSIFY.format(words)) == verdict


async def test_a_plain_question_is_answered_by_a_quotation_with_its_page(
    client: AsyncAnthropic,
) -> None:
    escape = Toolbox({"use_tools": lambda _: ""})
    answer = await escape.run(client, "What is full jitter?")
    assert "> Full jitter waits a random time" in answer
    assert "[Jitter, explained](http://blog.test/jitter)" in answer
    assert escape.calls == []


async def test_what_no_page_says_is_not_claimed_to_be_known(client: AsyncAnthropic) -> None:
    answer = await Toolbox({}).run(client, "What is the capital of France?")
    assert "No model is connected" in answer
    assert "ANTHROPIC_API_KEY" in answer
    assert "Paris" not in answer


async def test_an_earlier_report_is_found_read_and_quoted_with_its_thread(
    client: AsyncAnthropic,
) -> None:
    told = (
        "Thread: https://acme.test/archives/C1/p1\n\nThe answer:\nDone.\n\nA roof costs 90 euros."
    )
    found = "Material.\n- id abcd1234, 1 May 2026, Ann asked: “moss”"
    box = Toolbox({"find_earlier_work": lambda _: found, "read_earlier_work": lambda _: told})
    answer = await box.run(client, "In the report you wrote earlier, what does a roof cost?")
    assert box.calls[-1] == ("read_earlier_work", {"id": "abcd1234"})
    assert "> A roof costs 90 euros" in answer
    assert "(https://acme.test/archives/C1/p1)" in answer


async def test_a_report_is_searched_for_and_delegated_with_the_words_and_the_pages(
    client: AsyncAnthropic,
) -> None:
    box = main_agent(FINDING)
    answer = await box.run(client, "Write a report on moss roofs")
    assert box.names[-1] == "Task"
    task = box.calls[-1][1]
    assert task["subagent_type"] == "report-creation-expert"
    assert "Write a report on moss roofs" in task["prompt"]
    assert MOSS in task["prompt"]
    assert CARS not in task["prompt"]
    assert "Moss roofs hold 4 litres. [1]" in answer


async def test_a_bare_continue_after_a_report_that_is_done_does_not_repeat_its_answer(
    client: AsyncAnthropic,
) -> None:
    box = main_agent(FINDING)
    said = await box.run(client, "Write a report on moss roofs", "continue")
    assert said.startswith("Nothing is open in this thread.")
    assert box.names.count("Task") == 1


async def test_a_question_of_fact_is_answered_from_the_pages_that_are_about_it(
    client: AsyncAnthropic,
) -> None:
    answer = await main_agent().run(client, "Find out what pages say about moss roofs")
    assert f"([Moss on roofs]({MOSS}))" in answer
    assert "20,000" not in answer


@pytest.mark.parametrize("words", ["help me with the thing", "write a report"])
async def test_a_vague_request_gets_one_question_and_then_its_work(
    client: AsyncAnthropic, words: str
) -> None:
    box = main_agent(FINDING)
    await box.run(client, words)
    assert box.names.count("ask_user") == 1
    assert box.calls[1][1]["query"] == "moss roofs"


async def test_the_sides_of_a_comparison_are_looked_into_side_by_side(
    client: AsyncAnthropic,
) -> None:
    request = "Compare moss roofs, tidal power and cars for a small town"
    planner = Toolbox({"plan": lambda _: ""})
    await planner.run(client, request)
    sides = planner.calls[0][1]["sub_questions"]
    assert [side["title"] for side in sides] == ["moss roofs", "tidal power", "cars"]
    parts = [side["question"] for side in sides]
    assert parts == [f"Find out about {side}." for side in ("moss roofs", "tidal power", "cars")]

    box = main_agent(FINDING)
    runs = {f"root.part{n}": part for n, part in enumerate(parts, start=1)}
    listed = "\n".join(f"- {run}: {part}" for run, part in runs.items())
    planned = f"These parts of the task are being explored already, each by itself:\n{listed}"
    results = [
        f"{run}, which you started, has ended. Its task: {part}\n\nResult of {run}:\n\n"
        f"Much on {run}.\n\n(Written by that run, not by a person.)"
        for run, part in runs.items()
    ]
    answer = await box.run(client, f"{request}", planned, *results)
    [task] = [arguments["prompt"] for name, arguments in box.calls if name == "Task"]
    assert "Topic: moss roofs, tidal power and cars\nSide: moss roofs" in task
    assert "**Tidal power**\nMuch on root.part2." in answer
    assert "4 litres. [1]" in answer


async def test_the_expert_reads_saves_and_writes_what_the_pages_say(client: AsyncAnthropic) -> None:
    box = expert()
    answer = await box.run(client, f"Write a report.\n{BRIEF}")
    assert list(dict.fromkeys(box.names)) == [
        "crawl_parallel",
        "save_corpus",
        "read_local_file",
        "write_report",
    ]
    report = box.calls[-1][1]
    text = f"{report['summary']}\n{report['markdown']}"
    for said in (
        "A moss roof costs 90 euros a square metre. [1]",
        "| Roof [1] | Price |",
        "Moss on roofs holds 4 litres of water a square metre. [1]",
        "Six towns planted moss on 41 roofs last year. [2]",
    ):
        assert text.count(said) == 1
    for chrome in ("Likes", "Ann Lee", "access tokens", "20,000"):
        assert chrome not in text
    assert "is ready." in answer


async def test_a_section_that_was_asked_for_comes_last_with_what_fits_it(
    client: AsyncAnthropic,
) -> None:
    box = expert()
    await box.run(client, f"{BRIEF}\nSection: care")
    text = box.calls[-1][1]["markdown"]
    assert "Moss roofs need water in the first 6 weeks. [1]" in text.partition("## Care")[2]


@pytest.mark.parametrize(
    ("title", "text", "headings"),
    [
        ("Goats on the hill | The Farmer", "Goats are on the hill.", ["Goats on the hill"]),
        ("The Farmer - Goats on the hill", "Goats are on the hill.", ["Goats on the hill"]),
        ("Brambles: a history", "Brambles and goats are an old story.", ["Brambles: a history"]),
        ("Goats", "Goats are on the hill.", ["Overview"]),
        ("Home", "Goats are on the hill.", ["Further findings"]),
    ],
)  # fmt: skip
async def test_a_heading_says_what_its_section_says(
    client: AsyncAnthropic, title: str, text: str, headings: list[str]
) -> None:
    box = expert({"http://a.test/": (title, text)})
    await box.run(client, "Topic: goats\nRead these pages:\n- p: http://a.test/")
    lines = box.calls[-1][1]["markdown"].splitlines()
    assert [line.strip("# ") for line in lines if line.startswith("#")] == headings


async def test_a_digest_ends_with_its_tool_and_leaves_out_what_was_told(
    client: AsyncAnthropic,
) -> None:
    says = (
        "Moss holds 4 litres of water. Moss grows fast. [1]\n\nPages:\n1. Moss: http://a.test/moss"
    )
    box = main_agent(says.replace("water. ", "water. [1] "))
    box.tools["publish_digest"] = lambda _: "Published."
    told = "<earlier_posts>\nMoss grows fast.\n</earlier_posts>\n\n"
    await box.run(client, f"{told}moss roofs", system="## This is a digest for a channel")
    digest = box.calls[-1][1]
    assert [(line["text"], line["source"]) for line in digest["lines"]] == [
        ("Moss holds 4 litres of water.", "http://a.test/moss")
    ]


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
    told = ORDER.format("#news" if "#news" in words else "(none)", "", words)
    read = await read_order(client, told)
    assert {key: read.get(key) for key in draft} == draft


async def test_a_correction_changes_the_hour_of_the_pending_order(client: AsyncAnthropic) -> None:
    pending = json.dumps({"intent": "order", "rrule": "FREQ=WEEKLY;BYDAY=FR;BYHOUR=9;BYMINUTE=0"})
    read = await read_order(client, ORDER.format("(none)", f"Pending: {pending}", "make it 10"))
    assert read == {"intent": "change", "rrule": "FREQ=WEEKLY;BYDAY=FR;BYHOUR=10;BYMINUTE=0"}


async def read_order(client: AsyncAnthropic, told: str) -> Json:
    reply = await client.messages.create(
        model="claude-haiku-5-5",
        max_tokens=1000,
        messages=[{"role": "user", "content": told}],
        tools=[{"name": "read_order", "input_schema": {"type": "object"}}],
    )
    (use,) = reply.content
    assert use.type == "tool_use"
    return dict(use.input)
