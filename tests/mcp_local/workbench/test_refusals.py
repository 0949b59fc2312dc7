"""Whose session a call may use, and Composio's failures as sentences."""

import asyncio
from collections.abc import Callable

import pytest
from aiohttp import web
from pydantic import SecretStr

from mcp_local.errors import RemoteError
from mcp_local.workbench.http import open_wire
from tests.mcp_local.fetch.world import PUBLIC, Names, Wire
from tests.mcp_local.workbench.cloud import KEY, completed, failed
from tests.mcp_local.workbench.desk import CloudDesk

REMOTE = "/home/user/a.txt"
FILE = {"remote_path": REMOTE, "local_path": "a.txt"}
TOOLS = ["workbench_download", "workbench_upload"]


@pytest.mark.parametrize("tool", TOOLS)
async def test_without_the_askers_composio_session_nothing_is_asked(
    desk: CloudDesk, tool: str
) -> None:
    desk.write("a.txt", b"x")
    answer = await desk.call_with({}, tool, **FILE)
    assert answer.failed
    assert "carries no Composio session of the person who asks" in answer.text
    assert desk.cloud.executed == []


@pytest.mark.proves("workbench.own_session")
@pytest.mark.parametrize("tool", TOOLS)
async def test_the_model_cannot_name_somebody_elses_session(desk: CloudDesk, tool: str) -> None:
    desk.write("a.txt", b"x")
    answer = await desk.call(tool, **FILE, session_id="trs_bob")
    assert answer.failed
    assert "not the asker's own" in answer.text
    assert desk.cloud.executed == []


@pytest.mark.parametrize("session", ["../session", "trs_a/../trs_b", "trs a", "trs?x"])
async def test_a_session_id_is_one_name(desk: CloudDesk, session: str) -> None:
    desk.write("a.txt", b"x")
    answer = await desk.call_with({"composio_session": session}, "workbench_upload", **FILE)
    assert answer.failed
    assert desk.cloud.executed == []


def envelope(status: int, message: str) -> web.Response:
    body = {"error": {"message": message, "code": 1810, "status": status}}
    return web.json_response(body, status=status)


@pytest.mark.proves("workbench.key_unseen")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda: envelope(404, "Session not found"), "It says: Session not found"),
        (lambda: envelope(403, "no"), "does not allow this"),
        (lambda: envelope(413, "big"), "too large"),
        (lambda: envelope(429, "slow down"), "come back in a minute"),
        (lambda: web.Response(status=502, text="<html>"), "has an error of its own (502)"),
        (lambda: web.Response(status=302, headers={"Location": "/"}), "refused the request (302)"),
        (lambda: web.Response(text="no json"), "not the JSON"),
        (lambda: web.json_response([1]), "not the JSON"),
        (lambda: failed(None), "Composio could not do it."),
        (lambda: failed("out of memory"), "Composio could not do it. out of memory"),
        (lambda: failed("no", "input_required"), "wants this confirmed"),
        (lambda: failed("a rule", "blocked"), "rules block this. a rule"),
        (lambda: web.json_response({"data": {}}), "Composio could not do it."),
        (lambda: completed({"error": "NameError: x"}), "failed: NameError: x"),
        (lambda: completed({"message": "done"}), "does not say what arrived"),
        (lambda: envelope(400, "é" * 2000), "é" * 300 + "…"),
        (lambda: envelope(400, f"bad {KEY} in\nheader"), "bad [key] in header"),
        (lambda: failed(f"bad {KEY}"), "bad [key]"),
    ],
)
async def test_a_failure_is_a_sentence(
    desk: CloudDesk, answer: Callable[[], web.Response], said: str
) -> None:
    desk.write("a.txt", b"x")
    desk.cloud.before_code = lambda _: answer()
    result = await desk.call("workbench_upload", **FILE)
    assert result.failed
    assert said in result.text
    assert KEY not in result.text
    assert len(set(desk.cloud.code)) == len(desk.cloud.code), "nothing is tried twice"


async def test_a_key_that_is_not_accepted_is_an_operators_matter(desk: CloudDesk) -> None:
    desk.write("a.txt", b"x")
    wrong = {"composio_api_key": SecretStr("ak_other")}
    desk.settings = desk.settings.model_copy(update=wrong)
    for tool, arguments in (("workbench_upload", FILE), ("upload_to_composio", {"path": "a.txt"})):
        answer = await desk.call(tool, **arguments)
        assert "An operator must look at COMPOSIO_API_KEY" in answer.text
        assert "ak_other" not in answer.text


async def test_a_service_that_is_away_is_a_sentence(desk: CloudDesk) -> None:
    desk.write("a.txt", b"x")
    away = {"composio_base_url": "http://127.0.0.1:1"}
    desk.settings = desk.settings.model_copy(update=away)
    answer = await desk.call("workbench_upload", **FILE)
    assert "Composio could not be reached: " in answer.text


async def test_a_connection_that_breaks_may_have_done_it(desk: CloudDesk) -> None:
    desk.write("a.txt", b"x")
    desk.cloud.is_cut_off = True
    answer = await desk.call("workbench_upload", **FILE)
    assert answer.text.endswith("; what was asked may have happened.")
    assert len(desk.cloud.code) == 1, "nothing is tried twice"


async def test_work_that_takes_too_long_ends_as_a_sentence(desk: CloudDesk) -> None:
    with pytest.raises(RemoteError, match=r"not moved within 0\.05 s"):
        async with open_wire(desk.settings, limit_s=0.05):
            await asyncio.Event().wait()


async def put(desk: CloudDesk, names: Names, sockets: Wire, address: str) -> str:
    """Put a byte there; what was said when it failed."""
    with pytest.raises(RemoteError) as failure:
        async with open_wire(desk.settings, look_up=names.addresses, make_socket=sockets) as wire:
            await wire.put(address, b"x", {})
    return str(failure.value)


async def test_a_public_storage_is_dialled_by_https(desk: CloudDesk) -> None:
    sockets = Wire()
    names = Names({"storage.example": [[PUBLIC]]})
    await put(desk, names, sockets, "https://storage.example/a?sig=x")
    assert sockets.dialled == [(PUBLIC, 443)]


@pytest.mark.parametrize("address", ["10.0.0.1", "127.0.0.1", "169.254.169.254", "::1", "fd00::1"])
async def test_a_name_that_leads_inside_is_not_dialled(desk: CloudDesk, address: str) -> None:
    sockets = Wire()
    names = Names({"storage.example": [[PUBLIC, address]]})
    said = await put(desk, names, sockets, "https://storage.example/a")
    assert "not public" in said
    assert sockets.dialled == []


async def test_what_connects_shows_no_key(desk: CloudDesk) -> None:
    key = desk.settings.composio_api_key.get_secret_value()
    async with open_wire(desk.settings) as wire:
        assert key not in repr(wire)
        assert wire.key == key
