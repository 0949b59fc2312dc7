"""What `bot check` says of the models and of Composio."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr

from agent_core.settings import CoreSettings
from tests.bot.operator.installation import KEY, checked, installed, nobody

pytestmark = [
    pytest.mark.process("Composio is asked by a process of its own"),
    pytest.mark.usefixtures("clean"),
]

MAIN = "Main model"
CLASSIFIER = "Classifier model"
COMPOSIO = "Composio"
ODD_KEY = "ak_hush_hush_hush"


@asynccontextmanager
async def answering(status: int, body: object) -> AsyncGenerator[str]:
    """The address of a service that answers everything in one way: a string as HTML, else JSON."""

    async def answer(_: web.Request) -> web.StreamResponse:
        if isinstance(body, str):
            return web.Response(text=body, content_type="text/html", status=status)
        return web.json_response(body, status=status)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with TestServer(app) as server:
        yield str(server.make_url("")).rstrip("/")


def at(address: str, root: Path) -> CoreSettings:
    """Settings under which the models and Composio are there."""
    return CoreSettings(
        anthropic_api_key=SecretStr(KEY),
        anthropic_base_url=address,
        composio_api_key=SecretStr(ODD_KEY),
        composio_base_url=address,
        workspaces_root=root,
    )


@pytest.mark.parametrize(
    ("title", "model"), [(MAIN, "claude-sonnet-5-5"), (CLASSIFIER, "claude-haiku-5-5")]
)
async def test_a_model_that_answers_is_fine(tmp_path: Path, title: str, model: str) -> None:
    async with installed(tmp_path) as world:
        found = await checked(title, core=world.core())
        [call] = world.model.calls
    assert found.state == "fine"
    assert found.text.startswith(f"{model} at 127.0.0.1:")
    assert call.body is not None
    assert call.body["model"] == model
    assert call.body["max_tokens"] <= 32


@pytest.mark.parametrize(
    ("fault", "state", "said"),
    [
        ({"status": 400}, "wrong", "odd request"),
        ({"status": 401}, "wrong", "does not accept the key"),
        ({"status": 402}, "wrong", "no credit"),
        ({"status": 403}, "wrong", "another key, or AGENT_MODEL"),
        ({"status": 404}, "wrong", "does not know this model; set AGENT_MODEL"),
        (
            {"status": 429, "error_code": "enforced_spend_limit_reached"},
            "wrong",
            "no credit left or has reached its limit",
        ),
        *(
            ({"status": status}, "warning", f"({status}); try again later. It said: “odd request”.")
            for status in (429, 500, 502, 503, 529)
        ),
    ],
)
async def test_what_a_provider_refuses_is_put_plainly(
    tmp_path: Path, fault: dict[str, Any], state: str, said: str
) -> None:
    async with installed(tmp_path) as world:
        world.model.fail(message="odd request", **fault)
        found = await checked(MAIN, core=world.core())
    assert found.state == state
    assert found.text.startswith("claude-sonnet-5-5: ")
    assert said in found.text


@pytest.mark.parametrize("title", [MAIN, COMPOSIO])
@pytest.mark.parametrize("body", [{"error": "boom"}, "<html>boom</html>", ""])
async def test_what_is_no_envelope_is_never_shown_as_data(
    tmp_path: Path, title: str, body: object
) -> None:
    async with answering(500, body) as address:
        found = await checked(title, core=at(address, tmp_path))
    assert found.state == "warning"
    assert "has a fault of its own (500); try again later." in found.text
    assert not any(mark in found.text for mark in ("{", "<", "Error code", "boom Until"))


@pytest.mark.parametrize(
    ("title", "said", "setting"),
    [
        (MAIN, "the provider cannot be reached; see that", "ANTHROPIC_BASE_URL"),
        (COMPOSIO, "Connection refused. See that this machine", "COMPOSIO_BASE_URL"),
    ],
)
async def test_a_service_that_is_not_there_is_told_with_its_setting(
    tmp_path: Path, title: str, said: str, setting: str
) -> None:
    with nobody() as address:
        found = await checked(title, core=at(address, tmp_path))
    assert found.state == "wrong"
    assert said in found.text
    assert setting in found.text


async def test_a_session_of_composio_is_opened_and_its_tools_counted(tmp_path: Path) -> None:
    async with installed(tmp_path) as world:
        found = await checked(COMPOSIO, core=world.core())
        users = [each.user_id for each in world.composio.sessions.values()]
    assert found.state == "fine"
    assert "6 tools" in found.text
    assert users == [], "it is deleted afterwards"


async def test_without_composio_there_is_a_warning() -> None:
    found = await checked(COMPOSIO)
    assert found.state == "warning"
    assert "there are no app tools and the web is searched as SEARCH_BACKEND" in found.text


@pytest.mark.parametrize(
    ("status", "state", "said"),
    [
        (400, "wrong", "refuses the request (400); see that COMPOSIO_BASE_URL"),
        (401, "wrong", "does not accept COMPOSIO_API_KEY; get one at https://platform.composio"),
        (402, "wrong", "no credit left"),
        (403, "wrong", "get another at https://platform.composio"),
        (404, "wrong", "COMPOSIO_BASE_URL"),
        (429, "warning", "busy or limits us (429); try again later."),
        (500, "warning", "a fault of its own (500); try again later."),
        (503, "warning", "a fault of its own (503); try again later."),
    ],
)
async def test_what_composio_answers_instead_is_put_plainly(
    tmp_path: Path, status: int, state: str, said: str
) -> None:
    async with answering(status, {"error": {"message": f"for {ODD_KEY}: " + "x" * 500}}) as address:
        found = await checked(COMPOSIO, core=at(address, tmp_path))
    assert (found.state, said in found.text) == (state, True)
    assert "Until then there is no search and there are no app tools." in found.text
    assert ODD_KEY not in found.text
    assert "x" * 200 not in found.text


@pytest.mark.parametrize("body", ["<html>captive portal</html>", "no json"])
async def test_a_composio_that_speaks_no_json_is_told_with_its_setting(
    tmp_path: Path, body: str
) -> None:
    async with answering(200, body) as address:
        found = await checked(COMPOSIO, core=at(address, tmp_path))
    assert found.state == "wrong"
    assert "Composio answers, but not as it should; see that COMPOSIO_BASE_URL" in found.text
    assert "Expecting value" not in found.text
