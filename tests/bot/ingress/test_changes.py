"""What a payload tells of a post, as Slack words it."""

from typing import Any

import pytest

from bot.ingress.changes import Deletion, Edit, Told, read_told

POST_TS = "1783536983.783769"
EDITED_BY_ANN = {"user": "U1", "ts": "1783537000.000000"}
POST = {"type": "message", "user": "U1", "ts": POST_TS, "text": "<@UBOT> status"}


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




@pytest.mark.parametrize(
    ("now", "before"),
    [
        ({"attachments": [{"title": "a page"}]}, {}),
        ({"edited": EDITED_BY_ANN}, {}),
        ({"text": "news"}, {}),
        ({"text": "news", "edited": EDITED_BY_ANN | {"user": "U2"}}, {}),
        ({"text": "news", "edited": EDITED_BY_ANN, "bot_id": "B1"}, {"bot_id": "B1"}),
        ({"text": "news", "edited": EDITED_BY_ANN, "user": "UBOT"}, {"user": "UBOT"}),
        ({"text": "news", "edited": "yes"}, {}),
    ],
    ids=["preview", "same text", "unmarked", "by another", "a bot's", "our own", "odd mark"],
)
def test_what_is_no_edit_by_its_author_tells_nothing(
    now: dict[str, Any], before: dict[str, Any]
) -> None:
    assert read_change(now, before) is None




def test_a_root_that_leaves_a_tombstone_is_deleted_as_well() -> None:
    told = read_change({"subtype": "tombstone", "user": "USLACKBOT", "text": "gone"}, {})

    assert isinstance(told, Deletion)
    assert told.post_key == f"T1:C1:{POST_TS}"


@pytest.mark.parametrize(
    "event",
    [
        {"subtype": "message_deleted"},
        {"subtype": "message_deleted", "deleted_ts": POST_TS, "previous_message": POST | {"user": ""}},
        {"subtype": "message_deleted", "deleted_ts": POST_TS, "previous_message": {"bot_id": "B1"}},
        {"subtype": "message_changed", "message": "x"},
        {"subtype": "message_changed"},
        {"subtype": "channel_join", "user": "U1", "ts": POST_TS, "text": "came"},
    ],
)
def test_other_notices_tell_nothing(event: dict[str, Any]) -> None:
    assert read(**event) is None


