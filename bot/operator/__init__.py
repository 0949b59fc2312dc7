"""Operator's commands: `bot check`, `bot audit` and `bot mcp`, and what several of them use.

`check` tries each thing that the bot depends on (`machine` and `services` hold the checks); `audit`
and `servers` ask the settings and the database through `agent_core.operator`.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import typer
from sqlalchemy.exc import SQLAlchemyError

from agent_core.errors import AgentError
from agent_core.settings import CoreSettings, read_settings

State = Literal["fine", "warning", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """How one thing was found to be."""

    state: State
    text: str
    """For the operator: what it is, or what is wrong and what to do, mostly in one line."""
    quote: str = ""
    """What a service said in its own words. Only this is cut."""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing to try."""

    title: str
    look: Callable[[], Awaitable[Finding]]
    needs: tuple[str, ...] = ()
    """Settings that it uses: it is not tried while one of them is wrong."""


fine = partial(Finding, "fine")
"""Nothing to do."""
warning = partial(Finding, "warning")
"""The bot works, with less than it could have."""
wrong = partial(Finding, "wrong")
"""The bot does not work as it should."""


def as_sentence(error: Exception) -> str:
    """What an error says, with a full stop, so that another sentence may follow."""
    return f"{str(error).rstrip('. ')}."


def with_settings(work: Callable[[CoreSettings], Coroutine[Any, Any, int]]) -> int:
    """Run a command. Returns its exit code, 1 where it fails, 2 for settings that are wrong."""
    logging.getLogger().addHandler(logging.NullHandler())  # what fails is said in one sentence
    try:
        settings, faults = read_settings(CoreSettings)
        if faults:
            return refuse(2, *faults.values())
        return asyncio.run(work(settings))
    except AgentError as error:
        return refuse(1, str(error), *getattr(error, "__notes__", ()))
    except OSError as error:
        return refuse(1, f"{error.filename} cannot be used: {error.strerror}.")
    except SQLAlchemyError as error:
        return refuse(1, f"The database cannot be used: {type(error).__name__}.")


def refuse(code: int, *lines: str) -> int:
    """Print why a command ends; returns its exit code."""
    for line in lines:
        typer.echo(line, err=True)
    return code
