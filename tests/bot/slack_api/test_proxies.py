"""The proxy of the environment is for Slack, not for this machine."""

import pytest

from bot.ingress import connect_socket, create_app
from bot.slack_api import SlackApi, web_client
from tests.bot.slack_api.conftest import Desk

PROXY = "http://proxy.invalid:3128"


@pytest.fixture(autouse=True)
def proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, PROXY)


async def test_calls_to_this_machine_leave_the_proxy_out(desk: Desk) -> None:
    client = web_client(desk.slack.bot_token, base_url=desk.slack.api_url)
    identity = await SlackApi(client).identify()
    assert identity.team == desk.slack.team_id


async def test_the_socket_to_this_machine_leaves_the_proxy_out(desk: Desk) -> None:
    client = web_client(desk.slack.bot_token, base_url=desk.slack.api_url)
    identity = await SlackApi(client).identify()
    handler = await connect_socket(create_app(client, identity), desk.slack.app_token)
    await desk.slack.connected()
    await handler.close()


@pytest.mark.parametrize("host", ["localhost:80", "127.0.0.9", "[::1]:80"])
def test_every_name_of_this_machine_is_known(host: str) -> None:
    assert web_client("xoxb-1", base_url=f"http://{host}/api/").proxy is None


@pytest.mark.parametrize("host", ["slack.com", "10.0.0.1", "localhost.example.com"])
def test_slack_itself_is_called_through_the_proxy(host: str) -> None:
    assert web_client("xoxb-1", base_url=f"https://{host}/api/").proxy == PROXY
