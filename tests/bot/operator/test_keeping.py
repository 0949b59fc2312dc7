"""`bot backup`, `restore`, `hold` and `erase`, as an operator uses them beside no bot."""

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agent_core.testing.models import ScriptedModel
from bot.cli import app
from tests.agent_core.runtime.threads import begin, end_of
from tests.runtimes import inbound, scripted_runtime

pytestmark = pytest.mark.usefixtures("clean")


def bot(root: Path, *arguments: str, typed: str = "") -> Result:
    return CliRunner().invoke(
        app, list(arguments), env={"WORKSPACES_ROOT": str(root)}, input=typed or None
    )


async def fill(root: Path) -> None:
    async with scripted_runtime(root, model=ScriptedModel(["One.", "Two."])) as runtime:
        for thread in (1, 2):
            message = inbound("Look into plover-7713", number=thread, thread=thread)
            await end_of(runtime, await begin(runtime, message))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    asyncio.run(fill(tmp_path / "root"))
    return tmp_path / "root"


@pytest.mark.proves("keeping.commands")
def test_an_operator_backs_up_holds_erases_and_restores(root: Path, tmp_path: Path) -> None:
    made = bot(root, "backup", str(tmp_path))
    [archive] = tmp_path.glob("backup-*.tar.gz")
    assert made.exit_code == 0
    assert str(archive) in made.stdout
    assert "C1 is under legal hold" in bot(root, "hold", "C1").stdout
    refused = bot(root, "erase", "--person", "U1", "--yes")
    assert refused.exit_code == 1
    assert "Nothing was deleted in T1:C1:1.000001" in refused.stderr
    assert bot(root, "hold", "C1", "--end").stdout == ""
    asked = bot(root, "erase", "--person", "U1", typed="n\n")
    assert asked.exit_code == 1
    assert "It cannot delete posts in Slack" in asked.stdout
    erased = bot(root, "erase", "--person", "U1", typed="y\n")
    assert (erased.exit_code, erased.stdout.splitlines()[-1]) == (0, "Deleted in 2 threads.")
    assert bot(root, "audit", "verify").exit_code == 0
    assert "There is a database already" in bot(root, "restore", str(archive)).stderr
    assert "0 people are U1" in bot(root, "erase", "--person", "U1", "--yes").stderr
    back = bot(tmp_path / "again", "restore", str(archive))
    assert (back.exit_code, back.stderr) == (0, "")
    assert bot(tmp_path / "again", "erase", "--person", "T1:U1", "--yes").exit_code == 0
