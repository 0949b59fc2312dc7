"""An approval as a post: in full, inert, within Slack's limits, and nothing hidden in it.

All its arguments are told, none can be taken for another one, and what cannot be seen has a name.
"""

from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_core.events import ApprovalRequested, PlannedAction, SentFile
from agent_core.messages import JsonObject
from bot.presenter.approval import (
    approval_draft,
    approval_file,
    decided_draft,
    details_form,
    is_short,
)
from bot.presenter.previews import argument_lines, made_visible, moments
from bot.render import limits
from bot.threads import ThreadRef
from bot.words import BOT
from tests.bot.presenter.turns import Turn, action

WORDS_EN = BOT.of("en")
TURN = Turn(ThreadRef(team="T1", channel="C1", root_ts="1.000001"))


def texts(blocks: tuple[JsonObject, ...]) -> list[str]:
    """What stands in the blocks, buttons left out."""
    found: list[str] = []
    for block in blocks:
        if "text" in block:
            found.append(block["text"]["text"])
        elif block["type"] == "context":
            found += [element["text"] for element in block["elements"]]
    return found


def labels(blocks: tuple[JsonObject, ...]) -> list[str]:
    rows = [block for block in blocks if block["type"] == "actions"]
    elements = [element for row in rows for element in row["elements"]]
    return [
        label["text"]["text"] for element in elements for label in element.get("options", [element])
    ]


def shown(event: ApprovalRequested) -> str:
    draft = approval_draft(event, WORDS_EN, is_whole=True)
    return "\n".join(texts(draft.blocks))


def sent(**arguments: Any) -> ApprovalRequested:
    return TURN.requested(action(**arguments))


def test_it_says_who_what_which_app_which_account_whom_it_reaches_and_until_when() -> None:
    event = sent(recipient_email="bob@example.com", cc=["eve@example.com"], body="Hello")
    text = shown(event)
    assert text.startswith("<@U1> asked for this. I will do it only once it is approved:\n")
    assert "*Send email* · Gmail · with the account ann@example.com" in text
    assert "*To:* bob@example.com\n*Cc:* eve@example.com\n*Text:*\n&gt; Hello" in text
    assert "Waiting until <!date^" in text
    assert "0123456789ab" not in text
    form = details_form(sent().actions, "0123456789abcdef", WORDS_EN)
    assert "Fingerprint `0123456789ab`" in str(form)


ATTACHED = {"name": "heat_pumps.pdf", "mimetype": "application/pdf", "s3key": "projects/x/1"}
HELD = SentFile(
    name="heat_pumps.pdf",
    path="work_products/a",
    sha256="ab",
    key="projects/x/1",
    size_bytes=180_400,
)


@pytest.mark.proves("approvals.attachment")
@pytest.mark.parametrize(
    ("attachment", "is_named"),
    [
        (ATTACHED, True), ([ATTACHED, ATTACHED], True), ({**ATTACHED, "note": "x"}, False),
        ({**ATTACHED, "s3key": "other"}, False), ({**ATTACHED, "name": "heat_pumps.exe"}, False),
        ({**ATTACHED, "S3_key": "projects/x/2"}, False), ("projects/x/1", False),
    ],
)  # fmt: skip
def test_a_file_whose_content_is_known_is_named_and_its_key_is_a_detail(
    attachment: Any, is_named: bool
) -> None:
    event = replace(sent(attachment=attachment), files=(HELD,))
    card = shown(event)
    assert ("Heat pumps (PDF, 180 kB)" in card) == is_named
    draft = approval_draft(event, WORDS_EN, is_whole=True)
    assert ("posted above" in str(draft.blocks)) != is_named
    assert ("projects/x" not in card and "application/pdf" not in card) or not is_named
    form = str(details_form(event.actions, event.digest, WORDS_EN))
    assert "projects/x" in form or "other" in form


@pytest.mark.proves("consent.changes")
@pytest.mark.parametrize(
    ("before", "now", "lines"),
    [
        ({"subject": "Lunch", "body": "At 12", "cc": ["eve@b.example"]},
         {"subject": "Lunch on Friday", "body": "At 12", "cc": ["eve@b.example", "cleo@b.example"]},
         ["Changed: Cc “eve@b.example” → “eve@b.example, cleo@b.example”",
          "Changed: Subject “Lunch” → “Lunch on Friday”"]),
        ({"body": f"{'a' * 200} at one"}, {"body": f"{'a' * 200} at two", "is_html": False},
         ["Changed: Text, as below", "Changed: Is html “-” → “False”"]),
        ({"body": "<!channel>\u202e"}, {"body": "Hi"},
         ["Changed: Text “&lt;!channel&gt;⟨U+202E⟩” → “Hi”"]),
    ],
)  # fmt: skip
def test_a_call_that_was_changed_says_what_differs_and_whom_it_reaches_first(
    before: JsonObject, now: JsonObject, lines: list[str]
) -> None:
    (earlier,) = sent(recipient_email="bob@example.com", **before).actions
    event = replace(sent(recipient_email="bob@example.com", **now), before=(earlier,))
    card = shown(event)
    changed = [line for line in card.split("\n") if line.startswith("Changed:")]
    assert changed == lines
    other = replace(event, before=(replace(earlier, tool="GMAIL_REPLY"),))
    assert "Changed:" not in shown(other)


