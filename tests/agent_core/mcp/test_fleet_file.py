"""What the file of servers, the catalogue and the machine make of each server."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agent_core.errors import SettingsError
from agent_core.mcp import FleetServer, HttpServer, StdioServer, read_fleet

SHIPPED = ["edgartools", "video_audio", "youtube", "zai_vision", "web_reader"]
EVERYTHING = {"EDGAR_IDENTITY": "Jane jane@example.com", "Z_AI_API_KEY": "z1"}


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of this machine's programs."""
    found = tmp_path / "bin"
    found.mkdir()
    for name in ("uvx", "npx", "ffmpeg", "ffprobe", "c", "own-reader"):
        (found / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(found))
    return found


def fleet_of(
    file: Path | None, environment: Mapping[str, str] | None = None
) -> dict[str, FleetServer]:
    """All servers by name."""
    return {server.name: server for server in read_fleet(file, environment or {})}


def read(
    tmp_path: Path, servers: dict[str, Any], environment: Mapping[str, str] | None = None
) -> dict[str, FleetServer]:
    """All servers by name, the file's own ones last."""
    file = tmp_path / "servers.json"
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    return fleet_of(file, environment)


def read_one(
    tmp_path: Path, entry: Any, environment: Mapping[str, str] | None = None
) -> FleetServer:
    return read(tmp_path, {"mine": entry}, environment)["mine"]


@pytest.mark.proves("fleet.file")
def test_a_stdio_server_gets_its_own_variables_alone(tmp_path: Path) -> None:
    server = read_one(
        tmp_path,
        {
            "command": "uvx",
            "args": ["server", "--team=${TEAM}"],
            "env": {"KEY": "${OTHER_NAME}", "MODE": "${MODE:-plain}", "N": 3},
            "cwd": "data",
            "timeout": 30,
            "alwaysAllow": ["x"],
        },
        {"TEAM": "red", "OTHER_NAME": "s3cret", "UNRELATED": "x", "MODE": ""},
    )
    assert server.is_on
    assert server.config == StdioServer(
        name="mine",
        command="uvx",
        args=("server", "--team=red"),
        env={"KEY": "s3cret", "MODE": "plain", "N": "3"},
        cwd=tmp_path / "data",
        call_timeout_s=30,
    )
    assert "s3cret" not in repr(server)


@pytest.mark.parametrize("kind", ["http", "streamable-http", "streamableHttp", None])
@pytest.mark.parametrize("key", ["url", "serverUrl"])
def test_an_http_server_has_many_spellings(tmp_path: Path, kind: str | None, key: str) -> None:
    entry = {key: "https://a.test/${TEAM}", "headers": {"Authorization": "Bearer ${env:KEY}"}}
    server = read_one(
        tmp_path, entry | ({"type": kind} if kind else {}), {"KEY": "k", "TEAM": "red"}
    )
    assert (server.transport, server.off) == ("http", "")
    assert server.config == HttpServer(
        name="mine", url="https://a.test/red", headers={"Authorization": "Bearer k"}
    )


@pytest.mark.proves("fleet.one_off")
@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"command": "c", "env": {"K": "${KEY} ${MORE}"}}, "KEY is not set; MORE is not set."),
        ({"command": "c", "args": ["${input:token}"]}, "input:token is not set."),
        ({"command": "c", "args": ["${WORKSPACE}"]}, "WORKSPACE is not set."),
        ({"command": "${PROGRAM}"}, "PROGRAM is not set."),
        ({"type": "sse", "url": "https://a.test/sse"}, "there are stdio and http"),
        ({"type": "ws", "url": "https://a.test"}, "'ws' is not known"),
        ({"url": "file:///etc/passwd"}, "its url is no http address."),
        ({"url": "https://a.test", "command": "c"}, "a command and a url, and no type"),
        ({"type": "stdio"}, "it has no command."),
        ({"type": "http"}, "it has no url."),
        ({}, "it has no command."),
        ([], "its entry is no JSON object."),
        ({"command": "c", "args": "all"}, "args: Input should be a valid list"),
        ({"command": "c", "timeout": 60_000}, "timeout: Input should be less than"),
        ({"command": "c", "scope": "team"}, "scope: Input should be 'bot' or 'session'"),
        ({"command": "c", "channel": ["C1"]}, "is 'channels' meant?"),
        ({"command": "c", "disabled": True}, "it is disabled in the file."),
    ],
)
def test_what_is_wrong_with_one_server_turns_that_one_off(
    tmp_path: Path, entry: Any, reason: str
) -> None:
    servers = read(tmp_path, {"mine": entry, "good": {"command": "c"}})
    assert not servers["mine"].is_on
    assert reason in servers["mine"].off
    assert servers["good"].is_on


def test_only_what_its_transport_needs_is_filled_in(tmp_path: Path) -> None:
    entry = {"type": "http", "url": "https://a.test", "command": "c", "args": ["${INPUT}"]}
    assert read_one(tmp_path, entry).is_on
    unset = read_one(tmp_path, {"url": "${ADDRESS}"})
    assert (unset.transport, unset.off) == ("http", "ADDRESS is not set.")


@pytest.mark.parametrize("name", ["local_toolkit", "composio", "a__b", "a b", "", "x" * 41, "a_"])
def test_a_name_that_could_take_another_servers_calls_is_off(tmp_path: Path, name: str) -> None:
    server = read(tmp_path, {name: {"command": "c"}})[name]
    assert not server.is_on
    assert "its name" in server.off


