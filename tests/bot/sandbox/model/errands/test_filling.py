"""Arguments by the names and descriptions of a schema's fields, whatever the tool."""

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.sandbox.model.errands.filling import Attached, Values, fill_in
from bot.sandbox.model.errands.times import Appointment

Json = dict[str, Any]
TEXT: Json = {"type": "string"}
TEXTS: Json = {"type": "array", "items": TEXT}
FILE = Attached(name="a.html", mimetype="text/html", s3key="k/1")
WHEN = Appointment(start=datetime(2026, 11, 27, 10, tzinfo=UTC), minutes=90, zone="")
MAIL = Values(
    kind="mail", recipients=("a@x.test", "b@x.test"), title="Title", text="Text", file=FILE
)
EVENT = Values(kind="event", recipients=("a@x.test",), title="Title", appointment=WHEN)


def fill(values: Values, *required: str, **fields: Json) -> Json:
    schema: Json = {"type": "object", "properties": fields, "required": list(required)}
    return fill_in(schema, values).arguments


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"to": TEXTS, "subject": TEXT, "body": TEXT},
         {"to": ["a@x.test", "b@x.test"], "subject": "Title", "body": "Text"}),
        ({"recipient_email": TEXT, "extra_recipients": TEXTS, "message_body": TEXT},
         {"recipient_email": "a@x.test", "extra_recipients": ["b@x.test"],
          "message_body": "Text"}),
        ({"to": TEXT, "cc": TEXTS, "content": TEXT},
         {"to": "a@x.test", "cc": ["b@x.test"], "content": "Text"}),
        ({"rcpt": {**TEXT, "description": "Address of the recipient"}, "bcc": TEXTS},
         {"rcpt": "a@x.test"}),
        ({"user_id": TEXT, "sender": TEXT, "is_html": {"type": "boolean"}}, {}),
        ({"subject": {**TEXT, "maxLength": 3}}, {"subject": "Tit"}),
    ],
)  # fmt: skip
def test_a_mail_is_filled_by_the_names_of_the_fields(fields: Json, expected: Json) -> None:
    assert fill(MAIL, **fields) == expected


@pytest.mark.parametrize("is_list", [False, True])
def test_an_attachment_is_known_by_its_key_and_takes_the_names_of_the_schema(
    is_list: bool,
) -> None:
    inner: Json = {"type": "object", "properties": {"name": TEXT, "mimetype": TEXT, "s3key": TEXT}}
    spec: Json = {"type": "array", "items": inner} if is_list else inner
    entry = {"name": "a.html", "mimetype": "text/html", "s3key": "k/1"}
    assert fill(MAIL, attachment=spec) == {"attachment": [entry] if is_list else entry}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"start_datetime": TEXT, "event_duration_hour": TEXT, "event_duration_minutes": TEXT},
         {"start_datetime": "2026-11-27T10:00:00", "event_duration_hour": 1,
          "event_duration_minutes": 30}),
        ({"start_time": TEXT, "duration_minutes": TEXT},
         {"start_time": "2026-11-27T10:00:00", "duration_minutes": 90}),
        ({"start": {"type": "object", "properties": {"dateTime": TEXT, "timeZone": TEXT}},
          "end": {"type": "object", "properties": {"dateTime": TEXT, "timeZone": TEXT}}},
         {"start": {"dateTime": "2026-11-27T10:00:00", "timeZone": "UTC"},
          "end": {"dateTime": "2026-11-27T11:30:00", "timeZone": "UTC"}}),
        ({"summary": TEXT, "attendees": TEXTS, "timezone": TEXT},
         {"summary": "Title", "attendees": ["a@x.test"], "timezone": "UTC"}),
    ],
)  # fmt: skip
def test_an_event_is_filled_in_whatever_shape_its_time_has(fields: Json, expected: Json) -> None:
    assert fill(EVENT, **fields) == expected


def test_what_nobody_knows_is_named_as_missing_and_never_made_up() -> None:
    schema: Json = {
        "type": "object",
        "properties": {"title": TEXT, "board": {**TEXT, "description": "Which board."}},
        "required": ["title", "board"],
    }
    filled = fill_in(schema, Values(kind="issue", title="Title"))
    assert filled.arguments == {"title": "Title"}
    assert [field.name for field in filled.missing] == ["board"]


def test_a_mail_without_a_recipient_is_missing_one_though_the_schema_asks_for_none() -> None:
    schema: Json = {"properties": {"to": TEXT, "body": TEXT}, "required": ["body"]}
    filled = fill_in(schema, Values(kind="mail", text="Text"))
    assert [field.role for field in filled.missing] == ["recipient"]
