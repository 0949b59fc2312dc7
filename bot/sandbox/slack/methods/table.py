"""The table of all methods. A method that is not in it answers `unknown_method`."""

from bot.sandbox.slack.methods import (
    agents,
    apps,
    blocks,
    bookmarks,
    chat,
    code_channels,
    conversations,
    emoji,
    files,
    pins,
    reactions,
    schedule,
    search,
    streams,
    unfurl,
    users,
    views,
)
from bot.sandbox.slack.methods.method import Method

METHODS: dict[str, Method] = {
    **agents.METHODS,
    **apps.METHODS,
    **blocks.METHODS,
    **bookmarks.METHODS,
    **chat.METHODS,
    **code_channels.METHODS,
    **conversations.METHODS,
    **emoji.METHODS,
    **files.METHODS,
    **pins.METHODS,
    **reactions.METHODS,
    **schedule.METHODS,
    **search.METHODS,
    **streams.METHODS,
    **unfurl.METHODS,
    **users.METHODS,
    **views.METHODS,
}
