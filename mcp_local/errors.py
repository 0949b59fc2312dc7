"""Every way the toolkit can refuse or fail, each with a plain sentence for the model.

ToolkitError
├── NoSession        it is not clear which session the call is for
├── PathDenied       a path leads out of the session, or names a file the system owns
├── FetchError
│   ├── FetchDenied  our rules forbid opening this address
│   └── FetchFailed  the page could not be had
│       └── NeedsBrowser  its text is made by its scripts
├── ReadingFailed    what was fetched or uploaded could not be read within its limits
├── CitationError    a report cites what was not retrieved
└── RemoteError      Composio or its workbench did not do what was asked
    └── RemoteRefused  the answer came, and it was no
"""


class ToolkitError(Exception):
    """The root: its text is shown to the model as it stands."""


class NoSession(ToolkitError):
    """The call names no session directory, or one outside the workspaces."""


class PathDenied(ToolkitError):
    """A path that may not be read or written."""


class FetchError(ToolkitError):
    """A page was not brought; the text is the reason in a few plain words."""


class FetchDenied(FetchError):
    """Our own rules forbid opening this address."""


class FetchFailed(FetchError):
    """The page could not be had."""

    def __init__(self, reason: str, *, permanent: bool = False) -> None:
        super().__init__(reason)
        self.permanent = permanent
        """Trying again is pointless: the blacklist counts this failure."""


class NeedsBrowser(FetchFailed):
    """The page came without its text, which its scripts would make."""


class ReadingFailed(ToolkitError):
    """Foreign bytes broke their reader, or took too long or too much memory."""


class CitationError(ToolkitError):
    """A report cites a source that was not retrieved, or cites nothing."""


class RemoteError(ToolkitError):
    """Composio, its workbench or its storage did not do what was asked; never holds the key."""


class RemoteRefused(RemoteError):
    """Composio answered that the tool failed or may not run; asking in another way may work."""
