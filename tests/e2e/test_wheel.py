"""The wheel, installed with nothing else of the repository, works from an empty directory."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from bot.sandbox.settings import child_environment
from tests.e2e.command_line import NO_KEYS
from tests.surroundings import trust_authorities_again

pytestmark = [
    pytest.mark.process("a wheel is built and installed into an environment of its own"),
    pytest.mark.timeout(900),
]

REPOSITORY = Path(__file__).parents[2]
UV = os.environ.get("UV") or shutil.which("uv")  # noqa: TID251 (uv says where it lies itself)


async def run(directory: Path, *command: str | Path) -> str:
    """What a command prints; it must succeed."""
    trust_authorities_again()  # `uv` may ask its index
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=directory,
        env=child_environment({**NO_KEYS, "CRAWL_BROWSER": "off", "VIRTUAL_ENV": ""}),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, out.decode() + err.decode()
    return out.decode()


async def install_wheel(home: Path) -> Path:
    """Build the wheel, and install it with the locked dependencies; returns `bot`."""
    assert UV is not None, "uv runs these tests"
    await run(REPOSITORY, UV, "build", "--quiet", "--wheel", "--out-dir", home / "dist")
    [wheel] = (home / "dist").glob("*.whl")
    locked = home / "locked.txt"
    export = ("export", "--quiet", "--locked", "--no-default-groups", "--no-emit-project")
    await run(REPOSITORY, UV, *export, "--no-hashes", "--output-file", locked)
    await run(home, UV, "venv", "--quiet", home / "venv")
    install = ("pip", "install", "--quiet", "--python", home / "venv" / "bin" / "python")
    await run(home, UV, *install, "--requirements", locked, wheel)
    return home / "venv" / "bin" / "bot"


@pytest.mark.proves("command.wheel")
async def test_the_wheel_alone_writes_a_report_from_an_empty_directory(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    bot = await install_wheel(tmp_path)
    assert "sandbox" in await run(empty, bot, "--help")
    assert await run(empty, bot, "manifest") == (REPOSITORY / "manifest.yml").read_text("utf-8")
    ask = "Compare heat pumps, battery storage and wind power"
    printed = await run(empty, bot, "sandbox", "--ask", ask, "--out", "o")
    assert "bot: " in printed
    assert [path.suffix for path in (empty / "o").glob("*.html")] == [".html"]
    assert {path.name for path in empty.iterdir()} == {"AGENT_RUN_WORKSPACES", "o"}