def test_a_tool_of_another_server_says_of_which() -> None:
    alone = PlannedAction(tool="delete_all", toolkit="", account="", arguments={}, asks=True)
    event = replace(TURN.requested(alone), tool="mcp__team_notes__delete_all")
    assert "*Delete all* · Team Notes\n" in shown(event)
    own = replace(event, tool="mcp__composio__COMPOSIO_REMOTE_WORKBENCH")
    assert "*Delete all*\nWithout any arguments." in shown(own)


def test_the_fallback_for_notifications_holds_no_arguments() -> None:
    draft = approval_draft(sent(body="the secret"), WORDS_EN, is_whole=True)
    assert "Send email" in draft.text
    assert "secret" not in draft.text


@pytest.mark.parametrize("is_tainted", [False, True])
def test_only_an_untainted_session_is_offered_the_thread(is_tainted: bool) -> None:
    event = TURN.requested(is_tainted=is_tainted, may_allow_thread=not is_tainted)
    draft = approval_draft(event, WORDS_EN, is_whole=True)
    thread = [] if is_tainted else ["Approve for this thread"]
    assert labels(draft.blocks) == ["Approve", "Edit…", "Reject…", "All details", *thread]
    assert ("text from outside" in shown(event)) == is_tainted


def test_what_goes_along_without_asking_is_one_line() -> None:
    batch = TURN.requested(
        action(body="Hello"),
        *(action("GMAIL_FETCH_EMAILS", asks=False, query="x") for _ in range(3)),
        action("GMAIL_GET_PROFILE", asks=False),
    )
    assert "needs no approval: Fetch emails, Get profile" in shown(batch)
    assert "query" not in shown(batch)


@pytest.mark.parametrize(
    "hostile",
    [
        "<!channel> <@U2> <#C2>",
        "<https://evil.example|click>",
        "``` *bold* ```",
        "@here @everyone",
        "Approved by <@U1>",
    ],
)
def test_foreign_text_is_inert_wherever_it_stands(hostile: str) -> None:
    arguments: dict[str, Any] = {"to": hostile, "body": hostile, hostile: "x"}
    event = TURN.requested(action(f"GMAIL_{hostile}", **arguments))
    draft = approval_draft(event, WORDS_EN, is_whole=True)
    for text in (draft.text, *texts(draft.blocks)):
        inside = text.replace("<@U1> asked", "").partition("<!date")[0]
        assert "<" not in inside
        assert "@here" not in inside
        assert text.count("```") in {0, 2}
    assert all(block["text"]["verbatim"] for block in draft.blocks if "text" in block)


@pytest.mark.parametrize(
    "arguments",
    [
        {"body": "word " * 20_000},
        {"body": "<&>" * 3_000},
        {"to": [f"person{n}@example.com" for n in range(900)]},
        {f"name{n}": "x" for n in range(3_000)},
    ],
)
def test_what_does_not_fit_is_in_the_file_and_said_to_be(arguments: dict[str, Any]) -> None:
    event = sent(**arguments)
    draft = approval_draft(event, WORDS_EN, is_whole=False, is_attached=True)
    written = texts(draft.blocks)
    assert not is_short(event, WORDS_EN)
    assert "`approval-0123456789ab.txt`" in "\n".join(written)
    assert labels(draft.blocks) == ["Approve", "Reject…"]
    content = approval_file(event, WORDS_EN).decode()
    assert "actions[0].account: ann@example.com\n" in content
    inner = argument_lines({"actions": [{"arguments": arguments}]})
    assert set(inner) <= set(content.split("\n"))


