"""Gmail: the tools that read a person's mailbox and send from it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated

from pydantic import AliasChoices, Field, StringConstraints

from bot.sandbox.composio.outcome import Outcome
from bot.sandbox.composio.storage import Storage, StoredFile
from bot.sandbox.composio.toolkits.mailboxes import Mailboxes, MailDraft, matches
from bot.sandbox.composio.tools import AppArguments, Caller, Tool, Toolkit

SLUG = "gmail"
Address = Annotated[str, StringConstraints(pattern=r"^[^@\s<>]+@[^@\s<>]+\.[^@\s<>]+$")]
OWN_ADDRESS = "For mail to the person themselves take their own address (GMAIL_GET_PROFILE)."
MAIL_WORDS = frozenset({"gmail", "email", "emails", "mail", "mails", "e", "account"})


class Attachment(AppArguments):
    name: Annotated[str, Field(min_length=1, description="File name as the recipient sees it.")]
    mimetype: Annotated[str, Field(min_length=3, description="MIME type, such as text/html.")]
    s3key: Annotated[
        str, Field(min_length=1, description="Key of the file as the upload to Composio gave it.")
    ]


MaybeAttachment = Annotated[
    Attachment | None,
    Field(description="One file to attach, by the s3key of an earlier upload. Not a list."),
]
UserId = Annotated[str, Field(description="Leave as `me`: the connected account.")]


class SendArguments(AppArguments):
    recipient_email: Annotated[
        Address | None,
        Field(
            validation_alias=AliasChoices("recipient_email", "to"),
            description=f"Address of the main recipient. {OWN_ADDRESS}",
        ),
    ] = None
    extra_recipients: Annotated[
        tuple[Address, ...], Field(description="Further addresses beside the main recipient.")
    ] = ()
    cc: Annotated[tuple[Address, ...], Field(description="Addresses that get a copy.")] = ()
    bcc: Annotated[tuple[Address, ...], Field(description="Addresses that get a hidden copy.")] = ()
    subject: Annotated[str | None, Field(description="Subject line.")] = None
    body: Annotated[
        str | None, Field(description="The text; HTML only together with `is_html`.")
    ] = None
    is_html: Annotated[bool, Field(description="Whether the body is HTML.")] = False
    user_id: UserId = "me"
    attachment: MaybeAttachment = None


class FetchArguments(AppArguments):
    query: Annotated[
        str | None, Field(description="Words to look for in subject, text and sender.")
    ] = None
    max_results: Annotated[int, Field(ge=1, le=500, description="How many mails at most.")] = 1
    include_payload: Annotated[bool, Field(description="Whether to include the raw parts.")] = True
    verbose: Annotated[bool, Field(description="Whether to include the text.")] = True
    page_token: Annotated[str | None, Field(description="`nextPageToken` of the last page.")] = None
    user_id: UserId = "me"


class ReplyArguments(AppArguments):
    thread_id: Annotated[str, Field(min_length=1, description="threadId of a fetched mail.")]
    message_body: Annotated[str, Field(min_length=1, description="The text of the reply.")]
    recipient_email: Annotated[Address, Field(description="Address that gets the reply.")]
    extra_recipients: tuple[Address, ...] = ()
    cc: tuple[Address, ...] = ()
    bcc: tuple[Address, ...] = ()
    is_html: bool = False
    user_id: UserId = "me"
    attachment: MaybeAttachment = None


class AttachmentArguments(AppArguments):
    message_id: Annotated[str, Field(min_length=1, description="messageId of a fetched mail.")]
    attachment_id: Annotated[
        str, Field(min_length=1, description="attachmentId in that mail's attachmentList.")
    ]
    file_name: Annotated[str, Field(min_length=1, description="What to call the file.")]
    user_id: UserId = "me"


class ProfileArguments(AppArguments):
    user_id: UserId = "me"


class Gmail:
    """The tools over the mailboxes; attachments come out of the storage."""

    def __init__(self, mailboxes: Mailboxes, storage: Storage, origin: Callable[[], str]) -> None:
        self._mailboxes = mailboxes
        self._storage = storage
        self._origin = origin

    async def send(self, caller: Caller, arguments: SendArguments) -> Outcome:
        if not (arguments.recipient_email or arguments.cc or arguments.bcc):
            return Outcome(error="At least one of recipient_email, cc and bcc is required.")
        if not (arguments.subject or arguments.body):
            return Outcome(error="At least one of subject and body is required.")
        return self._file(caller, arguments, "SENT")

    async def draft(self, caller: Caller, arguments: SendArguments) -> Outcome:
        return self._file(caller, arguments, "DRAFT")

    async def reply(self, caller: Caller, arguments: ReplyArguments) -> Outcome:
        mails = self._mailboxes.of(caller.user_id).mails
        first = next((mail for mail in mails if mail.thread_id == arguments.thread_id), None)
        if first is None:
            return Outcome(error=f"Requested entity was not found: thread {arguments.thread_id}")
        subject = first.draft.subject
        send = SendArguments(
            recipient_email=arguments.recipient_email,
            extra_recipients=arguments.extra_recipients,
            cc=arguments.cc,
            bcc=arguments.bcc,
            subject=subject if subject.startswith("Re: ") else f"Re: {subject}",
            body=arguments.message_body,
            is_html=arguments.is_html,
            attachment=arguments.attachment,
        )
        return self._file(caller, send, "SENT", first.thread_id)

    async def fetch(self, caller: Caller, arguments: FetchArguments) -> Outcome:
        newest = sorted(self._mailboxes.of(caller.user_id).inbox, key=lambda mail: mail.at)[::-1]
        hits = [mail for mail in newest if matches(mail, arguments.query or "")]
        token = arguments.page_token or "0"
        start = int(token) if token.isdecimal() else 0
        end = start + arguments.max_results
        messages = [mail.as_message(verbose=arguments.verbose) for mail in hits[start:end]]
        following = str(end) if end < len(hits) else None
        return Outcome(
            data={
                "messages": messages,
                "nextPageToken": following,
                "resultSizeEstimate": len(hits),
            }
        )

    async def attachment(self, caller: Caller, arguments: AttachmentArguments) -> Outcome:
        """The file at a presigned address, as the service gives all files."""
        files = [
            file
            for mail in self._mailboxes.of(caller.user_id).mails
            for file in mail.draft.attachments
            if mail.id == arguments.message_id and file.id == arguments.attachment_id
        ]
        if not files:
            return Outcome(error="Requested entity was not found: attachment")
        kept = self._storage.keep(arguments.file_name, files[0].mimetype, files[0].data or b"")
        url = f"{self._origin()}{kept.path}"
        file = {"name": kept.filename, "mimetype": kept.mimetype, "s3url": url}
        return Outcome(data={"file": file})

    async def profile(self, caller: Caller, _: ProfileArguments) -> Outcome:
        count = len(self._mailboxes.of(caller.user_id).mails)
        return Outcome(data={"emailAddress": caller.identity, "messagesTotal": count})

    def _file(
        self, caller: Caller, arguments: SendArguments, label: str, thread_id: str = ""
    ) -> Outcome:
        attachments: list[StoredFile] = []
        if arguments.attachment is not None:
            stored = self._storage.find(arguments.attachment.s3key)
            if stored is None:
                key = arguments.attachment.s3key
                return Outcome(error=f"Attachment not found: no file was uploaded as {key!r}")
            attachments.append(_name(stored, arguments.attachment))
        main = [arguments.recipient_email] if arguments.recipient_email else []
        draft = MailDraft(
            sender=caller.identity,
            subject=arguments.subject or "",
            body=arguments.body or "",
            to=(*main, *arguments.extra_recipients),
            cc=tuple(arguments.cc),
            bcc=tuple(arguments.bcc),
            is_html=arguments.is_html,
            attachments=tuple(attachments),
            thread_id=thread_id,
        )
        mail = self._mailboxes.add(caller.user_id, draft, label)
        return Outcome(data={"id": mail.id, "threadId": mail.thread_id, "labelIds": [label]})


def _name(stored: StoredFile, wanted: Attachment) -> StoredFile:
    return replace(stored, filename=wanted.name, mimetype=wanted.mimetype)


def build_gmail(mailboxes: Mailboxes, storage: Storage, origin: Callable[[], str]) -> Toolkit:
    """Gmail with its six tools; `origin` is where the storage is reached."""
    gmail = Gmail(mailboxes, storage, origin)
    tools = (
        Tool.define(
            "GMAIL_SEND_EMAIL",
            SendArguments,
            gmail.send,
            title="Send email",
            toolkit=SLUG,
            description="Sends an email at once from the person's Gmail account, with one attached "
            "file if an s3key of an uploaded file is given. It cannot be taken back.",
            tags=("createHint", "openWorldHint", "important"),
            keywords=MAIL_WORDS | {"send", "write", "message", "sending", "senden", "schicken"},
        ),
        Tool.define(
            "GMAIL_CREATE_EMAIL_DRAFT",
            SendArguments,
            gmail.draft,
            title="Create email draft",
            toolkit=SLUG,
            description="Saves an email as a draft in the person's Gmail account without sending "
            "it, so that they can look at it first.",
            tags=("createHint",),
            keywords=MAIL_WORDS | {"draft", "drafts", "prepare", "entwurf"},
        ),
        Tool.define(
            "GMAIL_FETCH_EMAILS",
            FetchArguments,
            gmail.fetch,
            title="Fetch emails",
            toolkit=SLUG,
            description="Returns the newest emails of the person's inbox, with sender, subject and "
            "text, or those that hold the words of a query; only one unless max_results says more.",
            tags=("readOnlyHint", "important"),
            keywords=MAIL_WORDS
            | {"fetch", "read", "list", "get", "check", "inbox", "find", "search", "latest"},
        ),
        Tool.define(
            "GMAIL_REPLY_TO_THREAD",
            ReplyArguments,
            gmail.reply,
            title="Reply to email thread",
            toolkit=SLUG,
            description="Sends a reply in an email thread of the person's Gmail account, found by "
            "the threadId of a fetched mail.",
            tags=("createHint", "openWorldHint"),
            keywords=MAIL_WORDS | {"reply", "answer", "respond", "thread", "antworten"},
        ),
        Tool.define(
            "GMAIL_GET_ATTACHMENT",
            AttachmentArguments,
            gmail.attachment,
            title="Get attachment",
            toolkit=SLUG,
            description="Gives the file that is attached to a mail of the person's Gmail account, "
            "found by the messageId and attachmentId of a fetched mail.",
            tags=("readOnlyHint",),
            keywords=MAIL_WORDS | {"attachment", "attached", "file", "download", "anhang"},
        ),
        Tool.define(
            "GMAIL_GET_PROFILE",
            ProfileArguments,
            gmail.profile,
            title="Get profile",
            toolkit=SLUG,
            description="Returns the address of the connected Gmail account, which is the person's "
            "own address, and how many mails it holds.",
            tags=("readOnlyHint",),
            keywords=MAIL_WORDS | {"profile", "own", "address"},
        ),
    )
    return Toolkit(slug=SLUG, name="Gmail", description="Mail of one person.", tools=tools)
