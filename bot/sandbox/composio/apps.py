"""What the apps' tools do, and what lies in the apps, as JSON.

Mails, events and issues are each person's own.
"""

import secrets
from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import datetime
from itertools import count
from operator import itemgetter
from typing import NamedTuple

from bot.sandbox.composio.catalogue import Data, ToolError, read_tools
from bot.sandbox.composio.workbench import Storage, StoredFile


class Caller(NamedTuple):
    """The person for whom a tool runs, and the address by which the app knows them."""

    user_id: str
    identity: str


class Apps:
    """Everybody's data in the apps, and the tools over it, by slug.

    In `storage`, reached at `origin`, lie the files that are attached to mails.
    """

    def __init__(
        self,
        storage: Storage,
        clock: Callable[[], datetime],
        origin: Callable[[], str],
    ) -> None:
        self._events: defaultdict[str, list[Data]] = defaultdict(list)
        self._issues = count(1)
        self._mails: dict[str, list[Data]] = {}
        self._storage = storage
        self._clock = clock
        self._origin = origin
        self.tools: Mapping[str, Callable[[Caller, Data], Data]] = {
            "GMAIL_SEND_EMAIL": self._send_mail,
            "GMAIL_FETCH_EMAILS": self._fetch_mails,
            "GMAIL_GET_ATTACHMENT": self._get_attachment,
            "GMAIL_GET_PROFILE": self._get_profile,
            "GOOGLECALENDAR_CREATE_EVENT": self._create_event,
            "GOOGLECALENDAR_EVENTS_LIST": self._list_events,
            "GITHUB_CREATE_AN_ISSUE": self._create_issue,
        }

    def mails(self, user_id: str) -> list[Data]:
        """A person's mails as the tool that fetches mails gives them, oldest first."""
        if user_id not in self._mails:
            self._mails[user_id] = []
            seeds: list[Data] = read_tools()["mails"]
            for seed in seeds:
                file = None
                if "file" in seed:
                    attached = seed["file"]
                    data = attached["text"].encode()
                    file = self._storage.keep(attached["name"], attached["mimetype"], data)
                self._add_mail(Caller(user_id, seed["sender"]), seed, "INBOX", file)
        return self._mails[user_id]

    def _send_mail(self, caller: Caller, given: Data) -> Data:
        if not (given.get("recipient_email") or given["cc"] or given["bcc"]):
            raise ToolError("At least one of recipient_email, cc and bcc is required.")
        file = None
        attachment = given.get("attachment")
        if attachment:
            key = attachment["s3key"]
            file = self._storage.find(key)
            if file is None:
                raise ToolError(f"Attachment not found: no file was uploaded as {key!r}")
        mail = self._add_mail(caller, given, "SENT", file)
        return {
            "id": mail["messageId"],
            "threadId": mail["threadId"],
            "labelIds": ["SENT"],
        }

    def _add_mail(
        self,
        sender: Caller,
        given: Data,
        label: str,
        file: StoredFile | None,
    ) -> Data:
        mail_id = secrets.token_hex(8)
        mail: Data = {
            "messageId": mail_id,
            "threadId": mail_id,
            "subject": given.get("subject", ""),
            "sender": sender.identity,
            "to": given.get("recipient_email", ""),
            "cc": ", ".join(given.get("cc", [])),
            "bcc": ", ".join(given.get("bcc", [])),
            "messageTimestamp": self._clock().isoformat(),
            "labelIds": [label],
            "messageText": given.get("body", ""),
            "attachmentList": [],
        }
        if file:
            entry = {
                "attachmentId": file.id,
                "filename": file.filename,
                "mimeType": file.mimetype,
            }
            mail["attachmentList"].append(entry)
        self.mails(sender.user_id).append(mail)
        return mail

    def _fetch_mails(self, caller: Caller, given: Data) -> Data:
        newest = reversed(self.mails(caller.user_id))
        inbox = [mail for mail in newest if "INBOX" in mail["labelIds"]]
        hits = [mail for mail in inbox if _holds(mail, given["query"])]
        return {"messages": hits[: given["max_results"]]}

    def _get_attachment(self, caller: Caller, given: Data) -> Data:
        """The file at a presigned address, as the service gives all files."""
        own: list[str] = []
        for mail in self.mails(caller.user_id):
            if mail["messageId"] == given["message_id"]:
                own += [entry["attachmentId"] for entry in mail["attachmentList"]]
        file_id = given["attachment_id"]
        file = self._storage.find(file_id)
        if file is None or file_id not in own:
            raise ToolError("Requested entity was not found: attachment")
        entry = {
            "name": given["file_name"],
            "mimetype": file.mimetype,
            "s3url": f"{self._origin()}{file.path}",
        }
        return {"file": entry}

    def _get_profile(self, caller: Caller, _: Data) -> Data:
        count = len(self.mails(caller.user_id))
        return {"emailAddress": caller.identity, "messagesTotal": count}

    def _create_event(self, caller: Caller, given: Data) -> Data:
        event = {
            "id": secrets.token_hex(10),
            "organizer": {"email": caller.identity},
            **given,
        }
        self._events[caller.user_id].append(event)
        return {"response_data": event}

    def _list_events(self, caller: Caller, given: Data) -> Data:
        events = sorted(self._events[caller.user_id], key=itemgetter("start_datetime"))
        return {"items": events[: given["maxResults"]]}

    def _create_issue(self, caller: Caller, given: Data) -> Data:
        number = next(self._issues)
        repository = f"https://github.example.com/{given['owner']}/{given['repo']}"
        return {
            **given,
            "number": number,
            "state": "open",
            "html_url": f"{repository}/issues/{number}",
        }


def _holds(mail: Data, query: str) -> bool:
    """Whether a mail holds every word of a query; operators such as `from:` are read as words."""
    words = [word.rpartition(":")[2] for word in query.casefold().split()]
    text = f"{mail['sender']} {mail['subject']} {mail['messageText']} inbox unread".casefold()
    return all(word in text for word in words)
