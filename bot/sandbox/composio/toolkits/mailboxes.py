"""Everybody's mail: what lies in whose mailbox, for the Gmail tools and for those who look."""

import secrets
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bot.sandbox.composio.outcome import Data
from bot.sandbox.composio.storage import StoredFile


@dataclass(frozen=True, slots=True, kw_only=True)
class MailDraft:
    """A mail before it has a place in a mailbox."""

    sender: str
    subject: str
    body: str
    to: tuple[str, ...] = ()
    cc: tuple[str, ...] = ()
    bcc: tuple[str, ...] = ()
    is_html: bool = False
    attachments: tuple[StoredFile, ...] = ()
    thread_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A mail in a mailbox."""

    id: str
    thread_id: str
    draft: MailDraft
    at: datetime
    label: str
    """`INBOX`, `SENT` or `DRAFT`."""

    def as_message(self, *, verbose: bool = True) -> Data:
        """The mail as the tool that fetches mails gives it."""
        draft = self.draft
        text = {"messageText": draft.body} if verbose else {}
        return {
            "messageId": self.id,
            "threadId": self.thread_id,
            "subject": draft.subject,
            "sender": draft.sender,
            "to": ", ".join(draft.to),
            "messageTimestamp": self.at.isoformat().replace("+00:00", "Z"),
            "labelIds": [self.label],
            "preview": {"subject": draft.subject, "body": draft.body[:120]},
            "attachmentList": [
                {"attachmentId": file.id, "filename": file.filename, "mimeType": file.mimetype}
                for file in draft.attachments
            ],
            **text,
        }


@dataclass(slots=True)
class Mailbox:
    """One person's mail, oldest first."""

    mails: list[Mail] = field(default_factory=list[Mail])

    def labelled(self, label: str) -> list[Mail]:
        return [mail for mail in self.mails if mail.label == label]

    @property
    def inbox(self) -> list[Mail]:
        return self.labelled("INBOX")

    @property
    def sent(self) -> list[Mail]:
        return self.labelled("SENT")

    @property
    def drafts(self) -> list[Mail]:
        return self.labelled("DRAFT")


class Mailboxes:
    """Everybody's mailboxes. A fresh one has three mails that say little."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._boxes: defaultdict[str, Mailbox] = defaultdict(Mailbox)

    def of(self, user_id: str) -> Mailbox:
        if user_id not in self._boxes:
            for age, draft in enumerate(reversed(SEEDS), 1):
                self._add(user_id, draft, "INBOX", timedelta(hours=7 * (len(SEEDS) + 1 - age)))
        return self._boxes[user_id]

    def add(self, user_id: str, draft: MailDraft, label: str) -> Mail:
        self.of(user_id)
        return self._add(user_id, draft, label, timedelta())

    def _add(self, user_id: str, draft: MailDraft, label: str, age: timedelta) -> Mail:
        mail_id = secrets.token_hex(8)
        mail = Mail(
            id=mail_id,
            thread_id=draft.thread_id or mail_id,
            draft=draft,
            at=self._clock() - age,
            label=label,
        )
        self._boxes[user_id].mails.append(mail)
        return mail


SEEDS = (
    MailDraft(
        sender="Facilities <facilities@example.com>",
        subject="Lift maintenance on Thursday",
        body="The lift in the east wing is out of service on Thursday from 9 to 11.",
    ),
    MailDraft(
        sender="Grace Miller <grace@example.com>",
        subject="Notes from the planning round",
        body="We agreed on three topics for the quarter; the list is attached.",
        attachments=(
            StoredFile(
                id="topics",
                key="",
                token="",
                filename="topics.csv",
                mimetype="text/csv",
                data=b"topic,owner\nlift,Grace\nbook club,Ben\nheat pumps,Ann\n",
            ),
        ),
    ),
    MailDraft(
        sender="Book Club <club@example.com>",
        subject="Next meeting",
        body="We meet on the last Monday of the month, in the usual room.",
    ),
)


def matches(mail: Mail, query: str) -> bool:
    """Whether a mail holds every word of a query; operators such as `from:` are read as words."""
    words = [word.rpartition(":")[2] for word in query.casefold().split() if ":" not in word[-1:]]
    text = f"{mail.draft.sender} {mail.draft.subject} {mail.draft.body} inbox unread".casefold()
    return all(word in text for word in words)