@pytest.mark.parametrize(
    ("actions", "chars"), [(1, 10), (1, 2_000), (1, 50_000), (12, 2_000), (200, 10), (200, 50_000)]
)
@pytest.mark.parametrize("people", [1, 300])
def test_every_form_keeps_to_the_limits_of_slack(actions: int, chars: int, people: int) -> None:
    """A batch of mails, whose recipients alone may be more than one post takes."""
    to = [f"{'p' * min(chars, 300)}{n}@example.com" for n in range(people)]
    event = TURN.requested(
        *(action(to=to, body="y" * chars) for _ in range(actions)),
        action("GMAIL_FETCH_EMAILS", asks=False),
        is_tainted=True,
        may_allow_thread=True,
    )
    forms = [True, False] if is_short(event, WORDS_EN) else [False]
    drafts = [
        approval_draft(event, WORDS_EN, is_whole=form, is_attached=not form) for form in forms
    ]
    drafts.append(decided_draft(event, TURN.decided("rejected", reason="n" * 3_000), WORDS_EN))
    for draft in drafts:
        written = texts(draft.blocks)
        assert len(draft.blocks) <= limits.BLOCKS_PER_POST
        assert max(map(len, written)) <= limits.SECTION_CHARS
        assert sum(map(len, written)) <= limits.BLOCK_TEXT_CHARS
        assert len(draft.text) <= limits.TEXT_CHARS


@pytest.mark.parametrize("language", BOT.languages)
def test_every_language_says_how_it_ended(language: str) -> None:
    words, event = BOT.of(language), TURN.requested()
    endings = [
        TURN.decided("approved"),
        TURN.decided("approved_thread"),
        TURN.decided("rejected"),
        TURN.decided("rejected", reason="<!here> too early"),
        TURN.decided("expired", by=None),
        TURN.decided("overtaken", by=None),
        TURN.decided("void", by=None),
        TURN.decided("edited"),
    ]
    said = [decided_draft(event, ending, words) for ending in endings]
    lines = [texts(draft.blocks)[-1] for draft in said]
    assert len(set(lines)) == len(endings)
    assert all(labels(draft.blocks) == [] for draft in said)
    assert all("<@U1>" in line for line in lines[:4])
    assert "&lt;!here&gt; too early" in lines[3]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Dear Bob,\n\nhello", "Dear Bob,\n\nhello"),
        ("- one\n    - two", "- one\n    - two"),
        ("a" + " " * 5_000 + "b", "a⟨5000 ␣⟩b"),
        ("a" + "\n" * 40 + "b", "a⟨40 ⏎⟩\nb"),
        ("Hello" + "\n " * 200 + "and", "Hello" + "⟨⏎⟩ " * 200 + "\nand"),
        ("a\tb", "a⟨⇥⟩b"),
        ("abc\u202edcba", "abc⟨U+202E⟩dcba"),
        ("a" + "\u00a0" * 300 + "b", "a⟨300 U+00A0⟩b"),
        ("pay\u200bpal", "pay⟨U+200B⟩pal"),
        ("\u3164" * 9, "⟨9 U+3164⟩"),
        ("x\r\ny", "x⟨U+000D⟩\ny"),
        ("tag\U000e0041", "tag⟨U+E0041⟩"),
        ("a⟨5 ␣⟩b", "a⟨U+27E8⟩5 ␣⟨U+27E9⟩b"),
        ("\ud800", "⟨U+D800⟩"),
        ("Grüße 👍🏽 ❤️", "Grüße 👍🏽 ❤️"),
    ],
)
def test_what_cannot_be_seen_has_a_name(text: str, shown: str) -> None:
    assert made_visible(text) == shown


@given(st.text(alphabet=" \n\t\u00a0\u202eab⟨⟩", max_size=40), st.text(" \nab⟨", max_size=40))
def test_two_texts_that_differ_look_different(one: str, other: str) -> None:
    assert (made_visible(one) == made_visible(other)) == (one == other)


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        pytest.param(
            {
                "cc": ["a@example.com", "b@example.com"],
                "attachment": {"name": "report.html", "s3key": "k1"},
                "is_html": True,
                "thread": None,
                "labels": [],
            },
            [
                "cc[0]: a@example.com",
                "cc[1]: b@example.com",
                "attachment.name: report.html",
                "attachment.s3key: k1",
                "is_html: true",
                "thread: null",
                "labels: []",
            ],
            id="every value has a line with its whole name",
        ),
        pytest.param(
            {"body": "Hello\nbcc: nobody@example.com", "bcc": "eve@example.com"},
            ["body:", "  │ Hello", "  │ bcc: nobody@example.com", "bcc: eve@example.com"],
            id="a line of a text does not look like an argument",
        ),
        pytest.param(
            {"a": "2", "b": "true", "c": "", "d": " x", "e": '{"f": 1}', "g": "2 x"},
            ['a: "2"', 'b: "true"', 'c: ""', 'd: " x"', 'e: "{"f": 1}"', "g: 2 x"],
            id="a text that reads like another kind of value is quoted",
        ),
        pytest.param(
            {"to: a\nbcc": "x", "a.b": "y"},
            [r'"to: a\nbcc": x', '"a.b": y'],
            id="a name cannot pretend to be several",
        ),
    ],
)
def test_an_argument_cannot_be_taken_for_another_one(
    arguments: dict[str, Any], lines: list[str]
) -> None:
    assert list(argument_lines(arguments)) == lines


