"""The whole of what one person's page shows at a moment."""

from itertools import islice

from bot.sandbox.page import shapes
from bot.sandbox.page.features import Features
from bot.sandbox.page.person import Person
from bot.sandbox.slack import Delivery
from bot.sandbox.slack.wire import JsonObject

TEAM_NAME = "Sandbox"
MAX_RECORDS = 200
"""How many of the latest calls and deliveries a page starts with."""


def show_world(person: Person, features: Features) -> JsonObject:
    """The snapshot with which a page begins."""
    slack, state = person.slack, person.slack.state
    home = state.homes.get(person.id)
    return {
        "me": person.id,
        "team": {"id": slack.team_id, "name": TEAM_NAME},
        "bot": {
            "user_id": slack.bot_user_id,
            "bot_id": slack.bot_id,
            "app_id": slack.app.id,
            "name": state.team.bot.name,
            "has_home": slack.app.is_home_enabled,
            "can_be_stopped": slack.app.is_subscribed("agent_session_stopped"),
        },
        "people": list(slack.people.values()),
        "users": {user.id: shapes.user_shape(state, user) for user in state.users.values()},
        **_show_conversations(person),
        "modals": [shapes.view_shape(state, view) for view in person.modals()],
        "home": shapes.view_shape(state, home),
        **features.show(),
        "calls": [shapes.call_shape(call) for call in state.calls[-MAX_RECORDS:]],
        "deliveries": [shapes.delivery_shape(delivery) for delivery in _latest(person)],
        "sockets": slack.open_sockets,
        "now": state.clock.now(),
        "api_url": slack.api_url,
    }


def _show_conversations(person: Person) -> JsonObject:
    state, channels = person.slack.state, person.channels()
    return {
        "channels": [shapes.channel_shape(state, channel, person.id) for channel in channels],
        "posts": {
            channel.id: [shapes.post_shape(state, post) for post in person.posts(channel.id)]
            for channel in channels
        },
        "sessions": [
            shapes.session_shape(session)
            for session in state.sessions.values()
            if person.reads(session.channel)
        ],
        "prompts": [
            shapes.prompts_shape(prompts)
            for prompts in state.prompts.values()
            if person.reads(prompts.channel)
        ],
    }


def _latest(person: Person) -> list[Delivery]:
    latest = islice(reversed(person.slack.state.deliveries.values()), MAX_RECORDS)
    return list(latest)[::-1]
