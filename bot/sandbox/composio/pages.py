"""The pages that people see: consent behind a connect link, and a mailbox to look at."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from bot.sandbox.composio.catalogue import toolkits
from bot.sandbox.composio.service import LINK_PATH, Service

if TYPE_CHECKING:
    from jinja2 import Template

_HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
}
_GONE = 410


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
            return _page("This link has ended", status=_GONE, ended=True)
        app = toolkits()[account.toolkit]["name"]
        person = self._name(account.user_id)
        title = f"Connect {app} for {person}"
        return _page(title, waiting=account, app=app, person=person)

    async def _decide(self, request: web.Request) -> web.Response:
        """Works once, within ten minutes."""
        account = self._accounts.waiting(request.match_info["token"])
        if account is None:
            return _page("This link has ended", status=_GONE, ended=True)
        form = await request.post()
        is_allowed = form.get("decision") == "allow"
        identity = str(form.get("identity", "")).strip()
        account.finish(allowed=is_allowed, identity=identity)
        app = toolkits()[account.toolkit]["name"]
        if not is_allowed:
            return _page("Not connected", app=app)
        return _page("Connected", app=app, identity=account.identity)

    async def _show_mailbox(self, _request: web.Request) -> web.Response:
        """The mails of everybody who has connected an account, the newest first."""
        people = dict.fromkeys(account.user_id for account in self._accounts.all())
        mailboxes = [(self._name(user_id), self._apps.mails(user_id)) for user_id in people]
        return _page("Mailbox", is_mailbox=True, mailboxes=mailboxes)

    def _name(self, user_id: str) -> str:
        """The person's name, else the id."""
        return self._accounts.name(user_id) or user_id


@cache
def _template() -> "Template":
    from jinja2 import Environment  # only for whoever looks

    source = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    return Environment(autoescape=True).from_string(source)


def _page(title: str, *, status: int = 200, **shown: object) -> web.Response:
    """A page without script."""
    html = _template().render(title=title, **shown)
    return web.Response(
        text=html,
        status=status,
        content_type="text/html",
        headers=_HEADERS,
    )
