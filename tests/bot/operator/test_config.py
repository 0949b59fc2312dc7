"""`bot config effective`: what holds in a scope, and from where; the file wins."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agent_core.ids import UserId
from agent_core.runtime.scopes import scope_settings
from agent_core.sessions import Database
from agent_core.settings import CoreSettings
from bot.cli import app

pytestmark = pytest.mark.usefixtures("clean")

ADMIN = UserId("T1:U9")
FILE = """
team:
  footer: true
channels:
  C0FILE:
    model: claude-opus-5-5
    approvals: refuse
"""


async def fill(url: str) -> None:
    database = Database(url)
    await database.open()
    scopes = scope_settings(database, CoreSettings.model_construct())
    changes: dict[str, dict[str, str]] = {
        "T1": {"instructions": "cite our wiki first", "approvals": "ask", "follow_ups": "mention"},
        "T1:C0DE": {"instructions": "answer in German", "model": "small", "approvals": "policy"},
        "T1:C0FILE": {"model": "small", "budget": "25", "footer": "false"},
        "T1:C0DE:1700000000.000100": {"model": "main", "tools": "search_*, crawl_parallel"},
    }
    for scope, texts in changes.items():
        await scopes.change(scope, texts, ADMIN, key=scope, now=datetime.now(UTC))
    await database.close()


@pytest.fixture
def installation(tmp_path: Path) -> dict[str, str]:
    url = f"sqlite:///{tmp_path}/state.sqlite"
    asyncio.run(fill(url))
    file = tmp_path / "channels.yaml"
    file.write_text(FILE, encoding="utf-8")
    return {"DATABASE_URL": url, "CHANNEL_SETTINGS_FILE": str(file), "AGENT_MODEL": "big"}


def effective(environment: dict[str, str], *arguments: str) -> Result:
    return CliRunner().invoke(app, ["config", "effective", *arguments], env=environment)


def held(environment: dict[str, str], scope: str) -> dict[str, list[tuple[str, str]]]:
    """By setting each value with its origin."""
    settings: dict[str, list[tuple[str, str]]] = {}
    for line in effective(environment, scope).stdout.splitlines():
        value, origin = line[20:].rsplit(maxsplit=1)
        settings.setdefault(line[:20].strip(), []).append((value.strip(), origin))
    return settings


@pytest.mark.proves("scopes.origins")
def test_each_value_is_told_with_its_origin_in_six_scopes(installation: dict[str, str]) -> None:
    wiki, german = ("cite our wiki first", "team"), ("answer in German", "channel")
    team = held(installation, "T1")
    assert team["instructions"] == [wiki]
    assert team["model"] == [("big", "environment")]
    assert team["footer"] == [("True", "file")]
    assert team["guests"] == [("False", "default")]

    channel = held(installation, "C0DE")
    assert channel["instructions"] == [wiki, german]
    assert channel["model"] == [("small", "channel")]
    assert channel["approvals"] == [("ask", "team")]  # a channel cannot loosen what its team set

    thread = held(installation, "C0DE:1700000000.000100")
    assert thread["model"] == [("main", "thread")]
    assert thread["tools"] == [("search_*, crawl_parallel", "thread")]
    assert thread["instructions"] == [wiki, german]

    by_file = held(installation, "C0FILE")
    assert by_file["model"] == [("claude-opus-5-5", "file")]
    assert by_file["approvals"] == [("refuse", "file")]
    assert by_file["budget"] == [("25.0", "channel")]
    assert by_file["footer"] == [("True", "file")]

    elsewhere = held(installation, "C0ELSE")
    assert elsewhere["follow_ups"] == [("mention", "team")]

    assert elsewhere["digests"] == [("True", "default")]


@pytest.mark.proves("scopes.unknown_key")
def test_a_wrong_name_in_the_file_is_refused_with_the_nearest_one(
    installation: dict[str, str],
) -> None:
    file = Path(installation["CHANNEL_SETTINGS_FILE"])
    file.write_text("channels:\n  C0DE:\n    modle: small\n", encoding="utf-8")
    refused = effective(installation, "C0DE")
    assert refused.exit_code == 1
    assert (
        "channels, C0DE: `modle`: nothing is called so here. Did you mean `model`?"
        in refused.output
    )

    file.write_text("teem:\n  model: small\n", encoding="utf-8")
    assert "Did you mean `team`?" in effective(installation, "C0DE").output
    file.write_text("team:\n  budget: much\n", encoding="utf-8")
    assert "team: `budget`" in effective(installation, "C0DE").output
