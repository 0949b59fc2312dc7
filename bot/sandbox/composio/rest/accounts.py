"""Connected accounts over REST: looked up, disabled and removed."""

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.sandbox.composio.accounts import Account, Accounts
from bot.sandbox.composio.errors import RestError
from bot.sandbox.composio.faults import Faults
from bot.sandbox.composio.outcome import Data
from bot.sandbox.composio.rest.bodies import PREFIX, paginate, read, read_many, route

BASE = f"{PREFIX}/connected_accounts"


class StatusRequest(BaseModel):
    enabled: bool


class AccountRoutes:
    """The handlers below `/api/v3.1/connected_accounts`."""

    def __init__(self, accounts: Accounts, faults: Faults) -> None:
        self._accounts = accounts
        self._faults = faults

    def routes(self) -> list[Route]:
        one = f"{BASE}/{{account_id}}"
        return [
            route("GET", BASE, self._list),
            route("GET", one, self._retrieve),
            route("DELETE", one, self._delete),
            route("PATCH", f"{one}/status", self._change_status),
        ]

    async def _list(self, request: Request) -> Response:
        users = read_many(request, "user_ids")
        toolkits = read_many(request, "toolkit_slugs")
        statuses = read_many(request, "statuses")
        ids = read_many(request, "connected_account_ids")
        items = [
            self._describe(account)
            for account in self._accounts.all()
            if (not users or account.user_id in users)
            and (not toolkits or account.toolkit in toolkits)
            and (not statuses or account.status in statuses)
            and (not ids or account.id in ids)
        ]
        return JSONResponse(paginate(items))

    async def _retrieve(self, request: Request) -> Response:
        return JSONResponse(self._describe(self._find(request)))

    async def _delete(self, request: Request) -> Response:
        self._accounts.remove(self._find(request).id)
        return JSONResponse({"success": True})

    async def _change_status(self, request: Request) -> Response:
        account, body = self._find(request), await read(request, StatusRequest)
        if account.status not in {"ACTIVE", "INACTIVE"}:
            raise RestError(
                400, "ConnectedAccount_NotActive", f"An account that is {account.status} stays so"
            )
        self._accounts.change(account.id, "ACTIVE" if body.enabled else "INACTIVE")
        return JSONResponse({"success": True})

    def _find(self, request: Request) -> Account:
        account = self._accounts.get(request.path_params["account_id"])
        if account is None:
            raise RestError(
                404, "ConnectedAccount_ResourceNotFound", "Connected account not found", code=606
            )
        return account

    def _describe(self, account: Account) -> Data:
        status = account.status
        shown = status.lower() if self._faults.lower_case_statuses else status
        known = {"email": account.identity} if account.identity else {}
        return {
            "id": account.id,
            "word_id": account.id,
            "user_id": account.user_id,
            "alias": account.alias,
            "status": shown,
            "status_reason": None,
            "is_disabled": status == "INACTIVE",
            "toolkit": {"slug": account.toolkit},
            "auth_config": {**_describe_auth(account), "is_disabled": False},
            "created_at": account.created_at.isoformat(),
            "updated_at": account.changed_at.isoformat(),
            "test_request_endpoint": "",
            "data": known,
            "params": {},
            "state": {"authScheme": "OAUTH2", "val": {"status": shown, **known}},
        }


def describe_brief(account: Account) -> Data:
    """An account as the list of toolkits shows it."""
    return {
        "id": account.id,
        "status": account.status,
        "user_id": account.user_id,
        "created_at": account.created_at.isoformat(),
        "auth_config": _describe_auth(account),
        "user_info": {"email": account.identity},
    }


def _describe_auth(account: Account) -> Data:
    return {
        "id": f"ac_{account.toolkit}",
        "auth_scheme": "OAUTH2",
        "is_composio_managed": True,
    }
