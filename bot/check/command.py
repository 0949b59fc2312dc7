"""Reads the settings, has everything checked, and prints a line for each, or one JSON object."""

import asyncio
import json
import logging
from collections.abc import Callable, Sequence

import typer

from agent_core.errors import SettingsError
from agent_core.runtime.operate import load_libraries
from bot.check.checks import Check, Finding, State, Verdict, fine, run_checks, warning, wrong
from bot.check.machine import machine_checks
from bot.check.services import service_checks
from bot.check.slack import slack_checks
from bot.settings import Configuration, read_configuration

_COLOURS: dict[State, str] = {"fine": "green", "warning": "yellow", "wrong": "red"}
_SETTINGS = "Settings"
_INDENT = " " * 11


def check_installation(*, as_json: bool = False) -> int:
    """Print what was found. Returns the exit code: 0 when nothing is wrong, else 1."""
    logging.getLogger().addHandler(logging.NullHandler())  # what libraries log is in the findings
    report = _say_nothing if as_json else _print_line
    try:
        configuration = read_configuration()
    except SettingsError as error:
        findings = [Finding(title=_SETTINGS, state="wrong", text=str(error))]
        report(findings[0])
    else:
        findings = asyncio.run(_check(configuration, report))
    if as_json:
        typer.echo(json.dumps(_as_object(findings), ensure_ascii=False, indent=2))
    else:
        typer.echo(_sum_up(findings))
    return 0 if _is_well(findings) else 1


async def _check(configuration: Configuration, report: Callable[[Finding], None]) -> list[Finding]:
    await load_libraries()
    return await run_checks(
        all_checks(configuration),
        faulty=configuration.faults,
        secrets=configuration.secrets,
        report=report,
    )


def all_checks(configuration: Configuration) -> list[Check]:
    """Every check, in the order of the report."""

    async def look_at_settings() -> Verdict:
        return judge_settings(configuration)

    return [
        Check(title=_SETTINGS, look=look_at_settings),
        *slack_checks(configuration.bot),
        *service_checks(configuration.core),
        *machine_checks(configuration.core),
    ]


def judge_settings(configuration: Configuration) -> Verdict:
    """What is wrong with settings as such, all of it; whether they work is for the others."""
    faults = list(configuration.faults.values())
    if missing := configuration.missing:
        faults.append(f"Not set, but needed: {', '.join(missing)}.")
    if len(faults) > 1:
        text = f"{len(faults)} faults, each on a line below."
        return Verdict(state="wrong", text=text, more=tuple(faults))
    if faults:
        return wrong(faults[0])
    if shut := configuration.shut:
        return warning(f"{' and '.join(shut)} let nobody in; leave out what need not be limited.")
    return fine("all that is needed is set, and nothing is malformed.")


def _print_line(finding: Finding) -> None:
    state = typer.style(f"{finding.state:<8}", fg=_COLOURS[finding.state], bold=True)
    typer.echo(f"{state} {finding.title}: {finding.text}")
    for line in finding.more:
        typer.echo(f"{_INDENT}{line}")


def _say_nothing(finding: Finding) -> None:
    del finding


def _sum_up(findings: Sequence[Finding]) -> str:
    faults = sum(finding.state == "wrong" for finding in findings)
    warnings = sum(finding.state == "warning" for finding in findings)
    if faults:
        return f"{faults} of {len(findings)} are wrong; the bot will not work until they are right."
    return f"Nothing is wrong ({warnings} warnings)." if warnings else "Everything is fine."


def _as_object(findings: Sequence[Finding]) -> dict[str, object]:
    return {
        "ok": _is_well(findings),
        "checks": [
            {
                "name": finding.name,
                "state": finding.state,
                "text": " ".join((finding.text, *finding.more)),
            }
            for finding in findings
        ],
    }


def _is_well(findings: Sequence[Finding]) -> bool:
    return all(finding.state != "wrong" for finding in findings)
