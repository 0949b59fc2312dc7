"""`python -m bot` and the console script `bot`."""

from bot.cli import app


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
