"""Everybody whom an action would reach stands on the approval."""

import json
from typing import Any

import pytest

from agent_core.consent.recipients import recipients_of, storage_keys


def reached(**arguments: Any) -> tuple[str, ...]:
    return recipients_of(arguments)


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


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            {
                "recipient_email": "ada@x.test",
                "extra_recipients": ["bob@x.test"],
                "cc": ["cy@x.test"],
                "bcc": "Dee <dee@x.test>, evil@x.test",
                "body": "hello",
            },
            ("ada@x.test", "bob@x.test", "cy@x.test", "Dee <dee@x.test>, evil@x.test"),
        ),
        ({"body": " " * 5_000 + "evil@x.test"}, ("evil@x.test",)),
        ({"title": "x", "cc": [], "bcc": None, "send_to_all": False, "tone": "warm"}, ()),
        ({"to": "[team] ada"}, ("[team] ada",)),  # only looks like JSON
        ({"to": "[" * 50_000}, ("[" * 50_000,)),
        ({"to": ["ada@x.test", "ada@x.test"], "body": "ada@x.test"}, ("ada@x.test",)),
        ({"to": "ada@x.test", "body": "da@x.test"}, ("ada@x.test", "da@x.test")),
        ({"body": "a" * 100_000 + "@" * 1_000, "to": "ada@x.test"}, ("ada@x.test",)),
    ],
    ids=["mail", "blanks", "nobody", "no json", "brackets", "once", "part of another", "endless"],
)
def test_each_is_named_once_and_nobody_else(
    arguments: dict[str, Any], expected: tuple[str, ...]
) -> None:
    assert reached(**arguments) == expected


def test_an_address_behind_thousands_of_spaces_is_found() -> None:
    assert reached(to="ada@x.test" + " " * 5_000 + "evil@x.test")[0].endswith("evil@x.test")


def test_every_key_of_a_file_is_found_however_deep_it_lies() -> None:
    packed = json.dumps({"file": {"s3_key": "c"}})
    arguments = {"attachment": {"name": "a.txt", "s3key": "a"}, "more": [{"S3Key": "b"}, packed]}
    assert storage_keys({**arguments, "again": {"s3key": "a"}, "key": "d"}) == ("a", "b", "c")
