"""The command line. Heavy libraries are imported by the commands that need them."""

import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"max_content_width": 120},
    help="Universal Agent for Slack: mention it, and the thread gets a researched, cited report.",
)

mcp = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="The MCP servers whose tools the agents may use.",
)
app.add_typer(mcp, name="mcp")

blacklist = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Pages and sites that are skipped for a while.",
)
app.add_typer(blacklist, name="blacklist")

config = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="What is set for teams, channels and threads.",
)
app.add_typer(config, name="config")


@app.command()
def start() -> None:
    """Run the bot in the Slack workspace of the configured tokens."""
    gc.disable()  # nothing of what is loaded is garbage, and looking for it takes long
    from bot.start import run_bot

    gc.freeze()
    gc.set_threshold(20_000, 20, 10)  # at 700, a tenth of all work is to look for garbage
    gc.enable()
    sys.setswitchinterval(0.0005)  # what Slack waits for is not to wait for work in threads
    raise typer.Exit(run_bot())


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object in place of lines.")]


@app.command()
def check(as_json: AsJson = False) -> None:
    """Try everything the bot depends on, and say what to do about what is wrong.

    The exit code is 0 when nothing is wrong (warnings are not), else 1.
    """
    from bot.operator.check import check_installation

    raise typer.Exit(check_installation(as_json=as_json))


@app.command()
def audit(
    what: Annotated[
        Literal["", "verify", "export"],
        typer.Argument(metavar="[verify|export]", help="Prove the records, or print all of them."),
    ] = "",
    since: Annotated[
        str,
        typer.Option(
            metavar="WHEN",
            help="How far back: 90m, 12h, 7d, 4w, a date such as 2026-11-01, or all.",
        ),
    ] = "7d",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a line of JSON for each call in place of a table.")
    ] = False,
    head: Annotated[
        str, typer.Option(metavar="HASH", help="With verify: the chain's head of an earlier day.")
    ] = "",
) -> None:
    """Say which calls with an effect the agents made: for whom, who approved, how they ended.

    `verify` finds a record that was changed, removed or moved, and prints the head of the chain;
    kept elsewhere, the head shows later what was cut off or rewritten. `export` prints records of
    all kinds as JSON, without their contents, and the head last.
    """
    from bot.operator.audit import show_audit

    raise typer.Exit(show_audit(since, what, head, as_json=as_json))


@app.command()
def why(link: str) -> None:
    """Say what became of a post: answered, waiting, not for the bot, not allowed, never seen.

    The link is the one that “Copy link” in the post's menu gives.
    """
    from bot.operator.why import why

    raise typer.Exit(why(link))


@app.command()
def backup(
    target: Annotated[Path, typer.Argument(metavar="DIR|FILE", help="Where the archive goes.")],
) -> None:
    """Copy the databases and workspaces into one archive, also while the bot runs."""
    from bot.operator.keeping import make_backup

    raise typer.Exit(make_backup(target))


@app.command()
def restore(
    archive: Annotated[Path, typer.Argument(metavar="FILE", help="As `bot backup` made it.")],
) -> None:
    """Put a backup back, where there is no database yet; open work goes on with the next start."""
    from bot.operator.keeping import restore_backup

    raise typer.Exit(restore_backup(archive))


@app.command()
def hold(
    channel: Annotated[str, typer.Argument(help="Its id; all holds are listed without it.")] = "",
    ends: Annotated[bool, typer.Option("--end", help="End the hold.")] = False,
) -> None:
    """Put a channel under legal hold: nothing is deleted there, by age or for a person."""
    from bot.operator.keeping import hold

    raise typer.Exit(hold(channel, ends=ends))


