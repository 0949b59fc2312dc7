"""Whatever a payload holds, reading it never fails, and only whole gestures are read."""

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_core.messages import JsonObject
from bot.ingress.gestures import Press, Submission, read_facts, read_gesture

NAMES = [
    "actions", "action_id", "action_ts", "app_installed_team_id", "block_id", "callback_id",
    "channel", "container", "hash", "id", "message", "selected_option", "selected_options",
    "selected_date_time", "state", "team", "team_id", "thread_ts", "user", "value", "values",
    "view",
]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=6)
    ),
    max_leaves=12,
)


@settings(deadline=None)  # a busy machine is no failure
@given(
    kind=st.sampled_from(["block_actions", "view_submission"]),
    fields=st.dictionaries(st.sampled_from(NAMES), JSON),
)
def test_no_payload_makes_reading_fail(kind: str, fields: JsonObject) -> None:
    body: JsonObject = {**fields, "type": kind}
    facts, gesture = read_facts(body), read_gesture(body)

    if gesture is not None:
        assert (gesture.team, gesture.user) == (facts.team, facts.user)
        assert gesture.key.split(":")[1:3] == [gesture.team, gesture.user]
    match gesture:
        case Press():
            assert gesture.action_id
            assert gesture.action_ts
        case Submission():
            assert gesture.view_id
            assert all(isinstance(text, str) for text in gesture.values.values())
        case None:
            pass








