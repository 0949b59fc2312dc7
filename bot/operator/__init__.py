"""Operator's commands: `bot check`, `bot audit` and `bot mcp`.

`check` tries each thing that the bot depends on (`machine`, `services` and `slack` hold the
checks); `audit` and `servers` ask the settings and the database through `agent_core.operator`.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

import typer
from sqlalchemy.exc import SQLAlchemyError

from agent_core.errors import AgentError
from agent_core.settings import CoreSettings, read_settings


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
    except SQLAlchemyError as error:
        return refuse(1, f"The database cannot be used: {type(error).__name__}.")


def refuse(code: int, *lines: str) -> int:
    """Print why a command ends; returns its exit code."""
    for line in lines:
        typer.echo(line, err=True)
    return code
