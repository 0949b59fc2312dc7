from typing import Any

import pytest

from bot.inbound import read_post
from bot.ingress.gate import Address, address

ROOT, TS = "1783536000.000001", "1783536983.783769"


@pytest.mark.parametrize(
    ("event", "whose"),
    [
        ({"channel": "D1", "channel_type": "im", "text": "hi"}, "ours"),
        ({"channel": "D1", "channel_type": "im", "text": "<@U2> hi"}, "ours"),
        ({"text": "<@UBOT> hi"}, "ours"),
        ({"text": "<@U2> ask <@UBOT>"}, "ours"),
        ({"text": "<@UBOT> hi", "thread_ts": ROOT}, "ours"),
        ({"text": "hi"}, "not_ours"),
        ({"text": "hi", "channel_type": "mpim"}, "not_ours"),
        ({"text": "&lt;@UBOT&gt; hi"}, "not_ours"),
        ({"text": "<@U2> hi", "thread_ts": ROOT}, "not_ours"),
        ({"text": "<!here> hi", "thread_ts": ROOT}, "not_ours"),
        ({"text": "hi", "thread_ts": ROOT}, "ours_in_our_thread"),
        ({"text": "hi", "thread_ts": ROOT, "parent_user_id": "U2"}, "ours_in_our_thread"),
        ({"text": "hi", "thread_ts": ROOT, "parent_user_id": "UBOT"}, "ours"),
        ({"text": "<@U2> hi", "thread_ts": ROOT, "parent_user_id": "UBOT"}, "not_ours"),
        ({"text": "hi", "thread_ts": TS}, "not_ours"),
    ],
)
def test_whose_post_it_is(event: dict[str, Any], whose: Address) -> None:
    base = {"type": "message", "user": "U1", "ts": TS, "channel": "C1", "channel_type": "channel"}
    post = read_post({"team_id": "T1", "event": {**base, **event}}, bot_user="UBOT")

    assert post is not None
    assert address(post, bot_user="UBOT") == whose
