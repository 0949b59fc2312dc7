"""The table of all methods. A method that is not in it answers `unknown_method`."""

from bot.sandbox.slack.methods import (
    agents,
    apps,
    chat,
    conversations,
    files,
    reactions,
    schedule,
    streams,
    users,
    views,
)
from bot.sandbox.slack.methods.method import Method

METHODS: dict[str, Method] = {
    **agents.METHODS,
    **apps.METHODS,
    **chat.METHODS,
    **conversations.METHODS,
    **files.METHODS,
    **reactions.METHODS,
    **schedule.METHODS,
    **streams.METHODS,
    **users.METHODS,
    **views.METHODS,
}
