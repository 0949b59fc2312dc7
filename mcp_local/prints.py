"""Print queue of reports: the PDF of each, and a picture of its first page, made in the background.

Nobody waits for them but whoever asks for the files: an answer is not kept back by its PDF.
"""

import asyncio
import logging
import re
from io import BytesIO
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import Any

from mcp_local.browser import Browsers
from mcp_local.errors import ToolkitError
from mcp_local.workspace import Workspace

PREVIEW_WIDTH = 1_000
"""Of the picture of a report's first page, in pixels."""

AUTHOR = "Universal Agent"
_HEAD = (
    r'<!doctype html>\n<html lang="[\w-]+" dir="\w+">\n<head>\n<meta charset="utf-8">\n'
    r'<meta http-equiv="Content-Security-Policy" content="'
)
_TRAILER = re.compile(
    rb"trailer\n<<(?P<names>[^<>]*/Info (?P<info>\d+) 0 R[^<>]*)>>\n"
    rb"startxref\n(?P<start>\d+)\n%%EOF\s*\Z"
)
_DRAWING = Lock()
"""PDFium draws one page at a time."""

_log = logging.getLogger(__name__)


class Prints:
    """Prints each report once; a print that a dead process began is made again when asked for."""

    def __init__(self, browsers: Browsers) -> None:
        self._browsers = browsers
        self._jobs: dict[Path, asyncio.Task[None]] = {}

    def begin(self, workspace: Workspace, path: str) -> asyncio.Task[None]:
        """Print the report at `path`, unless that is under way."""
        key = workspace.root / path
        if key not in self._jobs:
            self._jobs[key] = asyncio.create_task(self._print(workspace, path))
            self._jobs[key].add_done_callback(lambda _: self._jobs.pop(key))
        return self._jobs[key]

    async def files(self, workspace: Workspace, path: str) -> dict[str, str]:
        """What is printed of a report, by kind; `path` is its page's, or its PDF's.

        It is printed first if need be; there is none where it cannot be printed.
        """
        if not path.endswith((".html", ".pdf")):
            return {}
        files = {"application/pdf": _beside(path, ".pdf"), "image/png": _beside(path, ".png")}
        if not workspace.exists(files["application/pdf"]):
            await asyncio.shield(self.begin(workspace, _beside(path, ".html")))
        return {kind: file for kind, file in files.items() if workspace.exists(file)}

    async def settle(self, workspace: Workspace) -> None:
        """Wait for what is being printed in a session, for whoever looks for it."""
        jobs = [job for key, job in self._jobs.items() if key.is_relative_to(workspace.root)]
        if jobs:
            await asyncio.wait(jobs)

    async def _print(self, workspace: Workspace, path: str) -> None:
        try:
            page = await asyncio.to_thread(workspace.read_bytes, path)
            _check_page(page)
            pdf = with_author(await self._browsers.print(page, session=workspace.root))
            picture = await asyncio.to_thread(_first_page, pdf)
            for ending, content in ((".png", picture), (".pdf", pdf)):
                name = _beside(path, ending)
                await asyncio.to_thread(workspace.write_bytes, name, content)
        except (ToolkitError, OSError, ValueError) as error:
            _log.info("the report has no PDF: %s", error)


def _beside(path: str, ending: str) -> str:
    return str(PurePosixPath(path).with_suffix(ending))


def _check_page(page: bytes) -> None:
    """Raises ValueError for a page that does not begin as ours do, with their policy.

    A browser shows a page of the disk whatever lies there, unless a policy forbids it.
    """
    from mcp_local.report.compose import CONTENT_SECURITY_POLICY

    head = f'{_HEAD}{re.escape(CONTENT_SECURITY_POLICY)}">'
    if not re.match(head, page.decode(errors="replace")):
        raise ValueError("it is no report")


def with_author(pdf: bytes) -> bytes:
    """The PDF with its author, which Chromium leaves out, as an update at its end."""
    trailer = _TRAILER.search(pdf)
    number = int(trailer["info"]) if trailer else 0
    about = re.search(rb"\b%d 0 obj\n<<(.*?)>>\nendobj" % number, pdf, re.DOTALL)
    if trailer is None or about is None:
        return pdf
    update = b"%d 0 obj\n<</Author (%s)\n%s>>\nendobj\n" % (number, AUTHOR.encode(), about[1])
    table = b"xref\n%d 1\n%010d 00000 n \n" % (number, len(pdf))
    end = b"trailer\n<<%s\n/Prev %s>>\nstartxref\n%d\n%%%%EOF\n"
    return b"".join(
        [pdf, update, table, end % (trailer["names"], trailer["start"], len(pdf) + len(update))]
    )


def _first_page(pdf: bytes) -> bytes:
    """A picture of a PDF's first page."""
    from pypdfium2 import PdfDocument, PdfiumError  # 10 MB, for the first report

    with _DRAWING:
        try:
            page: Any = PdfDocument(pdf)[0]
            drawn = page.render(scale=PREVIEW_WIDTH / page.get_width()).to_pil()
        except PdfiumError as error:
            raise ValueError(str(error)) from error
    picture = BytesIO()
    drawn.save(picture, "PNG", optimize=True)
    return picture.getvalue()
