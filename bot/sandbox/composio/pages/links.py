"""The page behind a connect link, where a person allows or denies: once, within ten minutes."""

from html import escape
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from bot.sandbox.composio.accounts import Account, Accounts, make_identity
from bot.sandbox.composio.catalogue import Catalogue
from bot.sandbox.composio.pages.html import build_page

MAX_FORM_BYTES = 4_000
ENDED = {
    "ACTIVE": "This link was used: the account is connected.",
    "FAILED": "This link was used: the connection was denied.",
    "EXPIRED": "This link has expired. Ask for a new one.",
    "INACTIVE": "This connection was replaced or switched off.",
}


class LinkPages:
    """The pages at `/link/{token}`. They ask for no key: knowing the link is the key."""

    def __init__(self, accounts: Accounts, catalogue: Catalogue) -> None:
        self._accounts = accounts
        self._catalogue = catalogue

    def routes(self) -> list[Route]:
        return [
            Route("/link/{token}", self._show, methods=["GET"]),
            Route("/link/{token}", self._decide, methods=["POST"]),
        ]

    async def _show(self, request: Request) -> Response:
        account = self._accounts.by_link(request.path_params["token"])
        refusal = _refuse(account)
        if account is None or refusal is not None:
            return refusal or _refuse_unknown()
        app = escape(self._name_app(account))
        known = self._accounts.name(account.user_id)
        address = escape(make_identity(account.user_id, known), quote=True)
        body = (
            f"<p>The sandbox asks for access to <strong>{app}</strong> of "
            f"<strong>{escape(known or account.user_id)}</strong>.</p>"
            '<form method="post"><p><label>Account '
            f'<input name="identity" value="{address}" maxlength="200"></label></p>'
            '<button class="yes" name="decision" value="allow">Allow</button>'
            '<button name="decision" value="deny">Deny</button></form>'
            "<p><small>No real account is involved: this page belongs to the sandbox.</small></p>"
        )
        return build_page(f"Connect {self._name_app(account)} for {known or account.user_id}", body)

    async def _decide(self, request: Request) -> Response:
        account = self._accounts.by_link(request.path_params["token"])
        refusal = _refuse(account)
        if account is None or refusal is not None:
            return refusal or _refuse_unknown()
        form = parse_qs((await request.body())[:MAX_FORM_BYTES].decode(errors="replace"))
        decision = form.get("decision", [""])[0]
        if decision not in {"allow", "deny"}:
            return build_page("Nothing was decided", "<p>Choose Allow or Deny.</p>", status=400)
        identity = form.get("identity", [""])[0].strip() or None
        done = self._accounts.finish(account.id, allowed=decision == "allow", identity=identity)
        return _send_back(done) or self._confirm(done)

    def _confirm(self, account: Account) -> Response:
        app = self._name_app(account)
        if account.status != "ACTIVE":
            return build_page("Not connected", f"<p>{escape(app)} was not connected.</p>")
        return build_page(
            "Connected",
            f"<p>{escape(app)} is connected as <strong>{escape(account.identity)}</strong>. "
            "You can close this page.</p>",
        )

    def _name_app(self, account: Account) -> str:
        return self._catalogue.toolkits[account.toolkit].name


def _refuse(account: Account | None) -> Response | None:
    if account is None:
        return _refuse_unknown()
    if account.status == "INITIATED":
        return None
    return build_page("This link has ended", f"<p>{ENDED[account.status]}</p>", status=410)


def _refuse_unknown() -> Response:
    return build_page("There is no such link", "<p>Ask for a new one.</p>", status=404)


def _send_back(account: Account) -> Response | None:
    """The way to the callback address with the result, where there is one for browsers."""
    if account.callback_url is None or urlsplit(account.callback_url).scheme not in {
        "http",
        "https",
    }:
        return None
    result = "success" if account.status == "ACTIVE" else "failed"
    told = urlencode({"status": result, "connected_account_id": account.id})
    joint = "&" if "?" in account.callback_url else "?"
    return RedirectResponse(f"{account.callback_url}{joint}{told}", status_code=303)
