"""What a payload tells of a post, as Slack words it."""

from typing import Any

import pytest

from bot.ingress.changes import Deletion, Edit, Told, read_told

TS = "1783536983.783769"
EDITED = {"user": "U1", "ts": "1783537000.000000"}
POST = {"type": "message", "user": "U1", "ts": TS, "text": "<@UBOT> status"}


def read(**event: Any) -> Told | None:
    whole = {"type": "message", "channel": "C1", "channel_type": "channel", **event}
    return read_told({"team_id": "T1", "event": whole}, bot_user="UBOT")


def read_change(now: dict[str, Any], before: dict[str, Any]) -> Told | None:
    return read(
        subtype="message_changed",
        hidden=True,
        ts="1783537000.000001",
        message={**POST, **now},
        previous_message={**POST, **before},
    )


def test_both_payloads_of_one_edit_are_one_gesture() -> None:
    change = read_change({"text": "<@UBOT> news", "edited": EDITED}, {})
    mention = read(**POST | {"type": "app_mention", "text": "<@UBOT> news", "edited": EDITED})

    assert change is not None
    assert mention is not None
    assert isinstance(mention, Edit)
    assert mention.key == change.key


@pytest.mark.parametrize(
    ("now", "before"),
    [
        ({"attachments": [{"title": "a page"}]}, {}),
        ({"edited": EDITED}, {}),
        ({"text": "news"}, {}),
        ({"text": "news", "edited": EDITED | {"user": "U2"}}, {}),
        ({"text": "news", "edited": EDITED, "bot_id": "B1"}, {"bot_id": "B1"}),
        ({"text": "news", "edited": EDITED, "user": "UBOT"}, {"user": "UBOT"}),
        ({"text": "news", "edited": "yes"}, {}),
    ],
    ids=["preview", "same text", "unmarked", "by another", "a bot's", "our own", "odd mark"],
)
def test_what_is_no_edit_by_its_author_tells_nothing(
    now: dict[str, Any], before: dict[str, Any]
) -> None:
    assert read_change(now, before) is None


@pytest.mark.parametrize("ts", ["soon", "1e9", "", 5, None, "99999999999999.000000"])
def test_an_edit_time_that_is_none_is_not_believed(ts: object) -> None:
    told = read_change({"text": "news", "edited": {"ts": ts}}, {})

    assert isinstance(told, Edit)
    assert told.post.said_ts == TS


def test_a_root_that_leaves_a_tombstone_is_deleted_as_well() -> None:
    told = read_change({"subtype": "tombstone", "user": "USLACKBOT", "text": "gone"}, {})

    assert isinstance(told, Deletion)
    assert told.post_key == f"T1:C1:{TS}"


@pytest.mark.parametrize(
    "event",
    [
        {"subtype": "message_deleted"},
        {"subtype": "message_deleted", "deleted_ts": TS, "previous_message": POST | {"user": ""}},
        {"subtype": "message_deleted", "deleted_ts": TS, "previous_message": {"bot_id": "B1"}},
        {"subtype": "message_changed", "message": "x"},
        {"subtype": "message_changed"},
        {"subtype": "channel_join", "user": "U1", "ts": TS, "text": "came"},
    ],
)
def test_other_notices_tell_nothing(event: dict[str, Any]) -> None:
    assert read(**event) is None


@pytest.mark.parametrize("event", [None, "x", []])
def test_a_payload_without_an_event_tells_nothing(event: object) -> None:
    assert read_told({"team_id": "T1", "event": event}, bot_user="UBOT") is None
