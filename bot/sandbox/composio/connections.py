"""COMPOSIO_MANAGE_CONNECTIONS: the state of a person's accounts, and links to connect them."""

import secrets
from collections.abc import Callable
from typing import Annotated

from pydantic import BaseModel, Field

from bot.sandbox.composio.accounts import Account, Accounts
from bot.sandbox.composio.apps import explain_missing
from bot.sandbox.composio.catalogue import Catalogue
from bot.sandbox.composio.faults import Faults
from bot.sandbox.composio.outcome import Data, Outcome
from bot.sandbox.composio.sessions import Session, read_option
from bot.sandbox.composio.tools import Caller, Toolkit

LINK_PATH = "/link/"


class ConnectionArguments(BaseModel):
    """Arguments of COMPOSIO_MANAGE_CONNECTIONS."""

    toolkits: Annotated[
        list[str],
        Field(min_length=1, max_length=20, description="Toolkits by slug, such as `gmail`."),
    ]
    reinitiate_all: Annotated[
        bool,
        Field(description="Whether to replace connections that work, too; they are lost then."),
    ] = False
    session_id: Annotated[str | None, Field(description="The id of the task.")] = None


class Connections:
    """Begins connections for the person who calls, and tells of those there are."""

    def __init__(
        self,
        catalogue: Catalogue,
        accounts: Accounts,
        faults: Faults,
        origin: Callable[[], str],
    ) -> None:
        self._catalogue = catalogue
        self._accounts = accounts
        self._faults = faults
        self._origin = origin

    async def manage(self, caller: Caller, arguments: ConnectionArguments) -> Outcome:
        """For each toolkit: active, initiated with a link, or failed with the reason."""
        results = {
            slug: self._manage_one(caller.session, slug, renew=arguments.reinitiate_all)
            for slug in dict.fromkeys(map(str.casefold, arguments.toolkits))
        }
        states = [result["status"].casefold() for result in results.values()]
        failed = states.count("failed")
        data = {
            "message": "Share each link with the person it is for, and only with them.",
            "results": results,
            "summary": {
                "total_toolkits": len(results),
                "active_connections": states.count("active"),
                "initiated_connections": states.count("initiated"),
                "failed_connections": failed,
            },
            "session": {"id": arguments.session_id or secrets.token_hex(2)},
        }
        error = f"{failed} out of {len(results)} toolkits failed" if failed else None
        return Outcome(data=data, error=error)

    def callback_of(self, session: Session) -> str | None:
        """Where people are sent after they decided, unless the link says otherwise."""
        return read_option(session.request.manage_connections, "callback_url")

    def link_of(self, account: Account) -> str:
        """The address behind which the person decides."""
        return f"{self._origin()}{LINK_PATH}{account.link_token}"

    def _manage_one(self, session: Session, slug: str, *, renew: bool) -> Data:
        kit = self._catalogue.toolkits.get(slug)
        if kit is None or not session.allows(slug):
            return self._write(slug, "failed", error_message=explain_missing(slug))
        if kit.no_auth:
            return self._write(slug, "active", current_user_info={})
        active = self._accounts.active(session.user_id, slug)
        if active and not renew:
            return self._write(slug, "active", current_user_info=describe_person(active[0]))
        for account in active:
            self._accounts.change(account.id, "INACTIVE")
        callback_url = self.callback_of(session)
        account = self._accounts.begin(session.user_id, slug, callback_url=callback_url)
        return self._write(
            slug,
            "initiated",
            auth_config_id=f"ac_{slug}",
            connected_account_id=account.id,
            created_at=account.created_at.isoformat(),
            redirect_url=self.link_of(account),
            instruction=f"Share this link with the user, to connect {kit.name}. It lives for ten "
            "minutes and works once.",
            was_reinitiated=bool(active),
        )

    def _write(self, slug: str, status: str, **fields: object) -> Data:
        shown = status.upper() if self._faults.upper_case_statuses else status
        active = status == "active"
        return {"toolkit": slug, "status": shown, "has_active_connection": active, **fields}


def describe_person(account: Account) -> Data:
    """Who the app takes the person for."""
    return {"email": account.identity, "name": account.identity.partition("@")[0]}


def describe_status(kit: Toolkit, accounts: Accounts, user_id: str) -> Data:
    """The connection status of a toolkit for one person, as the tool search tells it."""
    base = {"toolkit": kit.slug, "description": kit.description}
    if kit.no_auth:
        message = "No connection is needed: the tools can be used at once."
        return {**base, "has_active_connection": True, "status_message": message}
    active = accounts.active(user_id, kit.slug)
    if not active:
        message = (
            f"No active connection for {kit.slug}. Call COMPOSIO_MANAGE_CONNECTIONS to connect it."
        )
        return {**base, "has_active_connection": False, "status_message": message}
    return {
        **base,
        "has_active_connection": True,
        "status_message": f"Connected as {active[0].identity}.",
        "current_user_info": describe_person(active[0]),
        "connection_details": {"connected_account_id": active[0].id},
    }
