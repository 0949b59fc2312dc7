"""Attached files and long messages: answered from their own words, never searched for by a note."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from anthropic import AsyncAnthropic

from bot.sandbox.model.conversation import read_conversation
from tests.bot.sandbox.model.world import ESCAPE, MAIN_TOOLS, MODEL, Agent, World

Json = dict[str, Any]
PRICES = "item,price,stock\ntea,4.20,12\nsaffron,31.50,2\nsalt,0.90,400\n"
NOTES = (
    "# Notes\n\nThe harbour crane lifted 540 tonnes in one shift. The gulls were loud all day "
    "and nobody minded. The brakes of the crane are checked every 11 days.\n"
)
PAGE = (
    "<!doctype html><html><head><title>Cranes</title><script>var a = 1;</script></head><body>"
    "<p>The <b>tallest</b> crane lifted 77 tonnes in one shift last spring.</p></body></html>"
)


class Desk(World):
    """A world in which the only readable files are those that lie on the desk."""

    files: dict[str, str]

    def _peek(self, arguments: Json) -> str:
        if arguments["path"] not in self.files:
            return json.dumps({"success": False, "error": "no such file"})
        text = self.files[arguments["path"]]
        start = int(arguments.get("offset", 0))
        end = start + self.page_chars
        following = end if end < len(text) else None
        return json.dumps({"text": text[start:end], "next_offset": following})


@pytest.fixture
def desk() -> Desk:
    pages = {"https://site.test/a": "# Harbour cranes\n\nHarbour cranes lift 12 tonnes a day.\n"}
    desk = Desk(pages=pages)
    desk.files = {
        "downloads/prices.csv": PRICES,
        "downloads/notes.md": NOTES,
        "downloads/page.html": PAGE,
        "downloads/blank.txt": "",
        "downloads/settings.json": '{"a": 1}',
    }
    return desk


@pytest.fixture
def agent(client: AsyncAnthropic, desk: Desk) -> Agent:
    return Agent(client=client, world=desk, tools=MAIN_TOOLS)


@pytest.fixture
def attach(desk: Desk) -> Callable[..., str]:
    def message(words: str, *names: str, media_type: str = "text/plain") -> str:
        sizes = {name: len(desk.files.get(f"downloads/{name}", "gone")) for name in names}
        lines = [f"- downloads/{n} ({media_type}, {size:,} bytes)" for n, size in sizes.items()]
        listed = "\n".join(lines)
        return f"Attached files, in the session's workspace:\n{listed}\n\n{words}"

    return message


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (
            "What is the highest price in prices.csv?",
            "The highest price in prices.csv is 31.50 (item: saffron, stock: 2).",
        ),
        (
            "Which is the cheapest?",
            "The lowest price in prices.csv is 0.90 (item: salt, stock: 400).",
        ),
        ("What is the total stock?", "The total stock in prices.csv is 414."),
        ("What is the price of tea?", "prices.csv has this: item: tea, price: 4.20, stock: 12."),
        (
            "Was ist der höchste price und wo steht er?",
            "Der höchste Wert von „price“ in prices.csv ist 31.50 (item: saffron, stock: 2).",
        ),
    ],
)
async def test_a_question_on_a_table_gets_the_value_of_its_row(
    agent: Agent, desk: Desk, attach: Callable[..., str], question: str, answer: str
) -> None:
    assert await agent.ask(attach(question, "prices.csv", media_type="text/csv")) == answer
    assert desk.names() == ["peek"]


async def test_a_table_without_a_question_is_described(
    agent: Agent, attach: Callable[..., str]
) -> None:
    answer = await agent.ask(attach("(no words)", "prices.csv", media_type="text/csv"))
    assert answer.startswith("prices.csv has 3 rows with the columns item, price, stock:")
    assert "- item: tea, price: 4.20, stock: 12" in answer


async def test_a_question_on_a_text_is_answered_with_its_sentence(
    agent: Agent, attach: Callable[..., str]
) -> None:
    answer = await agent.ask(attach("How often are the brakes checked?", "notes.md"))
    assert answer == "notes.md says: The brakes of the crane are checked every 11 days."


async def test_a_page_is_read_without_its_markup(agent: Agent, attach: Callable[..., str]) -> None:
    answer = await agent.ask(attach("Summarise this file", "page.html", media_type="text/html"))
    assert answer == "page.html says: The tallest crane lifted 77 tonnes in one shift last spring."


async def test_an_empty_file_is_called_empty(agent: Agent, attach: Callable[..., str]) -> None:
    assert await agent.ask(attach("What is in it?", "blank.txt")) == "blank.txt is empty."


async def test_a_file_without_sentences_shows_how_it_begins(
    agent: Agent, attach: Callable[..., str]
) -> None:
    answer = await agent.ask(attach("What is in it?", "settings.json"))
    assert answer == 'settings.json begins with:\n```\n{"a": 1}\n```'


async def test_a_file_that_is_no_text_or_is_gone_is_named(
    agent: Agent, attach: Callable[..., str]
) -> None:
    picture = await agent.ask(attach("What is in it?", "cat.png", media_type="image/png"))
    assert picture == "I can read text files here, and cat.png is of the type image/png."
    assert await agent.ask(attach("What is in it?", "gone.txt")) == "I could not read gone.txt."


async def test_several_files_are_read_at_once_and_a_long_one_to_its_end(
    agent: Agent, desk: Desk, attach: Callable[..., str]
) -> None:
    desk.page_chars = 60
    answer = await agent.ask(attach("How often are the brakes checked?", "notes.md", "page.html"))
    assert desk.steps[0] == ["peek", "peek"]
    assert "every 11 days" in answer
    assert "\n\npage.html says:" in answer


async def test_a_named_file_is_the_one_that_is_read(
    agent: Agent, desk: Desk, attach: Callable[..., str]
) -> None:
    await agent.ask(attach("What is the highest price in prices.csv?", "notes.md", "prices.csv"))
    assert [read["path"] for read in desk.inputs("peek")] == ["downloads/prices.csv"]


async def test_a_later_question_in_the_thread_is_still_about_the_file(
    agent: Agent, attach: Callable[..., str]
) -> None:
    await agent.ask(attach("What is the highest price?", "prices.csv"))
    assert (await agent.ask("And the lowest?")).startswith("The lowest price in prices.csv")
    assert (await agent.ask("continue")).startswith("The lowest price in prices.csv")
    assert (await agent.ask("And the highest stock?")).startswith("The highest stock in prices.csv")


async def test_a_report_from_a_file_is_told_from_it_and_said_to_be_none(
    agent: Agent, desk: Desk, attach: Callable[..., str]
) -> None:
    answer = await agent.ask(attach("Write a report on the attached file", "notes.md"))
    assert "540 tonnes" in answer
    assert "A report cites web pages" in answer
    assert desk.names() == ["peek"]


async def test_a_report_on_a_topic_reads_the_file_first_and_never_searches_for_the_note(
    agent: Agent, desk: Desk, attach: Callable[..., str]
) -> None:
    words = "Write a comprehensive report on harbour cranes"
    answer = await agent.ask(attach(words, "notes.md"))
    assert desk.names()[:3] == ["peek", "look_for_helpers", "run_many"]
    (task,) = desk.inputs("pass_on")
    assert "Title: Harbour cranes\n" in task["prompt"]
    assert "attached" not in json.dumps(desk.called[:4]).lower()
    assert "540 tonnes" in answer


async def test_without_a_tool_for_files_the_words_are_the_topic(
    client: AsyncAnthropic, desk: Desk, attach: Callable[..., str]
) -> None:
    tools = [tool for tool in MAIN_TOOLS if tool["name"] != "peek"]
    agent = Agent(client=client, world=desk, tools=tools)
    await agent.ask(attach("What do harbour cranes lift?", "notes.md"))
    (batch,) = desk.inputs("run_many")
    assert {entry["arguments"]["query"] for entry in batch["tools"]} == {"harbour cranes lift"}


async def test_a_short_question_after_a_file_is_handed_over_by_the_fast_answer(
    client: AsyncAnthropic, attach: Callable[..., str]
) -> None:
    message = await client.messages.create(
        model=MODEL,
        max_tokens=200,
        tools=[ESCAPE],
        messages=[
            {"role": "user", "content": attach("What is the highest price?", "prices.csv")},
            {"role": "assistant", "content": "The highest price is 31.50."},
            {"role": "user", "content": "And the lowest?"},
        ],
    )
    assert message.stop_reason == "tool_use"


async def test_another_question_after_a_file_is_not_about_the_file(
    agent: Agent, desk: Desk, attach: Callable[..., str]
) -> None:
    await agent.ask(attach("What is the highest price?", "prices.csv"))
    await agent.ask("Search for harbour cranes")
    assert desk.names()[:2] == ["peek", "look_for_helpers"]


async def test_a_file_is_called_by_the_name_that_the_person_gave_it(
    agent: Agent, desk: Desk, attach: Callable[..., str]
) -> None:
    desk.files["downloads/F0AB57C8010_blank.txt"] = ""
    answer = await agent.ask(attach("What is in blank.txt?", "F0AB57C8010_blank.txt", "notes.md"))
    assert answer == "blank.txt is empty."


async def test_a_file_alone_is_handed_over_by_the_fast_answer(
    client: AsyncAnthropic, attach: Callable[..., str]
) -> None:
    message = await client.messages.create(
        model=MODEL,
        max_tokens=200,
        tools=[ESCAPE],
        messages=[{"role": "user", "content": attach("(no words)", "notes.md")}],
    )
    assert message.stop_reason == "tool_use"


async def test_a_long_message_is_answered_from_its_own_text(agent: Agent, desk: Desk) -> None:
    filler = "The gulls of the harbour were loud and nobody in the town minded them. " * 200
    text = f"{filler}The brakes are checked every 11 days. How often are the brakes checked?"
    note = f"The message below has {len(text):,} characters; it is saved as downloads/m_1.txt."
    assert await agent.ask(f"{note}\n\n{text}") == "The brakes are checked every 11 days."
    assert desk.names() == []


async def test_the_title_of_a_report_comes_from_the_request_of_a_long_message(
    agent: Agent, desk: Desk
) -> None:
    filler = "The gulls of the harbour were loud and nobody in the town minded them. " * 200
    text = f"{filler}\n\nWrite a comprehensive report on harbour cranes"
    note = f"The message below has {len(text):,} characters; it is saved as downloads/m_1.txt."
    await agent.ask(f"{note}\n\n{text}")
    (task,) = desk.inputs("pass_on")
    assert "Title: Harbour cranes\n" in task["prompt"]


def test_notes_are_no_part_of_what_was_asked() -> None:
    text = (
        "<earlier_posts>\nAna: hello\n</earlier_posts>\n\n"
        "Files with this message:\n"
        "* docs/a b.csv (text/csv; charset=utf-8, 1,204 bytes)\n"
        "* docs/c.pdf (application/pdf, 3.1 MB)\n\n"
        "Compare them:\n- by price\n- by size (text, big)"
    )
    conversation = read_conversation({"messages": [{"role": "user", "content": text}]})
    assert conversation.asked == "Compare them:\n- by price\n- by size (text, big)"
    found = conversation.now.attachments
    assert [(file.path, file.is_text) for file in found] == [
        ("docs/a b.csv", True),
        ("docs/c.pdf", False),
    ]
