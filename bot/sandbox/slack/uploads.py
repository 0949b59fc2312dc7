"""Uploads on their way: a ticket is given out, bytes come in, the file is completed."""

import mimetypes
import secrets
from dataclasses import dataclass, replace

from bot.sandbox.slack.ids import Ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    ticket: str
    file_id: str
    name: str
    length_bytes: int
    alt_txt: str | None
    content: bytes = b""
    is_received: bool = False


class Uploads:
    """The uploads that are not completed yet."""

    def __init__(self, ids: Ids) -> None:
        self._ids = ids
        self._by_ticket: dict[str, Upload] = {}

    def open(self, name: str, length_bytes: int, alt_txt: str | None) -> Upload:
        upload = Upload(
            ticket=secrets.token_urlsafe(24),
            file_id=self._ids.fresh("F"),
            name=name,
            length_bytes=length_bytes,
            alt_txt=alt_txt,
        )
        self._by_ticket[upload.ticket] = upload
        return upload

    def receive(self, ticket: str, content: bytes) -> bool:
        """Take the bytes; False for a ticket that is unknown or a length that was not announced."""
        upload = self._by_ticket.get(ticket)
        if upload is None or len(content) != upload.length_bytes:
            return False
        self._by_ticket[ticket] = replace(upload, content=content, is_received=True)
        return True

    def complete(self, file_id: str) -> Upload | None:
        """Take out the received upload of a file, once; None when there is none."""
        for ticket, upload in self._by_ticket.items():
            if upload.file_id == file_id and upload.is_received:
                return self._by_ticket.pop(ticket)
        return None


def guess_types(name: str) -> tuple[str, str]:
    """Mimetype and Slack's short filetype, told by the name alone."""
    mimetype = mimetypes.guess_type(name)[0]
    suffix = name.rpartition(".")[2].lower() if "." in name else ""
    if mimetype is None:
        mimetype = "text/plain" if suffix in ("log", "yaml", "yml") else "application/octet-stream"
    filetype = {"txt": "text", "log": "text", "md": "markdown", "": "binary"}.get(suffix, suffix)
    return mimetype, filetype
