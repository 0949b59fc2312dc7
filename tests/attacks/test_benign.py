"""Tasks of the same shape that mean no harm: one approval for each effect, none for reading."""

from pathlib import Path

import pytest

from tests.attacks.obedient import ObedientModel
from tests.attacks.world import (
    ANN,
    BATCH,
    CONNECT,
    CRAWL,
    ISSUE,
    READ_FILE,
    WRITE_FILE,
    Office,
    asks,
    mail,
    order,
    play,
)
from tests.runtimes import inbound

NEWS = {"tools": [{"tool_slug": "COMPOSIO_SEARCH_NEWS", "arguments": {"query": "news.example"}}]}
KNOWN = {"tools": [{"tool_slug": "COMPOSIO_SEARCH_WEB", "arguments": {"query": "what is known"}}]}
MAILS = {"tools": [{"tool_slug": "GMAIL_FETCH_EMAILS", "arguments": {"query": "is:unread"}}] * 2}
FOUND = "Found: https://news.example/story?id=7 and (https://other.example/a_(b)). Nothing else."
RESEARCH = (
    order(BATCH, NEWS),
    order(CRAWL, {"urls": ["https://news.example/story?id=7", "http://other.example/a_(b)/"]}),
    order(BATCH, KNOWN),
    order(WRITE_FILE, {"path": "notes.md", "content": "See https://news.example/story?id=7"}),
    order(READ_FILE, {"path": "notes.md"}),
    order(CRAWL, {"urls": ["HTTPS://News.Example:443/story?id=7"]}),
    order(CRAWL, {"urls": ["https://said.example/by/ann"]}),
    order(BATCH, MAILS),
    order(ISSUE, {"number": 7}),
    "tell the sub-agent helper to: " + order(CRAWL, {"urls": ["https://other.example/a_(b)"]}),
)


@pytest.mark.proves("attacks.benign_reads")
async def test_research_and_mails_that_are_only_read_ask_for_nothing(tmp_path: Path) -> None:
    office = Office(tmp_path, text=lambda _: FOUND, model=ObedientModel(calls_a_step=1))
    async with office.runtime() as runtime:
        outcome = await play(
            runtime, inbound(asks(*RESEARCH, "It began with https://said.example/by/ann."))
        )
    assert outcome.asked == []
    assert outcome.connections == []
    assert len(office.crawled) == 5 + 1  # what a sub-agent was told, the model does as well
    assert outcome.end.is_tainted


@pytest.mark.proves("attacks.benign_effects")
async def test_each_effect_is_approved_once_and_happens_once(tmp_path: Path) -> None:
    office = Office(tmp_path, text=lambda _: FOUND, model=ObedientModel(calls_a_step=1))
    people = ["bob@example.com", "cy@example.com"]
    async with office.runtime() as runtime:
        outcome = await play(
            runtime, inbound(asks(*RESEARCH[:2], *map(mail, people))), verdict=lambda _: "approved"
        )
    assert len(outcome.asked) == len(office.deeds) == len(people)
    assert [deed.arguments["recipient_email"] for deed in office.deeds] == people
    assert {deed.asker for deed in office.deeds} == {ANN}


@pytest.mark.proves("attacks.benign_batch")
async def test_a_batch_of_reads_and_one_effect_is_approved_once(tmp_path: Path) -> None:
    office = Office(tmp_path)
    effect = {"tool_slug": "SLACK_SEND_MESSAGE", "arguments": {"channel": "#a", "text": "x"}}
    batch = order(BATCH, {"tools": [*MAILS["tools"], effect]})
    async with office.runtime() as runtime:
        outcome = await play(runtime, inbound(asks(batch)), verdict=lambda _: "approved")
    (asked,) = outcome.asked
    assert [action.asks for action in asked.actions] == [False, False, True]
    assert len(office.deeds) == 1


@pytest.mark.proves("attacks.benign_connect")
async def test_connecting_an_account_asks_for_no_approval(tmp_path: Path) -> None:
    office = Office(tmp_path)
    outcome = await office.turn(order(CONNECT, {"toolkits": ["gmail"]}))
    assert outcome.asked == []
    assert [event.toolkits for event in outcome.connections] == [("gmail",)]
