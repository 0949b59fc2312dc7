"""The image, by its Dockerfile: no daemon builds it here."""

import re
import tomllib
from pathlib import Path

import pytest

from bot.settings import read_configuration

pytestmark = pytest.mark.usefixtures("clean")

ROOT = Path(__file__).parents[2]
LINES = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text(encoding="utf-8")).splitlines()
TOKENS = {
    "SLACK_BOT_TOKEN": "xoxb-given",
    "SLACK_APP_TOKEN": "xapp-given",
    "ANTHROPIC_API_KEY": "sk-ant-given",
}


def lines_of(instruction: str) -> list[str]:
    return [
        line.removeprefix(f"{instruction} ") for line in LINES if line.startswith(f"{instruction} ")
    ]


def variables() -> dict[str, str]:
    pairs = (pair for line in lines_of("ENV") for pair in line.split())
    return dict(pair.split("=", 1) for pair in pairs)


@pytest.mark.proves("image.starts")
def test_with_tokens_alone_it_starts_and_has_a_live_view(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**variables(), **TOKENS}.items():
        monkeypatch.setenv(name, value)
    configuration = read_configuration()
    assert not configuration.faults
    assert not configuration.missing
    port = configuration.bot.console_port
    assert configuration.bot.console_url == f"http://127.0.0.1:{port}"
    assert lines_of("EXPOSE") == [str(port)]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"docker run --env-file .env -p 127.0.0.1:{port}:{port} -v agent-data:/data" in readme


@pytest.mark.proves("image.lines")
def test_its_base_is_a_named_debian_and_its_code_is_not_the_agents() -> None:
    bases = [line.split()[0] for line in lines_of("FROM")]
    assert bases == ["python:3.11-slim-bookworm"] * 2
    assert not any("--chown" in line for line in lines_of("COPY"))
    assert lines_of("USER") == ["agent"]


@pytest.mark.proves("image.lines")
def test_it_has_fonts_certificates_and_a_home_that_lasts() -> None:
    commands = " ".join(lines_of("RUN"))
    packages = {"ca-certificates", "chromium", "fonts-noto-cjk", "fonts-noto-color-emoji"}
    assert packages <= set(commands.split())
    [volume] = lines_of("VOLUME")
    assert f"--home-dir {volume} " in commands
    assert variables()["WORKSPACES_ROOT"] == volume


def test_what_the_wheel_is_made_of_is_copied() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = settings["project"]
    wheel = settings["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {project["readme"], *project["license-files"], *wheel["packages"]}
    needed |= {"pyproject.toml", "uv.lock", *wheel["force-include"]}
    copied = {name for line in lines_of("COPY") for name in line.split()[:-1]}
    assert needed <= copied
