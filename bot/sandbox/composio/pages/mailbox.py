"""A person's mailbox and calendar for those who look at the sandbox: read-only, as HTML or JSON."""

from html import escape

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.sandbox.composio.accounts import Accounts
from bot.sandbox.composio.outcome import Data
from bot.sandbox.composio.pages.html import build_page
from bot.sandbox.composio.toolkits.desks import Desks
from bot.sandbox.composio.toolkits.mailboxes import Mail


class MailboxPage:
    """The page at `/mailbox?user=`; JSON for those who ask for it."""

    def __init__(self, desks: Desks, accounts: Accounts) -> None:
        self._desks = desks
        self._accounts = accounts

    def routes(self) -> list[Route]:
        return [Route("/mailbox", self._show, methods=["GET"])]

    async def _show(self, request: Request) -> Response:
        user_id = request.query_params.get("user", "")
        if not user_id:
            return self._list_people()
        wants_json = "application/json" in request.headers.get("accept", "")
        if wants_json or request.query_params.get("format") == "json":
            return JSONResponse(self._describe(user_id))
        mails = reversed(self._desks.mailboxes.of(user_id).mails)
        events = self._desks.calendars.of(user_id)
        parts = ["<h2>Mail</h2>", *map(_write_mail, mails), "<h2>Calendar</h2>"]
        parts += [
            f"<article><strong>{escape(event.summary)}</strong> "
            f"<small>{event.start.isoformat()}</small></article>"
            for event in events
        ]
        return build_page(f"Mailbox of {self._name(user_id)}", "".join(parts))

    def _list_people(self) -> Response:
        people = dict.fromkeys(account.user_id for account in self._accounts.all())
        rows = (
            f'<li><a href="?user={escape(one)}">{escape(self._name(one))}</a></li>'
            for one in people
        )
        return build_page("Mailboxes", f"<ul>{''.join(rows)}</ul>")

    def _name(self, user_id: str) -> str:
        """The person's name, else the id."""
        return self._accounts.name(user_id) or user_id

    def _describe(self, user_id: str) -> Data:
        mails = self._desks.mailboxes.of(user_id).mails
        events = self._desks.calendars.of(user_id)
        return {
            "user": user_id,
            "mails": [_describe_mail(mail) for mail in mails],
            "events": [event.as_item() for event in events],
        }


def _describe_mail(mail: Mail) -> Data:
    return mail.as_message() | {
        "cc": list(mail.draft.cc),
        "bcc": list(mail.draft.bcc),
        "attachments": [
            {"name": file.filename, "mimetype": file.mimetype, "size": len(file.data or b"")}
            for file in mail.draft.attachments
        ],
    }


def _write_mail(mail: Mail) -> str:
    draft = mail.draft
    recipients = ", ".join((*draft.to, *draft.cc, *draft.bcc)) or "-"
    files = "".join(f"<br>Attached: {escape(file.filename)}" for file in draft.attachments)
    return (
        f"<article><strong>{escape(draft.subject)}</strong> <small>{mail.label} · "
        f"{mail.at.isoformat(timespec='minutes')} · from {escape(draft.sender)} · to "
        f"{escape(recipients)}</small>{files}<pre>{escape(draft.body)}</pre></article>"
    )
