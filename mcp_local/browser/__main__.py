"""Tells as JSON which browser would render pages: `python -m mcp_local.browser`."""

import asyncio
import json
import sys
from pathlib import Path

from mcp_local.browser import Browsers, find_chromium
from mcp_local.errors import FetchFailed
from mcp_local.settings import Settings


async def main() -> None:
    """`path`, `sandboxed`, and `problem` where it does not start."""
    browsers, problem = Browsers(Settings()), ""
    try:
        await browsers.render("", session=Path())
    except FetchFailed as failed:
        problem = str(failed)
    answer = {"path": find_chromium(Settings().crawl_browser), "problem": problem}
    sys.stdout.write(json.dumps({**answer, "sandboxed": browsers.is_sandboxed}) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
