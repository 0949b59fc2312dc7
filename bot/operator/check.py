"""Has everything checked at once, and prints a line for each in order, or one JSON object."""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import typer

from agent_core.errors import AgentError, SettingsError
from agent_core.runtime import unpriced_models
from agent_core.scoped_settings import read_settings_file
from bot.operator import Check, Finding, State, fine, warning, wrong
from bot.operator.machine import machine_checks
from bot.operator.services import service_checks, slack_checks
from bot.settings import Configuration, read_configuration

LIMIT_S = 30.0
"""For each check, whatever it waits for."""

MAX_QUOTE_CHARS = 120
_COLOURS: dict[State, str] = {"fine": "green", "warning": "yellow", "wrong": "red"}
_SETTINGS = "Settings"
_INDENT = " " * 11

logger = logging.getLogger(__name__)


def check_installation(*, as_json: bool = False) -> int:
    """Print what was found. Returns the exit code: 0 when nothing is wrong, else 1."""
    logging.getLogger().addHandler(logging.NullHandler())  # what libraries log is in the findings
    report = _keep_quiet if as_json else _print_lines
    try:
        findings = asyncio.run(_check(read_configuration(), report))
    except SettingsError as error:
        finding = replace(wrong(str(error)), title=_SETTINGS)
        report(finding)
        findings = [finding]
    is_well = all(finding.state != "wrong" for finding in findings)
    if as_json:
        checks = list(map(_as_object, findings))
        record = {"ok": is_well, "checks": checks}
        typer.echo(json.dumps(record, ensure_ascii=False, indent=2))
    else:
        typer.echo(_sum_up(findings))
    return 0 if is_well else 1


def _keep_quiet(_: Finding) -> None:
    """With JSON, nothing is printed before all checks have ended."""


async def _check(configuration: Configuration, report: Callable[[Finding], None]) -> list[Finding]:
    return await run_checks(
        all_checks(configuration),
        faulty=configuration.faults,
        secrets=configuration.secrets,
        report=report,
    )


def all_checks(configuration: Configuration) -> list[Check]:
    """Every check, in the order of the report."""
    return [
        Check(title=_SETTINGS, look=lambda: judge_settings(configuration)),
        *slack_checks(configuration.bot),
        *service_checks(configuration.core),
        *machine_checks(configuration.core, configuration.bot),
    ]


async def judge_settings(configuration: Configuration) -> Finding:
    """What is wrong with settings as such, all of it; whether they work is for the others."""
    faults = list(configuration.faults.values())
    if missing := configuration.missing:
        faults.append(f"Not set, but needed: {', '.join(missing)}.")
    if len(faults) > 1:
        faults.insert(0, f"{len(faults)} faults, each on a line below.")
    if faults:
        return wrong("\n".join(faults))
    read_settings_file(configuration.core.channel_settings_file)
    if shut := configuration.shut:
        return warning(f"{' and '.join(shut)} let nobody in; leave out what need not be limited.")
    if models := unpriced_models(configuration.core):
        return warning(
            f"no cap counts calls of {' and '.join(models)}, whose price is not known; name it in "
            "PRICES_FILE."
        )
    return fine("all that is needed is set, and nothing is malformed.")


async def run_checks(
    checks: Sequence[Check],
    *,
    faulty: Collection[str],
    secrets: Collection[str],
    report: Callable[[Finding], None],
    limit_s: float = LIMIT_S,
) -> list[Finding]:
    """Run all of them; each is reported when it and those before it are done.

    `faulty` are the names of settings that are wrong, `secrets` texts that must not be shown,
    whoever repeats them; one check may take `limit_s`.
    """
    findings: list[Finding] = []
    async with asyncio.TaskGroup() as group:
        looks = [group.create_task(_look(check, faulty, limit_s)) for check in checks]
        for check, look in zip(checks, looks, strict=True):
            finding = _without_secrets(await look, secrets)
            finding = replace(finding, title=check.title)
            findings.append(finding)
            report(finding)
    return findings


async def _look(check: Check, faulty: Collection[str], limit_s: float) -> Finding:
    if unusable := [name for name in check.needs if name in faulty]:
        return wrong(f"not tried, because {' and '.join(unusable)} must be put right first.")
    try:
        async with asyncio.timeout(limit_s):
            return await check.look()
    except TimeoutError:
        return wrong(
            f"no answer within {limit_s:g} seconds; see that nothing on the way blocks it, and try "
            "again."
        )
    except AgentError as error:
        return wrong(str(error))
    except Exception as error:
        logger.debug("the check of %s broke", check.title, exc_info=True)
        return wrong(f"the check itself failed ({type(error).__name__}); please report it.")


def _without_secrets(finding: Finding, secrets: Collection[str]) -> Finding:
    """The finding without secrets, its quote at the end of its text."""
    text = finding.text
    quote = finding.quote
    for secret in sorted(secrets, key=len, reverse=True):
        if secret:
            text = text.replace(secret, "…")
            quote = quote.replace(secret, "…")
    quote = " ".join(quote.split()).rstrip(".")
    if len(quote) > MAX_QUOTE_CHARS:
        quote = quote[: MAX_QUOTE_CHARS - 1] + "…"
    if quote:
        text = f"{text} It said: “{quote}”."
    return replace(finding, text=text, quote="")


def _print_lines(finding: Finding) -> None:
    state = typer.style(f"{finding.state:<8}", fg=_COLOURS[finding.state], bold=True)
    typer.echo(f"{state} {finding.title}: {finding.text}".replace("\n", f"\n{_INDENT}"))


def _sum_up(findings: Sequence[Finding]) -> str:
    states = Counter(finding.state for finding in findings)
    faults = states["wrong"]
    if faults:
        return f"{faults} of {len(findings)} are wrong; the bot will not work until they are right."
    if states["warning"]:
        return f"Nothing is wrong ({states['warning']} warnings)."
    return "Everything is fine."


def _as_object(finding: Finding) -> dict[str, str]:
    name = finding.title.lower().replace(" ", "_")
    return {"name": name, "state": finding.state, "text": finding.text.replace("\n", " ")}
