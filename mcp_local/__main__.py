"""Starts the toolkit on standard input and output: `python -m mcp_local`."""

import logging
import os
import sys

# Pydantic would load Logfire, for instrumentation that is not used: 0.4 s and 17 MB.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # noqa: TID251  nothing is read


def main() -> None:
    """Serve until the client closes its end."""
    # Imported here: the workers that read pages run this file as well, and serve nothing.
    from mcp_local.server import build_server
    from mcp_local.settings import Settings

    # Before MCPServer sets up its own handler: standard output belongs to the protocol.
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(name)s: %(message)s")
    try:
        server = build_server(Settings())
    except ValueError as error:
        sys.exit(f"mcp_local: {error}")
    server.run()


if __name__ == "__main__":
    main()
