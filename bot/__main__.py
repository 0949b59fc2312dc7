"""`python -m bot` and the console script `bot`."""

import os

# Pydantic would load Logfire, for instrumentation that is not used: 0.4 s and 17 MB.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # noqa: TID251  nothing is read

from bot.cli import app


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
