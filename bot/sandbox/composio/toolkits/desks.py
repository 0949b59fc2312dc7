"""Everything that people have in their apps, and the toolkits over it."""

from collections.abc import Callable
from datetime import datetime

from bot.sandbox.composio.storage import Storage
from bot.sandbox.composio.toolkits.github import Issues, build_github
from bot.sandbox.composio.toolkits.gmail import build_gmail
from bot.sandbox.composio.toolkits.googlecalendar import Calendars, build_googlecalendar
from bot.sandbox.composio.toolkits.mailboxes import Mailboxes
from bot.sandbox.composio.toolkits.notion import NotionPages, build_notion
from bot.sandbox.composio.toolkits.slack import Posts, build_slack
from bot.sandbox.composio.tools import Toolkit


class Desks:
    """The apps' data, by person where the app keeps it so."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.mailboxes = Mailboxes(clock)
        self.calendars = Calendars()
        self.posts = Posts()
        self.issues = Issues()
        self.pages = NotionPages()
        self._clock = clock

    def build_toolkits(self, storage: Storage, origin: Callable[[], str]) -> tuple[Toolkit, ...]:
        """The apps that need an account; `origin` is where the storage is reached."""
        return (
            build_gmail(self.mailboxes, storage, origin),
            build_googlecalendar(self.calendars),
            build_slack(self.posts, self._clock),
            build_github(self.issues),
            build_notion(self.pages),
        )
