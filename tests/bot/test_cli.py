"""The command line as a person meets it."""

import subprocess

import pytest
from typer.testing import CliRunner

from bot.cli import app

CliResult = subprocess.CompletedProcess[str]


def helped(*arguments: str) -> str:
    """What `--help` prints, on a terminal wide enough to break no option's name."""
    result = CliRunner().invoke(app, [*arguments, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.proves("command.names")
def test_help_names_the_commands() -> None:
    text = helped()
    assert "start" in text
    assert "check" in text
    assert "sandbox" in text
    assert "cited report" in text


def test_without_a_command_there_is_help_and_no_success() -> None:
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 2
    assert "Usage" in result.output


@pytest.mark.parametrize("option", ["--ask", "--out", "--web", "--json"])
def test_the_sandbox_explains_its_options(option: str) -> None:
    assert option in helped("sandbox")


def test_the_check_explains_its_exit_code_and_its_option() -> None:
    text = helped("check")
    assert "--json" in text
    assert "exit code is 0 when nothing is wrong" in " ".join(text.split())


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["fly"], "fly"),
        (["start", "--fast"], "--fast"),
        (["check", "--all"], "--all"),
        (["sandbox", "--ask"], "--ask"),
        (["sandbox", "--first-token-s", "quick"], "--first-token-s"),
    ],
)
def test_what_it_does_not_know_is_named_with_code_2(arguments: list[str], named: str) -> None:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert named in result.output
