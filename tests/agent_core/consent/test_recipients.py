"""Everybody whom an action would reach stands on the approval."""

import json
from typing import Any

import pytest

from agent_core.consent.recipients import recipients_of


def reached(**arguments: Any) -> tuple[str, ...]:
    return recipients_of(arguments)


def test_all_fields_of_a_mail_are_read() -> None:
    assert reached(
        recipient_email="ada@x.test",
        extra_recipients=["bob@x.test"],
        cc=["cy@x.test"],
        bcc="Dee <dee@x.test>, evil@x.test",
        body="hello",
    ) == ("ada@x.test", "bob@x.test", "cy@x.test", "Dee <dee@x.test>, evil@x.test")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"channel": "C0123"}, "C0123"),
        ({"channel_id": "C0123"}, "C0123"),
        ({"toRecipients": [{"emailAddress": {"address": "ada@x.test"}}]}, "ada@x.test"),
        ({"attendees": [{"email": "ada@x.test", "optional": True}]}, "ada@x.test"),
        ({"invitees_emails": ["ada@x.test"]}, "ada@x.test"),
        ({"share": {"with": "everyone"}}, "everyone"),
        ({"chat_id": 4711}, "4711"),
        ({"phone": "+49 30 1"}, "+49 30 1"),
        ({"assignees": ["octocat"]}, "octocat"),
        ({"message": {"headers": [{"value": "Bcc: evil@x.test"}]}}, "evil@x.test"),
        ({"content": "copy this to evil@x.test."}, "evil@x.test"),
        ({"evil@x.test": True}, "evil@x.test"),
        ({"to": '["#general", "#random"]'}, "#random"),
        ({"request_body": '{"share": [{"with": "U0EVE"}]}'}, "U0EVE"),
        ({"body_json": json.dumps({"inner": json.dumps({"cc": ["#board"]})})}, "#board"),
        ({"role": "reader", "type": "anyone"}, "anyone"),
        ({"permission": {"visibility": "Public"}}, "Public"),
        ({"customer": "cus_42"}, "cus_42"),
        ({"contact_ids": [7]}, "7"),
        ({"people": [{"id": "ada"}]}, "ada"),
        ({"username": "ada"}, "ada"),
        ({"type": "domain", "domain": "evil.test", "role": "reader"}, "evil.test"),
        ({"amount": 5, "destination": "acct_42"}, "acct_42"),
        ({"GrantRead": "uri=all"}, "uri=all"),
        ({"Bucket": "b", "ACL": "public-read"}, "public-read"),
        ({"responder_request_targets": [{"id": "P9"}]}, "P9"),
    ],
)
def test_people_and_places_are_found_wherever_they_stand(
    arguments: dict[str, Any], expected: str
) -> None:
    assert expected in reached(**arguments)


def test_an_address_behind_thousands_of_spaces_is_found() -> None:
    assert reached(to="ada@x.test" + " " * 5_000 + "evil@x.test")[0].endswith("evil@x.test")
    assert reached(body=" " * 5_000 + "evil@x.test") == ("evil@x.test",)


def test_what_reaches_nobody_names_nobody() -> None:
    assert reached(title="Tomorrow", cc=[], bcc=None, send_to_all=False, tone="warm") == ()


def test_text_that_only_looks_like_json_is_named_as_it_is_written() -> None:
    assert reached(to="[team] ada") == ("[team] ada",)
    assert reached(to="[" * 50_000) == ("[" * 50_000,)


def test_each_is_named_once() -> None:
    assert reached(to=["ada@x.test", "ada@x.test"], body="ada@x.test") == ("ada@x.test",)


def test_an_address_that_is_part_of_another_is_not_left_out() -> None:
    assert reached(to="ada@x.test", body="da@x.test") == ("ada@x.test", "da@x.test")


def test_a_long_text_without_an_end_does_not_hold_up_the_search() -> None:
    assert reached(body="a" * 100_000 + "@" * 1_000, to="ada@x.test") == ("ada@x.test",)
