"""Runs one app tool for one person: with their own account or not at all, and on the record."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from bot.sandbox.composio.accounts import Account, Accounts
from bot.sandbox.composio.catalogue import Catalogue
from bot.sandbox.composio.effects import Execution
from bot.sandbox.composio.faults import Faults
from bot.sandbox.composio.outcome import Outcome
from bot.sandbox.composio.sessions import Session, read_option
from bot.sandbox.composio.tools import Caller, Tool


class Runner:
    """The only way from a call to an app. `executions` holds every tool that ran, in order."""

    def __init__(
        self,
        catalogue: Catalogue,
        accounts: Accounts,
        faults: Faults,
        clock: Callable[[], datetime],
    ) -> None:
        self._catalogue = catalogue
        self._accounts = accounts
        self._faults = faults
        self._clock = clock
        self.executions: list[Execution] = []

    async def run(
        self,
        session: Session,
        slug: str,
        arguments: Mapping[str, Any],
        account: str | None = None,
    ) -> Outcome:
        """The tool's outcome. `account` names one of several accounts, by id or alias."""
        tool = self._catalogue.find(session, slug)
        if tool is None:
            return Outcome(error=self._catalogue.explain_absence(slug), cause="not_run")
        if slug in self._faults.item_errors:
            return Outcome(error=self._faults.item_errors[slug], cause="not_run")
        if self._catalogue.toolkit_of(tool).no_auth:
            return await self._execute(tool, Caller(session=session), arguments)
        chosen = self._choose(session, tool.toolkit, account)
        if isinstance(chosen, str):
            return Outcome(error=chosen, cause="no_account")
        return await self._execute(tool, Caller(session=session, account=chosen), arguments)

    async def _execute(self, tool: Tool, caller: Caller, arguments: Mapping[str, Any]) -> Outcome:
        refusal = self._faults.refusals.get(tool.slug)
        outcome = (
            await tool.execute(caller, arguments)
            if refusal is None
            else Outcome(data={"message": refusal}, error=refusal)
        )
        account = caller.account
        self.executions.append(
            Execution(
                user_id=caller.user_id,
                slug=tool.slug,
                arguments=arguments,
                account_id=account.id if account else None,
                account_user_id=account.user_id if account else None,
                identity=caller.identity,
                at=self._clock(),
                reads_only=tool.reads_only,
                error=outcome.error,
            )
        )
        return outcome

    def _choose(self, session: Session, toolkit: str, named: str | None) -> Account | str:
        """The account to use, or why there is none."""
        active = self._accounts.active(session.user_id, toolkit)
        pinned = session.request.connected_accounts.get(toolkit)
        usable = [one for one in active if pinned is None or one.id in pinned]
        if named is not None:
            usable = [one for one in usable if named in {one.id, one.alias}]
        if not usable:
            return f"No active connected account found for toolkit: {toolkit}"
        explicit = read_option(session.request.multi_account, "require_explicit_selection")
        if explicit and named is None and len(usable) > 1:
            choices = ", ".join(one.alias or one.id for one in usable)
            return (
                f"Multiple {toolkit} accounts connected. Specify which to use via the 'account' "
                f"field: {choices}"
            )
        return usable[0]
