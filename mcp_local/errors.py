"""Every way the toolkit can refuse or fail, each with a plain sentence for the model.

ToolkitError
├── NoSession        it is not clear which session the call is for
├── PathDenied       a path leads out of the session, or names a file the system owns
├── SessionFull      the session's files have reached their bound
├── FetchError
│   ├── FetchDenied  our rules forbid opening this address
│   └── FetchFailed  the page could not be had
│       ├── NeedsBrowser  its text is made by its scripts
│       └── Unreached     there was no connection: nothing has happened
├── ReadingFailed    what was fetched or uploaded could not be read within its limits
│   └── NoReaderFree it was not tried: too much else is being read
├── UnreadableFile   a file of the session holds nothing that can be had
├── CitationError    a report cites what was not retrieved
└── RemoteError      Composio or its workbench did not do what was asked
    └── RemoteRefused  the answer came, and it was no
"""

from typing import ClassVar


class ToolkitError(Exception):
    """The root: its text is shown to the model as it stands."""


class NoSession(ToolkitError):
    """The call names no session directory, or one outside the workspaces."""


class PathDenied(ToolkitError):
    """A path that may not be read or written."""


class SessionFull(ToolkitError):
    """The session may not have one more file."""


class FetchError(ToolkitError):
    """A page was not brought; the text is the reason in a few plain words."""


class FetchDenied(FetchError):
    """Our own rules forbid opening this address."""


class FetchFailed(FetchError):
    """The page could not be had."""

    def __init__(self, reason: str, *, permanent: bool = False) -> None:
        super().__init__(reason)
        self.permanent = permanent
        """Trying again is pointless: the bot's blacklist counts this failure."""


class HostGone(FetchFailed):
    """There is no such host: none of its pages can be had."""

    def __init__(self, reason: str = "no such host") -> None:
        super().__init__(reason, permanent=True)


class NeedsBrowser(FetchFailed):
    """The page came without its text, which its scripts would make."""


class Unreached(FetchFailed):
    """No connection was made, so what was asked has not happened."""


class ReadingFailed(ToolkitError):
    """Foreign bytes broke their reader, or took too long or too much memory."""


class NoReaderFree(ReadingFailed):
    """Nothing is said of the bytes: trying again later may well work."""


class UnreadableFile(ToolkitError):
    """There is nothing in a file that can be had; `fault` names why."""

    SENTENCES: ClassVar = {
        "broken": "It is damaged or incomplete and cannot be read.",
        "busy": "Too much else is being read now; try it again later.",
        "empty": "It is empty.",
        "encrypted": "It is protected by a password. A copy without one can be read.",
        "heic": "It is a HEIC or AVIF picture, which cannot be shown. JPEG or PNG can.",
        "no_text": "It holds no text; its pages may be pictures, such as scans.",
        "old_office": "It is of an old Office format. A copy as .docx or .xlsx can be read.",
        "too_big": "It is too big or too intricate to be read here.",
        "unknown": "It is of a kind that cannot be read.",
    }

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault = fault

    def __str__(self) -> str:
        return self.SENTENCES[self.fault]


class CitationError(ToolkitError):
    """A report cites a source that was not retrieved, or cites nothing."""


class RemoteError(ToolkitError):
    """Composio, its workbench or its storage did not do what was asked; never holds the key."""


class RemoteRefused(RemoteError):
    """Composio answered that the tool failed or may not run; asking in another way may work."""
