"""Orders in a person's words: recognised, kept apart from questions, read for what they say."""

import pytest

from bot.sandbox.model.errands.wording import Wording, read_wording
from bot.sandbox.model.intent import needs_tools, topic_of
from bot.sandbox.model.orders import Kind, Order, read_request, topic_part


def kinds(text: str) -> list[Kind]:
    return [order.kind for order in read_request(text).orders]


def wording(text: str) -> Wording:
    (order,) = read_request(text).orders
    return read_wording(order)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Research harbour cranes and email me the report", "mail"),
        ("Research harbour cranes, then send me the report by email.", "mail"),
        ("Search the news on cranes, write a summary and mail it to ada@example.com", "mail"),
        ("Can you email me the report?", "mail"),
        ("@bot please email Bob that lunch is at 12", "mail"),
        ("Recherchiere Kräne und schick mir den Bericht per Mail", "mail"),
        ("Recherchiere Kräne und maile den Bericht an ada@example.com", "mail"),
        ("Kannst du Bob eine Mail schicken, dass das Essen um 12 ist?", "mail"),
        ("Schreib Bob eine Mail: Das Essen ist um 12.", "mail"),
        ("put it into my calendar on Friday at 10", "event"),
        ("Schedule a meeting with bob@example.com on Friday at 10", "event"),
        ("Trag das Teamessen am Freitag um 10 Uhr in meinen Kalender ein", "event"),
        ("Lege einen Termin am 5. Dezember um 15 Uhr an", "event"),
        ("create a GitHub issue for the broken crane", "issue"),
        ("Erstelle ein GitHub-Issue für den kaputten Kran", "issue"),
        ("Look it up and then post it in #general", "message"),
        ("Send a Slack message to #general that lunch is at 12", "message"),
        ("Create a Notion page for it", "page"),
    ],
)
def test_an_order_is_recognised_by_its_words(text: str, kind: Kind) -> None:
    assert kinds(text) == [kind]
    assert needs_tools(text)


@pytest.mark.parametrize(
    "text",
    [
        "How do I send an email in Python?",
        "How do I create an event, send an email and delete it?",
        "Write a report on email marketing",
        "Write an email marketing report",
        "Write a report on phishing by email",
        "Create a report on calendar apps",
        "Create a meeting summary",
        "Send me the report",
        "Don't email anyone. Research cranes",
        "Email nobody about it",
        "every weekday at 9 post a digest on batteries in #news",
        "Every Monday send me an email with the news",
        "Schick mir jeden Montag eine Mail mit den Nachrichten",
        "What does “email me the report” mean?",
        "Translate this: send an email to bob@example.com",
        "Summarise the mail that Bob sent",
    ],
)
def test_what_is_no_order_is_not_taken_for_one(text: str) -> None:
    assert kinds(text) == []


def test_a_dictated_text_holds_no_further_orders() -> None:
    colon = "Email bob@example.com: I am late. Please send me a mail when you are there"
    quoted = "email bob@example.com “Please email me, and send me an email” and nothing else"
    assert kinds(colon) == ["mail"]
    assert wording(colon).content == "I am late. Please send me a mail when you are there."
    assert kinds(quoted) == ["mail"]


def test_an_order_instead_of_another_replaces_it() -> None:
    request = read_request("email me the plan. Send it to bob@example.com instead")
    assert [order.clause for order in request.orders] == ["Send it to bob@example.com instead"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Research cranes and email me the report", True),
        ("Email me a report on cranes", True),
        ("Email me the answer. What is the tallest crane?", True),
        ("Email me the report", False),
        ("Email bob@example.com that the report on cranes is late", False),
        ("Hi! Email bob@example.com that lunch is at 12", False),
        ("Schick mir eine Zusammenfassung über Kräne per E-Mail", True),
    ],
)
def test_research_before_an_order_is_told_from_none(text: str, expected: bool) -> None:
    assert read_request(text).asks_for_research is expected


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("Research harbour cranes and email me the report", "harbour cranes"),
        ("Write a report on harbour cranes and put it into my calendar", "harbour cranes"),
        ("Email me a report on harbour cranes", "harbour cranes"),
        ("Recherchiere Hafenkräne und maile den Bericht an a@example.com", "Hafenkräne"),
        ("Write a report on harbour cranes", "harbour cranes"),
    ],
)
def test_the_topic_is_free_of_the_order(text: str, topic: str) -> None:
    assert topic_of(text) == topic


def test_an_order_alone_stays_whole_as_a_topic() -> None:
    assert topic_part("email me the report") == "email me the report"


@pytest.mark.parametrize(
    ("text", "addresses", "names", "to_me"),
    [
        ("email me the report", (), (), True),
        ("Email me and bob@example.com the report", ("bob@example.com",), (), True),
        ("send Bob an email that says hello", (), ("Bob",), False),
        ("Send an email to Ana Lima about the cranes", (), ("Ana Lima",), False),
        ("Schick Bob eine Mail, dass ich komme", (), ("Bob",), False),
        ("mail it to a@example.com and b@example.com", ("a@example.com", "b@example.com"), (),
         False),
        ("email bob@example.com that he should write to eve@example.com", ("bob@example.com",), (),
         False),
    ],
)  # fmt: skip
def test_recipients_stand_before_the_dictated_text(
    text: str, addresses: tuple[str, ...], names: tuple[str, ...], to_me: bool
) -> None:
    read = wording(text)
    assert (read.addresses, read.names, read.to_me) == (addresses, names, to_me)


@pytest.mark.parametrize(
    ("text", "title", "content"),
    [
        ("create an issue for the broken crane in acme/docks", "Broken crane", ""),
        ('Open a GitHub issue titled "Crane broken" that says the brake is worn', "Crane broken",
         "The brake is worn."),
        ("put the team lunch into my calendar on Friday at 10", "Team lunch", ""),
        ("Lege einen Termin mit Ada am 5.12. von 10 bis 11:30 Uhr an", "Termin mit Ada", ""),
        ('create a calendar event "Team lunch" tomorrow at 12:30', "Team lunch", ""),
        ("put it into my calendar on Friday at 10", "", ""),
        ('email it to a@example.com with the subject "Cranes, and more"', "Cranes, and more", ""),
        ("email me that report", "", ""),
    ],
)  # fmt: skip
def test_a_title_and_a_text_are_read_from_the_words(text: str, title: str, content: str) -> None:
    read = wording(text)
    assert (read.title, read.content) == (title, content)


@pytest.mark.parametrize("place", ["in acme/docks", "in https://github.com/acme/docks"])
def test_a_repository_is_read_from_its_name_or_address(place: str) -> None:
    read = wording(f"create an issue for the broken crane {place}")
    assert (read.owner, read.repo) == ("acme", "docks")


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "text",
    ["and " * 500, "send " * 400, "email me, " * 200, "a@" * 1000, "send a " * 280, ": " * 1000],
    ids=lambda text: text[:8],
)
def test_a_hostile_text_takes_no_long_time(text: str) -> None:
    assert all(isinstance(order, Order) for order in read_request(text).orders)