@app.command()
def erase(
    person: Annotated[str, typer.Option(metavar="USER", help="The person's id, such as U0123.")],
    is_sure: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete what the bot keeps of a person, for good."""
    from bot.operator.keeping import erase

    raise typer.Exit(erase(person, is_sure=is_sure))


@app.command()
def manifest() -> None:
    """Print the manifest from which the Slack app is created."""
    from bot.manifest import manifest_text

    typer.echo(manifest_text(), nl=False)


@mcp.command("list")
def list_servers() -> None:
    """Say which servers there are, and why some are off. Nothing is started."""
    from bot.operator.servers import list_servers

    raise typer.Exit(list_servers())


@mcp.command("test")
def try_server(name: Annotated[str, typer.Argument(help="As `bot mcp list` has it.")]) -> None:
    """Start a server, list its tools with the digests of their definitions, and end it.

    A definition that has changed is off from then on, until it is accepted. The exit code is 1
    when the server does not work.
    """
    from bot.operator.servers import try_out

    raise typer.Exit(try_out(name))


@mcp.command("accept")
def accept(
    server: Annotated[str, typer.Argument(help="As `bot mcp list` has it.")],
    tool: Annotated[
        str | None, typer.Argument(help="One of its tools; all that wait without it.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Only show what changed; accept nothing.")
    ] = False,
) -> None:
    """Show how definitions of tools changed, and accept them as they are now."""
    from bot.operator.servers import accept_definitions

    raise typer.Exit(accept_definitions(server, tool, only_show=show))


@config.command("effective")
def effective(
    channel: Annotated[
        str,
        typer.Argument(
            help="A channel's id; also a thread (C0123ABCD:1700000000.000100) or a team."
        ),
    ],
) -> None:
    """Say for each setting what holds there and from where; the file wins over what people set."""
    from bot.operator.config import show_effective

    raise typer.Exit(show_effective(channel))


@blacklist.command("list")
def list_blacklist() -> None:
    """Say which pages and sites failed for good in the last days, and which are skipped."""
    from bot.operator.blacklist import list_entries

    raise typer.Exit(list_entries())


@blacklist.command("clear")
def clear_blacklist(
    name: Annotated[str, typer.Argument(help="A site or a page; all of them without it.")] = "",
) -> None:
    """Have pages and sites tried again."""
    from bot.operator.blacklist import clear

    raise typer.Exit(clear(name))


@app.command()
def sandbox(
    ask: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="Mention the bot with this text; each further one replies in the thread.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Save the files that the bot uploads into this directory."
        ),
    ] = None,
    web: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Serve this folder of .html and .html.gz pages in place of our own."
        ),
    ] = None,
    as_json: AsJson = False,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="PORT",
            min=0,
            max=65535,
            help="Serve the page at this port (8899 without it) and stay up after the asks.",
        ),
    ] = None,
    first_token_s: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="How long the stand-in model thinks before its first word; "
            "a little by default, not at all with asks.",
        ),
    ] = None,
    tokens_per_s: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="How fast the stand-in model writes, 0 being as fast as it can; "
            "unhurried by default, as fast as it can with asks.",
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
    click: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[,NAME…]",
            help="Press the button with this label, or whose action id ends so: while an ask waits "
            "for it, or after the asks. `connect` opens the private link and agrees there. Several "
            "are pressed one after another.",
        ),
    ] = None,
    clock: Annotated[
        str | None,
        typer.Option(
            metavar="TIME [ZONE]",
            help="What time it is when the sandbox begins, such as "
            "'2026-03-27T08:59:50 Europe/Berlin'; the asker lives in that zone (UTC without one).",
        ),
    ] = None,
    attach: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            readable=True,
            help="Attach this file to the first ask; may be given several times.",
        ),
    ] = None,
    until_posts: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=1,
            help="After the asks and clicks: wait until the bot has begun so many threads by "
            "itself. Time jumps to the next digest whenever the bot has nothing to do.",
        ),
    ] = None,
) -> None:
    """Try the bot without Slack, keys or the internet: all of it runs on this machine."""
    from bot.sandbox.command import run_sandbox
    from bot.sandbox.moments import read_moment
    from bot.sandbox.world import SandboxOptions

    kinds = _read_kinds(kill_at) if kill_at else ()
    try:
        moment = read_moment(clock) if clock is not None else None
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--clock") from error
    answered = {"kill-at": kinds, "click": click, "attach": attach, "until-posts": until_posts}
    for name, given in answered.items():
        if given and not ask:
            raise typer.BadParameter("It needs an --ask to be answered.", param_hint=f"--{name}")
    options = SandboxOptions(
        asks=tuple(ask or ()),
        out=out,
        web=web,
        as_json=as_json,
        port=port,
        first_token_s=first_token_s,
        tokens_per_s=tokens_per_s,
        kill_at=kinds,
        clicks=tuple(_names_in(click or ())),
        moment=moment,
        attached=tuple(attach or ()),
        until_posts=until_posts or 0,
    )
    raise typer.Exit(run_sandbox(options))


@app.command("eval")
def evaluate(
    suite: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="manners, orders, routing, plan, report or steer; all without it."
        ),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", file_okay=False, help="Keep the model's replies below this directory."
        ),
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="Ask no model: play what was recorded below this directory.",
        ),
    ] = None,
    scenarios: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="Scenarios of your own: a directory of <suite>.toml.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play scenarios with the configured model in the sandbox's world, and say which were met.

    The exit code is 1 where a scenario failed, or nothing could be measured for want of a key.
    """
    from bot.evals.command import run_evals

    if record is not None and replay is not None:
        raise typer.BadParameter("It asks a model or none: --record or --replay.")
    code = run_evals(
        suite or (), record=record, replay=replay, directory=scenarios, as_json=as_json
    )
    raise typer.Exit(code)


def _read_kinds(kill_at: Sequence[str]) -> tuple[str, ...]:
    """The kinds of events; what there are is only imported when it is asked for."""
    from bot.sandbox.child import check_events

    kinds = tuple(_names_in(kill_at))
    try:
        check_events(kinds)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--kill-at") from error
    return kinds


def _names_in(texts: Sequence[str]) -> list[str]:
    """The names of an option that may be repeated or hold several: `connect,approve`."""
    names = [name.strip() for text in texts for name in text.split(",")]
    return [name for name in names if name]