@pytest.mark.proves("fleet.broken")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b'{"mcpServers": {\n  "a": {"command": "c",}\n}}', "line 2"),
        (b'{\n"mcpServers": []}', 'no object "mcpServers"'),
        (b"[]", 'no object "mcpServers"'),
        (b"", "line 1"),
        (b"[" * 100_000, "recursion"),
        (b'{"mcpServers": {"\xe9": {}}}', "utf-8"),
        (None, "No such file"),
    ],
)
def test_a_broken_file_is_refused_with_its_line(
    tmp_path: Path, text: bytes | None, why: str
) -> None:
    file = tmp_path / "servers.json"
    if text is not None:
        file.write_bytes(text)
    with pytest.raises(SettingsError, match=r"servers\.json") as refused:
        fleet_of(file)
    assert why in str(refused.value)


def test_the_file_of_another_editor_is_read_too(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('\ufeff{"inputs": [], "servers": {"a": {"command": "c"}}}', encoding="utf-8")
    assert fleet_of(file)["a"].is_on


@pytest.mark.proves("fleet.shipped")
def test_the_shipped_servers_are_off_with_what_they_need(programs: Path) -> None:
    for name in ("uvx", "ffmpeg"):
        (programs / name).unlink()
    servers = fleet_of(None)
    assert list(servers) == SHIPPED
    assert not any(server.is_on for server in servers.values())
    assert "EDGAR_IDENTITY is not set (a name" in servers["edgartools"].off
    assert "the program uvx is not found (it comes with uv)" in servers["edgartools"].off
    assert "the program ffmpeg is not found" in servers["video_audio"].off
    assert "Z_AI_API_KEY is not set" in servers["web_reader"].off


def test_a_shipped_server_is_on_when_its_own_key_is_there() -> None:
    servers = fleet_of(None, EVERYTHING)
    on = {name for name, server in servers.items() if server.is_on}
    assert on == {"edgartools", "zai_vision", "web_reader"}
    vision = servers["zai_vision"].config
    assert isinstance(vision, StdioServer)
    assert vision.env == {"Z_AI_API_KEY": "z1", "Z_AI_MODE": "ZAI"}
    reader = servers["web_reader"].config
    assert isinstance(reader, HttpServer)
    assert reader.headers == {"Authorization": "Bearer z1"}


@pytest.mark.proves("fleet.shipped")
@pytest.mark.parametrize("name", ["video_audio", "youtube"])
def test_what_needs_no_key_is_off_until_it_is_asked_for_and_leaves_its_works_to_the_thread(
    tmp_path: Path, programs: Path, name: str
) -> None:
    asked_for = f'it is off until you ask for it: write {{"mcpServers": {{"{name}": {{}}}}}}'
    assert asked_for in fleet_of(None, EVERYTHING)[name].off
    named = read(tmp_path, {name: {}})[name]
    assert named.is_on
    config = named.config_in(tmp_path / "session")
    assert isinstance(config, StdioServer)
    assert f"{tmp_path}/session/work_products" in config.env.values()
    (programs / "ffmpeg").unlink()
    lacking = fleet_of(None, EVERYTHING)[name].off
    assert "the program ffmpeg is not found" in lacking
    assert asked_for in lacking


@pytest.mark.proves("fleet.no_interpreter")
def test_no_shipped_server_downloads_an_interpreter(tmp_path: Path) -> None:
    servers = read(tmp_path, {name: {} for name in SHIPPED}, EVERYTHING).values()
    configs = [each.config for each in servers]
    started = [each for each in configs if isinstance(each, StdioServer) and each.command == "uvx"]
    assert len(started) == 3
    for config in started:
        assert config.env["UV_PYTHON_DOWNLOADS"] == "never"
        assert "--python" not in config.args


def test_the_operator_limits_a_shipped_server_or_replaces_it(tmp_path: Path) -> None:
    servers = read(
        tmp_path,
        {"edgartools": {"channels": ["C1"]}, "web_reader": {"command": "own-reader"}},
        EVERYTHING,
    )
    assert servers["edgartools"].access.channels == {"C1"}
    assert servers["edgartools"].is_on
    assert servers["web_reader"].transport == "stdio"
    assert list(servers) == SHIPPED


def test_the_operator_adds_to_a_shipped_servers_variables_and_takes_some_away(
    tmp_path: Path,
) -> None:
    changed = {"env": {"Z_AI_MODE": "", "Z_AI_BASE_URL": "http://127.0.0.1:1/"}}
    config = read(tmp_path, {"zai_vision": changed}, EVERYTHING)["zai_vision"].config
    assert isinstance(config, StdioServer)
    assert config.env == {"Z_AI_API_KEY": "z1", "Z_AI_BASE_URL": "http://127.0.0.1:1/"}


def test_a_server_of_each_session_works_in_its_directory(tmp_path: Path) -> None:
    entry = {"command": "c", "args": ["${WORKSPACE}/in"], "scope": "session"}
    config = read_one(tmp_path, entry).config_in(tmp_path / "session")
    assert isinstance(config, StdioServer)
    assert config.args == (f"{tmp_path}/session/in",)
    assert config.cwd == tmp_path / "session"
