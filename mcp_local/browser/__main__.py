"""Tells as JSON which browser would render pages: `python -m mcp_local.browser`."""

import asyncio
import json
import sys

from mcp_local.browser import examine
from mcp_local.settings import Settings

if __name__ == "__main__":
    sys.stdout.write(json.dumps(asyncio.run(examine(Settings()))) + "\n")
