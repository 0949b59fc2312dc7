"""The command line as a person meets it."""

import shlex
import subprocess

import pytest
from typer.testing import CliRunner

from bot.cli import app
from bot.sandbox.child import KINDS

CliResult = subprocess.CompletedProcess[str]


def helped(*arguments: str) -> str:
    """What `--help` prints, on a terminal wide enough to break no option's name."""
    result = CliRunner().invoke(app, [*arguments, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.proves("command.names")
def test_help_names_the_commands() -> None:
    text = " ".join(helped().split())
    assert "start" in text
    assert "check" in text
    assert "sandbox" in text
    assert "cited report" in text


def test_without_a_command_there_is_help_and_no_success() -> None:
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 2
    assert "Usage" in result.output


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("fly", "fly"),
        ("start --fast", "--fast"),
        ("check --all", "--all"),
        ("sandbox --ask", "--ask"),
        ("sandbox --first-token-s quick", "--first-token-s"),
        ("sandbox --port 70000", "65535"),
        ("sandbox --until-posts 3", "--until-posts"),
        ("sandbox --click confirm", "--click"),
        ("sandbox --click confirm --clock '2026-03-27T08:59:50 Europe/Berlin'", "--click"),
        ("sandbox --ask hello --until-posts 0", "--until-posts"),
        ("sandbox --ask hello --clock now", "--clock"),
        ("sandbox --ask hello --clock '2026-03-29T02:30 Europe/Berlin'", "leave out"),
        ("sandbox --kill-at turn_started", "--ask"),
        ("sandbox --ask hello --kill-at turn_started,lunch_eaten", ", ".join(KINDS)),
    ],
)
def test_what_cannot_be_done_is_named_with_code_2(line: str, named: str) -> None:
    result = CliRunner().invoke(app, shlex.split(line), env={"COLUMNS": "500"})
    assert result.exit_code == 2
    assert named in result.output
