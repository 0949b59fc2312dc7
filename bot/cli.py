"""The command line. Heavy libraries are imported by the commands that need them."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Universal Agent for Slack: mention it, and the thread gets a researched, cited report.",
)


@app.command()
def start() -> None:
    """Run the bot in the Slack workspace of the configured tokens."""
    from bot.start import run_bot

    raise typer.Exit(run_bot())


@app.command()
def check(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object in place of lines.")
    ] = False,
) -> None:
    """Try everything the bot depends on, and say what to do about what is wrong.

    The exit code is 0 when nothing is wrong (warnings are not), else 1.
    """
    from bot.check.command import check_installation

    raise typer.Exit(check_installation(as_json=as_json))


@app.command()
def sandbox(
    ask: Annotated[
        list[str] | None,
        typer.Option(
            help="Mention the bot with this text; each further one replies in the thread."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Save the files that the bot uploads into this directory.")
    ] = None,
    web: Annotated[
        Path | None,
        typer.Option(help="Serve this folder of .html and .html.gz pages in place of our own."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object about what happened.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="Serve the page at this port (8899 without it) and stay up after the asks.",
        ),
    ] = None,
    first_token_s: Annotated[
        float | None,
        typer.Option(
            help="How long the stand-in model thinks before its first word; "
            "a little by default, not at all with asks."
        ),
    ] = None,
    tokens_per_s: Annotated[
        float | None,
        typer.Option(
            help="How fast the stand-in model writes, 0 being as fast as it can; "
            "unhurried by default, as fast as it can with asks."
        ),
    ] = None,
    kill_at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EVENT[,EVENT…]",
            help="With asks: kill the bot when it announces such an event (tool_call_started), "
            "start it again, kill it at the next one, and so on.",
        ),
    ] = None,
) -> None:
    """Try the bot without Slack, keys or the internet: all of it runs on this machine."""
    from bot.sandbox.command import SandboxOptions, run_sandbox
    from bot.sandbox.kills import UnknownEventError, read_events

    try:
        kinds = read_events(kill_at or ())
    except UnknownEventError as error:
        raise typer.BadParameter(str(error), param_hint="--kill-at") from error
    if kinds and not ask:
        raise typer.BadParameter("It needs an --ask to be answered.", param_hint="--kill-at")
    options = SandboxOptions(
        asks=tuple(ask or ()),
        out=out,
        web=web,
        as_json=as_json,
        port=port,
        first_token_s=first_token_s,
        tokens_per_s=tokens_per_s,
        kill_at=kinds,
    )
    raise typer.Exit(run_sandbox(options))
