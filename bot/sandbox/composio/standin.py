"""The Composio stand-in: REST and MCP on one loopback origin, and what tests may look into."""

import contextlib
import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from bot.sandbox.composio.accounts import Account, Accounts
from bot.sandbox.composio.catalogue import Catalogue
from bot.sandbox.composio.effects import Execution
from bot.sandbox.composio.engine import SearchEngine
from bot.sandbox.composio.faults import Faults, WebShape
from bot.sandbox.composio.service import Service, Surroundings
from bot.sandbox.composio.serving import LOOPBACK, KeyGate, serve
from bot.sandbox.composio.sessions import Call, Session
from bot.sandbox.composio.storage import Storage
from bot.sandbox.composio.toolkits.desks import Desks
from bot.sandbox.composio.toolkits.googlecalendar import Event
from bot.sandbox.composio.toolkits.mailboxes import Mail, Mailbox, MailDraft
from bot.sandbox.composio.workbench import RemoteTree
from bot.sandbox.web import Page

PageSource = Iterable[Page] | Callable[[], Awaitable[Sequence[Page]]]


class ComposioStandIn:
    """Composio's hosted service on loopback; an asynchronous context manager.

    `pages` are what its search finds: the pages themselves, or a coroutine function that
    brings them (`SmallWeb.ready`), awaited at the first search. `name` gives the name of a user
    id's person, from which their accounts' addresses are made. `calls` records every tool call,
    `executions` every app tool that ran in one, `faults` makes it misbehave.
    """

    def __init__(
        self,
        pages: PageSource,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        web_shape: WebShape = "citations",
        api_key: str | None = None,
        name: Callable[[str], str | None] = lambda _: None,
    ) -> None:
        self.api_key = api_key or f"ak_sandbox_{secrets.token_hex(8)}"
        self.base_url = ""
        self.faults = Faults(web_shape=web_shape)
        self._engine = SearchEngine(_make_loader(pages), clock, self.faults)
        self._service = Service(
            Surroundings(
                engine=self._engine,
                clock=clock,
                faults=self.faults,
                origin=lambda: self.base_url,
                downloads=self._make_downloads,
                name=name,
            )
        )
        self._open = contextlib.AsyncExitStack()
        self._downloads: TemporaryDirectory[str] | None = None

    async def __aenter__(self) -> Self:
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(self._drop_downloads)
            stack.push_async_callback(self._engine.close)
            gate = KeyGate(self._service.build_app(), self.api_key, self.faults)
            port = await stack.enter_async_context(serve(gate))
            self.base_url = f"http://{LOOPBACK}:{port}"
            self._open = stack.pop_all()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._open.aclose()

    @property
    def sessions(self) -> dict[str, Session]:
        return self._service.sessions

    @property
    def calls(self) -> list[Call]:
        return self._service.toolbox.calls

    @property
    def executions(self) -> list[Execution]:
        return self._service.runner.executions

    @property
    def effects(self) -> list[Execution]:
        """The executions that changed something in an app, in their order."""
        return [one for one in self.executions if one.is_effect]

    @property
    def accounts(self) -> Accounts:
        return self._service.accounts

    @property
    def catalogue(self) -> Catalogue:
        """The toolkits and their tools."""
        return self._service.catalogue

    @property
    def storage(self) -> Storage:
        """The uploaded files, by their s3 keys."""
        return self._service.storage

    @property
    def desks(self) -> Desks:
        """What lies in the apps: `posts`, `issues`, `pages` beside mail and calendars."""
        return self._service.desks

    def mailbox(self, user_id: str) -> Mailbox:
        return self.desks.mailboxes.of(user_id)

    def calendar(self, user_id: str) -> list[Event]:
        return self.desks.calendars.of(user_id)

    def remote_files(self, user_id: str) -> RemoteTree:
        """The person's files in the remote sandbox."""
        return self._service.files.of(user_id)

    def deliver(self, user_id: str, mail: MailDraft) -> Mail:
        """Put a mail into a person's inbox, as if somebody had sent it."""
        return self.desks.mailboxes.add(user_id, mail, "INBOX")

    def connect(self, user_id: str, toolkit: str, *, identity: str | None = None) -> Account:
        """Give a person an active account, as if they had connected it before."""
        return self.accounts.connect(user_id, toolkit, identity=identity)

    def follow_link(self, link: str, *, allow: bool = True) -> Account:
        """What a person does behind a link, without a browser.

        Raises:
            LookupError: the link does not wait for anybody.
        """
        account = self.accounts.by_link(link.rpartition("/")[2])
        if account is None or account.status != "INITIATED":
            raise LookupError(link)
        return self.accounts.finish(account.id, allowed=allow)

    def _make_downloads(self) -> Path:
        if self._downloads is None:
            self._downloads = TemporaryDirectory(prefix="composio-downloads-")
        return Path(self._downloads.name)

    def _drop_downloads(self) -> None:
        if self._downloads is not None:
            self._downloads.cleanup()


def _make_loader(pages: PageSource) -> Callable[[], Awaitable[Sequence[Page]]]:
    if callable(pages):
        return pages
    known = tuple(pages)

    async def load() -> Sequence[Page]:
        return known

    return load