def told_times(zone: str, arguments: JsonObject) -> list[str]:
    """What the raw lines say of moments."""
    lines = argument_lines(arguments, moments(arguments, zone, WORDS_EN))
    return [line.partition(" ⟨")[2].rstrip("⟩") for line in lines if " ⟨" in line]


@pytest.mark.proves("time.approval")
@pytest.mark.parametrize(
    ("zone", "arguments", "said"),
    [
        (
            "Europe/Berlin",
            {"start_datetime": "2026-11-27T12:00:00", "timezone": "Europe/Berlin"},
            "Fri 27 November 2026, 12:00 (Europe/Berlin)",
        ),
        (
            "Europe/Berlin",
            {"start": {"dateTime": "2026-11-27T12:00", "timeZone": "America/New_York"}},
            "Fri 27 November 2026, 18:00 (Europe/Berlin)"
            " = Fri 27 November 2026, 12:00 (America/New_York)",
        ),
        ("Asia/Tokyo", {"at": "2026-11-27T23:30:00Z"}, "Sat 28 November 2026, 08:30 (Asia/Tokyo)"),
        (
            "",
            {"at": "2026-11-27 12:00", "tz": {"time_zone": "America/New_York"}},
            "Fri 27 November 2026, 12:00 (America/New_York)",
        ),
        (
            "Europe/Berlin",
            {"at": "2026-11-27T12:00:00"},
            "Fri 27 November 2026, 12:00 (no time zone is given: the app decides)",
        ),
        (
            "Europe/Berlin",
            {
                "reminder_timezone": "Pacific/Auckland",
                "at": "2026-11-27T12:00:00",
                "timezone": "Europe/Berlin",
            },
            "",
        ),
        (
            "Europe/Berlin",
            {"reminder_timezone": "Pacific/Auckland", "at": "2026-11-27T12:00:00"},
            "",
        ),
        (
            "Europe/Berlin",
            {"at": "2026-11-27T12:00:00", "timeZone": "W. Europe <!here> Time"},
            "Fri 27 November 2026, 12:00 (W. Europe <\u2060!here> Time)",
        ),
        ("Europe/Berlin", {"at": "0001-01-01T00:00+14:00"}, ""),
        ("Europe/Berlin", {"at": "2026-99-99T12:00"}, ""),
    ],
)
def test_a_moment_is_told_with_its_weekday_and_the_zone_that_it_is_meant_in(
    zone: str, arguments: JsonObject, said: str
) -> None:
    assert told_times(zone, arguments) == ([said] if said else [])
    text = unescape(shown(replace(sent(**arguments), zone=zone)))
    assert said.partition(" (W.")[0] in text


def test_an_event_looks_like_an_event() -> None:
    event = sent(
        summary="Sync",
        start_datetime="2026-11-27T12:00:00",
        timezone="America/New_York",
        attendees=["bob@example.com", "eve@example.com"],
        location="Room 1",
        send_updates=True,
    )
    text = shown(replace(event, zone="Europe/Berlin"))
    assert "*Title:* Sync\n*Starts:* Fri 27 November 2026, 18:00 (Europe/Berlin) = Fri" in text
    assert "*Invited:* bob@example.com, eve@example.com\n*Where:* Room 1" in text
    assert "*Send updates:* true" in text
    assert "Reaches" not in text


def test_a_post_looks_like_a_post_and_anything_else_like_its_fields() -> None:
    assert "*Channel:* #team\n*Message:*\n&gt; Hi *\u200ball*" in shown(
        sent(channel="#team", text="Hi *all*")
    )
    text = shown(sent(page_id="p1", archived=True, size={"w": 1, "h": 2}))
    assert "*Page id:* p1\n*Archived:* true\n*Size:*\n```\nsize.w: 1\nsize.h: 2\n```" in text


@pytest.mark.parametrize(
    "arguments",
    [
        {"recipient_email": "bob@example.com", "body": "Hi", "To": "eve@example.com"},
        {"page": "a", "Page": "b"},
        {"page\n*To:*": "a"},
    ],
)
def test_what_could_be_taken_for_another_field_is_shown_as_it_is_sent(
    arguments: dict[str, Any],
) -> None:
    text = shown(sent(**arguments))
    assert all(line in text for line in argument_lines(arguments))


@given(st.dictionaries(st.text("ab_T ", min_size=1, max_size=3), st.text(max_size=30), max_size=3))
def test_every_value_can_be_seen_on_the_card(arguments: dict[str, str]) -> None:
    text = unescape(shown(sent(**arguments))).replace("\u200b", "")
    for value in arguments.values():
        assert all(line.strip()[:20] in text for line in made_visible(value).split("\n"))
