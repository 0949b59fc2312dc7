"""Tells as JSON which browser would render and print pages: `python -m mcp_local.browser`."""

import asyncio
import json
import sys
from pathlib import Path

from mcp_local.browser import Browsers, find_chromium
from mcp_local.errors import FetchFailed
from mcp_local.settings import Settings

_PAGE = b"<!doctype html><title>A page</title><p>It can be printed."


async def main() -> None:
    """`path`, `sandboxed`, `problem` where it does not start, and whether it `prints`."""
    browsers = Browsers(Settings())
    problem = ""
    prints = True
    try:
        await browsers.print(_PAGE, session=Path())
    except FetchFailed:
        prints = False
    try:
        await browsers.render("", session=Path())
    except FetchFailed as failed:
        problem = str(failed)
    answer = {
        "path": find_chromium(Settings().crawl_browser),
        "problem": problem,
        "prints": prints,
        "sandboxed": browsers.is_sandboxed,
    }
    sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
