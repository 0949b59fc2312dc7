"""The pages that people see: consent behind a connect link, and a mailbox to look at."""

from html import escape
from pathlib import Path
from string import Template

from aiohttp import web

from bot.sandbox.composio.accounts import ConnectedAccount
from bot.sandbox.composio.catalogue import toolkits
from bot.sandbox.composio.meta import LINK_PATH, Service
from bot.sandbox.composio.records import Data

_CONSENT = Template(Path(__file__).with_name("consent.html").read_text(encoding="utf-8"))
_FRAME = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
}


class ComposioPages:
    """They ask for no key: knowing a link is the key, and the mailbox is the sandbox's own."""

    def __init__(self, service: Service) -> None:
        self._accounts = service.accounts
        self._service = service

    def routes(self) -> list[web.RouteDef]:
        link = f"{LINK_PATH}{{token}}"
        return [
            web.get(link, self._show_link),
            web.post(link, self._decide),
            web.get("/mailbox", self._show_mailbox),
        ]

    async def _show_link(self, request: web.Request) -> web.Response:
        account = self._accounts.by_link(request.match_info["token"])
        if account is None or account.status != "INITIATED":
            return _refuse(account)
        app, known = self._app(account), self._name(account.user_id)
        body = _CONSENT.substitute(
            app=escape(app), known=escape(known), address=escape(account.identity)
        )
        return _page(f"Connect {app} for {known}", body)

    async def _decide(self, request: web.Request) -> web.Response:
        """Once, within ten minutes."""
        account = self._accounts.by_link(request.match_info["token"])
        if account is None or account.status != "INITIATED":
            return _refuse(account)
        form = await request.post()
        decision = form.get("decision")
        if decision not in {"allow", "deny"}:
            return _page("Nothing was decided", "<p>Choose Allow or Deny.</p>", status=400)
        identity = str(form.get("identity", "")).strip()
        account.finish(allowed=decision == "allow", identity=identity)
        app, who = escape(self._app(account)), escape(account.identity)
        if decision == "deny":
            return _page("Not connected", f"<p>{app} was not connected.</p>")
        told = f"<p>{app} is connected as <strong>{who}</strong>. You can close this page.</p>"
        return _page("Connected", told)

    async def _show_mailbox(self, _request: web.Request) -> web.Response:
        """The mails of everybody who has connected an account, the newest first."""
        people = dict.fromkeys(account.user_id for account in self._accounts.all())
        parts = [
            f"<h2>{escape(self._name(user))}</h2>"
            + "".join(map(_mail_html, self._service.apps.mails(user)[::-1]))
            for user in people
        ]
        return _page("Mailbox", "".join(parts) or "<p>Nobody has connected an account.</p>")

    def _app(self, account: ConnectedAccount) -> str:
        return toolkits()[account.toolkit]["name"]

    def _name(self, user_id: str) -> str:
        """The person's name, else the id."""
        return self._accounts.name(user_id) or user_id


def _refuse(account: ConnectedAccount | None) -> web.Response:
    if account is None:
        return _page("There is no such link", "<p>Ask for a new one.</p>", status=404)
    return _page(
        "This link has ended", "<p>It was used, or is too old. Ask for a new one.</p>", status=410
    )


def _mail_html(mail: Data) -> str:
    recipients = ", ".join(filter(None, (mail["to"], mail["cc"], mail["bcc"]))) or "-"
    files = "".join(f"<br>Attached: {escape(file['filename'])}" for file in mail["attachmentList"])
    return (
        f"<article><strong>{escape(mail['subject'])}</strong> <small>{mail['labelIds'][0]} · "
        f"{mail['messageTimestamp'][:16]} · from {escape(mail['sender'])} · to "
        f"{escape(recipients)}</small>{files}<pre>{escape(mail['messageText'])}</pre></article>"
    )


def _page(title: str, body: str, *, status: int = 200) -> web.Response:
    """A page without script; the body is HTML and has been escaped by who wrote it."""
    html = _FRAME.substitute(title=escape(title), body=body)
    return web.Response(text=html, status=status, content_type="text/html", headers=_HEADERS)
