"""The pages that people see: consent behind a connect link, and a mailbox to look at."""

from html import escape
from pathlib import Path
from string import Template

from aiohttp import web

from bot.sandbox.composio.catalogue import Data, toolkits
from bot.sandbox.composio.service import LINK_PATH, ConnectedAccount, Service

_CONSENT = Template(Path(__file__).with_name("consent.html").read_text(encoding="utf-8"))
_FRAME = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
_MAIL = Template(
    "<article><strong>$subject</strong> <small>$label · $time · from $sender · to $to</small>"
    "$files<pre>$text</pre></article>"
)
_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
}
_ENDED = "<p>It was used, is too old, or never was. Ask for a new one.</p>"
_NOBODY = "<p>Nobody has connected an account.</p>"


class ComposioPages:
    """They ask for no key: knowing a link is the key, and the mailbox is the sandbox's own."""

    def __init__(self, service: Service) -> None:
        self._accounts = service.accounts
        self._apps = service.apps

    def routes(self) -> list[web.RouteDef]:
        link = f"{LINK_PATH}{{token}}"
        return [
            web.get(link, self._show_link),
            web.post(link, self._decide),
            web.get("/mailbox", self._show_mailbox),
        ]

    async def _show_link(self, request: web.Request) -> web.Response:
        account = self._accounts.waiting(request.match_info["token"])
        if account is None:
            return _page("This link has ended", _ENDED, status=410)
        app = _app_of(account)
        person = self._name(account.user_id)
        body = _CONSENT.substitute(
            app=escape(app),
            known=escape(person),
            address=escape(account.identity),
        )
        return _page(f"Connect {app} for {person}", body)

    async def _decide(self, request: web.Request) -> web.Response:
        """Works once, within ten minutes."""
        account = self._accounts.waiting(request.match_info["token"])
        if account is None:
            return _page("This link has ended", _ENDED, status=410)
        form = await request.post()
        is_allowed = form.get("decision") == "allow"
        identity = str(form.get("identity", "")).strip()
        account.finish(allowed=is_allowed, identity=identity)
        app = escape(_app_of(account))
        if not is_allowed:
            return _page("Not connected", f"<p>{app} was not connected.</p>")
        person = f"<strong>{escape(account.identity)}</strong>"
        body = f"<p>{app} is connected as {person}. You can close this page.</p>"
        return _page("Connected", body)

    async def _show_mailbox(self, _request: web.Request) -> web.Response:
        """The mails of everybody who has connected an account, the newest first."""
        body = ""
        people = dict.fromkeys(account.user_id for account in self._accounts.all())
        for user_id in people:
            mails = reversed(self._apps.mails(user_id))
            body += f"<h2>{escape(self._name(user_id))}</h2>"
            body += "".join(_mail_html(mail) for mail in mails)
        return _page("Mailbox", body or _NOBODY)

    def _name(self, user_id: str) -> str:
        """The person's name, else the id."""
        return self._accounts.name(user_id) or user_id


def _app_of(account: ConnectedAccount) -> str:
    return toolkits()[account.toolkit]["name"]


def _mail_html(mail: Data) -> str:
    recipients = filter(None, (mail["to"], mail["cc"], mail["bcc"]))
    names = [escape(file["filename"]) for file in mail["attachmentList"]]
    return _MAIL.substitute(
        subject=escape(mail["subject"]),
        label=mail["labelIds"][0],
        time=mail["messageTimestamp"][:16],
        sender=escape(mail["sender"]),
        to=escape(", ".join(recipients) or "-"),
        files="".join(f"<br>Attached: {name}" for name in names),
        text=escape(mail["messageText"]),
    )


def _page(title: str, body: str, *, status: int = 200) -> web.Response:
    """A page without script; the caller has escaped the body, which is HTML."""
    html = _FRAME.substitute(title=escape(title), body=body)
    return web.Response(text=html, status=status, content_type="text/html", headers=_HEADERS)
