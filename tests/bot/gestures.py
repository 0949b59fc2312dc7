"""What a person did, made by hand, for a handler that is tested by itself."""

from collections.abc import Mapping

from agent_core.ids import SessionId
from bot.clicks import Gesture, Payload
from bot.inbound import Sender
from bot.slack_api import Person
from bot.threads import ThreadRef, user_id
from tests.faulty_slack import FaultySlack


def gesture_of(
    slack: FaultySlack,
    user: str,
    payload: Payload,
    thread: ThreadRef | None = None,
    *,
    message_ts: str = "5.000005",
    pressed_ts: str = "1.000001",
    values: Mapping[str, str] | None = None,
    trigger_id: str = "",
) -> Gesture:
    """A click below a post of a thread; without a thread, in a view."""
    person, team = slack.users[user], slack.team_id
    channel = thread.channel if thread else ""
    return Gesture(
        key=f"press:{team}:{person}:{pressed_ts}:{payload.kind}",
        payload=payload,
        sender=Sender(team=team, app_id="", channel=channel, user=person),
        by=user_id(team, person),
        values=values or {},
        session=thread.session if thread else SessionId(""),
        thread_ts=thread.root_ts if thread else "",
        message_ts=message_ts if thread else "",
        pressed_ts=pressed_ts,
        trigger_id=trigger_id,
    )


def person_of(slack: FaultySlack, user: str) -> Person:
    """A person as the dispatch hands them to a handler."""
    return Person(id=slack.users[user], team=slack.team_id, name=user)
