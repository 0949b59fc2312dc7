"""What is tried, what it comes to, and how all of it is run: at once, reported in order."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from agent_core.errors import AgentError

State = Literal["fine", "warning", "wrong"]

LIMIT_S = 15.0
"""For each check, whatever it waits for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How one thing was found to be."""

    state: State
    text: str
    """One sentence for the operator: what it is, or what is wrong and what to do."""
    more: tuple[str, ...] = ()
    """Further sentences, each on a line of its own."""
    quote: str = ""
    """What a service said in its own words. Only this is cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing to try."""

    title: str
    look: Callable[[], Awaitable[Verdict]]
    needs: tuple[str, ...] = ()
    """Settings that it uses: it is not tried while one of them is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A verdict under the title of its check."""

    title: str
    state: State
    text: str
    more: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The title as scripts read it."""
        return self.title.lower().replace(" ", "_")


def fine(text: str) -> Verdict:
    """Nothing to do."""
    return Verdict(state="fine", text=text)


def warning(text: str, quote: str = "") -> Verdict:
    """The bot works, with less than it could have."""
    return Verdict(state="warning", text=text, quote=quote)


def wrong(text: str, quote: str = "") -> Verdict:
    """The bot does not work as it should."""
    return Verdict(state="wrong", text=text, quote=quote)


def as_sentence(error: Exception) -> str:
    """What an error says, with a full stop, so that another sentence may follow."""
    return f"{str(error).rstrip('. ')}."


logger = logging.getLogger(__name__)

MAX_QUOTE_CHARS = 120


async def run_checks(
    checks: Sequence[Check],
    *,
    faulty: Collection[str],
    secrets: Collection[str],
    report: Callable[[Finding], None],
    limit_s: float = LIMIT_S,
) -> list[Finding]:
    """Run all of them; each is reported when it and those before it are done.

    Args:
        checks: In the order of the report.
        faulty: Names of settings that are wrong.
        secrets: Texts that must not be shown, whoever repeats them.
        report: Told each finding.
        limit_s: What one check may take.
    """
    findings: list[Finding] = []
    async with asyncio.TaskGroup() as group:
        looks = [group.create_task(_look(check, faulty, limit_s)) for check in checks]
        for check, look in zip(checks, looks, strict=True):
            verdict = await look
            findings.append(_tell(check.title, verdict, secrets))
            report(findings[-1])
    return findings


async def _look(check: Check, faulty: Collection[str], limit_s: float) -> Verdict:
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


def _tell(title: str, verdict: Verdict, secrets: Collection[str]) -> Finding:
    text = tidy(verdict.text, secrets)
    if quote := tidy(verdict.quote, secrets).rstrip("."):
        text = f"{text} It said: “{_cut(quote)}”."
    more = tuple(tidy(line, secrets) for line in verdict.more)
    return Finding(title=title, state=verdict.state, text=text, more=more)


def _cut(quote: str) -> str:
    return quote if len(quote) <= MAX_QUOTE_CHARS else quote[: MAX_QUOTE_CHARS - 1] + "…"


def tidy(text: str, secrets: Collection[str]) -> str:
    """One line without secrets."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, "…")
    return " ".join(text.split())
