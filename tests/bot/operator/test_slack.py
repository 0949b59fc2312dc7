"""What `bot check` says of the two Slack tokens."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr

from bot.operator.services import AGENT_VIEW
from bot.sandbox.slack.records import OpenSockets, Record
from bot.slack_api.calls import TABLE
from tests.bot.operator.installation import checked, installed, nobody

pytestmark = pytest.mark.usefixtures("clean")

BOT_TOKEN = "Slack bot token"
SOCKET = "Slack Socket Mode"
MANIFEST = Path(__file__).parents[3] / "manifest.yml"


async def test_tokens_as_the_manifest_grants_them_are_fine(tmp_path: Path) -> None:
    manifest: dict[str, Any] = yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))
    async with installed(tmp_path, scopes=manifest["oauth_config"]["scopes"]["bot"]) as world:
        found = await checked(BOT_TOKEN, bot=world.bot())
    assert found.state == "fine"
    assert "universal-agent in the team Sandbox" in found.text


@pytest.mark.parametrize("lacking", sorted(TABLE.scopes)[:3])
async def test_a_scope_that_is_lacking_is_named(tmp_path: Path, lacking: str) -> None:
    async with installed(tmp_path, scopes=sorted(TABLE.scopes - {lacking})) as world:
        found = await checked(BOT_TOKEN, bot=world.bot())
    assert found.state == "wrong"
    assert f"lacks the scope {lacking};" in found.text
    assert "reinstall" in found.text


async def test_without_the_agent_view_there_is_a_warning(tmp_path: Path) -> None:
    async with installed(tmp_path, scopes=sorted(TABLE.scopes)) as world:
        found = await checked(BOT_TOKEN, bot=world.bot())
    assert found.state == "warning"
    assert AGENT_VIEW in found.text


@pytest.mark.parametrize(
    ("title", "name", "token"),
    [
        (BOT_TOKEN, "SLACK_BOT_TOKEN", "xoxb-not-of-this-team"),
        (SOCKET, "SLACK_APP_TOKEN", "xapp-not-of-this-team"),
    ],
)
async def test_a_token_that_slack_refuses_is_named_and_not_shown(
    tmp_path: Path, title: str, name: str, token: str
) -> None:
    async with installed(tmp_path) as world:
        bot = world.bot(slack_bot_token=SecretStr("xoxb-not-of-this-team"))
        bot = bot.model_copy(update={name.lower(): SecretStr(token)})
        found = await checked(title, bot=bot)
    assert found.state == "wrong"
    assert f"Slack refuses {name} (invalid_auth)" in found.text
    assert token not in found.text


@pytest.mark.parametrize("title", [BOT_TOKEN, SOCKET])
async def test_where_nobody_answers_the_address_is_named(title: str, tmp_path: Path) -> None:
    with nobody() as address:
        async with installed(tmp_path) as world:
            bot = world.bot(slack_api_url=f"{address}/api/")
            found = await checked(title, bot=bot)
    assert found.state == "wrong"
    assert f"Slack does not answer at {bot.slack_api_url}" in found.text


@pytest.mark.parametrize("title", [BOT_TOKEN, SOCKET])
async def test_a_pause_that_slack_asks_for_is_a_warning(tmp_path: Path, title: str) -> None:
    async with installed(tmp_path) as world:
        world.slack.fail("*", status=429, retry_after_s=7)
        found = await checked(title, bot=world.bot())
    assert found.state == "warning"
    assert "7 seconds" in found.text


async def test_a_socket_is_really_opened_and_closed_again(tmp_path: Path) -> None:
    async with installed(tmp_path) as world:
        records: list[Record] = []
        with world.slack.state.watch(lambda change: records.append(change.record)):
            found = await checked(SOCKET, bot=world.bot())
            assert found.state == "fine"
            await world.slack.wait_for(lambda _: records[-1:] == [OpenSockets(0)])
    assert OpenSockets(1) in records


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("link_disabled", "Socket Mode is switched off"),
        ("too_many_websockets", "as many sockets as Slack allows"),
        ("forbidden_team", "Slack opens no socket (forbidden_team)"),
    ],
)
async def test_a_socket_that_does_not_open_is_explained(
    tmp_path: Path, reason: str, said: str
) -> None:
    async with installed(tmp_path) as world:
        world.slack.fail("apps.connections.open", error=reason)
        found = await checked(SOCKET, bot=world.bot())
    assert found.state == "wrong"
    assert said in found.text
