"""The command line as a person meets it."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.cli import app

CliResult = subprocess.CompletedProcess[str]


def helped(*arguments: str) -> str:
    """What `--help` prints, on a terminal wide enough to break no option's name."""
    result = CliRunner().invoke(app, [*arguments, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    return result.stdout


def run_bot(cwd: Path, *arguments: str) -> CliResult:
    return subprocess.run(
        [sys.executable, "-m", "bot", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=90,
        check=False,
    )


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


@pytest.mark.process("how long a command takes to load is a matter of a process")
def test_a_folder_without_pages_ends_the_sandbox_with_a_reason(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "notes.txt").write_text("no page", encoding="utf-8")
    ended = run_bot(tmp_path, "sandbox", "--web", str(pages), "--ask", "hello")
    assert ended.returncode == 1
    assert ended.stderr.startswith("The sandbox stopped: ")
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""


@pytest.mark.process("how long a command takes to load is a matter of a process")
def test_a_folder_that_is_not_there_ends_the_sandbox_with_a_reason(tmp_path: Path) -> None:
    ended = run_bot(tmp_path, "sandbox", "--web", str(tmp_path / "nowhere"), "--ask", "hello")
    assert ended.returncode == 1
    assert "nowhere" in ended.stderr
    assert "Traceback" not in ended.stderr
